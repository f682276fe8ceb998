"""MatMul (page MatMul-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum
from reference.shared.broadcasting import numpy_shape
from reference.shared.dividing import multiplied
from reference.shared.elementwise import real


def products(call: Call) -> int:
    """How many products one element adds."""
    a = call.reals(0)
    return a.shape[-2] if call.attributes.get("transpose_a", False) and a.ndim > 1 else a.shape[-1]


@implements("MatMul-1", accuracy=Sum(terms=products), products=((0, 1),), parts=multiplied)
def mat_mul(
    a: np.ndarray, b: np.ndarray, *, transpose_a: bool = False, transpose_b: bool = False
) -> np.ndarray:
    """a [..., n, k] by b [..., k, m] -> [..., n, m], batches broadcast; integers wrap.

    A vector a is a row and a vector b a column, whatever the attributes; the dimension of 1 does not stay. Raises
    ValueError where the inner dimensions differ or the batches do not broadcast.
    """
    first, second = real(a), real(b)
    if not first.ndim or not second.ndim:
        raise ValueError("MatMul-1: a and b must have a rank of at least 1")
    if transpose_a and first.ndim > 1:
        first = first.swapaxes(-1, -2)
    if transpose_b and second.ndim > 1:
        second = second.swapaxes(-1, -2)
    rows = second.shape[max(second.ndim - 2, 0)]
    if first.shape[-1] != rows:
        raise ValueError(
            f"MatMul-1: a has {first.shape[-1]} columns, b must have as many rows, got {rows}"
        )
    numpy_shape(first.shape[:-2], second.shape[:-2])  # raises where batches do not broadcast
    return np.matmul(first, second).astype(first.dtype)
