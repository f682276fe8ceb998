"""References of object detection operations."""
