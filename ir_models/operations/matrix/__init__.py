"""Matrix operations."""
