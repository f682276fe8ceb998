"""The family of windows: where they fit, what they hold, and which padding suits another size."""

import pytest

from ir_models import operation
from ir_models.families.windows import Axis, axes, fit_padding, hold_data
from ir_models.vocabulary.layers import plain_layer


def test_a_window_fits_as_often_as_the_page_counts():
    # 2 + 10 + 1 less an extent of 5 in steps of 3.
    axis = Axis(size=10, window=3, stride=3, dilation=2, begin=2, end=1)
    assert (axis.extent, axis.room, axis.places) == (5, 8, 3)
    assert Axis(size=3, window=5).room == -2


@pytest.mark.parametrize(
    "changes", [{"window": 0}, {"stride": 0}, {"dilation": -1}, {"begin": -1}, {"end": -1}]
)
def test_numbers_that_make_no_window(changes):
    with pytest.raises(ValueError, match="no window"):
        Axis(**{"size": 5, "window": 3, **changes})


@pytest.mark.parametrize(
    ("auto_pad", "expected"),
    [
        ("explicit", [(1, 0), (0, 1)]),
        ("valid", [(0, 0), (0, 0)]),
        # 11 in steps of 2 needs 2 more for a window of 3; 7 in steps of 3 needs 1 more for one of 2.
        ("same_upper", [(1, 1), (0, 1)]),
        ("same_lower", [(1, 1), (1, 0)]),
    ],
)
def test_automatic_padding(auto_pad, expected):
    layer = plain_layer(operation("AvgPool-14")).replace(auto_pad=auto_pad)
    assert [(axis.begin, axis.end) for axis in axes(layer)] == expected


def test_the_window_is_the_attribute_or_the_end_of_the_input():
    assert [axis.window for axis in axes(plain_layer(operation("MaxPool-14")))] == [3, 2]
    assert [axis.window for axis in axes(plain_layer(operation("Convolution-1")))] == [2, 3]
    assert [axis.window for axis in axes(plain_layer(operation("GroupConvolution-1")))] == [3, 4]


def test_lists_of_wrong_lengths():
    layer = plain_layer(operation("AvgPool-14")).replace(strides=[1])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        axes(layer)


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ("pads_begin=2,0", True),
        ("pads_begin=3,0", False),
        ("kernel=1,1; pads_begin=0,0; pads_end=0,0", True),
        # Places from -1 in steps of 4; the fourth begins at 11, behind the data.
        ("strides=4,3; pads_end=3,1; rounding_type=floor", False),
        ("strides=4,3; pads_end=1,1; rounding_type=ceil", False),
        ("strides=4,3; pads_end=1,1; rounding_type=ceil_torch", True),
    ],
)
def test_windows_that_hold_data(changes, holds):
    layer = plain_layer(operation("AvgPool-14")).changed(changes)
    assert hold_data(layer) is holds


def test_padding_that_makes_a_window_fit():
    layer = plain_layer(operation("MaxPool-14")).replace(data=[2, 3, 1, 7])
    assert fit_padding(layer) == {"pads_begin": (0, 0), "pads_end": (4, 1)}
