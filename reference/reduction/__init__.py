"""References of the reduction operations."""
