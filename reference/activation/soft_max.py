"""SoftMax (pages SoftMax-1, SoftMax-8)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Softmax
from reference.shared.axes import normalize_axis
from reference.shared.dividing import but_the_axis
from reference.shared.elementwise import real


def axes(call: Call) -> tuple[int, ...]:
    """The axis of the classes."""
    return (call.attributes.get("axis", 1),)


def undefined(call: Call) -> np.ndarray:
    """Where infinity is divided by infinity, or 0 by 0: an infinite z among the others, or no other but -infinity."""
    return np.isinf(np.max(call.reals(0), axis=axes(call), keepdims=True, initial=-np.inf))


@implements("SoftMax-8", accuracy=Softmax(axes, silent=undefined), parts=but_the_axis)
def soft_max(data: np.ndarray, *, axis: int = 1) -> np.ndarray:
    """e^z / Σ e^z along ``axis``. Raises ValueError where the axis does not exist."""
    along = normalize_axis(axis, data.ndim, "SoftMax-8: axis")
    values = real(data)
    # The quotient is the same for z less the largest, and no power of e overflows.
    powers = np.exp(values - np.max(values, axis=along, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=along, keepdims=True)


@implements("SoftMax-1", accuracy=Softmax(axes, silent=undefined), parts=but_the_axis)
def soft_max_1(data: np.ndarray, *, axis: int = 1) -> np.ndarray:
    """e^z / Σ e^z along ``axis``. Raises ValueError where the axis is negative or does not exist."""
    if axis < 0:
        raise ValueError(f"SoftMax-1: axis must not be negative, got {axis}")
    return soft_max(data, axis=axis)
