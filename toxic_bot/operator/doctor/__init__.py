"""The doctor: what is wrong with a setup, and how to fix it."""
