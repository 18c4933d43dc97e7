"""Timings and costs of the bot."""
