"""Discrete Fourier transforms: signals of a size, the sums along axes, and how exact these are."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from reference.accuracy import PRECISIONS, Call, Function, Precision, accumulator
from reference.shared.axes import normalize_axes

Signals = tuple[np.ndarray, list[int]]
"""Complex numbers, and the axes that are transformed, counted from 0."""


def complex_numbers(name: str, data: np.ndarray) -> np.ndarray:
    """Pairs of real and imaginary part as complex numbers. Raises ValueError where data are no pairs."""
    if data.ndim < 2 or data.shape[-1] != 2:
        raise ValueError(f"{name}: the last dimension of data must be 2, got {list(data.shape)}")
    # Not their sum: 1j times NaN is NaN in both parts.
    values = np.empty(data.shape[:-1], np.complex128)
    values.real, values.imag = data[..., 0], data[..., 1]
    return values


def pairs(values: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs of real and imaginary part."""
    return np.stack([values.real, values.imag], axis=-1)


def resized(
    name: str, values: np.ndarray, axes: np.ndarray, signal_size: np.ndarray | None = None
) -> Signals:
    """``values`` cut or padded with zeros at the end to the signal's sizes. Raises ValueError."""
    if axes.ndim != 1:
        raise ValueError(f"{name}: axes must be a 1D tensor, got {list(axes.shape)}")
    along = normalize_axes(axes, values.ndim, f"{name}: axes")
    if signal_size is None:
        return values, along
    if signal_size.shape != axes.shape or (signal_size < -1).any():
        got = f"{signal_size.tolist()} for axes {axes.tolist()}"
        raise ValueError(f"{name}: signal_size must have a size or -1 for each axis, got {got}")
    for axis, size in zip(along, signal_size.tolist(), strict=True):
        if size != -1:
            values = fitted(values, axis, size)
    return values, along


def complex_signals(call: Call) -> Signals:
    """The signals of a call whose data are pairs."""
    # The pair of real and imaginary part is no axis, from whichever end axes are counted.
    return resized(
        "a call", complex_numbers("a call", call.array(0)), call.array(1), *call.inputs[2:]
    )


def fitted(values: np.ndarray, axis: int, size: int) -> np.ndarray:
    """``values`` cut or padded with zeros at the end of an axis."""
    missing = [(0, 0)] * values.ndim
    missing[axis] = (0, max(size - values.shape[axis], 0))
    return np.pad(values, missing).take(range(size), axis)


def transform(values: np.ndarray, axes: list[int], sign: int = -1) -> np.ndarray:
    """The sums Σ x·exp(sign·2πi·m·j/S) along each axis."""
    for axis in axes:
        size = values.shape[axis]
        # m·j modulo S: a whole turn changes nothing, and the angle keeps all its digits.
        turns = np.outer(np.arange(size), np.arange(size)) % max(size, 1) / max(size, 1)
        waves = np.exp(sign * 2j * np.pi * turns)
        values = np.moveaxis(np.tensordot(waves, values, axes=(1, axis)), 0, axis)
    return values


def inverse(values: np.ndarray, axes: list[int]) -> np.ndarray:
    """The inverse transform, divided by the number of elements along the axes."""
    return transform(values, axes, 1) / max(prod(values.shape[axis] for axis in axes), 1)


def nan_times_zero(values: np.ndarray, axes: list[int]) -> np.ndarray:
    """The parts [..., 2] of the transform to which NaN of ``values`` comes with factors alone that are 0.

    By the formula of real numbers: of x·e^iθ the real part is Re x·cos θ - Im x·sin θ, where θ is a multiple of a
    quarter turn one of the factors is 0.
    """
    real, imaginary = np.isnan(values.real), np.isnan(values.imag)
    every = np.any(real | imaginary, axis=tuple(axes), keepdims=True)
    for axis in axes:
        size = values.shape[axis]
        turns = np.outer(np.arange(size), np.arange(size))  # times S
        has_sine, has_cosine = 2 * turns % size != 0, 4 * turns % (2 * size) != size

        def carried(factors: np.ndarray, part: np.ndarray, axis: int = axis) -> np.ndarray:
            counts = np.tensordot(factors.astype(float), part.astype(float), axes=(1, axis))
            return np.moveaxis(counts > 0, 0, axis)

        real, imaginary = (
            carried(has_cosine, real) | carried(has_sine, imaginary),
            carried(has_sine, real) | carried(has_cosine, imaginary),
        )
    return np.stack([every & ~real, every & ~imaginary], axis=-1)


def padded_window(window: np.ndarray, frame_size: int) -> np.ndarray:
    """A window in the middle of ``frame_size`` numbers: zeros on both sides, of an odd number one more behind."""
    missing = frame_size - window.shape[0]
    return np.pad(window.astype(np.float64), (missing // 2, missing - missing // 2))


# --- accuracy -----------------------------------------------------------------------------------------------------


def fourier(
    signals: Callable[[Call], Signals], *, is_inverse: bool = False, is_real: bool = False
) -> Function:
    """The class of a transform; ``signals`` are what it sums. ``is_real``: the output has no imaginary parts."""

    def shaped(values: np.ndarray) -> np.ndarray:
        return values if is_real else values[..., np.newaxis]

    def unsettled(call: Call) -> np.ndarray:
        """Signals with infinities, beside NaN too, and those whose sums may overflow on the way, in some order.

        Infinity times a cosine that is 0 by the formula is NaN, and of either sign where the cosine is rounded. NaN
        times it is NaN, and nothing where a transform leaves out what is 0.
        """
        values, axes = signals(call)
        parts = pairs(values)
        sizes = np.where(np.isnan(parts), 0.0, np.abs(parts)).sum(axis=-1)
        open_sums = np.sum(sizes, axis=tuple(axes), keepdims=True) >= call.precision(0).overflow
        if not np.isnan(parts).any():
            return shaped(open_sums)
        passed_over = nan_times_zero(values, axes)
        if np.isrealobj(values) and axes:
            half = range(values.shape[axes[-1]] // 2 + 1)
            passed_over = passed_over.take(half, axes[-1])
        return shaped(open_sums) | (passed_over[..., 0] if is_real else passed_over)

    def norm(call: Call, ulps: Callable[[int, Precision], float]) -> np.ndarray:
        """The norm sqrt(Σ|x|²) of each signal, the root mean square of its sums, times ulps for each axis."""
        values, axes = signals(call)
        working = call.precision(0)
        with np.errstate(all="ignore"):
            found = np.sqrt(np.sum(np.abs(values) ** 2, axis=tuple(axes), keepdims=True))
        sizes = [values.shape[axis] for axis in axes]
        if is_inverse:
            found = found / max(prod(sizes), 1)
        return sum(ulps(size, working) for size in sizes) * shaped(found)

    def flushed(call: Call) -> np.ndarray:
        """Products with sines and cosines that may be flushed to zero; none that is not zero is below 1/S."""
        values, axes = signals(call)
        tiny = call.precision(0).smallest_normal
        count = max(prod(values.shape[axis] for axis in axes), 1)
        sizes = np.nan_to_num(np.abs(pairs(values)), posinf=0.0)
        lost = np.where(sizes < 2 * count * tiny, np.minimum(sizes, tiny), 0.0).sum(axis=-1)
        lost = np.sum(lost, axis=tuple(axes), keepdims=True) / (count if is_inverse else 1)
        return shaped(lost)

    return Function(
        k=1,
        flushed=flushed,
        a=lambda call: norm(call, rounding_of_transforms),
        quality_k=1,
        quality_a=lambda call: norm(call, _added),
        silent=unsettled,
    )


def _added(size: int, working: Precision) -> float:
    """Ulps of the norm from adding S products one after the other.

    Independent roundings relative to partial sums add up to about sqrt(S)/2 ulps of the norm, a fast transform to log
    S. The factor 4 on that and the 4 ulps of twiddle factors make it six deviations; the bound of the worst case, S,
    would see nothing in a long signal. In types narrower than f16 accumulators are those of ``Sum``, in f32: what is
    left are twiddle factors, each with an error of at most u, whose six deviations are 6/√3·u of the norm, and the
    rounding of what is between two axes.
    """
    return 4 + 2 * np.sqrt(size) if accumulator(working) is working else 2.0


def rounding_of_transforms(size: int, working: Precision) -> float:
    """Ulps of the norm: ``_added``, and the angles 2π·m·j/S as the formula has them, up to 2π·S.

    These are rounded once or twice in their size.

    That is arithmetic of f32. In narrow types, where such an angle has no digit after the point left, twiddle factors
    come from f32.
    """
    is_narrow = working.fraction_bits < PRECISIONS["f32"].fraction_bits
    return _added(size, working) + (0 if is_narrow else 2 * np.pi * size)
