"""Quantization operations."""
