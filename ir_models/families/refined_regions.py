"""ExperimentalDetectronDetectionOutput: regions that deltas refine to boxes with margins, as in ``detected``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_models.families.detected import (
    STEPS,
    cells_for,
    priors,
    scattered_scores,
    targets,
    to_resize,
)
from ir_models.operation import Layer

__all__ = ["by_hand", "confidences", "deltas", "image_size", "moved", "regions"]


def _image(layer: Layer) -> np.ndarray:
    """Height and width: the pixels of a position, of which there are so many, are whole numbers, or quarters."""
    cells = cells_for(layer.rois.shape[0])
    return np.array([64.0, 96.0] if cells == 1 else [52.0 * cells, 84.0 * cells])


def _pixels(layer: Layer, boxes: np.ndarray) -> np.ndarray:
    """Boxes in positions as boxes in pixels, the last one included."""
    height, width = _image(layer)
    scale = np.array([width, height] * 2) / (STEPS * cells_for(layer.rois.shape[0]))
    found: np.ndarray = boxes * scale - [0, 0, 1, 1]
    return found


def image_size(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Height, width and a scale that nothing depends on."""
    return np.append(_image(layer), 1.5)


def regions(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """rois."""
    return _pixels(layer, priors(layer.rois.shape[0]))


def deltas(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """deltas, which refine the regions to boxes with margins."""
    count, classes = layer.scores.shape
    # With a margin for sides of so many positions, and of whole numbers of pixels.
    found = targets(classes, count, layer.nms_threshold, state, extents=(0.0, -0.25))
    offsets = to_resize(regions(layer, state), _pixels(layer, found), extent=1.0)
    numbers: np.ndarray = offsets.swapaxes(0, 1) * layer.deltas_weights
    return numbers


def confidences(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Scores, of which those of class 0 are low: whether that is the background has cases of its own."""
    count, classes = layer.scores.shape
    others = scattered_scores(count * (classes - 1), 1000, state).reshape(count, classes - 1)
    return np.concatenate([scattered_scores(count, 0, state)[:, None], others], axis=1)


def _rows(rows: Sequence[Sequence[float]]) -> str:
    return f"f32:[{','.join(f'[{_numbers(row)}]' for row in rows)}]"


def _numbers(row: Sequence[float]) -> str:
    return ",".join(map(str, row))


def by_hand(boxes: Sequence[Sequence[float]], scores: Sequence[float]) -> str:
    """Regions that are the boxes; the scores are those of class 1, those of the classes 0 and 2 are 0."""
    chances = _rows([[0.0, score, 0.0] for score in scores])
    still = _rows([[0] * 12] * len(boxes))
    return f"rois={_rows(boxes)}; deltas={still}; scores={chances}; image_size=f32:[[64,96,1]]"


def moved(deltas: Sequence[float]) -> str:
    """A box of 16 by 8 pixels, and one apart, with deltas of class 1."""
    still = [0, 0, 0, 0]
    given = _rows([[*still, *deltas, *still], [*still * 3]])
    return (
        f"rois=f32:[[32,24,47,31],[64,40,79,47]]; deltas={given}; scores=f32:[[0,0.75,0],[0,0.5,0]]; "
        "image_size=f32:[[64,96,1]]"
    )
