"""DFT (page DFT-7)."""

import numpy as np

from reference import implements
from reference.shared.fourier import (
    complex_numbers,
    complex_signals,
    fourier,
    pairs,
    resized,
    transform,
)


@implements("DFT-7", accuracy=fourier(complex_signals))
def dft(data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None) -> np.ndarray:
    """The discrete Fourier transform, unscaled, along ``axes``.

    data [D_0, ..., D_N-1, 2], pairs of real and imaginary part; axes [k]; signal_size [k], -1 for the size of the axis
    -> [..., 2], the transformed axes of the signal's sizes. Raises ValueError for axes that repeat or are out of range.
    """
    values = complex_numbers("DFT-7", data)
    return pairs(transform(*resized("DFT-7", values, axes, signal_size)))
