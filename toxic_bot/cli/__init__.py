"""One module for each command: its arguments, and the functions that it runs.

`add` adds the command to the parser; `run` takes the parsed options and returns the exit
status.
"""
