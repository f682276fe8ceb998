"""References of the shape manipulation operations."""
