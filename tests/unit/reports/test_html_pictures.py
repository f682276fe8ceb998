"""What the page shows of a wrong output."""

import base64
import json

import numpy as np
import pytest

from reports.results.case_folder.comparison import compare
from reports.views.report import pictures
from tests.unit.reports.synthetic_results import departure


def cells(heat_map, number=0):
    data = base64.b64decode(heat_map["slices"][number]["cells"])
    rows = -(-heat_map["rows"] // heat_map["step"][0])
    return np.frombuffer(data, np.uint8).reshape(rows, -1)


def wrong_at(shape, *indices, by=1.0, allowed=None):
    actual = np.zeros(shape)
    for index in indices:
        actual[index] = by
    return compare(np.zeros(shape), actual, allowed)


def test_a_cell_stands_for_its_element():
    heat_map = pictures.heat_map(wrong_at((3, 4), (2, 1)))
    assert np.argwhere(cells(heat_map)).tolist() == [[2, 1]]
    assert cells(heat_map)[2, 1] == pictures.BEYOND
    assert heat_map["step"] == [1, 1]


def test_levels_tell_within_from_beyond():
    error = np.array([[0, 1e-9, 0.5, 1, 1.01, 2, 1e30, np.nan]])
    found = compare(np.zeros(error.shape), error, np.array(1.0))
    levels = cells(pictures.heat_map(found))[0].astype(int)
    assert levels[0] == 0
    assert 0 < levels[1] < levels[2] < levels[3] == pictures.WITHIN
    assert pictures.WITHIN < levels[4] < levels[5] < levels[6] == levels[7] == pictures.BEYOND


def test_elements_of_which_the_page_says_nothing_have_a_level_and_a_bin_of_their_own():
    allowed = np.array([[np.inf, np.inf, 1.0, 1.0]])
    found = compare(np.zeros((1, 4)), np.array([[7.0, 0.0, 1e-9, 5.0]]), allowed)
    assert found.open.tolist() == [[True, False, False, False]]
    levels = cells(pictures.heat_map(found))[0].astype(int).tolist()
    assert levels[:2] == [pictures.SILENT, 0]
    assert pictures.SILENT < levels[2] <= pictures.WITHIN < levels[3]
    bins = {one["label"]: one["count"] for one in pictures.histogram(found, exact=False)}
    assert bins["equal"] == 1
    assert bins["differs where the specification is silent"] == 1
    assert sum(bins.values()) == 4


def test_shrinking_never_loses_a_wrong_element():
    heat_map = pictures.heat_map(wrong_at((1000, 333), (999, 332), (500, 7)))
    small = cells(heat_map)
    assert max(small.shape) <= pictures.CELLS
    step = heat_map["step"]
    places = [[500 // step[0], 7 // step[1]], [999 // step[0], 332 // step[1]]]
    assert np.argwhere(small).tolist() == places


def test_slices_are_those_with_the_worst_elements_in_order():
    heat_map = pictures.heat_map(wrong_at((5, 6, 40, 30), (4, 5, 0, 0), (1, 2, 3, 1), (1, 2, 0, 0)))
    shown = {tuple(one["index"]): one["wrong"] for one in heat_map["slices"]}
    assert shown[1, 2] == 2
    assert shown[4, 5] == 1
    assert list(shown) == sorted(shown)
    assert len(shown) == pictures.SLICES
    assert (heat_map["of"], heat_map["others"]) == (30, 0)


def test_slices_left_out_that_are_wrong_are_counted():
    everywhere = [(n, 0, 0) for n in range(60)]
    heat_map = pictures.heat_map(wrong_at((60, 20, 20), *everywhere))
    assert heat_map["others"] == 60 - pictures.SLICES
    heat_map = pictures.heat_map(wrong_at((60, 2, 2), *everywhere))
    assert heat_map["others"] == 60 - pictures.MANY_SLICES


def test_a_long_row_is_folded():
    heat_map = pictures.heat_map(wrong_at((200,), (130,)))
    assert heat_map["folded"]
    assert np.argwhere(cells(heat_map)).tolist() == [[2, 2]]


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 1), (1, 1, 1, 1, 1, 1)])
def test_any_rank_has_a_picture(shape):
    heat_map = pictures.heat_map(wrong_at(shape, (0,) * len(shape)))
    assert (cells(heat_map) > 0).sum() == 1


def test_the_histogram_counts_each_element_once_on_the_right_side_of_the_bound():
    error = np.array([0, 0.001, 0.5, 1, 1.5, 3000, np.inf, np.nan])
    found = compare(np.zeros(8), error, np.array(1.0))
    bins = pictures.histogram(found, exact=False)
    assert sum(one["count"] for one in bins) == 8
    assert sum(one["count"] for one in bins if one["wrong"]) == found.wrong.sum() == 4
    counts = {one["label"]: one["count"] for one in bins if one["count"]}
    assert counts == {
        "equal": 1,
        "to 1/64 of the bound": 1,
        "to 1/2 of the bound": 1,
        "to the bound": 1,
        "to 2 times the bound": 1,
        "to 4096 times the bound": 1,
        "not finite": 2,
    }


def test_a_zero_of_the_other_sign_has_a_bin_of_its_own():
    found = compare(np.array([0.0, 0.0, 1.0]), np.array([-0.0, 0.0, 1.5]), None)
    bins = pictures.histogram(found, exact=True)
    assert {one["label"]: one["count"] for one in bins} == {
        "equal": 1,
        "another zero": 1,
        "to 1e1": 1,
    }


def test_a_folder_gives_pictures_of_the_wrong_outputs_only(tmp_path):
    right = np.ones((2, 3), np.float32)
    one = departure(tmp_path, "Relu-1/a/b", right, right + 2, np.full((2, 1), 0.5))
    (picture,) = pictures.of_folder(tmp_path / one.folder, one)
    assert (picture["wrong"], picture["of"], picture["exact"]) == (6, 6, False)
    assert picture["worst"][0] == {
        "index": [0, 0],
        "expected": "1.0",
        "actual": "3.0",
        "low": "0.5",
        "high": "1.5",
        "times": 4.0,
    }
    one = departure(tmp_path, "Relu-1/a/c", right, right)
    assert pictures.of_folder(tmp_path / one.folder, one) == []


def test_another_shape_is_said_and_not_drawn(tmp_path):
    one = departure(tmp_path, "Relu-1/a/b", np.ones((2, 3)), np.ones((2, 3)))
    np.save(tmp_path / one.folder / "actual_0_0.npy", np.ones((3, 2), np.float32))
    manifest = tmp_path / one.folder / "manifest.json"
    content = json.loads(manifest.read_text())
    content["inferences"][0]["actual"][0]["shape"] = [3, 2]
    manifest.write_text(json.dumps(content))
    (picture,) = pictures.of_folder(tmp_path / one.folder, one)
    assert picture["instead"] == "f32[3, 2]"
    assert "map" not in picture
