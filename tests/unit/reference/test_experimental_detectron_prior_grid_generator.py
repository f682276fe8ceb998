"""ExperimentalDetectronPriorGridGenerator: cells by hand."""

import numpy as np
import pytest

from reference.detection.experimental_detectron_prior_grid_generator import (
    experimental_detectron_prior_grid_generator,
)

PRIORS = np.array([[-1.0, -2.0, 3.0, 4.0], [0.0, 0.0, 8.0, 16.0]])
NAN = np.nan


def asked(rows=2, columns=3, image=(20, 60), **attributes):
    feature_map, pixels = np.zeros((1, 5, rows, columns)), np.zeros((1, 3, *image))
    return experimental_detectron_prior_grid_generator(PRIORS, feature_map, pixels, **attributes)


def test_priors_are_moved_to_the_middle_of_each_cell():
    # Steps of 8 along x, of 4 along y: the cell of row 1 and column 2 has its middle at (20, 6).
    found = asked(stride_x=8.0, stride_y=4.0, flatten=False)
    assert found.shape == (2, 3, 2, 4)
    assert found[0, 0].tolist() == [[3, 0, 7, 6], [4, 2, 12, 18]]
    assert found[1, 2].tolist() == [[19, 4, 23, 10], [20, 6, 28, 22]]


def test_rows_of_the_flat_output_follow_the_grid():
    found = asked(stride_x=8.0, stride_y=4.0)
    assert found.shape == (12, 4)
    assert (
        found.tolist() == asked(stride_x=8.0, stride_y=4.0, flatten=False).reshape(-1, 4).tolist()
    )


def test_steps_of_0_spread_the_grid_over_the_image():
    # 60 / 3 = 20 along x, 20 / 2 = 10 along y; one axis alone as well.
    assert asked(flatten=False)[1, 2, 1].tolist() == [50, 15, 58, 31]
    assert asked(flatten=False, stride_y=4.0)[1, 2, 1].tolist() == [50, 6, 58, 22]


@pytest.mark.parametrize(
    "layer, rest, firsts",
    [
        # Two cells of a row are 30 apart where they cover the image, 20 where the map's three do.
        ("cells", "behind", [[15, 45, NAN], [NAN, NAN, NAN]]),
        ("map", "behind", [[10, 30, NAN], [NAN, NAN, NAN]]),
        ("map", "between", [[10, 30, NAN], [NAN, NAN, NAN]]),
    ],
)
def test_fewer_cells(layer, rest, firsts):
    found = asked(h=1, w=2, flatten=False, layer=layer, rest=rest)
    np.testing.assert_array_equal(found[:, :, 1, 0], firsts)


def test_the_rest_is_behind_all_cells_or_between_their_rows():
    found = {rest: asked(w=2, stride_x=2.0, rest=rest)[1::2, 1] for rest in ("behind", "between")}
    np.testing.assert_array_equal(found["behind"], [5, 5, 15, 15, NAN, NAN])
    np.testing.assert_array_equal(found["between"], [5, 5, NAN, 15, 15, NAN])


def test_shapes():
    with pytest.raises(ValueError, match="the shapes must be"):
        experimental_detectron_prior_grid_generator(
            *map(np.zeros, [(2, 4), (1, 2, 3), (1, 1, 4, 4)])
        )
