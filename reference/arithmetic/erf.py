"""Erf (page Erf-1)."""

from __future__ import annotations

import math

import numpy as np

from reference.accuracy import Call, Function
from reference.elementwise import half_up, real
from reference.precision import is_float
from reference.registry import implements

_ERF = np.frompyfunc(math.erf, 1, 1)


def between_integers(call: Call) -> np.ndarray:
    """Where an integer's erf is no integer: the page does not say how it is rounded."""
    whole = not is_float(call.outputs[0].dtype)
    return whole & (call.reals(0) != 0)


# OpenCL lets erf of f32 err by 16 ulp.
@implements("Erf-1", accuracy=Function(k=16, silent=between_integers))
def erf(data: np.ndarray) -> np.ndarray:
    """The Gauss error function 2/√π ∫ e^(-t²) dt from 0 to x, of integers rounded to the nearest."""
    values = real(data).astype(np.float64)
    return half_up(np.asarray(_ERF(values), np.float64), data.dtype)
