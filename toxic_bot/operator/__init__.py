"""What an operator runs against a bot: checks, dead letters, votes and the digest."""
