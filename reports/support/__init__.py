"""What a device supports: cells of operations as runs measured them, compared, and asked of a model's layers."""
