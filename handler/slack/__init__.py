"""Slack's side: the events it sends and the calls it accepts."""
