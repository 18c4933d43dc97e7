"""What Slack sends and takes."""
