"""References of the arithmetic operations."""
