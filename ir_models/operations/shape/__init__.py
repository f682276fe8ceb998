"""Shape manipulation."""
