"""A Slack workspace and an AWS on this machine: for the demo, for development, for the tests."""
