"""Comparison operations."""
