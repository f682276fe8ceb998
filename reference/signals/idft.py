"""IDFT (page IDFT-7)."""

import numpy as np

from reference import implements
from reference.shared.fourier import (
    complex_numbers,
    complex_signals,
    fourier,
    inverse,
    pairs,
    resized,
)


@implements("IDFT-7", accuracy=fourier(complex_signals, is_inverse=True))
def idft(data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None) -> np.ndarray:
    """The inverse discrete Fourier transform along ``axes``: divided by the product of the signal's sizes.

    Inputs, output and errors are those of DFT.
    """
    values = complex_numbers("IDFT-7", data)
    return pairs(inverse(*resized("IDFT-7", values, axes, signal_size)))
