"""Conditions on elements."""
