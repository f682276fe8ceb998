"""Sorting and selection."""
