"""The settings of single channels: read, shown and changed."""
