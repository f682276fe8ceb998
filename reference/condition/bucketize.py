"""Bucketize (page Bucketize-3)."""

import numpy as np

from reference import implements
from reference.accuracy import Rounded, is_float
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.dividing import of_data
from reference.shared.elementwise import is_nan


def _numbers(values: np.ndarray) -> np.ndarray:
    """Python's numbers, which compare exactly whatever their types are."""
    if is_float(values.dtype):
        return np.asarray(values.astype(np.float64), object)
    # NumPy makes no integers of those of 4 bits.
    return np.asarray(values.astype(int) if values.dtype.kind == "V" else values, object)


# Numbers are compared: nothing is rounded. The page does not say how NaN compares.
@implements(
    "Bucketize-3", accuracy=Rounded(bound=0, quality=0, silent=is_nan, operands=0), parts=of_data
)
def bucketize(
    data: np.ndarray,
    buckets: np.ndarray,
    *,
    output_type: IndexType = "i64",
    with_right_bound: bool = True,
) -> np.ndarray:
    """The number of boundaries below each element, and of those equal to it if not ``with_right_bound``.

    data [...] and buckets [n], sorted -> indices from 0 to n. Raises ValueError for boundaries that do not ascend.
    """
    boundaries = _numbers(buckets)
    if buckets.ndim != 1 or not (boundaries[1:] > boundaries[:-1]).all():
        raise ValueError(f"Bucketize-3: boundaries must be a sorted list, got {buckets.tolist()}")
    numbers = np.reshape(_numbers(data), (*data.shape, 1))
    passed = numbers > boundaries if with_right_bound else numbers >= boundaries
    return np.asarray(passed.astype(bool).sum(-1)).astype(INDEX_TYPES[output_type])
