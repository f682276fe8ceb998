"""What references of elementwise operations share."""

from __future__ import annotations

import numpy as np

from reference.accuracy import Call, is_float
from reference.shared.broadcasting import broadcast


def real(values: np.ndarray) -> np.ndarray:
    """Floating-point values in float64; others as they are."""
    return values.astype(np.float64) if is_float(values.dtype) else values


def operands(a: np.ndarray, b: np.ndarray, auto_broadcast: str) -> tuple[np.ndarray, np.ndarray]:
    """Both inputs in the shape of the output, reals in float64. Raises ValueError where shapes do not broadcast."""
    first, second = broadcast(real(a), real(b), auto_broadcast=auto_broadcast)
    return first, second


def half_up(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Reals in the type of an integer output, rounded to the nearest, halves towards +infinity; reals for others."""
    return values if is_float(dtype) else np.floor(values + 0.5).astype(dtype)


def both(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """The two inputs of a call in float64, in the shape of the output."""
    mode = call.attributes.get("auto_broadcast", "numpy")
    return operands(call.reals(0), call.reals(1), mode)
