import numpy as np
import pytest

from reference.movement.strided_slice import strided_slice


def at(data, begin, end, stride=None, **masks):
    return strided_slice(
        data,
        np.array(begin, np.int64),
        np.array(end, np.int64),
        None if stride is None else np.array(stride, np.int64),
        **{"begin_mask": (0,), "end_mask": (0,), **masks},
    )


FOUR = np.arange(4)
DATA = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "begin, end, stride, expected",
    [
        # The elements that the page's first example lists, but for the 0 of the fifth dimension,
        # which 3 to 0 leaves out.
        (0, 4, 1, [0, 1, 2, 3]),
        (1, 4, 1, [1, 2, 3]),
        (0, 4, 2, [0, 2]),
        (1, 4, 2, [1, 3]),
        (3, 0, -1, [3, 2, 1]),
        (3, 0, -2, [3, 1]),
        # Negative places count from the end.
        (-3, -1, 1, [1, 2]),
        (-1, -3, -1, [3, 2]),
        (-2, -5, -1, [2, 1, 0]),
        # Places outside are clamped.
        (-100, 100, 1, [0, 1, 2, 3]),
        (100, -100, -1, [3, 2, 1, 0]),
        (2, 2**63 - 1, 1, [2, 3]),
        (-100, -100, -1, [0]),
        # Begin and end in one place: one element.
        (2, 2, 1, [2]),
        (2, 2, -3, [2]),
        (-2, 2, 1, [2]),
        (2, 1, 1, []),
        (1, 2, -1, []),
        (4, 7, 1, []),
    ],
)
def test_one_dimension(begin, end, stride, expected):
    assert at(FOUR, [begin], [end], [stride]).tolist() == expected


def test_a_stride_left_out_is_one():
    assert at(FOUR, [1], [3]).tolist() == [1, 2]


@pytest.mark.parametrize(
    "stride, begin_mask, end_mask, expected",
    [
        (1, 1, 0, [0, 1]),
        (1, 0, 1, [1, 2, 3]),
        (1, 1, 1, [0, 1, 2, 3]),
        (-1, 1, 0, [3]),
        (-1, 1, 1, [3, 2, 1]),
    ],
)
def test_begin_mask_and_end_mask(stride, begin_mask, end_mask, expected):
    sliced = at(FOUR, [1], [2], [stride], begin_mask=[begin_mask], end_mask=[end_mask])
    assert sliced.tolist() == expected


def test_the_page_example_of_begin_mask_and_end_mask():
    masks = {
        "begin_mask": [0, 1, 1],
        "end_mask": [1, 1, 1],
        "new_axis_mask": [0, 0, 0, 0, 0],
        "shrink_axis_mask": [0, 0],
        "ellipsis_mask": [0],
    }
    sliced = at(DATA, [1, 1, 123], [0, 0, 2], [1, 1, -1], **masks)
    np.testing.assert_array_equal(sliced, DATA[1:, :, :0:-1])


def test_new_axes():
    data = DATA[0, :2]
    sliced = at(data, [99, 0, -1, 0], [99, 2, 98, 3], [13, 1, 24, 1], new_axis_mask=[1, 0, 1, 0])
    np.testing.assert_array_equal(sliced, data[None, 0:2, None, 0:3])
    # A mask for begin and end has no say there.
    sliced = at(data, [0, 0, 0], [1, 2, 3], begin_mask=[1], end_mask=[1], new_axis_mask=[1])
    np.testing.assert_array_equal(sliced, data[None, 0:2, 0:3])


def test_shrunk_axes():
    masks = {"shrink_axis_mask": [0, 1, 1]}
    sliced = at(DATA, [0, 1, -1], [2, 1, -1], [1, -5, 1], **masks)
    np.testing.assert_array_equal(sliced, DATA[:, 1, -1])


@pytest.mark.parametrize(
    "begin, end, mask, expected",
    [
        ([1, 9, 2], [2, 8, 4], [0, 1, 0], DATA[1:2, ..., 2:4]),
        ([9, 2], [8, 4], [1], DATA[..., 2:4]),
        ([1, 9], [2, 8], [0, 1], DATA[1:2]),
        ([9], [8], [1], DATA),
        ([1, 0, 9, 2], [2, 2, 8, 4], [0, 0, 1], DATA[1:2, 0:2, 2:4]),
    ],
)
def test_an_ellipsis(begin, end, mask, expected):
    np.testing.assert_array_equal(at(DATA, begin, end, ellipsis_mask=mask), expected)


def test_all_masks():
    masks = {
        "begin_mask": [0, 0, 1, 1],
        "end_mask": [1, 1, 0, 0],
        "new_axis_mask": [0, 0, 1],
        "shrink_axis_mask": [0],
        "ellipsis_mask": [0, 1],
    }
    sliced = at(DATA, [1, 1, 10, 10], [123, 1, 10, 3], [1, -1, 1, 1], **masks)
    np.testing.assert_array_equal(sliced, DATA[1:, ..., None, :3])


def test_bits_beyond_the_steps_do_not_count():
    masks = {"begin_mask": [0, 1], "new_axis_mask": [0, 1], "shrink_axis_mask": [0, 1]}
    assert at(FOUR, [1], [3], **masks).tolist() == [1, 2]


def test_scalars():
    assert at(np.array(5), [], []).shape == ()
    assert at(np.array(5), [0], [0], new_axis_mask=[1]).tolist() == [5]


def test_rules():
    with pytest.raises(ValueError, match="in a dimension of 2 where shrink_axis_mask is 1, got 2"):
        at(DATA, [2] * 3, [2] * 3, None, shrink_axis_mask=[1])


def test_dimensions_behind_the_last_step_stay_whole():
    """The page has a step for each dimension; what is left has a meaning all the same."""
    assert at(DATA, [1], [2]).tolist() == [DATA[1].tolist()]
    found = at(DATA, [0, 0], [9, 0], shrink_axis_mask=(0, 1))
    assert np.array_equal(found, DATA[:, 0])
