"""What references of several categories have in common."""
