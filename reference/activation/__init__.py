"""References of the activation operations."""
