"""How a model is made: from a checkpoint and labelled texts to the folder the bot serves."""
