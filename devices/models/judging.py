"""Judges what a layer of a model gave, on the inputs that it had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from devices.judging import quality_detail
from devices.protocol import TensorData
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.graph import Node, type_name
from reference import Comparison, Expected, Value, answer, bounded, compare
from reference.accuracy import rounded
from reports.results.outcomes import Outcome


@dataclass(frozen=True)
class Judged:
    """The verdict on one output: how it compares, or what else is wrong with it."""

    outcome: Outcome
    detail: str = ""
    kind: str = ""
    output: int = 0
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
    try:
        values = {place: tensor.values() for place, tensor in actual.items()}
    except ValueError as error:
        return Judged(Outcome.FAIL, str(error), "bytes")
    chosen = list(expected)
    if any(each.choose is not None for each in expected):
        if len(values) < len(expected):
            return Judged(
                Outcome.PASS, "not judged: it leaves a choice, and not all outputs are read"
            )
        if all(values[i].ndim == each.value.ndim for i, each in enumerate(expected)):
            chosen = [each.chosen([values[i] for i in sorted(values)]) for each in expected]
    found = [_judge_output(chosen[p], actual[p], values[p], node.types[p], p) for p in values]
    worst = max(found, key=lambda each: (each.outcome.badness, each.fraction))
    return replace(worst, fractions=tuple(each.fraction for each in found))


def _judge_output(
    expected: Expected, tensor: TensorData, values: np.ndarray, kind: ElementType, place: int
) -> Judged:
    if tensor.element_type != kind.name:
        detail = f"type is {tensor.element_type}, should be {kind.name}"
        return Judged(Outcome.FAIL, detail, "type", place)
    if values.shape != expected.value.shape:
        detail = f"shape is {_shape(values.shape)}, should be {_shape(expected.value.shape)}"
        return Judged(Outcome.FAIL, detail, "shape", place)
    compared = compare(expected, values)
    if compared.wrong:
        element = ",".join(map(str, compared.index or ()))
        is_exact = compared.low == compared.high
        bound = "" if is_exact else f" within {compared.low} to {compared.high}"
        detail = compared.statistic or (
            f"[{element}] is {compared.actual}, should be {compared.expected}{bound}; "
            f"{compared.wrong:,} of {compared.of:,} wrong"
        )
        kind_of = "distribution" if compared.statistic else _kind(expected, values)
        return Judged(Outcome.FAIL, detail, kind_of, place, compared)
    if compared.coarse or compared.open:
        return Judged(Outcome.QUALITY, quality_detail(compared), "", place, compared)
    return Judged(Outcome.PASS, "", "", place, compared)


def _kind(expected: Expected, actual: np.ndarray) -> str:
    if actual.dtype.kind not in "fV" or expected.value.dtype == object:
        return "value"
    with np.errstate(all="ignore"):
        strange = ~np.isfinite(actual.astype(np.float64))
        usual = np.isfinite(expected.value.astype(np.float64))
    return "not finite" if bool((strange & usual).any()) else "value"


def _shape(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"
