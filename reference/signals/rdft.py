"""RDFT (page RDFT-9)."""

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.fourier import (
    Signals,
    fitted,
    fourier,
    pairs,
    resized,
    transform,
)


def _real_signals(call: Call) -> Signals:
    return resized("RDFT-9", call.reals(0), call.array(1), *call.inputs[2:])


@implements("RDFT-9", accuracy=fourier(_real_signals))
def rdft(data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None) -> np.ndarray:
    """The discrete Fourier transform of real numbers along ``axes``, the first half of it along the last one.

    data [D_0, ..., D_r-1]; axes [k]; signal_size [k], -1 for the size of the axis -> [..., 2], pairs of real and
    imaginary part; transformed axes have the signal's sizes S, the last one of ``axes`` S // 2 + 1. Raises ValueError
    for axes that repeat or are out of range.
    """
    values, along = resized("RDFT-9", data.astype(np.float64), axes, signal_size)
    found = transform(values, along)
    if along:
        # The first half of the transform of no number is one number, an empty sum.
        found = fitted(found, along[-1], values.shape[along[-1]] // 2 + 1)
    return pairs(found)
