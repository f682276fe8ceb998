"""RegionYolo: sigmoids and a softmax by hand."""

import math

import numpy as np

from reference.detection.region_yolo import region_yolo

# Two regions of x, y, w, h, object and two classes, on a grid of 1 x 1.
NUMBERS = [0.0, math.log(3), 5.0, -7.0, -math.log(3), math.log(4), 0.0]
DATA = np.array([*NUMBERS, *NUMBERS[::-1]]).reshape(1, 14, 1, 1)


def asked(data=DATA, **attributes):
    given = {"axis": 1, "coords": 4, "classes": 2, "end_axis": 3, "num": 2}
    return region_yolo(data, **{**given, **attributes})


def test_sigmoids_and_softmax():
    found = asked()
    assert found.shape == (1, 14)
    # 1 / (1 + 1/3) = 3/4; 4 and 1 of 5.
    np.testing.assert_allclose(found[0, :7], [0.5, 0.75, 5, -7, 0.25, 0.8, 0.2], rtol=1e-14)
    # Backwards: 4 of 1 + 4, w = -log 3, h = -7, 1 / (1 + e^-5), 3 of 3 + 1.
    second = [0.5, 0.8, -math.log(3), -7, 1 / (1 + math.exp(-5)), 0.75, 0.25]
    np.testing.assert_allclose(found[0, 7:], second, rtol=1e-14)


def test_without_softmax():
    found = asked(do_softmax=False, mask=[3, 5], num=6)
    assert found.shape == DATA.shape
    np.testing.assert_allclose(found[0, :7, 0, 0], [0.5, 0.75, 5, -7, 0.25, 0.8, 0.5], rtol=1e-14)
    raw = asked(do_softmax=False, mask=[3, 5], of_classes="raw")
    np.testing.assert_allclose(raw[0, 4:7, 0, 0], [0.25, math.log(4), 0], rtol=1e-14)


def test_the_grid_stays_in_order_and_axes_are_flattened():
    data = np.concatenate([DATA, DATA + 1, DATA + 2], axis=3)
    assert asked(data).shape == (1, 42)
    assert asked(data, axis=-3, end_axis=-2).shape == (1, 14, 3)
    # w of the first region is the third number; its places follow each other.
    assert asked(data)[0, 6:9].tolist() == [5, 6, 7]
