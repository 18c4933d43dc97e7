"""What runs in Lambda: the receiver, the worker and what they share."""
