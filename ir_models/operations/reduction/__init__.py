"""Reduction operations."""
