"""Perspective's API, for clients that it leaves behind."""
