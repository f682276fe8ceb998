"""Proposal (pages Proposal-1 and Proposal-4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import sqrt
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded
from reference.shared.detected import arguments
from reference.shared.proposals import (
    DecodedCandidates,
    coordinates,
    decoded,
    nearest_of,
    suppressed,
)

Framework = Literal["", "tensorflow"]
_INPUTS = ("class_probs", "bbox_deltas", "image_info")
# Deltas of an image whose candidates are kept for all readings: there are up to 96, and two outputs ask each of them.
_FEW = 10_000


@dataclass(frozen=True)
class _ProposalLayer:
    """The attributes of the page, and what it leaves open.

    ``extent``: what a side is longer than the difference of its coordinates; the far corner of a box that deltas moved
    is ``far`` before the end of its side, and the last coordinate of the clip after the suppression ``border`` before
    that of the image. ``place``: the first corner of all anchors of a point is the point, or their center is that of a
    box of base_size there, or the point. ``rounds``: sides of base_size with a ratio are whole. ``y_first``: y is the
    first coordinate, of boxes, deltas and ratios. ``cuts``: anchors are clipped to the image. ``multiplies``: deltas
    are multiplied by their scales, else divided. ``scaled``: min_size is multiplied by the scales of the image.
    ``compact``: the boxes of all images one after another, with one terminator, else so many rows for each image.
    ``known`` has the candidates of few deltas, for all readings of a layer.
    """

    base_size: int
    pre_nms_topn: int
    post_nms_topn: int
    nms_thresh: float
    feat_stride: int
    min_size: int
    ratio: Sequence[float]
    scale: Sequence[float]
    clip_before_nms: bool
    clip_after_nms: bool
    normalize: bool
    box_size_scale: float
    box_coordinate_scale: float
    framework: str
    extent: float
    far: float
    border: float
    place: str
    rounds: bool
    y_first: bool
    cuts: bool
    multiplies: bool
    scaled: bool
    compact: bool
    known: dict[object, DecodedCandidates] = field(default_factory=dict, compare=False, repr=False)

    def ordered(self, x: Any, y: Any) -> np.ndarray:
        """A number of x and one of y in the order of coordinates [2, ...]."""
        return np.array([y, x] if self.y_first else [x, y])

    def anchors(self, height: int, width: int) -> np.ndarray:
        """The anchors of all points [height * width * K, 4] as (xmin, ymin, xmax, ymax), or y first."""
        sides = []
        for ratio in self.ratio:
            one = sqrt(self.base_size**2 / ratio)
            one = float(np.floor(one + 0.5)) if self.rounds else one
            other = float(np.floor(one * ratio + 0.5)) if self.rounds else one * ratio
            sides += [(one * each, other * each) for each in self.scale]
        side = np.array(sides)
        halves = side / 2
        middles = {"base": self.base_size / 2 + 0 * side, "point": 0 * side, "corner": halves}
        low = middles[self.place] - halves
        boxes = np.concatenate([low, low + side - self.extent], axis=1)
        y, x = np.indices((height, width)) * self.feat_stride
        points = np.moveaxis(np.concatenate([self.ordered(x, y)] * 2), 0, -1)
        found: np.ndarray = (points[:, :, None, :] + boxes).reshape(-1, 4)
        return found

    def candidates(self, deltas: np.ndarray, info: np.ndarray) -> DecodedCandidates:
        """The boxes of an image, for deltas [4 * K, height, width]."""
        if deltas.size > _FEW:
            return self._decoded(deltas, info)
        pixels, anchors = (self.extent, self.far), (self.place, self.rounds, self.cuts)
        key = (*pixels, *anchors, self.y_first, self.multiplies, deltas.tobytes(), info.tobytes())
        if key not in self.known:
            self.known[key] = self._decoded(deltas, info)
        return self.known[key]

    def _decoded(self, deltas: np.ndarray, info: np.ndarray) -> DecodedCandidates:
        count, height, width = len(deltas) // 4, *deltas.shape[1:]
        moves = deltas.reshape(count, 4, height, width).transpose(2, 3, 0, 1).reshape(-1, 4)
        factors = np.repeat([self.box_coordinate_scale, self.box_size_scale], 2)
        moves = moves * factors if self.multiplies else moves / factors
        anchors, image = self.anchors(height, width), self.ordered(info[1], info[0])
        if self.cuts:
            anchors = (
                DecodedCandidates(anchors, anchors).clipped(image[0], image[1], self.extent).boxes
            )
        # An anchor's corner is half a side, which is a root and a product, from a middle that is moved to a point.
        low, high = anchors[:, :2], anchors[:, 2:]
        errors = 1.5 * np.abs(high - low) + 2 * np.maximum(np.abs(low), np.abs(high))
        found = decoded(anchors, moves, self.extent, errors)
        moved = found.boxes + np.repeat([0, self.extent - self.far], 2)
        found = DecodedCandidates(moved, found.size + np.abs(moved) * (self.extent != self.far))
        return found.clipped(image[0], image[1], self.extent) if self.clip_before_nms else found

    def returned(self, found: DecodedCandidates, info: np.ndarray) -> DecodedCandidates:
        """Boxes as the output has them."""
        image = self.ordered(info[1], info[0])
        if self.clip_after_nms:
            found = found.clipped(image[0], image[1], self.border)
        unit = np.tile(image, 2) if self.normalize else np.ones(4)
        boxes = found.boxes / unit
        # No rule of the page forbids an image of negative size.
        return DecodedCandidates(
            boxes, found.size / np.abs(unit) + (np.abs(boxes) if self.normalize else 0.0)
        )

    def chosen(
        self,
        found: DecodedCandidates,
        scores: np.ndarray,
        info: np.ndarray,
        given: np.ndarray | None,
    ) -> np.ndarray:
        """The places of the boxes of an image that are returned; of equal scores first those of a device."""
        scale = self.ordered(info[-1], info[2]) if self.scaled else 1.0
        sides = found.boxes[:, 2:] - found.boxes[:, :2] + self.extent
        wanted = np.zeros(len(scores))
        if given is not None and len(np.unique(scores)) < len(scores):
            boxes = self.returned(found, info).boxes
            far = np.abs(boxes[:, None] - given[None]).max(axis=-1)
            # A coordinate near 0 is the difference of larger ones, which bf16 rounds.
            room = 0.01 * np.maximum(np.abs(boxes).max(axis=1), 1)
            wanted = np.where(far.min(axis=1) < room, far.argmin(axis=1), len(given))
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
            scores = probabilities[image].reshape(2, deltas.shape[1] // 4, *deltas.shape[2:])[1]
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


def _layer(**attributes: Any) -> _ProposalLayer:
    """A layer in the reading that is tried first."""
    usual: dict[str, Any] = {"multiplies": False, "scaled": True, "compact": False}
    if attributes["framework"] == "tensorflow":
        usual |= {"extent": 0.0, "far": 0.0, "border": 0.0, "place": "point"}
        usual |= {"rounds": False, "y_first": True, "cuts": True}
    else:
        usual |= {"extent": 1.0, "far": 1.0, "border": 1.0, "place": "base"}
        usual |= {"rounds": True, "y_first": False, "cuts": False}
    return _ProposalLayer(**attributes, **usual)


def _readings(call: Call) -> tuple[list[np.ndarray], Iterator[_ProposalLayer]]:
    """The inputs, and the layer in all readings that differ in it, the usual one first."""
    if _ProposalLayer not in call.cache:
        given = arguments(call, proposal)
        read = [np.asarray(given.pop(name), np.float64) for name in _INPUTS]
        call.cache[_ProposalLayer] = read, _layer(**given)
    inputs: list[np.ndarray]
    layer: _ProposalLayer
    inputs, layer = call.cache[_ProposalLayer]
    varies = {
        "multiplies": (layer.box_size_scale, layer.box_coordinate_scale) != (1.0, 1.0),
        "scaled": bool(np.any(inputs[2][2:] != 1)),
        "compact": len(inputs[0]) > 1,
        "y_first": layer.y_first,
        "cuts": layer.cuts,
        "rounds": layer.rounds and any(each != 1 for each in layer.ratio),
    }
    choices = [(getattr(layer, name), *_other(layer, name, does)) for name, does in varies.items()]
    pixels, places = [(layer.extent, layer.far, layer.border)], [layer.place]
    if not layer.y_first:
        # The last pixel belongs to no box that deltas moved, as in Caffe's layer; nor is it the border of the second
        # clip, which that layer does not have; or it belongs to none.
        second = [(1.0, 0.0, 0.0)] if layer.clip_after_nms else []
        pixels += [(1.0, 0.0, 1.0), *second, (0.0, 0.0, 0.0)]
        places.append("corner")

    def layers() -> Iterator[_ProposalLayer]:
        for (extent, far, border), place, *values in product(pixels, places, *choices):
            chosen = dict(zip(varies, values, strict=True))
            yield replace(layer, extent=extent, far=far, border=border, place=place, **chosen)

    return inputs, layers()


def _other(layer: _ProposalLayer, name: str, varies: bool) -> tuple[bool, ...]:
    return (not getattr(layer, name),) if varies else ()


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """The nearest answer of the readings of the page; equal scores have any order."""
    given = actual[0].astype(np.float64)
    if given.shape != call.outputs[0].shape:
        return call.outputs
    inputs, layers = _readings(call)
    answers = (each.outputs(inputs, given)[: len(actual)] for each in layers)
    # What is behind the last box is any value: memory that a device did not write may hold signaling NaN.
    with np.errstate(invalid="ignore"):
        near = zip(nearest_of(answers, actual, call.outputs), actual, strict=True)
        return tuple(np.where(np.isnan(one), other, one) for one, other in near)


def _terms(call: Call) -> list[DecodedCandidates]:
    """The candidates of all readings."""
    (_, deltas, info), layers = _readings(call)
    # These change which candidates are chosen, not what they are.
    own = (each for each in layers if each.scaled and not each.compact)
    return [each.returned(each.candidates(image, info), info) for each in own for image in deltas]


def _behind(call: Call) -> np.ndarray:
    """What is behind the terminator."""
    return np.isnan(call.outputs[0])


def _scores_behind(call: Call) -> np.ndarray:
    return np.isnan(call.outputs[1])


_BOXES = Choice(_nearest, coordinates(_terms, silent=_behind))


def _proposal(
    layer: _ProposalLayer, class_probs: np.ndarray, bbox_deltas: np.ndarray, image_info: np.ndarray
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
    return layer.outputs(inputs)


@implements(
    "Proposal-4",
    accuracy=(_BOXES, Choice(_nearest, Rounded(bound=0, quality=0, silent=_scores_behind))),
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
    """The best boxes of each image that do not overlap each other too much.

    class_probs [N, 2 * K, H, W], first of the background, bbox_deltas [N, 4 * K, H, W], image_info [3 or 4] (height,
    width, scale or scales) -> (image, xmin, ymin, xmax, ymax) [N * post_nms_topn, 5] and scores [N * post_nms_topn] in
    float64; behind the last box of an image stands one -1, and NaN. Raises ValueError where shapes or attributes do not
    fit.
    """
    layer = _layer(
        base_size=base_size,
        pre_nms_topn=pre_nms_topn,
        post_nms_topn=post_nms_topn,
        nms_thresh=nms_thresh,
        feat_stride=feat_stride,
        min_size=min_size,
        ratio=ratio,
        scale=scale,
        clip_before_nms=clip_before_nms,
        clip_after_nms=clip_after_nms,
        normalize=normalize,
        box_size_scale=box_size_scale,
        box_coordinate_scale=box_coordinate_scale,
        framework=framework,
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
    outputs = proposal(class_probs, bbox_deltas, image_info, framework=framework, **attributes)
    boxes: np.ndarray = outputs[0]
    return boxes
