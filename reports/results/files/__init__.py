"""Results files: written, read, joined, and what they are of."""
