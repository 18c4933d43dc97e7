"""What people do to ask the bot something, as it travels from the receiver to the worker.

A gesture holds IDs and times. Only a `Command`, a `Trial`, a `Shortcut` and a `WatchedMessage`
hold a text, because the bot may not be able to read it anywhere else, or not fast enough; those use
a separate queue, which keeps nothing for long.
"""
