"""IRDFT (page IRDFT-9)."""

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.fourier import Signals, complex_numbers, fitted, fourier, inverse, resized


def _hermitian(
    data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None
) -> Signals:
    """F, conjugate-symmetric along all axes, whose first half along the last one is data, cut or padded."""
    values, along = resized("IRDFT-9", complex_numbers("IRDFT-9", data), axes, signal_size)
    if not along:
        return values, along
    last = along[-1]
    size = -1 if signal_size is None else int(signal_size[-1])
    size = 2 * (data.shape[last] - 1) if size == -1 else size
    half = fitted(values, last, size // 2 + 1)
    mirrored = np.conj(half)
    for axis in along[:-1]:  # -j modulo S
        mirrored = np.roll(np.flip(mirrored, axis), 1, axis)
    rest = [size - j for j in range(size // 2 + 1, size)]
    return np.concatenate(
        [half.take(range(min(size, size // 2 + 1)), last), mirrored.take(rest, last)], last
    ), along


def _complex_signals(call: Call) -> Signals:
    return _hermitian(call.array(0), call.array(1), *call.inputs[2:])


@implements("IRDFT-9", accuracy=fourier(_complex_signals, is_inverse=True, is_real=True))
def irdft(data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None) -> np.ndarray:
    """The real numbers whose RDFT is data; the real part where there are none.

    data [D_0, ..., D_N-1, 2], pairs of real and imaginary part; axes [k]; signal_size [k], -1 for the size of the axis,
    2 * (size - 1) for the last one of ``axes`` -> [...], transformed axes of the signal's sizes. Raises ValueError for
    axes that repeat or are out of range.
    """
    return inverse(*_hermitian(data, axes, signal_size)).real
