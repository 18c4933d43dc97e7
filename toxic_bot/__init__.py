"""The command line, ``toxic-bot``, and what it runs."""
