"""Padding: the modes of Pad, and what ``auto_pad`` adds to images under a moving window."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

PAD_MODES = ("constant", "edge", "reflect", "symmetric")
AUTO_PADS = ("same_upper", "same_lower", "valid")


def pad(
    data: np.ndarray,
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    mode: str = "constant",
    value: np.ndarray | float | str = 0,
) -> np.ndarray:
    """``data`` with each axis made longer (or, by a negative number, shorter) at its two ends.

    ``mode`` says where new elements come from: ``constant`` is ``value``; ``edge`` repeats the end;
    ``reflect`` mirrors without the end itself, ``symmetric`` with it. They come from the whole of
    ``data``, also from what a negative number cuts off at the other end. The element type is that
    of ``data``. Raises ValueError for an unknown mode, or where an axis has too few elements.
    """
    if mode == "constant":
        return _pad_constant(data, pads_begin, pads_end, value)
    padded = data
    for axis, (size, begin, end) in enumerate(zip(data.shape, pads_begin, pads_end, strict=True)):
        padded = padded.take(_positions(size, begin, end, mode), axis)
    return padded


def _pad_constant(
    data: np.ndarray,
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    value: np.ndarray | float | str,
) -> np.ndarray:
    shape, source, target = [], [], []
    for size, begin, end in zip(data.shape, pads_begin, pads_end, strict=True):
        shape.append(max(begin + size + end, 0))
        first = min(max(-begin, 0), size)
        last = max(min(size, size + end), first)
        source.append(slice(first, last))
        # Where everything is cut off, source and target are empty wherever they start.
        target.append(slice(max(first + begin, 0), max(last + begin, 0)))
    padded = np.full(shape, value, data.dtype)
    padded[tuple(target)] = data[tuple(source)]
    return padded


def _positions(size: int, begin: int, end: int, mode: str) -> np.ndarray:
    """For each element of a padded axis the position of its source in the axis."""
    # How many new elements an axis can give at one end.
    available = {"edge": math.inf if size else 0, "reflect": size - 1, "symmetric": size}
    if mode not in available:
        raise ValueError(f"the padding mode must be one of {', '.join(PAD_MODES)}, got {mode!r}")
    if max(begin, end) > available[mode]:
        raise ValueError(
            f"{mode} padding of a dimension of {size} must be {available[mode]} or less, "
            f"got {begin} and {end}"
        )
    positions = np.arange(-begin, size + end)
    if mode == "edge":
        return positions.clip(0, size - 1)
    if mode == "reflect":
        return size - 1 - np.abs(size - 1 - np.abs(positions))
    unfolded = np.where(positions < 0, -1 - positions, positions)
    return np.where(unfolded < size, unfolded, 2 * size - 1 - unfolded)


def auto_padding(auto_pad: str, size: int, window: int, stride: int) -> tuple[int, int]:
    """How much ``auto_pad`` adds at the begin and at the end of an axis of ``size`` elements.

    ``window`` is the extent of the moving window, see ``window_size``. ``valid`` adds nothing. With
    ``same_upper`` and ``same_lower`` there are ceil(size / stride) windows, and the smallest
    padding that has room for them; an odd element is added at the end for ``same_upper``, at the
    begin for ``same_lower``. Raises ValueError for another ``auto_pad``.
    """
    if auto_pad == "valid":
        return 0, 0
    if auto_pad not in AUTO_PADS:
        raise ValueError(f"auto_pad must be one of {', '.join(AUTO_PADS)}, got {auto_pad!r}")
    windows = -(-size // stride)
    total = max((windows - 1) * stride + window - size, 0)
    less, more = total // 2, total - total // 2
    return (less, more) if auto_pad == "same_upper" else (more, less)


def window_size(size: int, dilation: int) -> int:
    """The extent of a window of ``size`` elements that are ``dilation`` apart."""
    return (size - 1) * dilation + 1
