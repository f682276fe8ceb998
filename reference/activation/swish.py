"""Swish (page Swish-4)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function, flushed_factor
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real


def undefined(call: Call) -> np.ndarray:
    """Where the formula is -infinity times 0, or 0 times infinity in the exponent."""
    data, beta = call.reals(0), _beta(call)
    return np.isneginf(data) | (np.isinf(data) & (beta == 0))


def argument(call: Call) -> np.ndarray:
    """What a relative error of βx does to the result, which has the factor 1 / (1 + e^-βx); 1 times x is exact."""
    data, beta = call.reals(0), _beta(call)
    exponent = np.where(np.isfinite(data) & (beta != 1), beta * data, 0.0)
    rest = 1 / (1 + np.exp(exponent))
    size = np.abs(call.outputs[0] * exponent * rest)
    return np.where(np.isfinite(size), size, 0.0)


def flushed(call: Call) -> np.ndarray:
    """All of the result where the factor 1 / (1 + e^-βx) may be zero: subnormal, or e^-βx overflows."""
    data = call.reals(0)
    return flushed_factor(
        call.outputs[0], np.where(np.isfinite(data), data, 0.0), call.precision(0)
    )


def _beta(call: Call) -> np.ndarray:
    return call.reals(1) if len(call.inputs) > 1 and call.inputs[1] is not None else np.ones(())


# OpenCL: 3 ulp for the power, 2.5 for the division; half a one for the sum, which does not cancel, and for the product
# with x. The argument βx is rounded as well.
@implements(
    "Swish-4",
    accuracy=Function(
        k=6.5, a=0.5, scale=argument, quality_a=0.5, flushed=flushed, silent=undefined
    ),
    parts=elementwise,
)
def swish(data: np.ndarray, beta: np.ndarray | None = None) -> np.ndarray:
    """x / (1 + e^-βx), β 1 by default. Raises ValueError where ``beta`` is no scalar or negative."""
    factor = np.ones(()) if beta is None else real(beta)
    if factor.ndim or factor < 0:
        raise ValueError(f"Swish-4: beta must be a scalar from 0 on, got {factor.tolist()}")
    values = real(data)
    # -infinity divided by infinity has the limit 0.
    quotient = values / (1 + np.exp(-factor * values))
    return np.where(np.isneginf(values) & (factor > 0), 0.0, quotient)
