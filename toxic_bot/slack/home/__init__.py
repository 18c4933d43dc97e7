"""Where nobody has asked about a message: the Home tab, and the greeting in a channel."""
