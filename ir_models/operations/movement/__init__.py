"""Data movement operations."""
