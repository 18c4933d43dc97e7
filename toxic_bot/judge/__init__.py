"""Text in, verdict out: the room that knows neither Slack nor AWS nor settings."""

__version__ = "0.2.0"
