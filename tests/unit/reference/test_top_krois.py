"""ExperimentalDetectronTopKROIs, by hand."""

import numpy as np
import pytest

from reference import lookup
from reference.accuracy.call import Call

top_krois = lookup("ExperimentalDetectronTopKROIs-6")
ROIS = np.arange(16, dtype=np.float32).reshape(4, 4)
SCORES = np.array([0.5, 0.25, 0.75, 0.5], np.float32)


def test_the_highest_come_first():
    assert top_krois(ROIS, SCORES, max_rois=3)[:, 0].tolist() == [8, 0, 12]
    assert top_krois(ROIS, SCORES).shape == (0, 4)


def test_other_shapes_are_refused():
    for rois, scores, count in [
        (ROIS[:, :3], SCORES, 1),
        (ROIS[1:], SCORES, 1),
        (ROIS, SCORES, -1),
    ]:
        with pytest.raises(ValueError, match="rois must be"):
            top_krois(rois, scores, max_rois=count)


@pytest.mark.parametrize(
    "rows, count, admitted",
    [
        ([2, 3, 0], 3, True),
        ([2, 3], 2, True),
        ([2, 0, 0], 3, False),
        ([2, 1, 0], 3, False),
        ([0, 2, 3], 3, False),
    ],
)
def test_equal_ones_have_any_order(rows, count, admitted):
    outputs = (top_krois(ROIS, SCORES, max_rois=count),)
    call = Call(top_krois, [ROIS, SCORES], {"max_rois": count}, outputs, ["f32"])
    (near,) = top_krois.accuracy.nearest(call, [ROIS[rows]])
    assert np.array_equal(near, ROIS[rows]) == admitted
    # What is chosen is admissible whatever came.
    assert sorted(near[:3, 0]) == sorted(outputs[0][:3, 0]) or count < 3
