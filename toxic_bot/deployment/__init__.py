"""What a deployment's functions and its operator both read: settings, and the table's layout."""
