"""AvgPool: windows added by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.pooling.avg_pool import avg_pool, avg_pool_1, avg_pool_16

NINE = np.arange(1.0, 10).reshape(1, 1, 3, 3)
LINE = np.array([[[1.0, 2, 4, 8, 16]]])


def asked(data, **attributes):
    spatial = data.ndim - 2
    usual = {"strides": [1] * spatial, "pads_begin": [0] * spatial, "pads_end": [0] * spatial}
    return avg_pool(data, **{**usual, "exclude_pad": False, **attributes})


def test_windows():
    assert asked(NINE, kernel=[2, 2]).tolist() == [[[[3, 4], [6, 7]]]]
    assert asked(NINE, kernel=[1, 3], strides=[2, 1]).tolist() == [[[[2], [8]]]]


def test_padding_counts_or_does_not():
    pads = {"pads_begin": [1], "pads_end": [1], "kernel": [2]}
    assert asked(LINE, **pads).tolist() == [[[0.5, 1.5, 3, 6, 12, 8]]]
    assert asked(LINE, exclude_pad=True, **pads).tolist() == [[[1, 1.5, 3, 6, 12, 16]]]


def test_padding_in_the_corner_of_an_image():
    pads = {"pads_begin": [1, 1], "pads_end": [0, 0], "kernel": [2, 2], "strides": [2, 2]}
    assert asked(NINE, **pads).tolist() == [[[[1 / 4, 5 / 4], [11 / 4, 7]]]]
    assert asked(NINE, exclude_pad=True, **pads).tolist() == [[[[1, 2.5], [5.5, 7]]]]


@pytest.mark.parametrize(
    "auto_pad, expected",
    [
        ("valid", [1.5, 3, 6, 12]),
        ("same_upper", [1.5, 3, 6, 12, 16]),
        ("same_lower", [1, 1.5, 3, 6, 12]),
    ],
)
def test_auto_pad_ignores_pads(auto_pad, expected):
    found = asked(LINE, kernel=[2], pads_begin=[1], auto_pad=auto_pad, exclude_pad=True)
    assert found.tolist() == [[expected]]


def test_rounding():
    some = {"kernel": [3], "strides": [3], "exclude_pad": True}
    assert asked(LINE, rounding_type="floor", **some).tolist() == [[[7 / 3]]]
    assert asked(LINE, rounding_type="ceil", **some).tolist() == [[[7 / 3, 12]]]
    # ceil((5 + 3 - 2) / 4) + 1 = 3 windows, but the third would start in the padding.
    torch = asked(LINE, kernel=[2], strides=[4], pads_end=[3], rounding_type="ceil_torch")
    assert torch.tolist() == [[[1.5, 8]]]


def test_integers_are_rounded_to_the_nearest():
    data = np.array([[[1, 2, -1, -2]]], np.int32)
    found = asked(data, kernel=[2], strides=[2])
    assert found.tolist() == [[[2, -1]]]
    assert found.dtype == np.int32


def test_the_page_rounds_integers_in_no_way_of_its_own():
    data = np.array([[[1, 2, -1, -2]]], np.int32)
    attributes = {"strides": [2], "pads_begin": [0], "pads_end": [0], "kernel": [2]}
    expected = answer("AvgPool-14", [data], {**attributes, "exclude_pad": True}, ["i32"])[0]
    assert compare(expected, np.array([[[1, -2]]], np.int32)).wrong == 0
    assert compare(expected, np.array([[[0, -3]]], np.int32)).wrong == 2


def test_large_integers_do_not_overflow():
    data = np.array([[[2**63 - 1, 2**63 - 3]]])
    assert asked(data, kernel=[2]).tolist() == [[[2**63 - 2]]]


def test_beyond_the_padding_the_page_is_silent():
    attributes = {
        "strides": [3],
        "pads_begin": [0],
        "pads_end": [0],
        "kernel": [3],
        "rounding_type": "ceil",
    }
    data = LINE.astype(np.float32)
    right = answer("AvgPool-14", [data], {**attributes, "exclude_pad": False}, ["f32"])[0]
    assert np.isposinf(right.bound).tolist() == [[[False, True]]]
    right = answer("AvgPool-14", [data], {**attributes, "exclude_pad": True}, ["f32"])[0]
    assert np.isposinf(right.bound).tolist() == [[[False, False]]]


def test_errors():
    with pytest.raises(ValueError, match="must hold an element of data"):
        asked(NINE, kernel=[2, 2], pads_end=[0, 2], exclude_pad=True)


def test_older_and_newer_versions():
    some = {"strides": [3], "pads_begin": [1], "pads_end": [0], "kernel": [2]}
    # Windows at -1 and 2, and one at 5 that lies beyond the data.
    assert avg_pool_1(LINE, exclude_pad=False, **some).tolist() == [[[0.5, 6]]]
    assert avg_pool_1(LINE, exclude_pad=True, **some).tolist() == [[[1, 6]]]
    assert avg_pool_16(LINE, exclude_pad=True, **some).tolist() == [[[1, 6]]]
    # 0 and 2, then 4 and 16.
    gaps = avg_pool_16(LINE, exclude_pad=False, dilations=[2], **some)
    assert gaps.tolist() == [[[1, 10]]]
    assert avg_pool_16(LINE, exclude_pad=True, dilations=[2], **some).tolist() == [[[2, 10]]]
    with pytest.raises(ValueError, match="rounding_type must be floor or ceil, got 'ceil_torch'"):
        avg_pool_1(LINE, exclude_pad=True, rounding_type="ceil_torch", **some)


def test_a_window_larger_than_the_data_is_the_only_one():
    """100 elements over 74: ceil((74 - 100) / 30) + 1 = 1 window with 74 data."""
    data = np.arange(74.0).reshape(1, 1, 74)
    given = {"kernel": [100], "strides": [30], "rounding_type": "ceil"}
    assert asked(data, exclude_pad=True, **given).tolist() == [[[36.5]]]
    attributes = {"pads_begin": [0], "pads_end": [0], "exclude_pad": True, **given}
    (expected,) = answer("AvgPool-14", [data.astype(np.float32)], attributes)
    assert compare(expected, np.array([[[36.5]]], np.float32)).wrong == 0
    assert compare(expected, np.array([[[27.01]]], np.float32)).wrong == 1
