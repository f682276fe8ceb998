"""Logical operations."""
