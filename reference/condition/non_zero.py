"""NonZero (page NonZero-3)."""

import numpy as np

from reference import implements
from reference.shared.checks import index_type


@implements("NonZero-3")
def non_zero(data: np.ndarray, *, output_type: str = "i64") -> np.ndarray:
    """The positions of the elements of ``data`` that are not zero, in row-major order.

    Any shape of rank r, n elements that are not zero -> [r, n]; a column is the position of one element. NaN is not
    zero, -0 is. Raises ValueError for another ``output_type`` than i64 and i32.
    """
    dtype = index_type(output_type, "NonZero-3: output_type")
    # float64 holds all values of the types of ml_dtypes, which NumPy does not tell from zero.
    numbers = data.astype(np.float64) if data.dtype.kind == "V" else data
    return np.argwhere(numbers != 0).T.astype(dtype)
