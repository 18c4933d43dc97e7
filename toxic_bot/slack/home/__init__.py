"""The Home tab, and the greeting in a channel."""
