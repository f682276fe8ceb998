"""Interpolate: rows worked by hand, page Interpolate-4's formulas element by element, and what is admissible."""

import math
from itertools import product

import numpy as np
import pytest

from reference import answer, compare
from reference.image.interpolate import (
    interpolate,
    interpolate_along_axes,
    interpolate_by_sizes_or_scales,
)

ROW = np.array([10.0, 20.0, 40.0, 80.0])


def asked(size, image=ROW, axes=None, **attributes):
    sizes = np.atleast_1d(np.array(size))
    given = None if axes is None else np.array(axes)
    usual = {"mode": "nearest", "shape_calculation_mode": "sizes"}
    return interpolate(image, sizes, given, **{**usual, **attributes})


# --- nearest ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "nearest_mode, expected",
    [  # coordinates 0.5 and 2.5
        ("round_prefer_floor", [10, 40]),
        ("round_prefer_ceil", [20, 80]),
        ("floor", [10, 40]),
        ("ceil", [20, 80]),
        ("simple", [20, 80]),
    ],
)
def test_nearest_modes_when_shrinking(nearest_mode, expected):
    assert asked(2, nearest_mode=nearest_mode).tolist() == expected


@pytest.mark.parametrize(
    "nearest_mode, expected",
    [  # coordinates 0, 0.5, 1, ..., 3.5
        ("round_prefer_floor", [10, 10, 20, 20, 40, 40, 80, 80]),
        ("round_prefer_ceil", [10, 20, 20, 40, 40, 80, 80, 80]),
        ("simple", [10, 10, 20, 20, 40, 40, 80, 80]),
        ("ceil", [10, 20, 20, 40, 40, 80, 80, 80]),
    ],
)
def test_nearest_modes_when_growing(nearest_mode, expected):
    found = asked(8, nearest_mode=nearest_mode, coordinate_transformation_mode="asymmetric")
    assert found.tolist() == expected


@pytest.mark.parametrize(
    "transformation, expected",
    [
        ("half_pixel", [10, 20, 80]),  # 1/6, 1.5, 17/6
        ("pytorch_half_pixel", [10, 20, 80]),
        ("asymmetric", [10, 20, 80]),  # 0, 4/3, 8/3
        ("tf_half_pixel_for_nn", [20, 40, 80]),  # 2/3, 2, 10/3
        ("align_corners", [10, 20, 80]),  # 0, 1.5, 3
    ],
)
def test_transformations(transformation, expected):
    assert asked(3, coordinate_transformation_mode=transformation).tolist() == expected


def test_a_single_element():
    found = {
        each: asked(1, nearest_mode="ceil", coordinate_transformation_mode=each).tolist()
        for each in ("half_pixel", "pytorch_half_pixel", "align_corners")
    }
    assert found == {"half_pixel": [40], "pytorch_half_pixel": [10], "align_corners": [10]}


def test_nearest_keeps_the_type():
    found = asked(2, np.array([2**63 - 1, -(2**63)]))
    assert found.dtype == np.int64
    assert found.tolist() == [2**63 - 1, -(2**63)]


# --- weights ------------------------------------------------------------------------------------------------------


def test_linear():
    # Coordinates -0.25, 0.25, 0.75, ...: beyond an end there is nothing but the end.
    expected = [10, 12.5, 17.5, 25, 35, 50, 70, 80]
    for mode in ("linear", "linear_onnx"):
        shape = (1, 1, 4, 1) if mode == "linear_onnx" else (4, 1)
        axes = [2, 3] if mode == "linear_onnx" else [0, 1]
        found = asked([8, 1], ROW.reshape(shape), axes, mode=mode)
        np.testing.assert_allclose(found.reshape(-1), expected, rtol=1e-15)


def test_antialias():
    # Coordinates 0.5 and 2.5, a triangle of four elements: 3/4, 3/4, 1/4 of 7/4, and the same from the other end.
    found = asked(2, mode="linear", antialias=True)
    np.testing.assert_allclose(found, [(30 + 60 + 40) / 7, (20 + 120 + 240) / 7])
    np.testing.assert_allclose(asked(2, mode="linear"), [15, 60])


def test_antialias_is_for_smaller_images():
    grown = [asked(7, mode="linear", antialias=each) for each in (True, False)]
    np.testing.assert_array_equal(*grown)


def test_cubic():
    # Coordinate 0.5 with a = -0.75: -3/32, 19/32, 19/32, -3/32 of 10 (the end again), 10, 20, 40.
    found = asked(2, mode="cubic")
    expected = [(-30 + 190 + 380 - 120) / 32, (-60 + 760 + 1520 - 240) / 32]
    np.testing.assert_allclose(found, expected)
    # With a = -0.5: -1/16, 9/16, 9/16, -1/16.
    found = asked(2, mode="cubic", cube_coeff=-0.5)
    np.testing.assert_allclose(found[0], (-10 + 90 + 180 - 40) / 16)


def test_bilinear_pillow():
    # Centers 1 and 3, triangles of two elements to each side: 3/4, 3/4, 1/4.
    found = asked([2, 1], ROW.reshape(4, 1), [0, 1], mode="bilinear_pillow")
    np.testing.assert_allclose(found[:, 0], [(30 + 60 + 40) / 7, (20 + 120 + 240) / 7])


def test_bicubic_pillow():
    # Center 1, a kernel of four elements to each side, distances 1/4, 1/4, 3/4, 5/4 of a step.
    near = [1.5 * x**3 - 2.5 * x**2 + 1 for x in (0.25, 0.25, 0.75)]
    far = -0.5 * (1.25**3 - 5 * 1.25**2 + 8 * 1.25 - 4)
    weights = np.array([*near, far])
    found = asked([2, 1], ROW.reshape(4, 1), [0, 1], mode="bicubic_pillow", cube_coeff=-0.5)
    np.testing.assert_allclose(found[0, 0], weights @ ROW / weights.sum())


def literal_linear(image, sizes, antialias):
    """The formulas of page Interpolate-4 for half_pixel, one element after another."""
    scales = [size / old for size, old in zip(sizes, image.shape, strict=True)]
    smooth = antialias and min(scales) < 1
    a = scales if smooth else [1.0, 1.0]
    reach = [2 if s > 1 else math.ceil(2 / k) for s, k in zip(scales, a, strict=True)]
    found = np.zeros(sizes)
    for place in np.ndindex(*sizes):
        where = [(p + 0.5) / s - 0.5 for p, s in zip(place, scales, strict=True)]
        total = weight = 0.0
        for step in product(*(range(-r, r + 1) for r in reach)):
            near = tuple(round(w) + s for w, s in zip(where, step, strict=True))
            if all(0 <= n < old for n, old in zip(near, image.shape, strict=True)):
                distances = zip(a, where, near, strict=True)
                each = math.prod(max(0, 1 - abs(k * (w - n))) for k, w, n in distances)
                weight += each
                total += each * image[near]
        found[place] = total / weight if weight else 0
    return found


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("sizes", [(3, 4), (9, 4), (4, 11), (8, 9)])
def test_linear_is_the_formula_of_the_page(sizes, antialias):
    image = np.random.RandomState(9).standard_normal((5, 7))
    found = asked(sizes, image, mode="linear", antialias=antialias)
    np.testing.assert_allclose(found, literal_linear(image, sizes, antialias), atol=1e-13)


def test_a_constant_image_stays_constant():
    image = np.full((1, 1, 5, 7), 3.0)
    for mode in ("linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"):
        found = asked([8, 3], image, [2, 3], mode=mode)
        np.testing.assert_allclose(found, np.full((1, 1, 8, 3), 3.0), rtol=1e-14)


# --- shapes -------------------------------------------------------------------------------------------------------


def test_scales_are_rounded_down_and_the_quotient_counts():
    # floor(1.4 * 4) = 5: the scale is 5 / 4.
    found = interpolate(
        ROW,
        np.array([1.4], np.float32),
        mode="linear",
        shape_calculation_mode="scales",
        coordinate_transformation_mode="asymmetric",
    )
    np.testing.assert_allclose(found, [10, 18, 32, 56, 80])


def test_axes_and_their_order():
    image = np.arange(6.0).reshape(2, 3)
    assert asked([6, 2], image, [1, 0]).tolist() == [[0, 0, 1, 1, 2, 2], [3, 3, 4, 4, 5, 5]]
    assert asked([1], image, [1], mode="linear").tolist() == [[1], [4]]


def test_padding_comes_first():
    image = np.array([[1.0, 2.0]])
    found = asked([8], image, [1], pads_begin=[0, 1], pads_end=[1, 1])
    assert found.tolist() == [[0, 0, 1, 1, 2, 2, 0, 0], [0] * 8]
    # Fewer pads are those of the first axes.
    assert asked([4], image, [1], pads_begin=[1]).tolist() == [[0] * 4, [1, 1, 2, 2]]


def test_integers():
    image = np.array([1, 2, 250, 255], np.uint8)
    assert asked(7, image, mode="linear").dtype == np.uint8
    assert asked(2, image, mode="linear").tolist() == [2, 253]
    assert asked(8, image, mode="cubic").max() == 255


# --- what is admissible -------------------------------------------------------------------------------------------


def wrong(image, size, came, **attributes):
    attributes = {"mode": "nearest", "shape_calculation_mode": "sizes", **attributes}
    right = answer("Interpolate-11", [image, np.array([size])], attributes, ["f32"])[0]
    came = np.array(came, np.float32)
    return compare(right.chosen([came]), came).wrong


def test_both_sides_of_a_boundary_that_f32_cannot_tell():
    image = np.arange(7, dtype=np.float32)
    attributes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    right = [0, 0, 1, 2, 3, 3, 4, 5, 6]  # x * 7 / 9
    assert wrong(image, 9, right, **attributes) == 0
    assert wrong(image, 9, [0, *right[:-1]], **attributes) > 0
    # (x + 0.5) * 7 / 9 - 0.5 is 3 for x = 4.
    halves = [0, 0, 1, 2, 3, 3, 4, 5, 6]
    assert wrong(image, 9, halves, nearest_mode="floor") == 0
    assert wrong(image, 9, [*halves[:4], 2, *halves[5:]], nearest_mode="floor") == 0
    assert wrong(image, 9, [*halves[:4], 4, *halves[5:]], nearest_mode="floor") == 1


def test_halves_are_told_where_the_scale_is_exact():
    image = ROW.astype(np.float32)
    assert wrong(image, 2, [10, 40]) == 0
    assert wrong(image, 2, [20, 80]) == 2


def test_a_zero_weight_on_infinity_is_open():
    image = np.array([1, 2, np.inf, 3], np.float32)
    # Coordinates 0, 1, 2, 3.
    assert wrong(image, 4, [1, 2, np.inf, 3], mode="linear") == 0
    assert wrong(image, 4, [np.nan, np.nan, np.inf, np.nan], mode="linear") == 0
    assert wrong(image, 4, [1, 2, 5, 3], mode="linear") == 1


def bounded(image, sizes, **attributes):
    attributes = {"shape_calculation_mode": "sizes", **attributes}
    given = [np.array(image, np.float32), np.array(sizes)]
    return answer("Interpolate-11", given, attributes, ["f32"])[0]


def test_an_infinity_that_a_window_has_twice_is_open():
    """At coordinate 1/4 the weights of elements -1 and 0, both the first one, are -0.11 and 0.88."""
    cubic = {"mode": "cubic", "coordinate_transformation_mode": "asymmetric"}
    # Coordinates 0, 1/4, 1/2 ...: at 0 a weight of 0 stands beside that of 1.
    right = bounded([np.inf, 1, 2, 3], [16], **cubic)
    assert np.isposinf(right.value[:4]).all()
    assert np.isinf(right.bound[:5]).all()
    # From 5/4 on the window has it once.
    assert np.isneginf(right.value[5:8]).all()
    assert right.bound[5:8].tolist() == [0, 0, 0]
    # NaN stays NaN, however its weights are added.
    right = bounded([np.nan, 1, 2, 3], [16], **cubic)
    assert np.isnan(right.value[1:4]).all()
    assert right.bound[1:4].tolist() == [0, 0, 0]
    # At the end a window of two elements has the last one again, with a weight of 0.
    aligned = {"mode": "linear_onnx", "coordinate_transformation_mode": "align_corners"}
    right = bounded([[1, 1], [1, np.inf]], [3, 3], **aligned)
    assert np.isinf(right.value[1:, 1:]).all()
    assert np.isinf(right.bound[1:, 1:]).tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"mode": "lanczos"}, "Interpolate-11: mode must be nearest, linear"),
        ({"axes": [1]}, "axes must be different numbers from 0 to 0"),
        ({"mode": "bilinear_pillow"}, "bilinear_pillow takes the axes of height and width"),
        ({"pads_begin": [-1]}, "pads must be at most 1 numbers from 0 on"),
        ({"pads_end": [0, 0]}, "pads must be at most 1 numbers"),
        ({"size": 0}, "axes must keep an element"),
        ({"size": 2.0}, "must be integers for sizes and reals for scales, got float64"),
        ({"shape_calculation_mode": "both"}, "shape_calculation_mode must be sizes or scales"),
        ({"coordinate_transformation_mode": "x"}, "coordinate_transformation_mode must be"),
        ({"nearest_mode": "round"}, "nearest_mode must be round_prefer_floor"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(**{"size": 2, **changes})


def test_linear_onnx_along_one_axis_is_answered():
    """The page allows some axes alone; between two neighbours along each axis the formula has a meaning for all."""
    given = {"mode": "linear_onnx", "coordinate_transformation_mode": "align_corners"}
    assert asked(7, **given).tolist() == [10, 15, 20, 30, 40, 60, 80]
    both = np.outer([1.0, 2, 4], ROW)
    found = asked([7], both, [1], **given)
    assert found.tolist() == np.outer([1, 2, 4], [10, 15, 20, 30, 40, 60, 80]).tolist()


# --- version 4 ----------------------------------------------------------------------------------------------------


def asked_4(sizes, scales, **attributes):
    given = [np.atleast_1d(np.array(each)) for each in (sizes, np.float32(scales))]
    usual = {"mode": "linear", "shape_calculation_mode": "scales"}
    return interpolate_by_sizes_or_scales(ROW, *given, **{**usual, **attributes})


def test_the_input_that_counts():
    attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"}
    assert asked_4(2, 3.0, shape_calculation_mode="sizes", **attributes).tolist() == [10, 40]
    assert asked_4(3, 0.5, **attributes).tolist() == [10, 40]


def test_coordinates_have_the_scale_that_is_given():
    # Five elements of 4 · 1.375: x / 1.375, not x / 1.25.
    found = asked_4(9, 1.375, coordinate_transformation_mode="asymmetric")
    places = [0, 8 / 11, 16 / 11, 24 / 11, 32 / 11]
    np.testing.assert_allclose(found, np.interp(places, range(4), ROW), rtol=1e-12)
    # A scale of at least 1 is no downsample, though the size stays: 4 · 1.125 is 4.
    found = asked_4(
        9, 1.125, mode="nearest", nearest_mode="simple", coordinate_transformation_mode="asymmetric"
    )
    assert found.tolist() == [10, 10, 20, 40]  # 0, 0.89, 1.78, 2.67


def test_as_many_sizes_as_scales():
    with pytest.raises(ValueError, match="Interpolate-4: there must be as many sizes as scales"):
        asked_4([2, 3], 1.5)


# --- version 1 ----------------------------------------------------------------------------------------------------


def asked_of_version_1(size, image=ROW, axes=(0,), **attributes):
    usual = {"mode": "linear", "align_corners": False}
    return interpolate_along_axes(image, np.atleast_1d(size), axes=axes, **{**usual, **attributes})


def test_aligned_corners_are_the_default():
    # Coordinates 0, 1.5 and 3; without alignment 0, 4/3 and 8/3.
    assert interpolate_along_axes(ROW, np.array([3]), axes=(0,), mode="linear").tolist() == [
        10,
        30,
        80,
    ]
    found = asked_of_version_1(3)
    np.testing.assert_allclose(found, [10, 20 + 20 / 3, 40 + 80 / 3])


def test_area_is_the_mean_of_what_is_covered():
    # Each third of four elements has one of them and a third of the next.
    found = asked_of_version_1(3, mode="area")
    wanted = [(10 + 20 / 3) * 3 / 4, (20 * 2 + 40 * 2) / 4, (40 / 3 + 80) * 3 / 4]
    np.testing.assert_allclose(found, wanted)
    assert asked_of_version_1(2, mode="area").tolist() == [15, 60]
    assert asked_of_version_1(8, mode="area").tolist() == np.repeat(ROW, 2).tolist()


def test_each_axis_that_is_resized_has_the_same_pads():
    image = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = asked_of_version_1(
        4, image, axes=(1,), mode="nearest", pads_begin=1, pads_end=1, align_corners=True
    )
    assert found.tolist() == [[0, 1, 2, 0], [0, 3, 4, 0]]


def test_sizes_follow_the_order_of_axes():
    image = np.arange(6.0).reshape(2, 3)
    assert asked_of_version_1([5, 4], image, axes=(1, 0)).shape == (4, 5)


@pytest.mark.parametrize(
    "given, wrong",
    [  # coordinates 0, 4/3 and 8/3, rounded down, up and to the nearest; the last two are no neighbours
        ([10, 20, 40], 0),
        ([10, 40, 80], 0),
        ([10, 20, 80], 0),
        ([10, 20, 20], 1),
        ([10, 80, 40], 1),
    ],
)
def test_either_neighbour_is_the_nearest(given, wrong):
    attributes = {"axes": (0,), "mode": "nearest", "align_corners": False}
    (right,) = answer("Interpolate-1", [ROW, np.array([3])], attributes, ["f64"])
    came = np.array(given, np.float64)
    assert compare(right.chosen([came]), came).wrong == wrong


@pytest.mark.parametrize("size, attributes", [(3, {"pads_begin": -1}), (0, {})])
def test_version_1_refuses(size, attributes):
    with pytest.raises(ValueError, match="Interpolate-1: "):
        asked_of_version_1(size, **attributes)
