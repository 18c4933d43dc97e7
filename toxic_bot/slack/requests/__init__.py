"""What Slack sends: signed HTTP requests, events, commands, clicks and forms."""
