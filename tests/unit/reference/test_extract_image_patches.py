"""ExtractImagePatches: the five numeric examples of the page."""

import numpy as np
import pytest

from reference.movement.extract_image_patches import extract_image_patches

HUNDRED = np.arange(1, 101).reshape(1, 1, 10, 10)


def patches(data, size, stride, rate, auto_pad="valid"):
    return extract_image_patches(
        data, sizes=(size, size), strides=(stride, stride), rates=(rate, rate), auto_pad=auto_pad
    )


def test_first_example():
    expected = [
        [[1, 6], [51, 56]],
        [[2, 7], [52, 57]],
        [[3, 8], [53, 58]],
        [[11, 16], [61, 66]],
        [[12, 17], [62, 67]],
        [[13, 18], [63, 68]],
        [[21, 26], [71, 76]],
        [[22, 27], [72, 77]],
        [[23, 28], [73, 78]],
    ]
    assert patches(HUNDRED, 3, 5, 1).tolist() == [expected]


def test_second_example():
    column = [1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34]
    assert patches(HUNDRED, 4, 8, 1).tolist() == [[[[each]] for each in column]]


def test_third_example():
    expected = [
        [[0, 0], [0, 89]],
        [[0, 0], [81, 90]],
        [[0, 0], [82, 0]],
        [[0, 0], [83, 0]],
        [[0, 9], [0, 99]],
        [[1, 10], [91, 100]],
        [[2, 0], [92, 0]],
        [[3, 0], [93, 0]],
        [[0, 19], [0, 0]],
        [[11, 20], [0, 0]],
        [[12, 0], [0, 0]],
        [[13, 0], [0, 0]],
        [[0, 29], [0, 0]],
        [[21, 30], [0, 0]],
        [[22, 0], [0, 0]],
        [[23, 0], [0, 0]],
    ]
    assert patches(HUNDRED, 4, 9, 1, "same_upper").tolist() == [expected]


def test_same_lower_has_the_odd_padding_at_the_begin():
    # Two rows and columns of zeros before the image, one after it.
    output = patches(HUNDRED, 4, 9, 1, "same_lower")[0]
    assert output.shape == (16, 2, 2)
    assert output[:, 0, 0].tolist() == [0] * 10 + [1, 2] + [0, 0, 11, 12]
    assert output[:, 1, 1].tolist() == [78, 79, 80, 0, 88, 89, 90, 0, 98, 99, 100, 0] + [0] * 4


def test_fourth_example():
    expected = [
        [[1, 6], [51, 56]],
        [[3, 8], [53, 58]],
        [[5, 10], [55, 60]],
        [[21, 26], [71, 76]],
        [[23, 28], [73, 78]],
        [[25, 30], [75, 80]],
        [[41, 46], [91, 96]],
        [[43, 48], [93, 98]],
        [[45, 50], [95, 100]],
    ]
    assert patches(HUNDRED, 3, 5, 2).tolist() == [expected]


def test_fifth_example():
    expected = [
        [[1, 4], [16, 19]],
        [[26, 29], [41, 44]],
        [[2, 5], [17, 20]],
        [[27, 30], [42, 45]],
        [[6, 9], [21, 24]],
        [[31, 34], [46, 49]],
        [[7, 10], [22, 25]],
        [[32, 35], [47, 50]],
    ]
    assert patches(np.arange(1, 51).reshape(1, 2, 5, 5), 2, 3, 1).tolist() == [expected]


def test_rows_and_columns_apart():
    data = np.arange(15).reshape(1, 1, 3, 5)
    output = extract_image_patches(
        data, sizes=(1, 2), strides=(2, 1), rates=(3, 2), auto_pad="valid"
    )
    assert output.tolist() == [[[[0, 1, 2], [10, 11, 12]], [[2, 3, 4], [12, 13, 14]]]]


def test_strings_need_no_zero_without_padding():
    output = patches(HUNDRED.astype(str).astype(object), 4, 8, 1)
    assert output[0, :3, 0, 0].tolist() == ["1", "2", "3"]


@pytest.mark.parametrize(
    "data, size, stride, rate, auto_pad, message",
    [
        (HUNDRED[0], 3, 5, 1, "valid", "data must have rank 4, got 3"),
        (HUNDRED, 0, 5, 1, "valid", r"sizes must be two positive numbers, got \[0, 0\]"),
        (HUNDRED, 3, 0, 1, "valid", "strides must be two positive numbers"),
        (HUNDRED, 3, 5, 0, "valid", "rates must be two positive numbers"),
        (HUNDRED, 4, 1, 4, "valid", "a window of 13 must fit into an image of 10"),
        (HUNDRED, 3, 5, 1, "explicit", "auto_pad must be same_upper, same_lower or valid"),
    ],
)
def test_rules(data, size, stride, rate, auto_pad, message):
    with pytest.raises(ValueError, match=message):
        patches(data, size, stride, rate, auto_pad)
