"""Stage 5: the model folder that the bot serves, with its model card."""
