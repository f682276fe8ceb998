"""Shifts of bits: which numbers of bits the pages define."""

from __future__ import annotations

import numpy as np

from reference.accuracy import integer_range


def outside(shifts: np.ndarray) -> np.ndarray:
    """Where shifts are negative or no less than the number of bits of their type."""
    least, most = integer_range(shifts.dtype)
    bits = (most - least).bit_length()
    return (shifts < 0) | (shifts.astype(np.int64) >= bits)
