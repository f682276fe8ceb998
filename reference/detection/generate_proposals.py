"""GenerateProposals (page GenerateProposals-9)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from reference import implements
from reference.accuracy import DECIDED, UNROUNDED, Arrays, Call, Choice
from reference.shared.axes import require_rank
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.proposals import Adapts, DecodedCandidates, Proposing, coordinates, nearest_of

_NAME = "GenerateProposals"


def of_anchors(
    name: str, anchors: np.ndarray, deltas: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """anchors [height, width, A, 4], deltas [4 * A, height, width], scores [A, height, width] as [n, 4], [n, 4], [n].

    They have the order of the anchors. Raises ValueError where shapes do not fit.
    """
    require_rank(anchors, (4,), f"{name}: anchors")
    height, width, count = anchors.shape[:3]
    shapes = (height, width, count, 4), (4 * count, height, width), (count, height, width)
    if (anchors.shape, deltas.shape, scores.shape) != shapes:
        raise ValueError(
            f"{name}: anchors, deltas and scores do not fit: {list(anchors.shape)}, {list(deltas.shape)}, "
            f"{list(scores.shape)}"
        )
    by_box = deltas.reshape(count, 4, height, width).transpose(2, 3, 0, 1)
    return anchors.reshape(-1, 4), by_box.reshape(-1, 4), scores.transpose(1, 2, 0).reshape(-1)


def readings(
    attributes: dict[str, Any], extents: Sequence[float], **fixed: Any
) -> Iterator[Proposing]:
    """What the pages admit: sides, min_size with or without the scale, and when nms_eta lowers the threshold."""
    modes: tuple[Adapts, ...] = (
        ("candidates", "later", "next") if attributes.get("nms_eta", 1.0) < 1 else ("candidates",)
    )
    for extent, scaled, adapts, equal in product(extents, (False, True), modes, (False, True)):
        yield Proposing(
            **attributes, **fixed, extent=extent, scaled=scaled, adapts=adapts, drops_equal=equal
        )


def _images(
    proposing: Proposing,
    im_info: np.ndarray,
    anchors: np.ndarray,
    boxesdeltas: np.ndarray,
    scores: np.ndarray,
) -> Iterator[tuple[np.ndarray, DecodedCandidates, np.ndarray]]:
    """The information, the candidates and the scores of each image. Raises ValueError."""
    if im_info.ndim != 2 or im_info.shape[1] not in (3, 4) or len(im_info) != len(boxesdeltas):
        raise ValueError(
            f"{_NAME}: im_info must be [num_batches, 3] or [num_batches, 4], got {list(im_info.shape)}"
        )
    if scores.shape[:1] != im_info.shape[:1]:
        raise ValueError(
            f"{_NAME}: scores must be of {len(im_info)} images, got shape {list(scores.shape)}"
        )
    real = [each.astype(np.float64) for each in (im_info, anchors, boxesdeltas, scores)]
    for info, deltas, values in zip(real[0], real[2], real[3], strict=True):
        flat = of_anchors(_NAME, real[1], deltas, values)
        yield info, proposing.candidates(info, *flat[:2]), flat[2]


def _outputs(
    proposing: Proposing,
    inputs: Sequence[np.ndarray],
    kind: np.dtype,
    given: Sequence[np.ndarray] = (),
) -> Arrays:
    """The outputs in one reading; ``given`` are those of a device."""
    rois, values, numbers = [np.zeros((0, 4))], [np.zeros(0)], []
    ends = np.cumsum(given[2]) if given else ()
    for image, (info, candidates, scores) in enumerate(_images(proposing, *inputs)):
        rows = None
        if given:
            own = slice(int(ends[image] - given[2][image]), int(ends[image]))
            rows = np.column_stack([given[1][own], given[0][own]])
        found = proposing.chosen(info, candidates.boxes, scores, rows)
        rois.append(candidates.boxes[found])
        values.append(scores[found])
        numbers.append(len(found))
    return np.concatenate(rois), np.concatenate(values), np.array(numbers, kind)


_USUAL = {"normalized": True, "nms_eta": 1.0, "roi_num_type": "i64"}


def _of_page(call: Call) -> tuple[list[np.ndarray], dict[str, Any], tuple[float, ...]]:
    """The inputs, the attributes of ``Proposing`` and the extents that a call admits."""
    given = {**_USUAL, **call.attributes}
    del given["roi_num_type"]
    extents = (0.0,) if given.pop("normalized") else (1.0, 0.0)
    return [call.array(place) for place in range(4)], given, extents


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Open are sides of boxes that are not normalized, the scale in min_size, when nms_eta applies, equal scores."""
    rois, values, numbers = actual
    count = len(values)
    has_shapes = rois.shape == (count, 4) and numbers.shape == call.outputs[2].shape
    if not has_shapes or np.any(numbers < 0) or numbers.sum() != count:
        return call.outputs
    inputs, given, extents = _of_page(call)
    kind = call.outputs[2].dtype
    answers = (_outputs(each, inputs, kind, actual) for each in readings(given, extents))
    return nearest_of(answers, actual, call.outputs)


def _terms(call: Call) -> list[DecodedCandidates]:
    inputs, given, extents = _of_page(call)
    return [
        candidates
        for extent in extents
        for _, candidates, _ in _images(Proposing(**given, extent=extent), *inputs)
    ]


@implements(
    "GenerateProposals-9",
    accuracy=(
        Choice(_nearest, coordinates(_terms)),
        Choice(_nearest, UNROUNDED),
        Choice(_nearest, DECIDED),
    ),
)
def generate_proposals(
    im_info: np.ndarray,
    anchors: np.ndarray,
    boxesdeltas: np.ndarray,
    scores: np.ndarray,
    *,
    min_size: float,
    nms_threshold: float,
    pre_nms_count: int,
    post_nms_count: int,
    normalized: bool = True,
    nms_eta: float = 1.0,
    roi_num_type: IndexType = "i64",
) -> Arrays:
    """The best boxes of each image that do not overlap each other too much.

    im_info [N, 3 or 4] (height, width, scale or scales), anchors [height, width, A, 4] (xmin, ymin, xmax, ymax),
    boxesdeltas [N, 4 * A, height, width] (dx, dy, log(dw), log(dh)), scores [N, A, height, width] -> boxes of all
    images [n, 4] and scores [n] in float64, the number of each image [N]. Sides of boxes that are not normalized are
    longer by 1 than the differences of their coordinates. Raises ValueError where shapes or attributes do not fit.
    """
    proposing = Proposing(
        min_size,
        nms_threshold,
        pre_nms_count,
        post_nms_count,
        nms_eta,
        extent=0.0 if normalized else 1.0,
    )
    proposing.check(_NAME)
    return _outputs(proposing, (im_info, anchors, boxesdeltas, scores), INDEX_TYPES[roi_num_type])
