"""The model pipeline: from a checkpoint and labeled texts to the folder that the bot serves."""
