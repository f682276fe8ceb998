"""How much boxes overlap: intersection over union."""

from __future__ import annotations

import numpy as np


def corners_of(boxes: np.ndarray, encoding: str) -> np.ndarray:
    """Boxes [..., 4] as low and high corners, in one order of the axes for both.

    ``encoding``: ``corner`` is any diagonal of the box, ``center`` its center, width and height.
    """
    first, second = boxes[..., :2], boxes[..., 2:]
    if encoding == "center":
        return np.concatenate([first - second / 2, first + second / 2], axis=-1)
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def iou(one: np.ndarray, boxes: np.ndarray, extent: float = 0.0) -> np.ndarray:
    """Intersection over union of boxes given by their low and high corners: [..., 4] and [..., 4] -> [...].

    ``extent`` is what a side is longer than the difference of its coordinates: 1 where they name pixels.
    """
    low, high = np.maximum(one[..., :2], boxes[..., :2]), np.minimum(one[..., 2:], boxes[..., 2:])
    shared = _product(np.maximum(high - low + extent, 0))
    areas = [_product(each[..., 2:] - each[..., :2] + extent) for each in (one, boxes)]
    with np.errstate(invalid="ignore"):  # of two boxes without an area
        return np.asarray(shared / (areas[0] + areas[1] - shared))


def _product(sides: np.ndarray) -> np.ndarray:
    # Of two numbers, np.prod takes several times as long.
    return np.asarray(sides[..., 0] * sides[..., 1])


# Points this close to an edge, in parts of the sides, are on it.
_ON_EDGE = 1e-9


def rotated_iou(one: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes [x_center, y_center, width, height, angle]: [..., 5] and [..., 5] -> [...].

    The angle, in radians, turns the x axis towards the y axis. The polygon that two boxes share has as its corners the
    intersections of their edges, and the corners of each that lie in the other.
    """
    one, boxes = np.broadcast_arrays(one, boxes)
    first, second = _corners(one), _corners(boxes)
    points = np.concatenate([_crossings(first, second), first, second], axis=-2)
    crossing = np.isfinite(points[..., :16, 0])
    inside = [crossing, _is_inside(first, boxes), _is_inside(second, one)]
    shared = _area(points, np.concatenate(inside, axis=-1))
    areas = [each[..., 2] * each[..., 3] for each in (one, boxes)]
    return shared / (areas[0] + areas[1] - shared)


def _turned(points: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Points [..., 4, 2] turned around the origin by angles [...]."""
    sine, cosine = np.sin(angle)[..., None], np.cos(angle)[..., None]
    x, y = points[..., 0], points[..., 1]
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=-1)


def _corners(boxes: np.ndarray) -> np.ndarray:
    """The corners in their order around the box: [..., 5] -> [..., 4, 2]."""
    signs = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    return boxes[..., None, :2] + _turned(signs * boxes[..., None, 2:4], boxes[..., 4])


def _is_inside(points: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Which of the points [..., 4, 2] lie in boxes [..., 5], or on their edges: [..., 4]."""
    own = _turned(points - boxes[..., None, :2], -boxes[..., 4])
    sides = np.abs(boxes[..., None, 2:4])
    return np.all(np.abs(own) <= sides * (0.5 + _ON_EDGE), axis=-1)


def _crossings(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The points where edges of two boxes meet, [..., 4, 2] and [..., 4, 2] -> [..., 16, 2]; NaN where they do not."""
    begin, other = first[..., :, None, :], second[..., None, :, :]
    along = (np.roll(first, -1, axis=-2) - first)[..., :, None, :]
    across = (np.roll(second, -1, axis=-2) - second)[..., None, :, :]
    with np.errstate(all="ignore"):
        # begin + t * along = other + u * across, solved for t and u.
        turn = _cross(along, across)
        t, u = _cross(other - begin, across) / turn, _cross(other - begin, along) / turn
        meets = (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
        points = np.where(meets[..., None], begin + t[..., None] * along, np.nan)
    return points.reshape(*points.shape[:-3], 16, 2)


def _cross(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]


def _area(points: np.ndarray, is_corner: np.ndarray) -> np.ndarray:
    """The area of the convex polygons whose corners, in any order, are marked: [..., n, 2] and [..., n] -> [...]."""
    marked = is_corner[..., None]
    count = np.maximum(marked.sum(axis=-2, keepdims=True), 1)
    inside = np.where(marked, points, 0.0).sum(axis=-2, keepdims=True) / count
    around = np.where(marked, points - inside, 0.0)
    # The corners in the order of their angles; what is no corner stands behind them, as the first one again.
    angles = np.where(is_corner, np.arctan2(around[..., 1], around[..., 0]), np.inf)
    order = np.argsort(angles, axis=-1)[..., None]
    around, marked = (np.take_along_axis(each, order, axis=-2) for each in (around, marked))
    polygon = np.where(marked, around, around[..., :1, :])
    return np.abs(np.sum(_cross(polygon, np.roll(polygon, -1, axis=-2)), axis=-1)) / 2
