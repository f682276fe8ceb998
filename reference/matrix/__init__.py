"""References of the matrix operations."""
