"""References of the operations on element types and strings."""
