"""References of the logical operations."""
