"""The service under load, next to the peer that everybody starts from."""
