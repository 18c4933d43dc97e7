"""What every command does in a terminal: progress, signals, and missing packages."""
