"""The bot without AWS: Slack's Socket Mode instead of HTTP, SQLite instead of queue and table."""
