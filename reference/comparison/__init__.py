"""References of the comparison operations."""
