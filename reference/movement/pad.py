"""Pad (pages Pad-1 and Pad-12)."""

import numpy as np

from reference import implements
from reference.shared.checks import require_length
from reference.shared.padding import pad as padded


@implements("Pad-1")
def pad_1(
    data: np.ndarray,
    pads_begin: np.ndarray,
    pads_end: np.ndarray,
    pad_value: np.ndarray | None = None,
    *,
    pad_mode: str,
) -> np.ndarray:
    """Extend each axis of ``data``: by pads_begin[D] elements before and pads_end[D] after.

    data [d_0, ..., d_n-1] -> [pads_begin[D] + d_D + pads_end[D] for each D]. ``pad_mode`` says what
    the new elements are: constant (pad_value, or 0), edge, reflect, symmetric.
    Raises ValueError for a negative number, or one larger than the mode allows.
    """
    begin, end = _pads("Pad-1", data, pads_begin, pads_end)
    if min(begin + end, default=0) < 0:
        raise ValueError(f"Pad-1: paddings must not be negative, got {begin} and {end}")
    return _pad("Pad-1", data, begin, end, pad_value, pad_mode)


@implements("Pad-12")
def pad_12(
    data: np.ndarray,
    pads_begin: np.ndarray,
    pads_end: np.ndarray,
    pad_value: np.ndarray | None = None,
    *,
    pad_mode: str,
) -> np.ndarray:
    """Extend each axis of ``data`` as Pad-1, or crop it where a number is negative.

    data [d_0, ..., d_n-1] -> [max(pads_begin[D] + d_D + pads_end[D], 0) for each D].
    """
    begin, end = _pads("Pad-12", data, pads_begin, pads_end)
    return _pad("Pad-12", data, begin, end, pad_value, pad_mode)


def _pads(
    name: str, data: np.ndarray, pads_begin: np.ndarray, pads_end: np.ndarray
) -> tuple[list[int], list[int]]:
    for given, pads in (("pads_begin", pads_begin), ("pads_end", pads_end)):
        require_length(pads, data.ndim, f"{name}: {given}")
    return pads_begin.tolist(), pads_end.tolist()


def _pad(
    name: str,
    data: np.ndarray,
    begin: list[int],
    end: list[int],
    pad_value: np.ndarray | None,
    pad_mode: str,
) -> np.ndarray:
    if pad_value is not None and pad_value.shape != ():
        raise ValueError(f"{name}: pad_value must be a scalar, got shape {list(pad_value.shape)}")
    try:
        return padded(data, begin, end, pad_mode, 0 if pad_value is None else pad_value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
