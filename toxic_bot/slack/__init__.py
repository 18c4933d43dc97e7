"""The bot: what Slack sends and takes, and how each gesture is answered. It knows no AWS."""
