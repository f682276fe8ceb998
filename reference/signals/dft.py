"""DFT (page DFT-7)."""

from collections.abc import Callable

import numpy as np

from reference import implements
from reference.accuracy import PRECISIONS, Call, Function, Precision, accumulator
from reference.shared.axes import normalize_axes


def _resized(
    data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None
) -> tuple[np.ndarray, list[int]]:
    """``data`` as complex numbers, cut or padded with zeros at the end to the signal's sizes; axes counted from 0."""
    if data.ndim < 2 or data.shape[-1] != 2:
        raise ValueError(f"DFT-7: the last dimension of data must be 2, got {list(data.shape)}")
    if axes.ndim != 1:
        raise ValueError(f"DFT-7: axes must be a 1D tensor, got {list(axes.shape)}")
    # The pair of real and imaginary part is no axis, from whichever end axes are counted.
    along = normalize_axes(axes, data.ndim - 1, "DFT-7: axes")
    values = data[..., 0].astype(np.float64) + 1j * data[..., 1].astype(np.float64)
    if signal_size is None:
        return values, along
    if signal_size.shape != axes.shape or (signal_size < -1).any():
        got = f"{signal_size.tolist()} for axes {axes.tolist()}"
        raise ValueError(f"DFT-7: signal_size must have a size or -1 for each axis, got {got}")
    for axis, size in zip(along, signal_size.tolist(), strict=True):
        if size != -1:
            missing = [(0, 0)] * values.ndim
            missing[axis] = (0, max(size - values.shape[axis], 0))
            values = np.pad(values, missing).take(range(size), axis)
    return values, along


def _signals(call: Call) -> tuple[np.ndarray, list[int]]:
    """The signals of a call as complex numbers, and their axes."""
    return _resized(call.array(0), call.array(1), *call.inputs[2:])


def _unsettled(call: Call) -> np.ndarray:
    """Signals with infinities, beside NaN too, and those whose sums may overflow on the way, in some order.

    Infinity times a cosine that is 0 by the formula is NaN, and of either sign where the cosine is rounded.
    """
    values, axes = _signals(call)
    parts = np.stack([values.real, values.imag], axis=-1)
    sizes = np.where(np.isnan(parts), 0.0, np.abs(parts)).sum(axis=-1)
    sums = np.sum(sizes, axis=tuple(axes), keepdims=True)
    return sums[..., np.newaxis] >= call.precision(0).overflow


def _norm(call: Call, ulps: Callable[[int, Precision], float]) -> np.ndarray:
    """The norm sqrt(Σ|x|²) of each signal, which is the root mean square of its results, times ulps for each axis."""
    values, axes = _signals(call)
    working = call.precision(0)
    with np.errstate(all="ignore"):
        norm = np.sqrt(np.sum(np.abs(values) ** 2, axis=tuple(axes), keepdims=True))
    return sum(ulps(values.shape[axis], working) for axis in axes) * norm[..., np.newaxis]


def _added(size: int, working: Precision) -> float:
    """Ulps of the norm from adding S products one after the other.

    Independent roundings relative to partial sums add up to about sqrt(S)/2 ulps of the norm, a fast transform to
    log S. The factor 4 on that and the 4 ulps of twiddle factors make it six deviations; the bound of the worst case,
    S, would see nothing in a long signal. In types narrower than f16 accumulators are those of ``Sum``, in f32: what is
    left are twiddle factors, each with an error of at most u, of which six deviations are 6/√3·u of the norm, and the
    rounding of what is between two axes.
    """
    return 4 + 2 * np.sqrt(size) if accumulator(working) is working else 2.0


def _turned(size: int, working: Precision) -> float:
    """``_added``, and the angles 2π·m·j/S as the formula has them: up to 2π·S, rounded once or twice in their size.

    That is arithmetic of f32. In narrow types, where such an angle has no digit after the point left, twiddle factors
    come from f32.
    """
    is_narrow = working.fraction_bits < PRECISIONS["f32"].fraction_bits
    return _added(size, working) + (0 if is_narrow else 2 * np.pi * size)


@implements(
    "DFT-7",
    accuracy=Function(
        k=1,
        a=lambda call: _norm(call, _turned),
        quality_k=1,
        quality_a=lambda call: _norm(call, _added),
        silent=_unsettled,
    ),
)
def dft(data: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None) -> np.ndarray:
    """The discrete Fourier transform, unscaled, along ``axes``.

    data [D_0, ..., D_N-1, 2], pairs of real and imaginary part; axes [k]; signal_size [k], -1 for the size of the axis
    -> [..., 2], the transformed axes of the signal's sizes. Raises ValueError for axes that repeat or are out of range.
    """
    values, along = _resized(data, axes, signal_size)
    for axis in along:
        size = values.shape[axis]
        # m·j modulo S: a whole turn changes nothing, and the angle keeps all its digits.
        turns = np.outer(np.arange(size), np.arange(size)) % max(size, 1) / max(size, 1)
        waves = np.exp(-2j * np.pi * turns)
        values = np.moveaxis(np.tensordot(waves, values, axes=(1, axis)), 0, axis)
    return np.stack([values.real, values.imag], axis=-1)
