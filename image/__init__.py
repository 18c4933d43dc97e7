"""How the images are built and tried out."""
