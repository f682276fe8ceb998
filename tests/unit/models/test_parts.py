"""Large layers are judged part by part: with the verdicts, wrong elements and fractions of the whole way."""

from __future__ import annotations

import numpy as np
import pytest

import ir_models
from devices.models import judging, parts
from devices.models.parts import Wanted
from devices.protocol import TensorData
from ir_models.vocabulary.graph import Node
from reference import MissingReferenceError, lookup
from reference.accuracy import is_float

PURPOSES = ("plain", "rank", "example", "type", "random", "variant")


def is_divided(operation):
    try:
        return lookup(operation.name).__dict__["parts"] is not None
    except MissingReferenceError:
        return False


DIVIDED = [each for each in ir_models.operations() if is_divided(each)]


def layers(operation):
    """Some small layers of an operation with their inputs, a few of each purpose."""
    found = {}
    for case in ir_models.cases(operation, draws=4):
        if case.is_invalid or case.how != type(case.how)() or len(case.layers) > 1:
            continue
        arrays = case.arrays(0, 0)
        if any(each is None or each.dtype == object or each.size > 400 for each in arrays):
            continue
        if len(found.setdefault(case.purpose, [])) >= 4:
            continue
        types = tuple(case.output_types)
        node = Node("n", operation.name, (), attributes=case.arguments(0, 0), types=types)
        found[case.purpose].append((node, arrays))
    return [pair for pairs in found.values() for pair in pairs]


def actual_of(expected, node, state):
    """The expected outputs, some of them with errors around their bound."""
    found = {}
    for place, (each, kind) in enumerate(zip(expected, node.types, strict=True)):
        values = np.array(judging.typed(each.value, kind))
        if is_float(values.dtype):
            gate = np.zeros(()) if each.gate is None else np.nan_to_num(each.gate, posinf=1.0)
            errors = gate * state.uniform(-1.2, 1.2, values.shape)
            with np.errstate(all="ignore"):
                wrong = (each.value.astype(np.float64) + errors).astype(values.dtype)
            values = np.where(state.random_sample(values.shape) < 0.5, wrong, values)
        elif values.size:
            values.flat[state.randint(values.size)] = values.flat[0]
        found[place] = TensorData.of(values, kind.name)
    return found


@pytest.mark.parametrize("operation", DIVIDED, ids=lambda each: each.name)
def test_parts_give_the_verdict_of_the_whole(operation, monkeypatch):
    state, divided = np.random.RandomState(0), 0
    for node, arrays in layers(operation):
        monkeypatch.setattr(parts, "MOST", 2**18)
        whole = Wanted.of(node, arrays, ("f32", False))
        assert whole.divided is None
        actual = actual_of(whole.known, node, state)
        right = whole.judge(actual)
        monkeypatch.setattr(parts, "MOST", max(sum(each.size for each in arrays) // 4, 2))
        wanted = Wanted.of(node, arrays, ("f32", False))
        if wanted.divided is None:
            continue
        divided += len(wanted.divided.parts)
        assert_same(right, wanted.judge(actual))
        for one, other in zip(
            judging.outputs(node, arrays), parts.outputs(node, arrays), strict=True
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
    assert divided > 10


def assert_same(one, other):
    """Two verdicts are the same; fractions as far as float64 adds up in another order."""
    assert one.outcome is other.outcome
    assert (one.is_special, one.facts) == (other.is_special, other.facts)
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
