"""One answer for a message: assess it, claim it, post it."""
