"""Pairs of ways that the operations of a category meet between them."""

from __future__ import annotations

from functools import cache

import ir_models
from ir_models import LayerCase, catalog
from ir_models.asking.how import USUAL
from ir_models.corpus import shared_pairs
from ir_models.corpus.meetings import Meetings, chosen_layers
from ir_models.corpus.shared_pairs import MOST_WAYS, SharedPairs, levels_of

CATEGORY = "bitwise"


@cache
def _layers(name: str) -> list[LayerCase]:
    operation = ir_models.operation(name)
    usual = [case for case in ir_models.cases(operation) if case.how == USUAL]
    return chosen_layers(operation, [case for case in usual if case.purpose != "invalid"])


def _cases(name: str) -> list[LayerCase]:
    operation = ir_models.operation(name)
    return list(SharedPairs(operation, Meetings(operation).why_not).cases(_layers(name), ()))


def test_each_pair_is_met_by_an_operation_of_the_category_that_can_be_asked_so() -> None:
    names = [each.name for each in catalog.of_category(CATEGORY)]
    met = [levels_of(case) for name in names for case in _cases(name)]
    pairs = [
        *(((side, name), ("type", "u8")) for side, name in (("before", "split"), ("behind", "concat"))),
        (("shape", "axis-1"), ("behind", "slice")),
        (("shape", "axis-0"), ("before", "slice")),
        (("given", "first"), ("behind", "reshape")),
        (("also", "output"), ("before", "transpose")),
        (("values", "ends of all"), ("type", "i8")),
    ]  # fmt: skip
    assert [pair for pair in pairs if not any(has.issuperset(pair) for has in met)] == []


def test_what_each_operation_meets_is_any_layer_beside_an_unknown_dimension() -> None:
    has = [levels_of(case) for case in _cases("Abs-1")]
    for axis in range(4):
        for side in ("before", "behind"):
            assert any(one >= {("shape", f"axis-{axis}"), (side, "*")} for one in has), (axis, side)


def test_cases_have_few_ways_and_are_asked_only_for_what_no_other_case_meets() -> None:
    operation = ir_models.operation("BitwiseNot-13")
    found = _cases(operation.name)
    assert found
    assert all(len(list(case.how.pairs)) <= MOST_WAYS + 1 for case in found)
    again = SharedPairs(operation, Meetings(operation).why_not)
    assert list(again.cases(_layers(operation.name), found)) == []


def test_another_operation_takes_over_a_few_pairs_and_moves_no_other() -> None:
    inputs = shared_pairs._inputs(CATEGORY)
    new = inputs[0].operation
    for pair in shared_pairs._pairs():
        others = [each for each in shared_pairs._least(pair, inputs) if each is not new]
        assert shared_pairs._least(pair, inputs[1:])[: len(others)] == others, pair
