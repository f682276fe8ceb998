"""Bitwise operations."""
