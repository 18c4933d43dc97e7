"""The open scoreboard: this project's classifier and others on the same public rows."""
