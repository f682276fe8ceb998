"""Equal (page Equal-1)."""

from __future__ import annotations

import numpy as np

from reference import implements
from reference.accuracy import Call, Rounded, is_float
from reference.shared.broadcasting import broadcast


def _beside_nan(call: Call) -> np.ndarray:
    """Where an element is NaN: the page does not say what that equals."""
    a, b = call.inputs
    assert a is not None
    assert b is not None
    if not is_float(a.dtype):
        return np.zeros((), bool)
    first, second = broadcast(a, b, auto_broadcast=call.attributes.get("auto_broadcast", "numpy"))
    return np.isnan(first) | np.isnan(second)


@implements("Equal-1", accuracy=Rounded(gate=0, quality=0, silent=_beside_nan))
def equal(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """Whether each element of ``a`` equals that of ``b``: a boolean array in their common shape.

    Zeros of both signs are equal. Raises ValueError where shapes do not broadcast.
    """
    first, second = broadcast(a, b, auto_broadcast=auto_broadcast)
    return np.equal(first, second).astype(bool)
