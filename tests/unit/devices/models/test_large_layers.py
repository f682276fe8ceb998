"""Large layers are judged part by part: with the verdicts, wrong elements and fractions of the whole way."""

from __future__ import annotations

import numpy as np
import pytest

import ir_models
from devices.models import judging, large_layers
from devices.models.large_layers import Wanted
from devices.process.protocol import TensorData
from ir_models.vocabulary.element_types import ELEMENT_TYPES
from ir_models.vocabulary.graph import Node
from reference import MissingReferenceError, Value, lookup
from reference.accuracy import is_float

PURPOSES = ("plain", "rank", "random")


def is_divided(operation):
    try:
        return lookup(operation.name).__dict__["parts"] is not None
    except MissingReferenceError:
        return False


DIVIDED = [each for each in ir_models.operations() if is_divided(each)]


IMAGE = np.random.RandomState(3).uniform(-1, 1, (2, 3, 4, 5)).astype(np.float32)
SCALES = np.array([1.5, 2], np.float32)
MODE = {"mode": "linear_onnx", "shape_calculation_mode": "scales"}
# Their cases resize all axes.
RESIZED = {
    f"Interpolate-{version}": [
        (
            Node("n", f"Interpolate-{version}", (), attributes=MODE, types=(ELEMENT_TYPES["f32"],)),
            [IMAGE, *sizes, SCALES, np.array([2, 3])],
        )
    ]
    for version, sizes in ((4, [np.array([6, 10])]), (11, []))
}


def layers(operation):
    """Some small layers of an operation with their inputs, a few of each purpose."""
    found = {}
    for case in ir_models.cases(operation, PURPOSES, draws=3):
        if case.is_invalid or case.how != type(case.how)() or len(case.layers) > 1:
            continue
        arrays = case.arrays(0, 0)
        if any(each is None or each.dtype == object or each.size > 400 for each in arrays):
            continue
        if len(found.setdefault(case.purpose, [])) >= 3:
            continue
        types = tuple(case.output_types)
        node = Node("n", operation.name, (), attributes=case.arguments(0, 0), types=types)
        found[case.purpose].append((node, arrays))
    return [pair for pairs in found.values() for pair in pairs] + RESIZED.get(operation.name, [])


def actual_of(expected, node, state):
    """The expected outputs, some of them with errors around their bound."""
    found = {}
    for place, (each, kind) in enumerate(zip(expected, node.types, strict=True)):
        values = np.array(judging.typed(each.value, kind))
        if is_float(values.dtype):
            bound = np.zeros(()) if each.bound is None else np.nan_to_num(each.bound, posinf=1.0)
            errors = bound * state.uniform(-1.2, 1.2, values.shape)
            with np.errstate(all="ignore"):
                wrong = (each.value.astype(np.float64) + errors).astype(values.dtype)
            values = np.where(state.random_sample(values.shape) < 0.5, wrong, values)
        elif values.size:
            values.flat[state.randint(values.size)] = values.flat[0]
        found[place] = TensorData.of(values, kind.name)
    return found


@pytest.fixture
def most(monkeypatch):
    """Sets the elements of a part: so few that small layers are large, or so many that none is."""
    return lambda count: monkeypatch.setattr(large_layers, "MOST", count)


MANY = 2**18


@pytest.mark.parametrize("operation", DIVIDED, ids=lambda each: each.name)
def test_parts_give_the_verdict_of_the_whole(operation, most):
    state, divided = np.random.RandomState(0), 0
    for node, arrays in layers(operation):
        most(MANY)
        whole = Wanted.of(node, arrays, ("f32", False))
        assert whole.divided is None
        actual = actual_of(whole.known, node, state)
        right = whole.judge(actual)
        most(max(sum(each.size for each in arrays) // 4, 2))
        wanted = Wanted.of(node, arrays, ("f32", False))
        if wanted.divided is None:
            continue
        divided += len(wanted.divided.parts)
        assert_same(right, wanted.judge(actual))
        for one, other in zip(
            judging.outputs(node, arrays), large_layers.outputs(node, arrays), strict=True
        ):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(
                one.astype(float), other.astype(float), rtol=1e-12, atol=1e-300
            )
        for one, other in zip(whole.known, wanted.expected(actual), strict=True):
            if one.choose is None:
                np.testing.assert_allclose(
                    one.value.astype(float), other.value.astype(float), rtol=1e-12, atol=1e-300
                )
    assert divided > 3


def assert_same(one, other):
    """Two verdicts are the same; fractions as far as float64 adds up in another order."""
    assert one.outcome is other.outcome
    assert (one.numbers, one.facts) == (other.numbers, other.facts)
    # No error and one below 1e-7 of the bound are the same.
    first, second = (sum(each.histogram[:2]) for each in (one, other))
    assert (first, one.histogram[2:]) == (second, other.histogram[2:])
    a, b = one.comparison, other.comparison
    assert (a is None) == (b is None)
    if a is None:
        return
    assert (a.wrong, a.coarse, a.of, a.open) == (b.wrong, b.coarse, b.of, b.open)
    assert a.index == b.index or a.fraction == pytest.approx(b.fraction, rel=1e-6)
    assert a.fraction == (None if b.fraction is None else pytest.approx(b.fraction, rel=1e-6))
    if a.index == b.index:
        assert (a.expected, a.actual) == (b.expected, b.actual) or a.fraction is not None


GROUPED = [
    "Add-1",
    "Multiply-1",
    "Swish-4",
    "Convolution-1",
    "MatMul-1",
    "ReduceMean-1",
    "SoftMax-8",
    "Concat-1",
    "Reshape-1",
]


@pytest.mark.parametrize("name", GROUPED)
def test_parts_carry_the_bounds_of_the_whole(name, most):
    """Layers inside a group, whose inputs have bounds, and the verdict on what the last one gave."""
    state, divided = np.random.RandomState(1), 0
    (operation,) = (each for each in DIVIDED if each.name == name)
    for node, arrays in layers(operation):
        if node.types[0].name != "f32":
            continue
        inputs = [
            Value(
                a.astype(np.float64),
                "f32",
                *(1e-6 * np.abs(a) * state.random_sample(a.shape) for _ in range(2)),
            )
            if is_float(a.dtype)
            else Value.exact(a)
            for a in arrays
        ]
        most(MANY)
        whole = large_layers.carried(node, inputs, ("f32", False), [list])
        actual = actual_of([judging.as_expected(each) for each in whole], node, state)
        right = Wanted.of_values(node, whole).judge(actual)
        most(max(sum(each.size for each in arrays) // 4, 2))
        found = large_layers.carried(node, inputs, ("f32", False), [list])
        divided += large_layers._divided(node, arrays) is not None
        for one, other in zip(whole, found, strict=True):
            np.testing.assert_allclose(one.array, other.array, rtol=1e-12, atol=1e-300)
            np.testing.assert_allclose(one.bound, other.bound, rtol=1e-9, atol=1e-300)
            np.testing.assert_allclose(one.quality, other.quality, rtol=1e-9, atol=1e-300)
            assert (one.type, one.flush) == (other.type, other.flush)
        assert_same(right, Wanted.of_values(node, found).judge(actual))
    assert divided


def test_parts_of_whole_numbers_have_the_bound_of_the_whole(most):
    """Sums that are numbers of the type have no error where all are, and only there."""
    node = Node("n", "Add-1", (), attributes={}, types=(ELEMENT_TYPES["f32"],))
    whole_numbers = np.arange(40, dtype=np.float32).reshape(8, 5)
    mixed = np.where(whole_numbers < 20, whole_numbers, whole_numbers / np.float32(3))
    for data, is_exact in ((whole_numbers, True), (mixed, False)):
        bounds = []
        for count in (MANY, 10):
            most(count)
            inputs = [Value.exact(data, "f32"), Value.exact(np.float32([[1], [7]] * 4), "f32")]
            (found,) = large_layers.carried(node, inputs, ("f32", False), [list])
            bounds.append(found.bound)
        np.testing.assert_allclose(*bounds, rtol=1e-12)
        assert (bounds[1] == 0).all() if is_exact else (bounds[1] > 0).all()


def test_many_sums_are_tested_together_in_parts(most):
    """An error within each bound, of one sign in all, is found in both ways; where there is none, in neither."""
    state = np.random.RandomState(2)
    a, b = (state.standard_normal(shape).astype(np.float32) for shape in ((60, 64), (64, 50)))
    node = Node("n", "MatMul-1", (), attributes={}, types=(ELEMENT_TYPES["f32"],))
    exact = a.astype(np.float64) @ b
    for error, is_wrong in ((0.0, False), (1e-5, True)):
        actual = {0: TensorData.of((exact + error).astype(np.float32), "f32")}
        verdicts = []
        for count in (MANY, 2000):
            most(count)
            verdicts.append(Wanted.of(node, [a, b], ("f32", False)).judge(actual))
        assert_same(*verdicts)
        statistics = [each.comparison.statistic for each in verdicts]
        assert statistics[0] == statistics[1]
        assert bool(statistics[0]) is is_wrong


def test_boxes_cover_every_element_once_and_in_order(most):
    for shape in ((), (0, 3), (7,), (2, 3, 5), (4, 1, 6), (3, 50)):
        values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        for count in (1, 4, 9, 100):
            most(count)
            found = [values[box].reshape(-1) for box in large_layers.boxes(shape)]
            assert np.concatenate(found).tolist() == values.reshape(-1).tolist()
            assert all(each.size <= count for each in found) or not shape


def test_what_cannot_be_divided_is_told(most):
    most(10)
    data = np.ones((3, 20), np.float32)
    axes = np.array([0, 1])
    kind = (ELEMENT_TYPES["f32"],)
    whole = Node("n", "ReduceSum-1", (), attributes={"keep_dims": True}, types=kind)
    assert large_layers.is_whole(whole, [data, axes])
    assert not large_layers.is_whole(whole, [data, axes[:1]])
    # A move has no bound, and nothing is computed.
    assert not large_layers.is_whole(
        Node("n", "Tile-1", (), attributes={}, types=kind), [data, axes]
    )
