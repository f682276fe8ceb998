"""AdaptiveMaxPool (page AdaptiveMaxPool-8)."""

from collections.abc import Sequence
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded
from reference.shared.adaptive import adaptive_windows
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.dividing import images
from reference.shared.largest import (
    Over,
    any_of_the_largest,
    hold_nan,
    largest,
    places_of_largest,
)


def _over(data: np.ndarray, output_size: np.ndarray) -> Over:
    return adaptive_windows("AdaptiveMaxPool-8", data, output_size).over


def _positions(data: np.ndarray) -> np.ndarray:
    """The index of each element of data among those of its spatial axes."""
    sizes = data.shape[2:]
    return np.broadcast_to(np.arange(prod(sizes)).reshape(sizes), data.shape)


def _hold_nan(call: Call) -> np.ndarray:
    """Windows with a NaN in them: the page does not say how it compares."""
    return hold_nan(call.array(0), _over(call.array(0), call.array(1)))


def _any_of_the_largest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    data = call.array(0)
    return any_of_the_largest(call, actual, _over(data, call.array(1)), _positions(data))


_UNROUNDED = Rounded(bound=0, quality=0, silent=_hold_nan, operands=1)


@implements(
    "AdaptiveMaxPool-8",
    accuracy=(_UNROUNDED, Choice(_any_of_the_largest, within=_UNROUNDED)),
    parts=images,
)
def adaptive_max_pool(
    data: np.ndarray, output_size: np.ndarray, *, index_element_type: IndexType = "i64"
) -> tuple[np.ndarray, np.ndarray]:
    """The largest element of each window, and where it is: here the first one of equals.

    data [N, C, *spatial], output_size [spatial axes] -> [N, C, *output_size] twice, with windows as those of
    AdaptiveAvgPool. Indices count the elements of the spatial axes, flattened. Raises ValueError as AdaptiveAvgPool.
    """
    over = _over(data, output_size)
    indices = places_of_largest(data, over, _positions(data))
    return largest(data, over), indices.astype(INDEX_TYPES[index_element_type])
