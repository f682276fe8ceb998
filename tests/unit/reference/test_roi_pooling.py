"""ROIPooling: bins of boxes by hand."""

import itertools

import numpy as np
import pytest

from reference import answer, compare
from reference.detection.roi_pooling import roi_pooling
from reference.shared.regions import rounded_between

# 10·row + column of a map of 5 rows and 6 columns, and the same one negative.
MAP = 10.0 * np.arange(5)[:, None] + np.arange(6)
DATA = np.stack([MAP, -MAP])[None]


def asked(*box, pooled_h=2, pooled_w=2, spatial_scale=1.0, **attributes):
    rois = np.array([[0, *box]])
    return roi_pooling(
        DATA, rois, pooled_h=pooled_h, pooled_w=pooled_w, spatial_scale=spatial_scale, **attributes
    )[0]


def test_the_largest_of_each_bin():
    # Rows 0 to 3 and columns 1 to 4: bins of two elements.
    assert asked(1, 0, 5, 4).tolist() == [[[12, 14], [32, 34]], [[-1, -3], [-21, -23]]]


def test_a_bin_takes_every_element_that_it_touches():
    # Half of the image: columns 0 to 3 are 1.5 to each bin, [0, 1.5) touches 0 and 1, [1.5, 3) 1 and 2.
    found = asked(0, 0, 6, 2, pooled_h=1, spatial_scale=0.5)
    assert found.tolist() == [[[1, 2]], [[0, -1]]]


@pytest.mark.parametrize("box", [(3, 2, 3, 2), (3, 2, 1, 0), (3, 2, 3.5, 2.5)])
def test_malformed_boxes_are_of_size_1_x_1(box):
    assert asked(*box).tolist() == [[[23, 23], [23, 23]], [[-23, -23], [-23, -23]]]


def test_a_bin_without_elements_is_unknown():
    assert np.isnan(asked(6, 0, 8, 4)).all()


def test_bilinear_from_edge_to_edge():
    # Columns 0.2·5 = 1 and 0.5·5 = 2.5, rows 0 and 0.5·4 = 2.
    found = asked(0.2, 0, 0.5, 0.5, method="bilinear")
    np.testing.assert_allclose(found[0], [[1, 2.5], [21, 22.5]], rtol=1e-14)
    # Inverted boxes are gone through backwards; one point is in the middle.
    found = asked(0.5, 0.5, 0.2, 0, method="bilinear")
    np.testing.assert_allclose(found[0], [[22.5, 21], [2.5, 1]], rtol=1e-14)
    found = asked(0.2, 0, 0.5, 0.5, pooled_h=1, pooled_w=1, method="bilinear")
    np.testing.assert_allclose(found[0], [[11.75]], rtol=1e-14)


def test_bilinear_in_the_middles_of_bins():
    # Columns 1 + 1.5/4 and 1 + 3·1.5/4, rows 0.5 and 1.5.
    found = asked(0.2, 0, 0.5, 0.5, method="bilinear", points="centers")
    np.testing.assert_allclose(found[0], [[6.375, 7.125], [16.375, 17.125]], rtol=1e-14)


def test_a_difference_that_overflows_on_the_way_has_no_bound():
    """-m + (m + m) / 2 is 0 if 2m does not overflow; between m and m nothing does."""
    m = np.finfo(np.float32).max * np.float32(0.75)
    data = np.array([[[[-m], [m], [m]]]], np.float32)
    rois = np.array([[0, 0, 0.25, 0, 0.25], [0, 0, 0.75, 0, 0.75]], np.float32)
    attributes = {"pooled_h": 1, "pooled_w": 1, "spatial_scale": 1.0, "method": "bilinear"}
    (right,) = answer("ROIPooling-1", [data, rois], attributes)
    assert right.value.ravel().tolist() == [0, m]
    assert np.isinf(right.bound).ravel().tolist() == [True, False]


@pytest.mark.parametrize(
    "data, rois, sentence",
    [
        (DATA, [[0.5, 0, 0, 1, 1]], "a batch index is outside"),
        (DATA, [[0.0, 0, 0, 1]], r"the boxes \[NUM_ROIS, 5\]"),
        (DATA[0], [[0.0, 0, 0, 1, 1]], "the maps must be"),
    ],
)
def test_errors(data, rois, sentence):
    with pytest.raises(ValueError, match=f"ROIPooling-1: .*{sentence}"):
        roi_pooling(data, np.array(rois), pooled_h=1, pooled_w=1, spatial_scale=1.0)


def test_the_scale_is_positive():
    with pytest.raises(ValueError, match="spatial_scale must be positive"):
        asked(0, 0, 1, 1, spatial_scale=0.0)


def test_zeros_are_no_answer_in_f16():
    """Coordinates that are computed in f16 move points a little, and no further."""
    rng = np.random.RandomState(0)
    data = rng.uniform(-8, 8, (3, 2, 11, 9)).astype(np.float16)
    rois = np.array([[0, 0.1, 0.15, 0.8, 0.9], [1, 0.3, 0.2, 0.7, 0.6], [2, 0, 0, 1, 1]])
    given = {"pooled_h": 4, "pooled_w": 1, "spatial_scale": 1.0, "method": "bilinear"}
    (expected,) = answer("ROIPooling-1", [data, rois.astype(np.float16)], given, ["f16"])
    found = compare(expected, np.zeros(expected.value.shape, np.float16))
    assert found.wrong >= 18
    assert np.median(expected.bound / np.abs(expected.value)) < 0.15


def test_coordinates_in_f16_are_within_the_bound():
    rng = np.random.RandomState(1)
    half = np.float16
    data = rng.uniform(-8, 8, (1, 4, 11, 9)).astype(half)
    rois = np.array([[0, 0.1, 0.15, 0.8, 0.9]]).astype(half)
    given = {"pooled_h": 4, "pooled_w": 3, "spatial_scale": 1.0, "method": "bilinear"}
    (expected,) = answer("ROIPooling-1", [data, rois], given, ["f16"])

    def along(low, high, size, count):
        start = half(low * half(size - 1))
        length = half(half(high - low) * half(size - 1))
        parts = (half(half(i) / half(count - 1)) for i in range(count))
        return [float(half(start + half(part * length))) for part in parts]

    _, x_1, y_1, x_2, y_2 = rois[0]
    for row, y in enumerate(along(y_1, y_2, 11, 4)):
        for column, x in enumerate(along(x_1, x_2, 9, 3)):
            i, j = int(y), int(x)
            corner = data[0, :, i : i + 2, j : j + 2].astype(np.float64)
            weights = np.outer([1 - (y - i), y - i], [1 - (x - j), x - j])
            value = (corner * weights).sum(axis=(1, 2)).astype(half).astype(np.float64)
            error = np.abs(value - expected.value[0, :, row, column])
            assert (error <= expected.bound[0, :, row, column]).all()


def nearest(values):
    """Numbers of f16, the nearest ones."""
    return np.asarray(values, np.float64).astype(np.float16).astype(np.float64)


def cut_off(values):
    """Numbers of f16, cut off."""
    found = nearest(values)
    below = np.nextafter(found.astype(np.float16), np.float16(0)).astype(np.float64)
    return np.where(np.abs(found) > np.abs(values), below, found)


# Points i/d of the way from low·n to high·n in f16, R rounds. The first two take the page's words one by one.
ORDERS = {
    "quotient first": lambda R, low, high, n, i, d: R(
        R(low * n) + R(i * R(R(n * R(high - low)) / d))
    ),
    "part first": lambda R, low, high, n, i, d: R(R(low * n) + R(R(i / d) * R(n * R(high - low)))),
    "difference of scaled ends": lambda R, low, high, n, i, d: R(
        R(low * n) + R(i * R(R(R(high * n) - R(low * n)) / d))
    ),
    "product first": lambda R, low, high, n, i, d: R(
        R(low * n) + R(R(i * R(R(high * n) - R(low * n))) / d)
    ),
    "scaled at the end": lambda R, low, high, n, i, d: R(n * R(low + R(i * R(R(high - low) / d)))),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("rounding", "units"), [(nearest, 1), (cut_off, 2)])
def test_honest_coordinates_of_f16_are_within_what_is_admitted(order, rounding, units):
    """Boxes are exact in f16. One unit is admitted for each rounding to nearest, two where the rest is cut off."""
    rng = np.random.default_rng(0)
    most = 0.0
    for size, parts in itertools.product((4, 7, 11, 15, 38), (1, 2, 3, 6)):
        ends = nearest(rng.uniform(0, 1, (2, 20_000)))
        low, high = ends.min(axis=0), ends.max(axis=0)
        part = rng.integers(1, parts + 1, low.shape).astype(np.float64)
        n = size - 1.0
        at = n * (low + part / parts * (high - low))
        found = ORDERS[order](rounding, low, high, n, part, parts)
        admitted = rounded_between(low * n, at, scaled=1, parts=1) * 2.0**-11
        # Below the normal numbers of f16 a rounding is no part of the number.
        shown = np.abs(found - at)[admitted > 1e-5] / admitted[admitted > 1e-5]
        most = max(most, shown.max())
    # What is admitted is not much larger than what such arithmetic errs by.
    assert 0.7 * units <= most <= units * 1.01
