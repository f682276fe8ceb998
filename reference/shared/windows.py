"""Windows that move over the spatial axes of an image: those of convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from reference.shared.padding import auto_padding, pad, window_size

AutoPad = Literal["explicit", "same_upper", "same_lower", "valid"]
Rounding = Literal["floor", "ceil", "ceil_torch"]


@dataclass(frozen=True)
class Windows:
    """Where the windows of one layer lie. Each field has one number for each spatial axis.

    A window has ``kernel`` elements that are ``dilations`` apart; there are ``counts`` places of it, ``strides``
    apart, and the first one starts ``pads_begin`` before the image. The image is ``sizes`` long, with ``pads_end``
    after it; where counts are rounded up the last window may reach even beyond.
    """

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements a window has."""
        return prod(self.kernel)

    def over(self, image: np.ndarray, fill: float = 0, outside: float | None = None) -> np.ndarray:
        """The elements of each window: image [N, C, *sizes] -> [N, C, *counts, *kernel], a view where possible.

        ``fill`` stands in the padding, ``outside`` (usually the same) beyond it.
        """
        padded = _padded(image, self.pads_begin, self.pads_end, fill)
        extents = [window_size(k, d) for k, d in zip(self.kernel, self.dilations, strict=True)]
        reached = [
            (count - 1) * stride + extent
            for count, stride, extent in zip(self.counts, self.strides, extents, strict=True)
        ]
        beyond = [max(end - size, 0) for end, size in zip(reached, padded.shape[2:], strict=True)]
        outside = fill if outside is None else outside
        padded = _padded(padded, [0] * len(beyond), beyond, outside)
        axes = tuple(range(2, image.ndim))
        view = sliding_window_view(padded, extents, axes)
        places = [
            slice(0, (count - 1) * stride + 1, stride)
            for count, stride in zip(self.counts, self.strides, strict=True)
        ]
        elements = [slice(None, None, d) for d in self.dilations]
        return view[tuple([slice(None)] * 2 + places + elements)]


def _padded(
    image: np.ndarray, begin: Sequence[int], end: Sequence[int], value: float
) -> np.ndarray:
    if not any(begin) and not any(end):
        return image
    return pad(image, [0, 0, *begin], [0, 0, *end], value=value)


def windows(
    operation: str,
    sizes: Sequence[int],
    kernel: Sequence[int],
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int] | None = None,
    auto_pad: str = "explicit",
    rounding_type: str = "floor",
) -> Windows:
    """The windows of ``operation`` (its name, for errors) over an image with these spatial ``sizes``.

    With ``auto_pad`` other than ``explicit`` the pads are ignored. Places are counted as far as windows fit,
    ``ceil`` adds one that sticks out, and ``ceil_torch`` only if it starts before the padding at the end.
    A window that does not fit into the image with its explicit padding is counted by ``ceil`` where it sticks out by
    less than a stride. Raises ValueError for a wrong number of values, one out of range, or a window that does not fit.
    """
    rank = len(sizes)
    dilations = [1] * rank if dilations is None else dilations
    for name, given, least in (
        ("kernel", kernel, 1),
        ("strides", strides, 1),
        ("pads_begin", pads_begin, 0),
        ("pads_end", pads_end, 0),
        ("dilations", dilations, 1),
    ):
        if len(given) != rank:
            raise ValueError(f"{operation}: {name} must have {rank} values, got {list(given)}")
        if min(given, default=least) < least:
            raise ValueError(f"{operation}: {name} must be {least} or more, got {list(given)}")
    extents = [window_size(k, d) for k, d in zip(kernel, dilations, strict=True)]
    if auto_pad == "explicit":
        pads = list(zip(pads_begin, pads_end, strict=True))
    else:
        pads = [auto_padding(auto_pad, *axis) for axis in zip(sizes, extents, strides, strict=True)]
    counts = []
    for size, extent, stride, (begin, end) in zip(sizes, extents, strides, pads, strict=True):
        room = begin + size + end - extent
        # Counted upwards there may be one window that sticks out of the padded image.
        may_stick_out = auto_pad == "explicit" and rounding_type != "floor"
        if room < 0 and not (may_stick_out and -(-room // stride) >= 0):
            raise ValueError(
                f"{operation}: a window of {extent} must fit into an image of {size} with padding of {begin} and {end}"
            )
        counts.append(_count(room, stride, begin + size, rounding_type))
    begins, ends = zip(*pads, strict=True)
    return Windows(*map(tuple, (sizes, kernel, strides, dilations, begins, ends, counts)))


def _count(room: int, stride: int, padding: int, rounding_type: str) -> int:
    """How many windows start in ``room``; ``padding`` is where the padding at the end begins."""
    if rounding_type == "floor":
        return room // stride + 1
    count = -(-room // stride) + 1
    if rounding_type == "ceil_torch" and (count - 1) * stride >= padding:
        count -= 1
    return count


def require_image(operation: str, data: np.ndarray) -> None:
    """Raises ValueError for data without a batch, channels, and one, two or three spatial axes."""
    if data.ndim not in (3, 4, 5):
        raise ValueError(f"{operation}: data must have rank 3, 4 or 5, got {data.ndim}")


def pooling_windows(
    operation: str,
    data: np.ndarray,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    dilations: Sequence[int] | None = None,
    rounding_type: str = "floor",
    auto_pad: str = "explicit",
    **_: object,
) -> Windows:
    """The windows of a pooling from its attributes; other attributes of the operation do not matter.

    Raises ValueError, as ``windows`` and ``require_image``.
    """
    require_image(operation, data)
    return windows(
        operation,
        data.shape[2:],
        kernel,
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
        rounding_type=rounding_type,
    )
