"""Generation operations."""
