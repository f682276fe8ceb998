"""LogSoftmax (page LogSoftmax-5)."""

import numpy as np

from reference import implements
from reference.accuracy import Softmax
from reference.activation.soft_max import axes, undefined
from reference.shared.axes import normalize_axis
from reference.shared.dividing import but_the_axis


# Of an infinite x the page's two formulas say different things: ln(e^x / Σ e^x) is -infinity for the others, the one
# that first subtracts the largest NaN.
@implements(
    "LogSoftmax-5", accuracy=Softmax(axes, logarithm=True, silent=undefined), parts=but_the_axis
)
def log_softmax(x: np.ndarray, *, axis: int = 1) -> np.ndarray:
    """t - ln Σ e^t along ``axis``, with t = x - max x. The result is float64.

    Raises ValueError where the axis does not exist.
    """
    along = normalize_axis(axis, x.ndim, "LogSoftmax-5: axis")
    values = x.astype(np.float64)
    t = values - np.max(values, axis=along, keepdims=True, initial=-np.inf)
    return t - np.log(np.sum(np.exp(t), axis=along, keepdims=True))
