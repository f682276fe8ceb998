"""Pairs of two whats: every pair that the page allows is in some layer, and what is left out has a reason."""

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from devices.engine.questions import prepare, question_for
from ir_models import cases, operation, parse
from ir_models.corpus.coverings import Covering
from ir_models.vocabulary.rules import is_valid

SOME = ["MatMul-1", "TopK-11", "Slice-8", "ReduceSum-1", "MaxPool-14", "Convert-1", "Loop-5"]


@cache
def covered(name):
    """A covering with its layers, and what it dropped."""
    dropped = Counter()
    covering = Covering(operation(name), dropped)
    return covering, list(covering.layers()), dropped


@pytest.mark.parametrize("name", SOME)
def test_layers_are_valid_and_few(name):
    covering, found, _ = covered(name)
    assert found
    assert all(is_valid(layer) for layer in found)
    sizes = sorted(len(each.levels) for each in covering._factors.values())
    pairs = sum((a - 1) * (b - 1) for a, b in combinations(sizes, 2))
    assert len(found) < pairs


@pytest.mark.parametrize("name", SOME)
def test_every_pair_is_in_a_layer_or_breaks_a_rule_alone(name):
    covering, found, dropped = covered(name)
    factors = covering._factors
    # The layers that have each level, by their numbers.
    holders = {
        (factor, level): {n for n, x in enumerate(found) if covering._has(x, factor, level)}
        for factor in factors
        for level in range(1, len(factors[factor].levels))
    }
    missing = 0
    for one, two in combinations(factors, 2):
        for i in range(1, len(factors[one].levels)):
            for j in range(1, len(factors[two].levels)):
                if not holders[one, i] & holders[two, j]:
                    missing += 1
                    layer, why = covering._built({one: i, two: j})
                    lost = layer is None or not covering._pairs({one: i, two: j}, layer)
                    assert lost, (one, i, two, j, why)
    assert missing <= dropped.total()


def test_types_meet_ranks_and_attributes():
    _, layers, _ = covered("SoftMax-8")
    found = {(layer.data.element_type.name, layer.data.rank) for layer in layers}
    kinds = {t.name for t in operation("SoftMax-8").input("data").types.types} - {"f32"}
    assert found >= {(kind, rank) for kind in kinds for rank in (1, 2, 3, 5, 8)}


@pytest.mark.parametrize(
    "name", ["Bucketize-3", "Convert-1", "Interpolate-11", "Inverse-14", "Range-4", "ReadValue-3"]
)
def test_the_reference_answers_about_two_factors(name):
    """Two factors together make stated values that a type does not hold, or more pads than dimensions."""
    for case in cases(operation(name), ["covering"], depth="all"):
        with np.errstate(all="ignore"):
            prepared = prepare(case, 0)
            assert question_for([prepared]).xml
            assert prepared.expected


def test_they_are_cases_of_the_depth_all_alone():
    def purposes(depth):
        return {case.purpose for case in cases(operation("SoftMax-8"), depth=depth)}

    assert "covering" in purposes("all")
    assert "covering" not in purposes("pairs")
    for case in list(cases(operation("SoftMax-8"), ["covering"], depth="all"))[::7]:
        assert parse(case.id).layer == case.layer


def test_it_is_the_same_on_every_machine():
    assert [*Covering(operation("TopK-11")).layers()] == covered("TopK-11")[1]
