"""A bot on AWS, from nothing to the first verdict and back: ``toxic-bot up`` and ``down``."""
