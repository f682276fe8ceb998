"""Graphs: values, element types and bounds by hand."""

import numpy as np
import pytest

from reference.accuracy.precision import PRECISIONS
from reference.shared.graph import Value, bounded, evaluate, evaluate_typed, evaluate_with_bounds

X = np.array([[1.5, -2.0], [0.25, 3.0]], np.float32)
U = PRECISIONS["f32"].unit
# No sum of it and of a number of few bits is a number of f32.
TENTH = np.array(0.1, np.float32)


def node(name, operation, *inputs, **more):
    return {"name": name, "operation": operation, "inputs": inputs, **more}


SPLIT = {
    "parameters": ["x"],
    "constants": {"axis": np.array(1), "one": np.array(1, np.float32)},
    "nodes": [
        node("parts", "Split-1", "x", "axis", attributes={"num_splits": 2}),
        node("more", "Add-1", "parts:1", "one"),
    ],
    "results": ["more", "parts:0", "x", "more"],
}


def test_results_name_outputs_of_nodes_and_parameters():
    more, left, x, again = evaluate(SPLIT, {"x": X})
    assert more.tolist() == again.tolist() == [[-1.0], [4.0]]
    assert left.tolist() == [[1.5], [0.25]]
    assert x is X


def test_an_input_may_be_left_out():
    graph = {
        "parameters": ["x"],
        "nodes": [node("sums", "CumSum-3", "x", None)],
        "results": ["sums"],
    }
    assert evaluate(graph, {"x": X})[0].tolist() == [[1.5, -2.0], [1.75, 1.0]]


def test_element_types():
    half = node("half", "Convert-1", "x", attributes={"destination_type": "f16"}, types=["f16"])
    graph = {
        "parameters": ["x"],
        "nodes": [half, node("sum", "Add-1", "half", "half"), node("less", "Less-1", "x", "x")],
        "results": ["x", "half", "sum", "less"],
    }
    types = [value.type for value in evaluate_typed(graph, {"x": Value.exact(X)})]
    assert types == ["f32", "f16", "f16", "bool"]


def test_integers_wrap_in_their_type():
    graph = {"parameters": ["x"], "nodes": [node("sum", "Add-1", "x", "x")], "results": ["sum"]}
    (found,) = evaluate(graph, {"x": np.array([100, -3], np.int8)})
    assert (found.dtype, found.tolist()) == (np.int8, [-56, -6])


def test_movement_is_exact():
    values = evaluate_with_bounds(SPLIT, {"x": Value.exact(X)})
    assert values[0].bound is not None
    assert values[1].bound is values[2].bound is None


def test_bounds_add_up():
    graph = {
        "parameters": ["x", "y"],
        "nodes": [node("sum", "Add-1", "x", "y"), node("back", "Subtract-1", "sum", "y")],
        "results": ["sum", "back"],
    }
    # The sum has more bits than f32.
    x, y = np.array([1 + 2.0**-23], np.float32), np.array([1023.0], np.float32)
    total, back = evaluate_with_bounds(graph, {"x": Value.exact(x), "y": Value.exact(y)})
    assert total.bound == pytest.approx([3 * 1024 * U])
    assert total.quality == pytest.approx([1024 * U])
    # The difference cancels: the error of the sum stays.
    assert back.bound == pytest.approx([3 * 1024 * U + 3 * U], rel=1e-3)
    coarse = PRECISIONS["bf16"]
    (total, _) = evaluate_with_bounds(graph, {"x": Value.exact(x), "y": Value.exact(y)}, coarse)
    assert total.bound == pytest.approx([3 * 1024 * coarse.unit])


def test_bounds_are_moved_with_their_elements():
    graph = {
        "parameters": ["x", "y"],
        "constants": {"order": np.array([1, 0])},
        "nodes": [node("sum", "Add-1", "x", "y"), node("turned", "Transpose-1", "sum", "order")],
        "results": ["sum", "turned"],
    }
    x = np.array([[1.5, 2.0], [0.25, 3.0]], np.float32)
    total, turned = evaluate_with_bounds(graph, {"x": Value.exact(x), "y": Value.exact(TENTH)})
    assert total.bound.all()
    assert turned.bound == pytest.approx(total.bound.T)


def test_bounds_of_terms_of_both_signs_do_not_cancel():
    graph = {
        "parameters": ["x", "y", "w"],
        "nodes": [node("sum", "Add-1", "x", "y"), node("product", "MatMul-1", "sum", "w")],
        "results": ["product"],
    }
    x, w = np.full((1, 2), 1.0, np.float32), np.array([[1.0], [-1.0]], np.float32)
    inputs = {"x": Value.exact(x), "y": Value.exact(TENTH), "w": Value.exact(w)}
    (found,) = evaluate_with_bounds(graph, inputs)
    assert found.array.tolist() == [[0.0]]
    assert found.bound[0, 0] >= 2 * 3 * U


def test_a_comparison_within_the_bounds_may_be_either():
    graph = {
        "parameters": ["x", "y", "z"],
        "nodes": [node("sum", "Add-1", "x", "y"), node("less", "Less-1", "sum", "z")],
        "results": ["less"],
    }
    limit = X[0, 0] + TENTH
    inputs = {"x": X[0], "y": TENTH, "z": np.array([limit, limit], np.float32)}
    inputs = {name: Value.exact(array) for name, array in inputs.items()}
    (less,) = evaluate_with_bounds(graph, inputs)
    assert less.bound.tolist() == [np.inf, 0.0]


def test_integers_that_overflow_have_no_bound_further_on():
    graph = {
        "parameters": ["x"],
        "nodes": [node("sum", "Add-1", "x", "x"), node("more", "Add-1", "sum", "x")],
        "results": ["more"],
    }
    (more,) = evaluate_with_bounds(graph, {"x": Value.exact(np.array([100, 2], np.int8))})
    assert more.bound[0] == np.inf
    assert more.bound[1] == 0


def test_what_overflows_on_the_way_has_no_bound():
    """Twice x is stored as an infinity, or goes on as a number: what minus x and minus infinity make of it is open."""
    graph = {
        "parameters": ["x", "y"],
        "nodes": [node("twice", "Add-1", "x", "x"), node("rest", "Add-1", "twice", "y")],
        "results": ["twice", "rest"],
    }
    largest = np.finfo(np.float32).max
    x = np.array([largest, largest, largest, 1, -largest], np.float32)
    y = np.array([-largest, -np.inf, 1, 1, largest], np.float32)
    values = {"x": Value.exact(x), "y": Value.exact(y)}
    twice, rest = evaluate_with_bounds(graph, values)
    assert np.isfinite(twice.bound).all()
    assert np.isinf(rest.bound).tolist() == [True, True, False, False, True]
    # What differs from the number is counted apart.
    assert np.isfinite(rest.quality).all()


def test_missing_values():
    with pytest.raises(ValueError, match=r"a value for each parameter, has none for \['x'\]"):
        evaluate(SPLIT, {})
    with pytest.raises(ValueError, match="a graph has no value 'later' at this point"):
        evaluate({"parameters": [], "results": ["later"]}, {})


def converted(kind):
    return node("new", "Convert-1", "x", attributes={"destination_type": kind}, types=[kind])


def test_results_that_the_type_holds_have_no_error():
    graph = {
        "parameters": ["x", "y"],
        "nodes": [converted("f32"), node("sum", "Add-1", "new", "y")],
        "results": ["new", "sum"],
    }
    inputs = {"x": Value.exact(np.array([3, 500])), "y": Value.exact(np.float32([0.5, 2.0**30]))}
    new, total = evaluate_with_bounds(graph, inputs)
    assert new.bound.tolist() == new.quality.tolist() == [0, 0]
    # 2^30 + 500 is none of f32: the whole sum has the bound of its class.
    assert total.bound.all()
    # bf16 holds 500, but not 257.
    new, _ = evaluate_with_bounds(graph, inputs, PRECISIONS["bf16"])
    assert new.bound.tolist() == [0, 0]
    inputs["x"] = Value.exact(np.array([257, 1]))
    new, _ = evaluate_with_bounds(graph, inputs, PRECISIONS["bf16"])
    assert new.bound.all()


def test_numbers_of_f64_may_be_rounded_already():
    graph = {"parameters": ["x"], "nodes": [converted("f64")], "results": ["new"]}
    (new,) = evaluate_with_bounds(graph, {"x": Value.exact(np.array([2**53 + 1]))})
    assert new.bound.all()


@pytest.mark.parametrize("operation", ["ReduceSum-1", "LRN-1"])
def test_negative_axes_stay_negative_behind_a_value_with_a_bound(operation):
    """Axis -1 is the last one, whose errors are added up; axis 1 of a tensor of rank 3 would be another one."""
    attributes = {"alpha": 0.5, "beta": 0.75, "bias": 1.0, "size": 3}
    last = node(
        "last", operation, "sum", "axes", attributes=attributes if operation == "LRN-1" else {}
    )
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)

    def bound_of(axis):
        graph = {
            "parameters": ["x", "y"],
            "constants": {"axes": np.array([axis])},
            "nodes": [node("sum", "Add-1", "x", "y"), last],
            "results": ["last"],
        }
        inputs = {"x": Value.exact(x), "y": Value.exact(TENTH)}
        (found,) = evaluate_with_bounds(graph, inputs)
        return found.bound

    assert np.array_equal(bound_of(-1), bound_of(2))
    assert not np.array_equal(bound_of(-1), bound_of(1))


def test_errors_of_integers_are_those_of_data_alone():
    """Sums of integers with an error, along an axis from the end."""
    graph = {
        "parameters": ["x"],
        "constants": {"axes": np.array([-1])},
        "nodes": [node("sum", "ReduceSum-1", "x", "axes")],
        "results": ["sum"],
    }
    x = np.arange(6, dtype=np.int32).reshape(2, 3) - 3
    value = Value(x, "int32", np.ones(x.shape), np.ones(x.shape))
    (found,) = evaluate_with_bounds(graph, {"x": value})
    assert found.array.tolist() == [-6, 3]
    assert found.bound.tolist() == [3, 3]


NORMALIZATIONS = [
    ("MVN-6", [np.array([1, 2])], {"eps": 1e-6, "eps_mode": "inside_sqrt"}),
    ("MVN-6", [np.array([2])], {"eps": 0.1, "eps_mode": "outside_sqrt"}),
    ("NormalizeL2-1", [np.array([1])], {"eps": 1e-9, "eps_mode": "add"}),
    ("NormalizeL2-1", [np.array([1, 2])], {"eps": 40.0, "eps_mode": "max"}),
    ("GRN-1", [], {"bias": 1e-6}),
    (
        "GroupNormalization-12",
        [np.full(6, -3.0), np.full(6, 1e6)],
        {"num_groups": 2, "epsilon": 1e-6},
    ),
]


@pytest.mark.parametrize("operation, others, attributes", NORMALIZATIONS)
@pytest.mark.parametrize("size", [1e-6, 0.03])
def test_errors_of_what_is_normalized_are_bounded_and_not_far_above(
    operation, others, attributes, size
):
    if operation == "MVN-6":
        attributes = {**attributes, "normalize_variance": True}
    random = np.random.default_rng(0)
    data = random.uniform(-2, 2, (2, 6, 4))
    spread = size * random.uniform(0.2, 1, data.shape)
    inputs = [Value.exact(each, "f64") for each in others]
    (exact,) = bounded(operation, [Value.exact(data, "f64"), *inputs], attributes, ["f64"])
    (found,) = bounded(operation, [Value(data, "f64", bound=spread), *inputs], attributes, ["f64"])
    worst = np.zeros(data.shape)
    for _ in range(200):
        moved = data + spread * random.choice([-1, 1], data.shape)
        (value,) = bounded(operation, [Value.exact(moved, "f64"), *inputs], attributes, ["f64"])
        worst = np.maximum(worst, np.abs(value.array - exact.array))
    assert np.all(worst <= found.bound)
    assert np.mean(found.bound) <= 4 * np.mean(worst)


# --- functions that turn back, and values that no page defines ----------------------------------------------------


def moved_result(operation, value, bound, element_type="f32"):
    """The result of one layer whose input may be wrong by a bound."""
    array = np.array(value, np.float32 if element_type == "f32" else np.dtype(element_type))
    given = Value(array, element_type, np.asarray(bound, np.float64))
    return bounded(operation, [given], {}, [element_type])[0]


@pytest.mark.parametrize(
    ("operation", "angle", "spread", "error"),
    [
        # A whole turn and more: all that the function gives.
        ("Sin-1", 0.0, 7.0, 1.0),
        ("Cos-1", 0.0, 7.0, 2.0),
        # The top lies between: at the ends it is 0.983 and 0.995.
        ("Sin-1", np.pi / 2 - 3.0, 3.1, 1 + np.cos(0.141592653589793)),
        ("Sin-1", np.pi / 2 - 0.1, 0.11, np.cos(0.1) - np.cos(0.21)),
        ("Sin-1", 1.0, 0.1, np.sin(1.0) - np.sin(0.9)),
        ("Tan-1", 1.5, 0.01, np.tan(1.51) - np.tan(1.5)),
        ("Tan-1", 1.5, 0.1, np.inf),
        ("Tan-1", -8.0, 0.2, np.inf),
    ],
)
def test_a_periodic_function_turns_back_within_a_bound(operation, angle, spread, error):
    found = moved_result(operation, angle, spread)
    assert found.bound == pytest.approx(error, rel=1e-3)


def test_a_periodic_function_of_an_exact_angle_has_its_own_bound_alone():
    (found,) = bounded("Sin-1", [Value.exact(np.float32(np.pi / 2), "f32")], {}, ["f32"])
    assert found.bound < 1e-6


@pytest.mark.parametrize("operation", ["SoftSign-9", "Sin-1", "Abs-1"])
def test_what_follows_from_no_number_may_be_a_number(operation):
    found = moved_result(operation, np.nan, np.inf)
    assert np.isinf(found.bound)


def test_what_an_operation_does_not_define_for_some_integers_has_no_bound():
    # A byte without a bound may be 255, of which there is no arc sine.
    found = moved_result("Asin-1", 0, np.inf, "uint8")
    assert np.isinf(found.bound)


def test_a_shape_may_follow_from_values_without_a_bound():
    free = Value(np.array([1.0, 0.0], np.float32), "f32", np.array([0.0, np.inf]))
    (places,) = bounded("NonZero-3", [free], {}, ["int64"])
    assert places.any_shape
    (moved,) = bounded("Convert-1", [places], {"destination_type": "f32"}, ["f32"])
    assert moved.any_shape
    known = Value(np.array([1.0, 0.0], np.float32), "f32", np.array([1e-7, 0.0]))
    assert not bounded("NonZero-3", [known], {}, ["int64"])[0].any_shape


def test_elements_without_a_bound_may_be_equal_or_unlike():
    # Negative real numbers as bytes, of which the page of Convert defines none.
    free = np.array([np.inf, 0.0, np.inf])
    of_bytes = Value(np.array([0, 2, 0], np.uint8), "uint8", free)
    distinct, first, inverse, counts = bounded(
        "Unique-10", [of_bytes], {}, ["uint8", "int64", "int64", "int64"]
    )
    assert [each.any_shape for each in (distinct, first, inverse, counts)] == [True] * 2 + [
        False,
        True,
    ]
    assert np.isinf(inverse.bound).all()
    of_reals = Value(np.array([3.0, 2.0, 3.0]), "f32", free)
    assert bounded("Unique-10", [of_reals], {}, ["f32", "int64", "int64", "int64"])[0].any_shape
    alone = Value(np.array([0, 2, 5], np.uint8), "uint8", np.array([0.0, 0.0, np.inf]))
    assert bounded("Unique-10", [alone], {}, ["uint8", "int64", "int64", "int64"])[0].any_shape


def test_the_own_bound_of_a_result_is_that_at_the_place_it_may_be_at():
    # In bf16 the cosine of 10, -0.8390715, is -0.83984375, half an ulp of which is 2^-9; that of 11 is 0.0044257.
    (found,) = bounded("Cos-1", [Value(np.array(11.0), "bf16", np.array(1.0))], {}, ["bf16"])
    assert found.array - found.bound <= -0.83984375
    assert found.array + found.bound < 0.8438540 * (1 + 3 * 2**-7)


@pytest.mark.parametrize(
    "operation, value",
    [("Swish-4", -1e40), ("Mish-4", -1e40), ("Gelu-7", -1e40), ("Swish-4", -3.4028236e38)],
)
def test_what_a_page_does_not_define_for_infinity_has_no_bound_beyond_the_range_of_the_type(
    operation, value
):
    given = Value(np.array(value), "f32", np.array(1e33))
    (found,) = bounded(operation, [given], {}, ["f32"])
    assert np.isinf(found.bound)


def test_a_softmax_of_a_number_beyond_the_range_of_the_type_has_no_bound():
    data = np.array([[1.0, 2.0, 3.0], [1.0, 2.0**121, 3.0**121]])
    given = Value(data, "f32", np.abs(data) * 1e-6)
    (found,) = bounded("SoftMax-8", [given], {"axis": 1}, ["f32"])
    assert np.isinf(found.bound[1]).all()
    assert (found.bound[0] < 1e-4).all()


def test_a_softmax_of_arguments_that_may_be_anything_may_be_anything_from_0_to_1():
    # Within their bounds the first may be larger than the others: their powers of e are beyond any number.
    given = Value(np.array([[0.0, 1e6, 1e7]]), "f32", np.array([[1e8, 1.0, 1e-3]]))
    (found,) = bounded("SoftMax-8", [given], {"axis": 1}, ["f32"])
    assert found.bound[0, [0, 2]] == pytest.approx([1.0, 1.0], rel=1e-3)
    (log,) = bounded("LogSoftmax-5", [given], {"axis": 1}, ["f32"])
    assert (log.bound[0] >= [1e8, 1e8 - 1e7, 1e8 - 1e7]).all()
    assert np.isfinite(log.bound).all()


def test_a_half_between_two_levels_has_both():
    levels = {"levels": 256}
    limits = [Value.exact(np.array(each, np.float32)) for each in (0.0, 10.0, 0.0, 10.0)]
    x = Value.exact(np.array([3.0, 4.0], np.float32))
    (found,) = bounded("FakeQuantize-1", [x, *limits], levels, ["f32"])
    step = 10 / 255
    # 3 is level 76.5, 4 is level 102.
    assert found.bound is not None
    assert found.bound[0] == pytest.approx(step, rel=1e-3)
    assert found.bound[1] < step / 1000


def test_what_a_page_does_not_admit_within_the_bound_of_an_input_has_no_bound():
    ids = Value(np.ones((2, 1, 2)), "f32", np.full((2, 1, 2), 0.25))
    rest = [np.zeros((2, 1, 2)), np.full(1, 2.0), np.array(9.0)]
    (found,) = bounded("GatherTree-1", [ids, *map(Value.exact, rest)], {}, ["f32"])
    assert np.isinf(found.bound).all()
    ids = Value.exact(np.ones((2, 1, 2)), "f32")
    (found,) = bounded("GatherTree-1", [ids, *map(Value.exact, rest)], {}, ["f32"])
    assert found.bound is None or not np.isinf(found.bound).any()


def test_an_integer_has_no_bound_where_its_number_may_be_one_that_no_page_converts():
    for number, is_free in ((-0.9999999, True), (-0.5, False), (255.99999, True), (1.5, False)):
        given = Value(np.array(number), "f32", np.array(2e-5))
        (found,) = bounded("Convert-1", [given], {"destination_type": "u8"}, ["uint8"])
        assert np.isinf(found.bound).all() == is_free


def test_what_is_sorted_has_no_bound_where_the_order_follows_from_elements_without_one():
    data = np.array([[0, 0, 0], [2, 0, 0]], np.uint8)
    free = np.array([[0, np.inf, np.inf], [0, np.inf, 0]])
    axis = Value.exact(np.array(1))
    (found, *_) = bounded(
        "Unique-10", [Value(data, "uint8", free), axis], {}, ["uint8", *["int64"] * 3]
    )
    assert np.isinf(found.bound)[:, 1:].all()
