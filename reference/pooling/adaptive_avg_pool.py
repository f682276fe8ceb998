"""AdaptiveAvgPool (page AdaptiveAvgPool-8)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum
from reference.shared.adaptive import AdaptiveWindows, adaptive_windows
from reference.shared.dividing import images


def _counts(data: np.ndarray, moving: AdaptiveWindows) -> np.ndarray:
    """How many elements each window has [1, 1, *counts]."""
    counts: np.ndarray = moving.over(np.ones((1, 1, *data.shape[2:])), 0).sum(axis=-1)
    return counts


def _terms(call: Call) -> np.ndarray:
    data = call.array(0)
    return _counts(data, adaptive_windows("AdaptiveAvgPool-8", data, call.array(1)))


# A partial sum is as large as the mean of absolute values times the number of terms.
@implements(
    "AdaptiveAvgPool-8",
    accuracy=Sum(terms=_terms, extra=1, partial=_terms, operands=1),
    parts=images,
)
def adaptive_avg_pool(data: np.ndarray, output_size: np.ndarray) -> np.ndarray:
    """The average of each window, in float64.

    data [N, C, *spatial], output_size [spatial axes] -> [N, C, *output_size]. Window i of m along an axis of size n
    begins at floor(i * n / m) and ends before ceil((i + 1) * n / m), so that neighbours may share elements. Raises
    ValueError where there is not one size for each spatial axis, or windows have no elements.
    """
    moving = adaptive_windows("AdaptiveAvgPool-8", data, output_size)
    total: np.ndarray = moving.over(data.astype(np.float64), 0).sum(axis=-1)
    return total / _counts(data, moving)
