"""The service beside another that answers as the Perspective API does."""
