"""Cases put to a device: prepared, packed, split, asked alone, confirmed and judged."""
