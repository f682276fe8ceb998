"""What neighbours make of expected outputs: values, bounds, choices; and that faults show behind them."""

import numpy as np
import pytest

from ir_models.asking import neighbours as written
from ir_models.vocabulary.element_types import f64
from reference import Expected, answer, behind, compare, is_determined
from reference.accuracy import neighbours
from reference.accuracy.neighbours import NEIGHBOURS

RNG = np.random.default_rng(5)
REALS = RNG.uniform(-30, 30, (2, 3, 4))
# What these make of a bound has tests of its own.
OTHERS = ("logical-not", "to-number", "to-boolean", "to-half")
NUMBERS = [name for name in NEIGHBOURS if name not in OTHERS]


def actual(name, values, dtype=np.float32):
    return NEIGHBOURS[name].forward(values.astype(dtype)).astype(dtype)


def test_both_rooms_have_the_same_neighbours():
    assert [n for n in written.NEIGHBOURS if n not in written.BEFORE_ALONE] == list(NEIGHBOURS)
    assert written.ADDED == neighbours.ADDED
    assert written.LIMITS == (neighbours.LOW, neighbours.HIGH)
    for name, each in NEIGHBOURS.items():
        assert written.NEIGHBOURS[name].loses == (each.backward is None), name


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("bound", [None, 1e-3])
def test_a_right_answer_passes_and_one_wrong_element_fails(name, bound):
    bound = None if bound is None else np.full(REALS.shape, bound)
    (expected,) = behind([Expected(REALS.astype(np.float32), bound, bound)], [name], ["f32"])
    right = actual(name, REALS)
    assert compare(expected, right).wrong == 0
    inside = np.abs(right.reshape(-1)) < 15.9
    place = int(np.flatnonzero(inside & (right.reshape(-1) != 0))[0])
    wrong = right.copy().reshape(-1)
    wrong[place] += 0.01
    assert compare(expected, wrong.reshape(right.shape)).wrong == 1


@pytest.mark.parametrize("name", [n for n in NUMBERS if not n.startswith("reduce-max")])
def test_an_error_within_the_bound_of_the_layer_passes_behind(name):
    """The device's error is that of the layer, carried through; one of twice the bound is seen."""
    bound = RNG.uniform(1e-3, 1e-2, REALS.shape)
    (expected,) = behind([Expected(REALS, bound, bound)], [name], ["f64"])
    for share in (-0.99, 0.99):
        assert compare(expected, actual(name, REALS + share * bound, np.float64)).wrong == 0
    assert compare(expected, actual(name, REALS + 2.1 * bound, np.float64)).wrong > 3


def test_an_output_of_other_rows_is_undone_behind_unsqueeze():
    """The page leaves open how many boxes are selected."""
    assert neighbours._undone(np.zeros((1, 2, 6)), "unsqueeze", (5, 6)).shape == (2, 6)


@pytest.mark.parametrize("name", [n for n, each in NEIGHBOURS.items() if each.backward is not None])
def test_what_a_neighbour_does_is_undone(name):
    values = REALS > 0 if name in ("logical-not", "to-number") else REALS
    behind_it = NEIGHBOURS[name].forward(values)
    assert np.array_equal(neighbours._undone(behind_it, name, values.shape), values)


def test_integers_that_overflow_are_open():
    values = np.array([-128, -127, 5], np.int8)
    for name in ("negative", "abs"):
        (expected,) = behind([Expected(values)], [name], ["i8"])
        compared = compare(expected, np.array([127, 127, -5 if name == "negative" else 5], np.int8))
        assert (compared.wrong, compared.open) == (0, 1), name
        assert compare(expected, np.array([127, 126, 5], np.int8)).wrong > 0


@pytest.mark.parametrize("name", written._ARITHMETIC)
@pytest.mark.parametrize(
    "operand", ["", "one", "ones", "more-ones", "last", "axis-0", "axis-1", "full"]
)
def test_arithmetic_with_another_constant(name, operand):
    """The same constant in both rooms: what is written is what is judged."""
    bound = RNG.uniform(1e-3, 1e-2, REALS.shape)
    tensor = written.constant_behind(name, operand, "minus-two", f64, REALS.shape)
    constant = tensor.array()
    (expected,) = behind([Expected(REALS, bound, bound)], [name], ["f64"], constants=[constant])
    shape = (1, *REALS.shape) if operand == "more-ones" and name != "prelu" else REALS.shape
    assert expected.value.shape == shape

    def computed(values):
        if name == "prelu":
            slope = constant if constant.size == 1 else constant.reshape(3, 1)
            return np.where(values < 0, values * slope, values)
        return getattr(np, name)(values, constant)

    for share in (-0.9, 0.9):
        assert compare(expected, computed(REALS + share * bound)).wrong == 0
    assert compare(expected, computed(REALS + 2.5 * bound)).wrong > 3


def test_a_constant_of_zero_hides_no_overflow():
    """A device that stores what is between two layers has an infinity there, and then NaN."""
    given = Expected(np.array([70000.0, 3.0]), np.zeros(2), np.zeros(2))
    (expected,) = behind([given], ["multiply"], ["f16"], constants=[np.zeros(())])
    compared = compare(expected, np.array([np.nan, 0.0], np.float16))
    assert (compared.wrong, compared.open) == (0, 1)
    assert compare(expected, np.array([np.nan, np.nan], np.float16)).wrong == 1


def test_the_largest_along_an_axis_errs_by_the_largest_error():
    values = np.array([[1.0, 2.0, 2.5], [-1.0, -4.0, -3.0]])
    bound = np.array([[0.1, 0.2, 0.1], [0.1, 0.1, 0.1]])
    for name, keeps in (("reduce-max", False), ("reduce-max-keep", True)):
        (expected,) = behind([Expected(values, bound, bound)], [name], ["f64"])
        shape = (2, 1) if keeps else (2,)
        assert compare(expected, np.array([2.69, -1.09]).reshape(shape)).wrong == 0
        assert compare(expected, np.array([2.71, -1.0]).reshape(shape)).wrong == 1
        (exact,) = behind([Expected(np.array([[3, 7], [9, 1]], np.int32))], [name], ["i32"])
        assert compare(exact, np.array([7, 9], np.int32).reshape(shape)).wrong == 0
        assert compare(exact, np.array([7, 8], np.int32).reshape(shape)).wrong == 1
    (nothing,) = behind([Expected(np.zeros((2, 0)))], ["reduce-max"], ["f32"])
    assert compare(nothing, np.array([5, 6], np.float32)).wrong == 0


def test_conversions_that_are_not_undone():
    numbers = np.array([0.0, 0.25, -3.0, 1e-3])
    bound = np.array([0.0, 0.1, 0.1, 0.1])
    (truth,) = behind([Expected(numbers, bound, bound)], ["to-boolean"], ["f32"])
    assert compare(truth, np.array([False, True, True, False])).wrong == 0
    assert compare(truth, np.array([True, False, True, True])).wrong == 2
    (truth,) = behind([Expected(np.array([0, 2, 256], np.int32))], ["to-boolean"], ["i32"])
    assert compare(truth, np.array([False, True, True])).wrong == 0
    assert compare(truth, np.array([False, True, False])).wrong == 1
    (number,) = behind([Expected(np.array([True, False]))], ["to-number"], ["boolean"])
    assert compare(number, np.array([1, 0], np.float32)).wrong == 0
    assert compare(number, np.array([255, 0], np.float32)).wrong == 1
    (half,) = behind([Expected(np.array([1 / 3, 70000.0], np.float32))], ["to-half"], ["f32"])
    assert compare(half, np.array([1 / 3, np.inf], np.float16)).wrong == 0
    assert compare(half, np.array([0.335, np.inf], np.float16)).wrong == 1


def test_booleans():
    (expected,) = behind([Expected(np.array([True, False]))], ["logical-not"], ["boolean"])
    assert compare(expected, np.array([False, True])).wrong == 0
    assert compare(expected, np.array([True, True])).wrong == 1


def test_one_output_may_have_no_neighbour():
    given = [Expected(np.array([1.5], np.float32)), Expected(np.array([-3], np.int64))]
    one, other = behind(given, ["negative", ""], ["f32", "i64"])
    assert one.value == -1.5
    assert other.value is given[1].value
    assert other.bound is None


TOP = answer(
    "TopK-11",
    [np.array([5, 5, 1], np.float32), np.array(1)],
    {"axis": 0, "mode": "max", "sort": "none"},
    ["f32", "i64"],
)


@pytest.mark.parametrize("with_middle", [False, True])
def test_a_choice_is_judged_behind_a_neighbour_that_can_be_undone(with_middle):
    names = ["negative", "negative"]
    expected = behind(TOP, names, ["f32", "i64"], with_middle=with_middle)
    for index, is_right in [(0, True), (1, True), (2, False)]:
        layer = [np.array([5], np.float32), np.array([index], np.int64)]
        outputs = [-each for each in layer] + (layer if with_middle else [])
        chosen = [each.chosen(outputs) for each in expected]
        wrong = [compare(e, o).wrong for e, o in zip(chosen, outputs, strict=True)]
        assert (sum(wrong) == 0) == is_right, (index, wrong)


# The first box suppresses the second, whose score 0 is not below the threshold: one or both are selected.
BOXES = answer(
    "NonMaxSuppression-9",
    [
        np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5]]], np.float32),
        np.array([[[0.75, 0.5]]], np.float32),
        *(np.array(number, np.float32) for number in (2, 0.25, 0.0, 0.0)),
    ],
    {"output_type": "i64"},
    ["i64", "f32", "i64"],
)


@pytest.mark.parametrize("name", ["reshape", "concat", "transpose"])
def test_a_choice_may_have_another_number_of_rows(name):
    forward = NEIGHBOURS[name].forward
    expected = behind(BOXES, [name] * 3, ["i64", "f32", "i64"])
    for first, is_right in [(0, True), (1, False)]:
        for count in (1, 2):
            rows = np.array([[0, 0, first], [0, 0, 1 - first]][:count])
            scores = np.array([[0, 0, 0.75], [0, 0, 0]][:count], np.float32)
            outputs = [forward(each) for each in (rows, scores, np.array([count]))]
            found = [
                np.array_equal(e.chosen(outputs).value, o)
                for e, o in zip(expected, outputs, strict=True)
            ]
            assert all(found) == is_right, (first, count, found)


def test_a_choice_that_a_neighbour_hides_is_refused():
    assert not is_determined("TopK-11")
    assert is_determined("MatMul-1")
    with pytest.raises(ValueError, match="hidden which output was chosen"):
        behind(TOP, ["relu", "relu"], ["f32", "i64"])


def test_random_numbers_are_tested_behind_a_neighbour():
    shape, low, high = np.array([4000]), np.array(0.0, np.float32), np.array(1.0, np.float32)
    attributes = {"output_type": "f32", "global_seed": 0, "op_seed": 0}
    given = answer("RandomUniform-8", [shape, low, high], attributes, ["f32"])
    (expected,) = behind(given, ["negative"], ["f32"])
    numbers = RNG.random(4000).astype(np.float32)
    assert compare(expected, -numbers).wrong == 0
    assert compare(expected, -numbers / 2).statistic


def test_the_middle_is_the_layer_itself():
    last, middle = behind([Expected(REALS)], ["abs"], ["f64"], with_middle=True)
    assert np.array_equal(last.value, np.abs(REALS))
    assert middle.value is REALS


def test_bounds_widen_where_the_device_computes_in_a_coarser_precision():
    (exact,) = behind([Expected(REALS.astype(np.float32))], ["multiply"], ["f32"])
    (coarse,) = behind([Expected(REALS.astype(np.float32))], ["multiply"], ["f32"], "bf16")
    assert not exact.bound.any()
    assert np.all(coarse.bound >= 2 * np.abs(REALS) * 2.0**-9)
    assert np.all(coarse.bound <= 2 * np.abs(REALS) * 2.0**-5)
