"""References of the bitwise operations."""
