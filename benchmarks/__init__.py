"""Timings of the bot on this machine."""
