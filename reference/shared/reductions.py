"""What references of reductions share."""

from __future__ import annotations

import numpy as np

from reference.accuracy import Call
from reference.shared.axes import normalize_axes, require_rank


def normal_axes(name: str, data: np.ndarray, axes: np.ndarray) -> tuple[int, ...]:
    """The axes from 0, a scalar being one axis. Raises ValueError for one that does not exist or comes twice."""
    require_rank(axes, (0, 1), f"{name}: axes")
    return tuple(normalize_axes(np.ravel(axes), data.ndim, f"{name}: axes"))


def count(call: Call) -> int:
    """How many elements one element of the output is made of."""
    data, axes = call.inputs[:2]
    assert data is not None
    assert axes is not None
    sizes = [data.shape[int(axis)] for axis in np.ravel(axes)]
    return int(np.prod(sizes, dtype=np.int64))
