import numpy as np
import pytest

from reference import answer, compare
from reference.movement.col2im import col2im

OUTPUT, KERNEL = np.array([3, 3]), np.array([2, 2])


def im2col(image, kernel, strides, dilations, pads_begin, pads_end):
    """The blocks of an image, element by element."""
    batch, channels = image.shape[:2]
    padded = np.pad(image, [(0, 0), (0, 0), *zip(pads_begin, pads_end, strict=True)])
    rows, cols = (
        range(0, padded.shape[d + 2] - (kernel[d] - 1) * dilations[d], strides[d]) for d in (0, 1)
    )
    blocks = [
        padded[:, c, top + row * dilations[0], left + column * dilations[1]]
        for c in range(channels)
        for row in range(kernel[0])
        for column in range(kernel[1])
        for top in rows
        for left in cols
    ]
    return np.array(blocks).T.reshape(batch, -1, len(rows) * len(cols))


def test_four_blocks_that_overlap():
    # Row r of data is one element of the kernel, its column the block.
    data = np.array([[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400], [5, 6, 7, 8]])
    expected = [
        [1, 10 + 2, 20],
        [100 + 3, 5 + 200 + 30 + 4, 6 + 40],
        [300, 7 + 400, 8],
    ]
    assert col2im(data, OUTPUT, KERNEL).tolist() == [expected]
    assert col2im(data[None], OUTPUT, KERNEL).tolist() == [[expected]]


def test_channels_come_before_the_kernel():
    data = np.arange(1, 9).reshape(8, 1)
    output = col2im(data, np.array([2, 2]), KERNEL)
    assert output.tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def test_padding_is_lost():
    data = np.arange(1, 5).reshape(4, 1)
    for begin, expected in (((1, 1), 4), ((1, 0), 3), ((0, 1), 2), ((0, 0), 1)):
        end = tuple(1 - pad for pad in begin)
        output = col2im(data, np.array([1, 1]), KERNEL, pads_begin=begin, pads_end=end)
        assert output.tolist() == [[[expected]]]


def test_a_dilation_leaves_holes():
    output = col2im(np.arange(1, 5).reshape(4, 1), OUTPUT, KERNEL, dilations=(2, 2))
    assert output.tolist() == [[[1, 0, 2], [0, 0, 0], [3, 0, 4]]]


def test_a_dilation_of_zero_adds_the_whole_block_up():
    data = np.arange(1, 9).reshape(4, 2)
    output = col2im(data, np.array([1, 2]), KERNEL, dilations=(0, 0))
    assert output.tolist() == [[[1 + 3 + 5 + 7, 2 + 4 + 6 + 8]]]


@pytest.mark.parametrize("seed", range(20))
def test_every_pixel_counts_its_blocks(seed):
    state = np.random.RandomState(seed)
    kernel, strides, dilations = (
        state.randint(1, 4, 2),
        state.randint(1, 4, 2),
        state.randint(1, 3, 2),
    )
    begin, end = state.randint(0, 3, 2), state.randint(0, 3, 2)
    size = (kernel - 1) * dilations + 1 + state.randint(0, 5, 2)
    image = state.randint(1, 100, (2, 3, *size))
    attributes = {
        "strides": strides,
        "dilations": dilations,
        "pads_begin": begin,
        "pads_end": end,
    }
    blocks = im2col(image, kernel, **attributes)
    hits = col2im(im2col(np.ones_like(image), kernel, **attributes), size, kernel, **attributes)
    np.testing.assert_array_equal(col2im(blocks, size, kernel, **attributes), image * hits)


def test_types():
    wrapped = col2im(np.full((4, 4), 100, np.int8), OUTPUT, KERNEL)
    assert wrapped.dtype == np.int8
    assert wrapped[0, 1].tolist() == [-56, -112, -56]
    assert col2im(np.ones((4, 4), np.float16), OUTPUT, KERNEL).dtype == np.float64


def test_rules():
    with pytest.raises(ValueError, match=r"data must have \[0, 2\] blocks, got 0"):
        col2im(np.zeros((4, 0)), OUTPUT, KERNEL, dilations=(3, 1))


def test_sums_may_round_and_what_one_block_alone_covers_may_not():
    data = np.array([[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400], [5, 6, 7, 8]])
    [expected] = answer("Col2Im-15", (data.astype(np.float32), OUTPUT, KERNEL), {}, ["f32"])
    right = col2im(data, OUTPUT, KERNEL).astype(np.float32)
    rounded = compare(expected, np.nextafter(right, np.float32(0)))
    assert (rounded.wrong, compare(expected, right).wrong) == (4, 0)
