"""References of the convolutions."""
