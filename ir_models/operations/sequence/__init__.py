"""Sequence processing operations."""
