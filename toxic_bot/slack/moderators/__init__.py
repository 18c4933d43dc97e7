"""What moderators get: notes on messages, and a weekly digest."""
