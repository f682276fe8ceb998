"""Erf (page Erf-1)."""

import math
from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import Call, Choice, Function, is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary

_ERF = np.frompyfunc(math.erf, 1, 1)


def nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """For integers 0 or the sign, whichever is actual: the page does not say how an erf between them is rounded.

    From 6 on it is the sign: erf(6) is nearer to 1 than to any other number of f64.
    """
    (exact,) = call.outputs
    if is_float(exact.dtype) or actual[0].shape != exact.shape:
        return (exact,)
    x = call.reals(0)
    is_cut_off = (actual[0] == 0) & (np.abs(x) < 6)
    return (np.where(is_cut_off, 0, np.sign(x)).astype(exact.dtype),)


# OpenCL lets erf of f32 err by 16 ulp.
@implements("Erf-1", accuracy=Choice(nearest, within=Function(k=16)), parts=elementwise)
def erf(data: np.ndarray) -> np.ndarray:
    """The Gauss error function 2/√π ∫ e^(-t²) dt from 0 to x, of integers rounded to the nearest."""
    return unary(_ERF, data)
