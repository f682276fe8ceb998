"""ReduceProd (page ReduceProd-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Product
from reference.shared.dividing import reduced
from reference.shared.reductions import count, reduce


def partial(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """The products of all factors above 1 and of all below 1."""
    size, axes = np.abs(call.reals(0)), call.array(1)
    above = reduce_prod(np.maximum(size, 1), axes, **call.attributes)
    below = reduce_prod(np.where(size < 1, size, 1), axes, **call.attributes)
    return above, below


@implements(
    "ReduceProd-1", accuracy=Product(terms=count, factors=partial, operands=1), parts=reduced
)
def reduce_prod(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """Products over ``axes``, which stay as dimensions of 1 where ``keep_dims``; integers wrap.

    Raises ValueError for an axis that does not exist or is repeated.
    """
    return reduce(np.prod, "ReduceProd-1", data, axes, keep_dims)
