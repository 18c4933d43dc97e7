"""What members of a workspace read from the bot, in every language that it speaks."""
