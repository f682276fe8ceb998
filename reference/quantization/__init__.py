"""References of the quantization operations."""
