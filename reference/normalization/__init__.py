"""References of the normalizations."""
