"""Activation operations."""
