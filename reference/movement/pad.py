"""Pad (pages Pad-1 and Pad-12)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.checks import require_length
from reference.shared.padding import pad

_Mode = Literal["constant", "edge", "reflect", "symmetric"]


@implements("Pad-1")
def pad_1(
    data: np.ndarray,
    pads_begin: np.ndarray,
    pads_end: np.ndarray,
    pad_value: np.ndarray | None = None,
    *,
    pad_mode: _Mode,
) -> np.ndarray:
    """Extend each axis of ``data``: by pads_begin[D] elements before and pads_end[D] after.

    data [d_0, ..., d_n-1] -> [pads_begin[D] + d_D + pads_end[D] for each D]. ``pad_mode`` says what
    the new elements are: constant (pad_value, or 0), edge, reflect, symmetric.
    The page has a pad_value for constant alone; other modes do not look at it. Raises ValueError for a negative number,
    and one larger than the mode allows.
    """
    if any(pads.size and pads.min() < 0 for pads in (pads_begin, pads_end)):
        both = f"{pads_begin.tolist()} and {pads_end.tolist()}"
        raise ValueError(f"Pad-1: paddings must not be negative, got {both}")
    return _pad("Pad-1", data, pads_begin, pads_end, pad_value, pad_mode)


@implements("Pad-12")
def pad_12(
    data: np.ndarray,
    pads_begin: np.ndarray,
    pads_end: np.ndarray,
    pad_value: np.ndarray | None = None,
    *,
    pad_mode: _Mode,
) -> np.ndarray:
    """Like Pad-1, but a negative number crops: dimensions are max(pads_begin[D] + d_D + pads_end[D], 0).

    Strings are padded with pad_value or empty strings, and raise ValueError for a ``pad_mode`` other than constant.
    """
    if data.dtype == object and pad_mode != "constant":
        raise ValueError(f"Pad-12: pad_mode must be constant for strings, got {pad_mode}")
    return _pad("Pad-12", data, pads_begin, pads_end, pad_value, pad_mode)


def _pad(
    name: str,
    data: np.ndarray,
    pads_begin: np.ndarray,
    pads_end: np.ndarray,
    pad_value: np.ndarray | None,
    pad_mode: str,
) -> np.ndarray:
    begin, end = pads_begin.tolist(), pads_end.tolist()
    require_length(begin, data.ndim, f"{name}: pads_begin")
    require_length(end, data.ndim, f"{name}: pads_end")
    if pad_value is not None and pad_value.shape != ():
        raise ValueError(f"{name}: pad_value must be a scalar, got shape {list(pad_value.shape)}")
    default = "" if data.dtype == object else 0
    try:
        return pad(data, begin, end, pad_mode, default if pad_value is None else pad_value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
