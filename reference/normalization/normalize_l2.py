"""NormalizeL2 (page NormalizeL2-1)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.dividing import but_the_axes
from reference.shared.normalizing import OverNorm
from reference.shared.reductions import count, normal_axes


def _squares(call: Call) -> np.ndarray:
    along = normal_axes("NormalizeL2-1", call.array(0), call.array(1))
    return _under_root(call.reals(0), along, call.attributes["eps"], call.attributes["eps_mode"])


def _under_root(
    values: np.ndarray, along: tuple[int, ...], eps: float, eps_mode: str
) -> np.ndarray:
    squares = np.sum(values**2, axis=along, keepdims=True)
    return squares + eps if eps_mode == "add" else np.maximum(squares, eps)


# Half the terms, as the root halves a relative error. eps, the root and the quotient round once each.
@implements(
    "NormalizeL2-1",
    accuracy=OverNorm(
        terms=lambda call: count(call) / 2,
        extra=4,
        magnitude=lambda call: np.abs(call.outputs[0]),
        squares=_squares,
    ),
    parts=but_the_axes,
)
def normalize_l2(
    data: np.ndarray, axes: np.ndarray, *, eps: float, eps_mode: Literal["add", "max"]
) -> np.ndarray:
    """Divide by the root of the sum of squares along ``axes`` (one axis or [n]), kept away from zero by ``eps``.

    ``eps_mode`` adds eps to the sum or takes the larger one. The result is float64 in the shape of data. Raises
    ValueError for an axis outside [-r, r - 1] or given twice, and for eps that is not positive.
    """
    if not eps > 0:
        raise ValueError(f"NormalizeL2-1: eps must be positive, got {eps}")
    values = data.astype(np.float64)
    along = normal_axes("NormalizeL2-1", data, axes)
    return values / np.sqrt(_under_root(values, along, eps, eps_mode))
