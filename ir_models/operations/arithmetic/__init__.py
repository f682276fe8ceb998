"""Arithmetic operations."""
