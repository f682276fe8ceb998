"""SearchSorted (page SearchSorted-15)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Rounded
from reference.shared.checks import require_rank_from


def _is_nan(call: Call) -> np.ndarray:
    """Values that are NaN, which the page does not order."""
    return np.isnan(call.reals(1))


# Numbers are compared: nothing is rounded.
@implements("SearchSorted-15", accuracy=Rounded(bound=0, quality=0, silent=_is_nan, operands=0))
def search_sorted(
    sorted_sequence: np.ndarray, values: np.ndarray, *, right_mode: bool = False
) -> np.ndarray:
    """How many numbers of a sequence stand before each value, with ``right_mode`` those equal to it as well.

    sorted_sequence [..., n], or [n] for all, and values [..., m] -> i64 [..., m]. Raises ValueError for other shapes.
    """
    require_rank_from(sorted_sequence, 1, "SearchSorted-15: sorted_sequence")
    rank, rows = sorted_sequence.ndim, sorted_sequence.shape[:-1]
    if rank > 1 and (rank != values.ndim or rows != values.shape[:-1]):
        raise ValueError(
            f"SearchSorted-15: values must be [{', '.join(map(str, rows))}, any], got {values.shape}"
        )
    sequence, numbers = (
        each.astype(np.float64) if each.dtype.kind == "V" else each
        for each in (sorted_sequence, values)
    )
    if rank > 1:
        sequence = sequence[..., None, :]
    above = sequence <= numbers[..., None] if right_mode else sequence < numbers[..., None]
    return np.asarray(above.sum(-1), np.int64)
