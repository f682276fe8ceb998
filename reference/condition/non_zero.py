"""NonZero (page NonZero-3)."""

import numpy as np

from reference import implements
from reference.shared.checks import INDEX_TYPES, IndexType


@implements("NonZero-3")
def non_zero(data: np.ndarray, *, output_type: IndexType = "i64") -> np.ndarray:
    """The positions of the elements of ``data`` that are not zero, in row-major order.

    Any shape of rank r, n elements that are not zero -> [r, n]; a column is the position of one element. NaN is not
    zero, -0 is.
    """
    # float64 holds all values of the types of ml_dtypes, which NumPy does not tell from zero.
    numbers = data.astype(np.float64) if data.dtype.kind == "V" else data
    return np.argwhere(numbers != 0).T.astype(INDEX_TYPES[output_type])
