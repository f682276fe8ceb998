"""Proposal (pages Proposal-1 and Proposal-4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded
from reference.shared.proposals import (
    Decoded,
    coordinates,
    decoded,
    nearest_of,
    once,
    suppressed,
)

Framework = Literal["", "tensorflow"]


@dataclass(frozen=True)
class _Layer:
    """The attributes of the page, and what it leaves open.

    ``extent``: what a side is longer than the difference of its coordinates. ``place``: the first corner of all anchors
    of a point is the point, or their center is that of a box of base_size there, or the point. ``rounds``: sides of
    base_size with a ratio are whole. ``by_scale``: anchors of one scale stand together, not those of one ratio.
    ``multiplies``: deltas are multiplied by their scales, else divided. ``swaps``: y comes before x.
    ``scaled``: min_size is multiplied by the scales of the image. ``compact``: the boxes of all images one after
    another, with one terminator, else so many rows for each image.
    """

    base_size: int
    pre_nms_topn: int
    post_nms_topn: int
    nms_thresh: float
    feat_stride: int
    min_size: int
    ratio: Sequence[float]
    scale: Sequence[float]
    clip_before_nms: bool = True
    clip_after_nms: bool = False
    normalize: bool = False
    box_size_scale: float = 1.0
    box_coordinate_scale: float = 1.0
    framework: str = ""
    extent: float = 1.0
    place: str = "base"
    rounds: bool = True
    by_scale: bool = False
    multiplies: bool = False
    swaps: bool = False
    scaled: bool = True
    compact: bool = False

    def readings(self, images: int, info: np.ndarray) -> Iterator["_Layer"]:
        """This layer in all readings that differ in it, that of the field first."""
        is_tf = self.framework == "tensorflow"
        scales = (self.box_size_scale, self.box_coordinate_scale)
        several = len(self.ratio) > 1 < len(self.scale)
        choices: dict[str, tuple[Any, ...]] = {
            "extent": (0.0, 1.0) if is_tf else (1.0, 0.0),
            "place": ("point", "base", "corner") if is_tf else ("base", "corner"),
            "rounds": _first(not is_tf, any(each != 1 for each in self.ratio)),
            "by_scale": _first(False, several),
            "multiplies": _first(False, scales != (1.0, 1.0)),
            "swaps": _first(is_tf, is_tf),
            "scaled": _first(True, bool(np.any(info[2:] != 1))),
            "compact": _first(False, images > 1),
        }
        for values in product(*choices.values()):
            yield replace(self, **dict(zip(choices, values, strict=True)))

    def anchors(self, height: int, width: int) -> np.ndarray:
        """The anchors of all points [height * width * K, 4] as (xmin, ymin, xmax, ymax)."""
        sides = []
        for ratio in self.ratio:
            wide = sqrt(self.base_size**2 / ratio)
            wide = float(np.floor(wide + 0.5)) if self.rounds else wide
            high = float(np.floor(wide * ratio + 0.5)) if self.rounds else wide * ratio
            sides.append([(wide * each, high * each) for each in self.scale])
        side = np.array(sides)
        side = (side.swapaxes(0, 1) if self.by_scale else side).reshape(-1, 2)
        middle = {"base": self.base_size / 2, "point": 0.0, "corner": side / 2}[self.place]
        low = np.broadcast_to(middle, side.shape) - side / 2
        boxes = np.concatenate([low, low + side - self.extent], axis=1)
        y, x = np.indices((height, width)) * self.feat_stride
        points = np.stack([x, y, x, y], axis=-1)[:, :, None, :]
        found: np.ndarray = (points + boxes).reshape(-1, 4)
        return found

    def candidates(self, deltas: np.ndarray, info: np.ndarray) -> Decoded:
        """The boxes of an image, for deltas [4 * K, height, width]."""
        height, width = deltas.shape[1:]
        moves = deltas.reshape(-1, 4, height, width).transpose(2, 3, 0, 1).reshape(-1, 4)
        factors = np.repeat([self.box_coordinate_scale, self.box_size_scale], 2)
        moves = moves * factors if self.multiplies else moves / factors
        moves = moves[:, [1, 0, 3, 2]] if self.swaps else moves
        found = decoded(self.anchors(height, width), moves, self.extent)
        return found.clipped(info[1], info[0], self.extent) if self.clip_before_nms else found

    def returned(self, found: Decoded, info: np.ndarray) -> Decoded:
        """Boxes as the output has them."""
        if self.clip_after_nms:
            found = found.clipped(info[1], info[0], self.extent)
        unit = np.array([info[1], info[0]] * 2) if self.normalize else np.ones(4)
        order = [1, 0, 3, 2] if self.swaps else [0, 1, 2, 3]
        return Decoded((found.boxes / unit)[:, order], (found.size / unit)[:, order])

    def chosen(
        self, found: Decoded, scores: np.ndarray, info: np.ndarray, given: np.ndarray | None
    ) -> np.ndarray:
        """The places of the boxes of an image that are returned; of equal scores first those of a device."""
        scale = np.array([info[-1], info[2]]) if self.scaled else 1.0
        sides = found.boxes[:, 2:] - found.boxes[:, :2] + self.extent
        wanted = np.zeros(len(scores))
        if given is not None and len(np.unique(scores)) < len(scores):
            far = np.abs(self.returned(found, info).boxes[:, None] - given[None]).max(axis=-1)
            wanted = np.where(far.min(axis=1) < 0.01, far.argmin(axis=1), len(given))
        order = np.lexsort((wanted, -scores))
        order = order[np.all(sides >= self.min_size * scale, axis=1)[order]][: self.pre_nms_topn]
        kept = suppressed(found.boxes[order], self.nms_thresh, self.post_nms_topn, self.extent)
        return np.asarray(order[kept])

    def outputs(self, inputs: Sequence[np.ndarray], given: np.ndarray | None = None) -> Arrays:
        """Rows (image, box) and scores; NaN in what is behind them. ``given`` are the rows of a device."""
        probabilities, deltas, info = inputs
        images, most = len(probabilities), self.post_nms_topn
        rows, values = np.full((images * most, 5), np.nan), np.full(images * most, np.nan)
        end = 0
        for image in range(images):
            found = self.candidates(deltas[image], info)
            scores = probabilities[image].reshape(2, -1, *deltas.shape[2:])[1]
            own = None if given is None else given[given[:, 0] == image, 1:]
            flat = scores.transpose(1, 2, 0).reshape(-1)
            chosen = self.chosen(found, flat, info, own if own is not None and len(own) else None)
            begin = end if self.compact else image * most
            end = begin + len(chosen)
            rows[begin:end, 0] = image
            rows[begin:end, 1:] = self.returned(found, info).boxes[chosen]
            values[begin:end] = flat[chosen]
            if end < (images * most if self.compact else begin + most):
                rows[end, 0] = -1
        return rows, values


def _first(value: bool, varies: bool) -> tuple[bool, ...]:
    return (value, not value) if varies else (value,)


def _of(call: Call) -> tuple[list[np.ndarray], _Layer]:
    return [call.reals(place) for place in range(3)], _Layer(**call.attributes)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """The nearest answer of the readings of the page; equal scores have any order."""
    inputs, layer = _of(call)
    given = actual[0].astype(np.float64)
    if given.shape != call.outputs[0].shape:
        return call.outputs
    answers = (
        each.outputs(inputs, given)[: len(actual)]
        for each in layer.readings(len(inputs[0]), inputs[2])
    )
    return once(call, actual, lambda: nearest_of(answers, actual, call.outputs))


def _terms(call: Call) -> list[Decoded]:
    """The candidates of all readings."""
    inputs, layer = _of(call)
    return [
        each.returned(each.candidates(deltas, inputs[2]), inputs[2])
        for each in layer.readings(1, inputs[2])
        for deltas in inputs[1]
    ]


def _behind(call: Call) -> np.ndarray:
    """What is behind the terminator."""
    return np.isnan(call.outputs[0])


def _scores_behind(call: Call) -> np.ndarray:
    return np.isnan(call.outputs[1])


_BOXES = Choice(_nearest, coordinates(_terms, silent=_behind))


def _proposal(
    layer: _Layer, class_probs: np.ndarray, bbox_deltas: np.ndarray, image_info: np.ndarray
) -> Arrays:
    count = len(layer.ratio) * len(layer.scale)
    batch, _, *map_size = class_probs.shape if class_probs.ndim == 4 else (0, 0)
    shapes = (batch, 2 * count, *map_size), (batch, 4 * count, *map_size)
    if (class_probs.shape, bbox_deltas.shape) != shapes or image_info.shape not in ((3,), (4,)):
        raise ValueError(
            f"Proposal: of {count} anchors the inputs must be [N, {2 * count}, H, W], [N, {4 * count}, H, W] and [3] "
            f"or [4], got {list(class_probs.shape)}, {list(bbox_deltas.shape)}, {list(image_info.shape)}"
        )
    counts = (layer.base_size, layer.pre_nms_topn, layer.post_nms_topn, layer.feat_stride)
    sizes = (layer.min_size, layer.nms_thresh, layer.box_size_scale, layer.box_coordinate_scale)
    if min(*counts, *sizes) <= 0:
        raise ValueError("Proposal: sizes, counts, thresholds and scales must be positive")
    inputs = [each.astype(np.float64) for each in (class_probs, bbox_deltas, image_info)]
    return next(layer.readings(batch, inputs[2])).outputs(inputs)


@implements(
    "Proposal-4",
    accuracy=(_BOXES, Choice(_nearest, Rounded(gate=0, quality=0, silent=_scores_behind))),
)
def proposal(
    class_probs: np.ndarray,
    bbox_deltas: np.ndarray,
    image_info: np.ndarray,
    *,
    base_size: int,
    pre_nms_topn: int,
    post_nms_topn: int,
    nms_thresh: float,
    feat_stride: int,
    min_size: int,
    ratio: Sequence[float],
    scale: Sequence[float],
    clip_before_nms: bool = True,
    clip_after_nms: bool = False,
    normalize: bool = False,
    box_size_scale: float = 1.0,
    box_coordinate_scale: float = 1.0,
    framework: Framework = "",
) -> Arrays:
    """The best boxes of each image, of which none overlaps another too much.

    class_probs [N, 2 * K, H, W], first of the background, bbox_deltas [N, 4 * K, H, W], image_info [3 or 4] (height,
    width, scale or scales) -> (image, xmin, ymin, xmax, ymax) [N * post_nms_topn, 5] and scores [N * post_nms_topn] in
    float64; behind the last box of an image stands one -1, and NaN. Raises ValueError where shapes or attributes do not
    fit.
    """
    layer = _Layer(
        base_size,
        pre_nms_topn,
        post_nms_topn,
        nms_thresh,
        feat_stride,
        min_size,
        ratio,
        scale,
        clip_before_nms,
        clip_after_nms,
        normalize,
        box_size_scale,
        box_coordinate_scale,
        framework,
    )
    return _proposal(layer, class_probs, bbox_deltas, image_info)


@implements("Proposal-1", accuracy=_BOXES)
def proposal_without_scores(
    class_probs: np.ndarray,
    bbox_deltas: np.ndarray,
    image_info: np.ndarray,
    *,
    framework: Framework = "",
    **attributes: Any,
) -> np.ndarray:
    """The first output of Proposal-4, whose ``attributes`` it has."""
    layer = _Layer(**attributes, framework=framework)
    return _proposal(layer, class_probs, bbox_deltas, image_info)[0]
