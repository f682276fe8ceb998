"""References of the data movement operations."""
