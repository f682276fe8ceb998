"""Judges what a layer of a model gave, on the inputs that it had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from devices.judging import OutputVerdict, chosen_outputs, judge_output
from devices.protocol import TensorData
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.graph import Node, type_name
from reference import Comparison, Expected, Value, answer, bounded
from reference.accuracy import rounded
from reference.accuracy.statistics import SumErrors
from reports.results.facts import Facts
from reports.results.outcomes import Outcome


@dataclass(frozen=True)
class Judged:
    """The verdict on one output: how it compares, or what else is wrong with it, as ``facts`` and in words."""

    outcome: Outcome
    detail: str = ""
    facts: Facts = field(default_factory=Facts)
    comparison: Comparison | None = None
    fractions: tuple[float, ...] = ()

    @property
    def fraction(self) -> float:
        """The largest error as a fraction of the bound; 0 where there is none."""
        found = self.comparison.fraction if self.comparison else None
        return 0.0 if found is None else found


def arguments(node: Node) -> dict[str, Any]:
    """The attributes of a node as its reference takes them."""
    return {
        name: value.name if isinstance(value, ElementType) else value
        for name, value in node.attributes.items()
    }


def types_of(node: Node) -> list[str]:
    """The element types of a node's outputs as references name them."""
    return [type_name(kind) for kind in node.types]


def typed(array: np.ndarray, kind: ElementType) -> np.ndarray:
    """What a reference gives as numbers of an element type."""
    if array.dtype == kind.dtype:
        return array
    with np.errstate(all="ignore"):
        if kind.is_float and array.dtype == np.float64:
            return rounded(array, kind.dtype)
        return array.astype(kind.dtype)


def expected_of(
    node: Node,
    inputs: Sequence[np.ndarray],
    computed_in: str = "",
    by_kernel: bool = False,
) -> list[Expected]:
    """The expected outputs of a layer on inputs of its types. Raises what its reference raises."""
    given, values = list(inputs), arguments(node)
    return answer(node.operation, given, values, types_of(node), computed_in, by_kernel)


def carried(node: Node, inputs: Sequence[Value], computed_in: str = "") -> Sequence[Value]:
    """The outputs of a layer inside a group: its inputs have bounds. Raises what its reference raises."""
    return bounded(node.operation, list(inputs), arguments(node), types_of(node), computed_in)


def as_expected(value: Value) -> Expected:
    """A value of a graph as the expected output of a group."""
    return Expected(value.array, value.gate, value.quality, value.flush)


def judge(expected: Sequence[Expected], actual: Mapping[int, TensorData], node: Node) -> Judged:
    """The verdict on the outputs of a layer that are there, by position: the worst of them."""
    names = [kind.name for kind in node.types]
    chosen = list(expected)
    if any(each.choose is not None for each in expected):
        if len(actual) < len(expected):
            return Judged(
                Outcome.PASS, "not judged: it leaves a choice, and not all outputs are read"
            )
        chosen = chosen_outputs(chosen, names, [actual[place] for place in range(len(names))])
    found = [
        _judged(judge_output(chosen[place], tensor, names[place]), chosen[place], place)
        for place, tensor in actual.items()
    ]
    worst = max(found, key=lambda each: (each.outcome.badness, each.fraction))
    return replace(worst, fractions=tuple(each.fraction for each in found))


def _judged(found: OutputVerdict, expected: Expected, place: int) -> Judged:
    """The verdict on one output.

    The test of the errors of many sums presumes that they are independent, as they are for the suite's own data; those
    of a user's data need not be. Where it alone fails, each element within its bound, the layer has QUALITY.
    """
    is_of_sums = isinstance(expected.together, SumErrors)
    if is_of_sums and found.comparison is not None and found.comparison.statistic:
        return Judged(Outcome.QUALITY, found.detail, Facts(), found.comparison)
    facts = Facts(kind=found.kind, output=place) if found.kind else Facts()
    return Judged(found.outcome, found.detail, facts, found.comparison)
