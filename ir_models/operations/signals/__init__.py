"""Signal processing operations."""
