"""NonZero (page NonZero-3)."""

from __future__ import annotations

import numpy as np

from reference import implements

_TYPES = {"i64": np.int64, "i32": np.int32}


@implements("NonZero-3")
def non_zero(data: np.ndarray, *, output_type: str = "i64") -> np.ndarray:
    """Where the elements of ``data`` stand that are not zero, in row-major order.

    Any shape of rank r, n elements that are not zero -> [r, n]; a column is the place of one element. NaN is not zero,
    -0 is. Raises ValueError for another ``output_type`` than i64 and i32.
    """
    if output_type not in _TYPES:
        raise ValueError(f"NonZero-3: output_type must be i64 or i32, got {output_type!r}")
    # float64 holds all values of the types of ml_dtypes, which NumPy does not tell from zero.
    numbers = data.astype(np.float64) if data.dtype.kind == "V" else data
    return np.argwhere(numbers != 0).T.astype(_TYPES[output_type])
