"""Windows that divide the spatial axes of an image among a number of outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from reference.shared.windows import require_image


@dataclass(frozen=True)
class AdaptiveWindows:
    """Along each spatial axis [count] where the windows of one layer begin, and behind which element they end."""

    begins: Sequence[np.ndarray]
    ends: Sequence[np.ndarray]

    def over(self, image: np.ndarray, fill: Any) -> np.ndarray:
        """The elements of each window: image [N, C, *sizes] -> [N, C, *counts, elements of the largest window].

        ``fill`` stands where a window is smaller than the largest one.
        """
        counts = [len(begin) for begin in self.begins]
        if 0 in counts:
            return np.empty((*image.shape[:2], *counts, 1), image.dtype)
        for axis, (begin, end) in enumerate(zip(self.begins, self.ends, strict=True), 2):
            places = begin[:, np.newaxis] + np.arange(np.max(end - begin))
            is_inside = places < end[:, np.newaxis]
            # The axis becomes one of windows, and the last one their elements.
            taken = np.moveaxis(image.take(places, axis, mode="clip"), axis + 1, -1)
            mask = np.expand_dims(is_inside, tuple(range(1, taken.ndim - axis - 1)))
            image = np.where(mask, taken, np.asarray(fill, taken.dtype))
        size = prod(image.shape[2 + len(counts) :])
        return image.reshape(*image.shape[: 2 + len(counts)], size)


def adaptive_windows(operation: str, data: np.ndarray, output_size: np.ndarray) -> AdaptiveWindows:
    """The windows of ``operation`` (its name, for errors), ``output_size`` of them along the spatial axes of data.

    Window i of an axis of size n that has m of them is [floor(i * n / m), ceil((i + 1) * n / m)). Raises ValueError for
    a wrong number of sizes, a negative one, or windows over nothing.
    """
    require_image(operation, data)
    sizes, counts = data.shape[2:], output_size.tolist()
    if len(counts) != len(sizes):
        raise ValueError(f"{operation}: output_size must have {len(sizes)} values, got {counts}")
    if min(counts) < 0:
        raise ValueError(f"{operation}: output_size must be 0 or more, got {counts}")
    if 0 in sizes and 0 not in counts:
        raise ValueError(f"{operation}: a window must hold an element, got data {list(data.shape)}")
    axes = [(np.arange(count), size, count) for size, count in zip(sizes, counts, strict=True)]
    # Whole numbers: quotients of floating-point numbers may lie on the other side of one.
    begins = [i * size // count for i, size, count in axes]
    ends = [-(-(i + 1) * size // count) for i, size, count in axes]
    return AdaptiveWindows(begins, ends)
