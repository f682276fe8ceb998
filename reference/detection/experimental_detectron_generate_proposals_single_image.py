"""ExperimentalDetectronGenerateProposalsSingleImage (page ExperimentalDetectronGenerateProposalsSingleImage-6)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, Arrays, Call, Choice
from reference.detection.generate_proposals import of_anchors, readings
from reference.shared.proposals import DecodedCandidates, Proposing, coordinates, nearest_of

_NAME = "ExperimentalDetectronGenerateProposalsSingleImage"


def _candidates(
    proposing: Proposing, inputs: Sequence[np.ndarray]
) -> tuple[np.ndarray, DecodedCandidates, np.ndarray]:
    """The information, the candidates and the scores of the image. Raises ValueError."""
    info, anchors, deltas, scores = (each.astype(np.float64) for each in inputs)
    if info.shape != (3,) or scores.ndim != 3 or anchors.shape != (scores.size, 4):
        raise ValueError(
            f"{_NAME}: the shapes of the information, anchors and scores do not fit: {list(info.shape)}, "
            f"{list(anchors.shape)}, {list(scores.shape)}"
        )
    count, height, width = scores.shape
    own, moves, values = of_anchors(_NAME, anchors.reshape(height, width, count, 4), deltas, scores)
    return info, proposing.candidates(info, own, moves), values


def _outputs(
    proposing: Proposing, inputs: Sequence[np.ndarray], given: np.ndarray | None = None
) -> Arrays:
    """The outputs in one reading; ``given`` are the rows (score, box) of a device."""
    info, candidates, scores = _candidates(proposing, inputs)
    found = proposing.chosen(info, candidates.boxes, scores, given)
    rois, values = np.zeros((proposing.post_nms_count, 4)), np.zeros(proposing.post_nms_count)
    rois[: len(found)], values[: len(found)] = candidates.boxes[found], scores[found]
    return rois, values


def _of_page(call: Call) -> tuple[list[np.ndarray], dict[str, Any]]:
    return [call.array(place) for place in range(4)], dict(call.attributes)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Open are the sides of boxes, the scale in min_size, and the order of equal scores."""
    if [each.shape for each in actual] != [each.shape for each in call.outputs]:
        return call.outputs
    inputs, given = _of_page(call)
    rows = np.column_stack([actual[1], actual[0]])
    every = readings(given, (1.0, 0.0), removes_first=True)
    answers = (_outputs(each, inputs, rows) for each in every)
    return nearest_of(answers, actual, call.outputs)


def _terms(call: Call) -> list[DecodedCandidates]:
    inputs, given = _of_page(call)
    return [_candidates(Proposing(**given, extent=each), inputs)[1] for each in (1.0, 0.0)]


@implements(
    "ExperimentalDetectronGenerateProposalsSingleImage-6",
    accuracy=(Choice(_nearest, coordinates(_terms)), Choice(_nearest, UNROUNDED)),
)
def experimental_detectron_generate_proposals_single_image(
    im_info: np.ndarray,
    anchors: np.ndarray,
    deltas: np.ndarray,
    scores: np.ndarray,
    *,
    min_size: float,
    nms_threshold: float,
    pre_nms_count: int,
    post_nms_count: int,
) -> Arrays:
    """The best boxes of an image that do not overlap each other too much.

    im_info [3] (height, width, scale), anchors [height * width * C, 4] (xmin, ymin, xmax, ymax), deltas [4 * C, height,
    width] (dx, dy, log(dw), log(dh)), scores [C, height, width] -> boxes [post_nms_count, 4] and scores
    [post_nms_count] in float64, zeros behind the last one. Sides are longer by 1 than the differences of coordinates.
    Raises ValueError where shapes or attributes do not fit.
    """
    proposing = Proposing(
        min_size, nms_threshold, pre_nms_count, post_nms_count, removes_first=True, extent=1.0
    )
    proposing.check(_NAME)
    return _outputs(proposing, (im_info, anchors, deltas, scores))
