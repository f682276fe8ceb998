"""Transpose (page Transpose-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import transposed


@implements("Transpose-1", parts=transposed)
def transpose(arg: np.ndarray, input_order: np.ndarray) -> np.ndarray:
    """Reorder the dimensions.

    arg [D_0, ..., D_N-1], input_order [N] or [0] -> y with y.shape[k] = arg.shape[input_order[k]].
    An empty input_order inverts the order. Raises ValueError where input_order is not a permutation
    of 0 to N - 1.
    """
    order = [int(axis) for axis in input_order]
    if not order:
        order = list(range(arg.ndim))[::-1]
    if sorted(order) != list(range(arg.ndim)):
        raise ValueError(
            "Transpose-1: input_order must have every integer from 0 to "
            f"{arg.ndim - 1} once, got {order}"
        )
    return arg.transpose(order)
