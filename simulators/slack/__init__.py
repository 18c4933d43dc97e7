"""A simulated Slack workspace: its state, Web API, Events API, Socket Mode and web client."""
