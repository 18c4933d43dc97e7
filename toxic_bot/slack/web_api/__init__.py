"""What Slack takes: its Web API and its response URLs."""
