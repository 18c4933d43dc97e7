"""A Slack workspace on this machine: its state, Web API, event delivery and page."""
