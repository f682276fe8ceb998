"""ExperimentalDetectronPriorGridGenerator (page ExperimentalDetectronPriorGridGenerator-6)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call, Function

_NAME = "ExperimentalDetectronPriorGridGenerator-6"
_Rest = Literal["behind", "between"]
_Layer = Literal["cells", "map"]


def _moved(call: Call) -> np.ndarray:
    """How far the priors are moved."""
    return call.function(np.zeros_like(call.array(0)), *call.inputs[1:], **call.attributes)


@implements(
    "ExperimentalDetectronPriorGridGenerator-6",
    # The middle of a cell, a quotient and a product, each rounded by half an ulp of how far a prior is moved; a sum.
    accuracy=Function(
        k=1,
        a=2,
        scale=_moved,
        quality_a=1.5,
        silent=lambda call: np.isnan(_moved(call)),
    ),
    readings=[
        {"rest": "between"},
        {"layer": "map"},
        {"rest": "between", "layer": "map"},
    ],
)
def experimental_detectron_prior_grid_generator(
    priors: np.ndarray,
    feature_map: np.ndarray,
    image: np.ndarray,
    *,
    flatten: bool = True,
    h: int = 0,
    w: int = 0,
    stride_x: float = 0.0,
    stride_y: float = 0.0,
    rest: _Rest = "behind",
    layer: _Layer = "cells",
) -> np.ndarray:
    """Priors moved to the middle of each cell of a grid, float64, NaN where the page defines nothing.

    priors [P, 4], feature_map [1, C, H, W], image [1, D, Y, X] -> [H, W, P, 4], or [H * W * P, 4] where ``flatten``.
    The page leaves open two things: whether the ``rest`` of a grid of fewer cells than H by W is behind all of them or
    between its rows, and whether a ``layer``, over which steps of 0 are spread, is the cells or the map. Raises
    ValueError for other shapes, for more cells than the map has, and for negative numbers.
    """
    if priors.ndim != 2 or priors.shape[1] != 4 or feature_map.ndim != 4 or image.ndim != 4:
        raise ValueError(
            f"{_NAME}: the shapes must be [P, 4], [1, C, H, W] and [1, D, Y, X], "
            f"got {priors.shape}, {feature_map.shape} and {image.shape}"
        )
    if feature_map.shape[0] != 1 or image.shape[0] != 1:
        raise ValueError(f"{_NAME}: there must be one feature map and one image")
    sizes, strides = feature_map.shape[2:], (stride_y, stride_x)
    if not (0 <= h <= sizes[0] and 0 <= w <= sizes[1]) or min(strides) < 0:
        raise ValueError(
            f"{_NAME}: h and w must be at most {sizes}, strides not negative, got {h}, {w} and {strides}"
        )
    counts = (h or sizes[0], w or sizes[1])
    spread = counts if layer == "cells" else sizes
    steps = [
        stride or size / max(count, 1)
        for stride, size, count in zip(strides, image.shape[2:], spread, strict=True)
    ]
    y, x = ((np.arange(count) + 0.5) * step for count, step in zip(counts, steps, strict=True))
    grid = np.stack(np.meshgrid(x, y) * 2, axis=-1)
    boxes = grid[:, :, None] + priors.astype(np.float64)
    found = np.full((*sizes, *priors.shape), np.nan)
    if rest == "between":
        found[: counts[0], : counts[1]] = boxes
    else:
        found.reshape(-1)[: boxes.size] = boxes.reshape(-1)
    return found.reshape(-1, 4) if flatten else found
