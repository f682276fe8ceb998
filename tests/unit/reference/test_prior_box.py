"""PriorBox and PriorBoxClustered: boxes by hand."""

import numpy as np
import pytest

from reference.detection.prior_box import prior_box
from reference.detection.prior_box_clustered import prior_box_clustered

GRID, IMAGE = np.array([2, 3]), np.array([20, 40])


def boxes(found, points=6):
    """In pixels of the image, [points, boxes, 4]."""
    return found[0].reshape(points, -1, 4) * [40, 20, 40, 20]


def asked(**attributes):
    given = {"offset": 0.5, "min_size": [4.0], "step": 8.0}
    return prior_box(GRID, IMAGE, **{**given, **attributes})


def test_centers_and_sizes():
    # Of the second row and the third column: 2.5 · 8 and 1.5 · 8.
    assert boxes(asked())[5].tolist() == [[18, 10, 22, 14]]
    assert boxes(asked(offset=0.0))[1].tolist() == [[6, -2, 10, 2]]


def test_between_sizes_and_ratios():
    found = boxes(asked(max_size=[9.0], aspect_ratio=[4.0], flip=True))[0]
    np.testing.assert_allclose(
        found, [[2, 2, 6, 6], [1, 1, 7, 7], [0, 3, 8, 5], [3, 0, 5, 8]], rtol=1e-12, atol=1e-12
    )
    found = boxes(asked(max_size=[9.0], aspect_ratio=[4.0], min_max_aspect_ratios_order=False))[0]
    np.testing.assert_allclose(found, [[2, 2, 6, 6], [0, 3, 8, 5], [1, 1, 7, 7]], atol=1e-12)


def test_of_each_smallest_size():
    found = boxes(asked(min_size=[4.0, 2.0], max_size=[9.0, 8.0]))[0]
    np.testing.assert_allclose(found[:, 2] - found[:, 0], [4, 6, 2, 4], rtol=1e-12)
    found = boxes(asked(min_size=[4.0, 2.0], max_size=[9.0, 8.0], scale_all_sizes=False))[0]
    np.testing.assert_allclose(found[:, 2] - found[:, 0], [4, 2], rtol=1e-12)


def test_ratios_that_are_flipped_follow_all_others():
    found = boxes(asked(aspect_ratio=[4.0, 1.0, 16.0, 4.0], flip=True))[0]
    np.testing.assert_allclose(found[:, 2] - found[:, 0], [4, 8, 16, 2, 1], rtol=1e-12)


def test_without_step():
    assert boxes(asked(step=0.0, offset=0.0, min_size=[2.0]))[4].tolist() == [[19, 14, 21, 16]]
    found = asked(step=0.0, min_size=[2.0], without_step="pixels")
    assert boxes(found)[4].tolist() == [[0.5, 0.5, 2.5, 2.5]]


def test_clip_and_variances():
    found = asked(min_size=[40.0], clip=True, variance=[0.1, 0.2, 0.3, 0.4])
    assert found[0, :4].tolist() == [0, 0, 0.6, 1]
    assert found[1, :5].tolist() == [0.1, 0.2, 0.3, 0.4, 0.1]
    assert asked(variance=[0.5])[1].tolist() == [0.5] * 24
    assert np.isnan(asked()[1]).all()


def test_errors():
    with pytest.raises(ValueError, match="has no formula"):
        asked(fixed_size=[1.0])


def test_sizes_are_two_positive_numbers():
    with pytest.raises(ValueError, match="PriorBox: "):
        prior_box(np.array([2, 0]), np.array([20, 40]), offset=0.5)


def clustered(**attributes):
    given = {"offset": 0.5, "width": [4.0, 6.0], "height": [2.0, 8.0], "clip": False}
    return prior_box_clustered(GRID, IMAGE, **{**given, **attributes})


def test_widths_and_heights():
    # The last point: 2.5 · 10 and 1.5 · 5.
    found = boxes(clustered(step_w=10.0, step_h=5.0, step=1.0))[5]
    assert found.tolist() == [[23, 6.5, 27, 8.5], [22, 3.5, 28, 11.5]]


def test_steps_left_out():
    centers = [[12.0, 12], [100 / 3, 15]]
    for found, center in zip((clustered(step=8.0)[0], clustered()[0]), centers, strict=True):
        # The second row: of its first point, and of its last one.
        point = found.reshape(6, 2, 4)[3 if center[0] == 12 else 5, 0] * [40, 20, 40, 20]
        middle = (point[:2] + point[2:]) / 2
        assert middle.tolist() == pytest.approx([4.0, 12] if center[0] == 12 else center)


def test_clustered_is_clipped_by_default():
    found = prior_box_clustered(GRID, IMAGE, offset=0.0, width=[90.0], height=[2.0], step=8.0)
    assert found[0, :4].tolist() == [0, 0, 1, 0.05]
    assert prior_box_clustered(GRID, IMAGE, offset=0.5).shape == (2, 24)
