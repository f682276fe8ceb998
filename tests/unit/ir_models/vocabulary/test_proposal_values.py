"""The data of proposals leave room for rounding: which boxes are large enough does not depend on it."""

import numpy as np
import pytest

import ir_models
from reference.detection.generate_proposals import of_anchors
from reference.shared.proposals import decoded

SCALES = [
    case
    for name, variant in (
        ("ExperimentalDetectronGenerateProposalsSingleImage-6", "variant.scale"),
        ("GenerateProposals-9", "variant.scales"),
    )
    for case in ir_models.cases(ir_models.operation(name), [variant])
    if case.layer.im_info.value is not None and not case.how.data
]


def images(case, seed):
    """im_info, anchors, deltas and scores of each image."""
    info, anchors, deltas, scores = case.arrays(seed=seed)
    count, height, width = scores.shape[-3:]
    anchors = anchors.reshape(height, width, count, 4)
    batch = info.reshape(-1, info.shape[-1]), deltas.reshape(-1, 4 * count, height, width)
    for own, moves, values in zip(*batch, scores.reshape(-1, count, height, width), strict=True):
        yield own, *of_anchors("data", anchors, moves, values)[:2]


def test_the_scale_is_asked():
    assert len(SCALES) == 8


@pytest.mark.parametrize("case", SCALES, ids=str)
@pytest.mark.parametrize("extent", [0.0, 1.0])
def test_no_side_is_near_to_the_least_size_multiplied_by_the_scale_or_not(case, extent):
    decided = 0
    for seed in range(5):
        for info, anchors, moves in images(case, seed):
            candidates = decoded(anchors, moves.astype(np.float64), extent)
            boxes = candidates.clipped(info[1], info[0], extent).boxes
            # A scale of the height and one of the width.
            scales = np.array([info[-1], info[2]])
            sides = boxes[:, 2:] - boxes[:, :2] + extent
            least = case.layer.min_size * np.array([np.ones(2), scales])
            assert np.min(np.abs(sides - least[:, np.newaxis])) > 0.001
            decided += np.count_nonzero((sides < least[0]) != (sides < least[1]))
    assert decided
