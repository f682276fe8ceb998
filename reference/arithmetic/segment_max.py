"""SegmentMax (page SegmentMax-16)."""

from typing import Literal

import ml_dtypes
import numpy as np

from reference import implements
from reference.accuracy import Call, Rounded, integer_range, is_float
from reference.shared.axes import require_rank
from reference.shared.checks import require_rank_from


def _with_nan(call: Call) -> np.ndarray:
    """Results with an element NaN, whose order the page does not say."""
    data, ids = call.array(0), call.array(1)
    found = np.zeros(call.outputs[0].shape, bool)
    for row in range(min(len(data), len(ids)) if is_float(data.dtype) else 0):
        if ids[row] < len(found):
            found[ids[row]] |= np.isnan(data[row].astype(np.float64))
    return found


# One of the elements, or a number of their type.
@implements("SegmentMax-16", accuracy=Rounded(bound=0, quality=0, silent=_with_nan), is_typed=True)
def segment_max(
    data: np.ndarray,
    segment_ids: np.ndarray,
    num_segments: np.ndarray | None = None,
    *,
    fill_mode: Literal["ZERO", "LOWEST"],
    element_type: np.dtype | None = None,
) -> np.ndarray:
    """The largest elements of the rows of ``data`` that share a segment: data [n, ...] -> [segments, ...].

    ``segment_ids`` [n] ascend. There are ``num_segments``, or as many as ids say; empty ones are filled with 0, or with
    the lowest finite number of the type: of ``element_type``, or else that of ``data``. Raises ValueError for ids that
    are negative, not sorted or not one a row.
    """
    require_rank_from(data, 1, "SegmentMax-16: data")
    require_rank(segment_ids, (1,), "SegmentMax-16: segment_ids")
    if len(segment_ids) != len(data):
        raise ValueError(
            f"SegmentMax-16: {len(data)} rows need as many ids, got {len(segment_ids)}"
        )
    if (np.diff(segment_ids, prepend=0) < 0).any():
        raise ValueError("SegmentMax-16: segment_ids must be sorted and not negative")
    if num_segments is None:
        count = int(segment_ids.max()) + 1
    else:
        require_rank(num_segments, (0,), "SegmentMax-16: num_segments")
        count = int(num_segments)
    if count < 0:
        raise ValueError(f"SegmentMax-16: num_segments must not be negative, got {count}")
    wide = data.dtype.kind == "V"
    fill = _fill(element_type or data.dtype, fill_mode)
    output = np.full((count, *data.shape[1:]), fill, data.dtype)
    for segment in range(count):
        rows = data[segment_ids == segment]
        if len(rows):
            output[segment] = (rows.astype(np.float64) if wide else rows).max(0)
    return output


def _fill(dtype: np.dtype, mode: str) -> float | int:
    if mode == "ZERO":
        return 0
    return float(ml_dtypes.finfo(dtype).min) if is_float(dtype) else integer_range(dtype)[0]
