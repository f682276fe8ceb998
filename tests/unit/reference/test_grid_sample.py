"""GridSample, by hand: places in pixels, what stands outside, windows, and what is admissible."""

import numpy as np
import pytest

from reference import answer, compare, lookup

grid_sample = lookup("GridSample-9")

ROW = np.array([10.0, 20.0, 40.0, 80.0]).reshape(1, 1, 1, 4)


def at(places, image=ROW, align_corners=False, **attributes):
    """The row at places in pixels, 0 the center of the first one."""
    length = image.shape[3] - 1 if align_corners else image.shape[3]
    x = (2 * np.array(places, float) + (not align_corners)) / length - 1
    grid = np.stack([x, np.zeros_like(x)], -1).reshape(1, 1, -1, 2)
    return grid_sample(image, grid, align_corners=align_corners, **attributes).reshape(-1).tolist()


def sampled(points, image, **attributes):
    return grid_sample(image, np.array(points, float).reshape(1, 1, -1, 2), **attributes)[
        0, 0, 0
    ].tolist()


def test_where_minus_one_and_one_are():
    # Centers of the end pixels; borders, between the end pixels and what is outside.
    ends = [(-1, 0), (1, 0), (0, 0)]
    assert sampled(ends, ROW, align_corners=True) == [10, 80, 30]
    assert sampled(ends, ROW, align_corners=False) == [5, 40, 30]
    assert sampled(ends, ROW, padding_mode="border") == [10, 80, 30]


def test_the_first_coordinate_is_that_of_the_width():
    image = np.array([[1.0, 2, 3], [4, 5, 6]]).reshape(1, 1, 2, 3)
    corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    for mode in ("nearest", "bilinear", "bicubic"):
        found = sampled(corners, image, align_corners=True, mode=mode, padding_mode="border")
        np.testing.assert_allclose(found, [1, 3, 4, 6], atol=1e-12)


@pytest.mark.parametrize("align_corners", [False, True])
def test_bilinear(align_corners):
    found = at([0.25, 1.5, 2.75, -0.25, 3.5], align_corners=align_corners)
    np.testing.assert_allclose(found, [12.5, 30, 70, 7.5, 40])


def test_nearest():
    assert at([0.25, 0.75, 2.4, -0.4, -0.6, 3.4, 3.6], mode="nearest") == [10, 20, 40, 10, 0, 80, 0]


def test_bicubic():
    # In the middle of four pixels: -3/32, 19/32, 19/32, -3/32.
    np.testing.assert_allclose(at([1.5], mode="bicubic"), [(-30 + 380 + 760 - 240) / 32])
    # One fourth behind a pixel: distances 5/4, 1/4, 3/4, 7/4.
    near = [1.25 * d**3 - 2.25 * d**2 + 1 for d in (0.25, 0.75)]
    far = [-0.75 * (d**3 - 5 * d**2 + 8 * d - 4) for d in (1.25, 1.75)]
    expected = np.dot([far[0], *near, far[1]], ROW.reshape(-1))
    np.testing.assert_allclose(at([1.25], mode="bicubic"), [expected])
    # At the end the two pixels outside are zeros, the end again, or mirror images.
    for mode, outside in (("zeros", 0), ("border", 10), ("reflection", 10)):
        found = at([0.0, -0.5], mode="bicubic", padding_mode=mode)
        last = {"zeros": 0, "border": 10, "reflection": 20}[mode]
        np.testing.assert_allclose(
            found, [10, (-3 * last + 19 * outside + 190 - 60) / 32], atol=1e-12
        )


def test_mirrors():
    # ... 40 20 10 | 10 20 40 80 | 80 40 20 10 | 10 ...
    places = [-1, -2, -4, -5, 4, 5, 7, 8, 12]
    found = at(places, mode="nearest", padding_mode="reflection")
    assert found == [10, 20, 80, 80, 80, 40, 10, 10, 80]
    # ... 40 20 (10) 20 40 (80) 40 20 (10) 20 ...
    found = at(
        [-1, -2, -3, -4, 4, 5, 6, 7], mode="nearest", padding_mode="reflection", align_corners=True
    )
    assert found == [20, 40, 80, 40, 40, 20, 10, 20]
    one = np.full((1, 1, 1, 1), 7.0)
    points = [(-3, 0), (0.5, 5)]
    for align_corners in (False, True):
        found = sampled(points, one, padding_mode="reflection", align_corners=align_corners)
        assert found == [7, 7]


def test_border():
    assert at([-9, 3.3, 30], padding_mode="border") == [10, 80, 80]


def test_batches_and_channels():
    image = np.arange(2 * 3 * 1 * 2).reshape(2, 3, 1, 2)
    grid = np.array([[[[0.5, 0.0]]], [[[-0.5, 0.0]]]])
    assert grid_sample(image, grid, mode="nearest").tolist() == [
        [[[1]], [[3]], [[5]]],
        [[[6]], [[8]], [[10]]],
    ]


def test_types():
    image = np.array([1, 2], np.int8).reshape(1, 1, 1, 2)
    assert grid_sample(image, np.zeros((1, 1, 1, 2))).dtype == np.int8
    words = np.array(["a", "b"], object).reshape(1, 1, 1, 2)
    found = grid_sample(words, np.full((1, 1, 1, 2), 0.5), mode="nearest", padding_mode="border")
    assert found.tolist() == [[[["b"]]]]


@pytest.mark.parametrize(
    "data, grid, said",
    [
        ((1, 1, 2), (1, 1, 1, 2), "must be"),
        ((1, 1, 0, 2), (1, 1, 1, 2), "a pixel"),
    ],
)
def test_rules(data, grid, said):
    with pytest.raises(ValueError, match=f"GridSample-9: .*{said}"):
        grid_sample(np.zeros(data), np.zeros(grid))


# --- what is admissible -------------------------------------------------------------------------------------------


def wrong(given, actual, **attributes):
    (expected,) = answer("GridSample-9", given, attributes)
    return compare(expected.chosen([actual]), actual).wrong


def test_either_pixel_beside_a_border():
    image = ROW.astype(np.float32)
    grid = np.array([-0.5, 0.0], np.float32).reshape(1, 1, 1, 2)  # the border of 10 and 20
    for value, count in ((10, 0), (20, 0), (40, 1), (15, 1)):
        actual = np.full((1, 1, 1, 1), value, np.float32)
        assert wrong([image, grid], actual, mode="nearest", padding_mode="border") == count
    beside = grid + np.float32([1e-5, 0])
    actual = np.full((1, 1, 1, 1), 10, np.float32)
    assert wrong([image, beside], actual, mode="nearest", padding_mode="border") == 1


def test_the_bound_follows_the_slope_and_the_size_of_coordinates():
    steep = np.resize(np.float32([0, 1000]), (1, 1, 1, 256))
    flat = np.full((1, 1, 1, 256), 1000, np.float32)
    grid = np.array([0.3003, 0], np.float32).reshape(1, 1, 1, 2)
    short = steep[..., :4]
    off = np.float32(0.05)
    for image, place, count in ((steep, grid, 0), (flat, grid, 1), (short, grid, 1)):
        actual = grid_sample(image, place).astype(np.float32) + off
        assert wrong([image, place], actual) == count


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_f32_passes_and_bf16_does_not(mode):
    state = np.random.RandomState(1)
    image = state.uniform(-10, 10, (2, 3, 6, 9)).astype(np.float32)
    grid = state.uniform(-1.5, 1.5, (2, 5, 8, 2)).astype(np.float32)
    exact = grid_sample(image, grid, mode=mode, padding_mode="reflection")
    actual = exact.astype(np.float32)
    given = {"mode": mode, "padding_mode": "reflection"}
    assert wrong([image, grid], actual, **given) == 0
    assert wrong([image, grid], actual * np.float32(1 + 2.0**-9), **given) > actual.size * 0.9
