"""Infrastructure operations."""
