"""The largest elements of windows, and where they are: what maximum poolings share.

``over(image, fill)`` gives the elements of each window, [N, C, *spatial] -> [N, C, *counts, elements], with ``fill``
where a window has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reference.accuracy import Arrays, Call, integer_range, is_float

Over = Callable[[np.ndarray, Any], np.ndarray]


def _elements(data: np.ndarray, over: Over) -> np.ndarray:
    """The elements of each window, -infinity (for integers the least number) where it has none."""
    if is_float(data.dtype):
        return over(data.astype(np.float64), -np.inf)
    return over(data, integer_range(data.dtype)[0])


def _inside(data: np.ndarray, over: Over) -> np.ndarray:
    """Which elements of each window are data."""
    return over(np.ones(data.shape, bool), False)


def hold_data(data: np.ndarray, over: Over) -> bool:
    """Whether every window holds an element of data."""
    return bool(_inside(data, over).any(axis=-1).all())


def hold_nan(data: np.ndarray, over: Over) -> np.ndarray:
    """Windows with a NaN in them."""
    if not is_float(data.dtype):
        return np.zeros((), bool)
    return np.isnan(_elements(data, over)).any(axis=-1)


def largest(data: np.ndarray, over: Over) -> np.ndarray:
    """The largest element of each window, of floating-point numbers in float64."""
    values: np.ndarray = _elements(data, over).max(axis=-1)
    return values if is_float(data.dtype) else values.astype(data.dtype)


def places_of_largest(data: np.ndarray, over: Over, positions: np.ndarray) -> np.ndarray:
    """The position of the first one of the largest elements of each window; ``positions`` are those of data."""
    largest_ones = (_elements(data, over) == largest(data, over)[..., None]) & _inside(data, over)
    first = np.argmax(largest_ones, axis=-1, keepdims=True)
    found: np.ndarray = np.take_along_axis(over(positions, 0), first, axis=-1)[..., 0]
    return found


def any_of_the_largest(
    call: Call, actual: Sequence[np.ndarray], over: Over, positions: np.ndarray
) -> Arrays:
    """Where several elements of a window are the largest, the position of any of them is admissible."""
    values, indices = call.outputs
    if len(actual) < 2 or actual[1].shape != indices.shape:
        return call.outputs
    data = call.array(0)
    largest_ones = (_elements(data, over) == values[..., None]) & _inside(data, over)
    is_one = (largest_ones & (over(positions, 0) == actual[1][..., None])).any(axis=-1)
    return values, np.where(is_one, actual[1], indices).astype(indices.dtype)
