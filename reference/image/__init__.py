"""References of image processing operations."""
