"""The bot without AWS: Socket Mode or HTTP to one process, SQLite instead of queue and table."""
