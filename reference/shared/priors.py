"""Prior boxes: boxes of given sizes about the points of a grid, as fractions of an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Priors:
    """Boxes of ``sizes`` (width, height in pixels) about each point of ``xs`` and ``ys`` (pixels of the image)."""

    xs: np.ndarray
    ys: np.ndarray
    sizes: Sequence[tuple[float, float]]
    image: tuple[int, int]

    @property
    def magnitude(self) -> np.ndarray:
        """The sizes of the terms that coordinates are the sums or differences of, in fractions [2, 4 * boxes]."""
        boxes = [np.abs(each) for each in self._terms()]
        flat = ((boxes[0] + boxes[1]) / self._unit).reshape(1, -1)
        return np.concatenate([flat, np.zeros_like(flat)])

    def rows(self, clip: bool, variance: Sequence[float]) -> np.ndarray:
        """(xmin, ymin, xmax, ymax) of each box, row by row, and the variances again and again [2, 4 * boxes]."""
        centers, halves = self._terms()
        boxes = (centers + halves) / self._unit
        if clip:
            boxes = boxes.clip(0, 1)
        flat = boxes.reshape(-1)
        # Without any the page does not say what stands there.
        four = {0: [np.nan] * 4, 1: [*variance] * 4}.get(len(variance), variance)
        return np.stack([flat, np.tile(four, len(flat) // 4)])

    @property
    def _unit(self) -> np.ndarray:
        height, width = self.image
        return np.array([width, height, width, height], np.float64)

    def _terms(self) -> tuple[np.ndarray, np.ndarray]:
        """The centers and the halves of the sizes, which are subtracted or added [rows, columns, boxes, 4]."""
        y, x = np.meshgrid(self.ys, self.xs, indexing="ij")
        centers = np.stack([x, y, x, y], axis=-1)[:, :, None, :]
        halves = np.array([[-w / 2, -h / 2, w / 2, h / 2] for w, h in self.sizes]).reshape(-1, 4)
        shape = (*y.shape, len(halves), 4)
        return np.broadcast_to(centers, shape), np.broadcast_to(halves, shape)


def grid_and_image(
    name: str, output_size: np.ndarray, image_size: np.ndarray
) -> tuple[tuple[int, int], tuple[int, int]]:
    """(height, width) of the grid and of the image. Raises ValueError for other numbers than two."""
    if output_size.shape != (2,) or image_size.shape != (2,):
        raise ValueError(f"{name}: output_size and image_size must have two elements each")
    grid, image = ((int(h), int(w)) for h, w in (output_size, image_size))
    if min(*grid, *image) < 1:
        raise ValueError(f"{name}: sizes must be positive, got {list(grid)} and {list(image)}")
    return grid, image


def check_variance(name: str, variance: Sequence[float]) -> None:
    """Raise ValueError unless there are 0, 1 or 4 positive numbers."""
    if len(variance) not in (0, 1, 4) or min(variance, default=1.0) <= 0:
        raise ValueError(
            f"{name}: variance must be 0, 1 or 4 positive numbers, got {list(variance)}"
        )
