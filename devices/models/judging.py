"""Judges what a layer of a model gave, on the inputs that it had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from devices.engine.verdicts.judging import OutputVerdict, chosen_outputs, judge_output
from devices.engine.verdicts.narrowing import computed_as
from devices.process.protocol import TensorData
from ir_models import catalog
from ir_models.asking.case import Narrowing
from ir_models.models import Model
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.graph import Node, type_name
from reference import Comparison, Expected, Value, answer, bounded, compare, outputs_of
from reference.accuracy import precision_of, rounded
from reference.accuracy.statistics import SumErrors
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome


@dataclass(frozen=True)
class Judged:
    """The verdict on one output: how it compares, or what else is wrong with it, as ``facts`` and in words.

    ``histogram`` counts the elements by their error as a fraction of the bound: see ``histogram``. ``numbers`` names
    the kind of numbers that alone are wrong: see ``kinds_of_wrong``.
    """

    outcome: Outcome
    detail: str = ""
    facts: Facts = field(default_factory=Facts)
    comparison: Comparison | None = None
    histogram: tuple[int, ...] = ()
    numbers: str = ""

    @property
    def fraction(self) -> float:
        """The largest error as a fraction of the bound; 0 where there is none."""
        found = self.comparison.fraction if self.comparison else None
        return 0.0 if found is None else found


UNREAD_CHOICE = Judged(Outcome.PASS, "not judged: it leaves a choice, and not all outputs are read")


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


def of_other_rank(node: Node, inputs: Sequence[np.ndarray]) -> dict[int, int]:
    """The ports whose page asks another rank of what is one element there, with the rank nearest to what it asks.

    Devices read ``[3]`` where the page has a scalar, and the meaning is the same: a reference answers. The layer's note
    says that the page forbids it.
    """
    declared = catalog.operation(node.operation).inputs
    found = {}
    for place, (each, array) in enumerate(zip(declared, inputs, strict=False)):
        most = each.rank.most
        if each.many or array is None or array.size != 1 or array.ndim in each.rank:
            continue
        if not place and not each.index:
            continue  # the rank of the data is that of the output
        found[place] = each.rank.least if most is None or array.ndim < each.rank.least else most
    return found


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The name of the element type that has an array's numbers: ``i64`` of int64."""
    return str(dtype.name).replace("uint", "u").replace("int", "i").replace("float", "f")


def ranked(node: Node, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Inputs in the ranks that the page asks, where they are one element."""
    found = list(inputs)
    for place, rank in of_other_rank(node, inputs).items():
        found[place] = found[place].reshape((1,) * rank)
    return found


def outputs(node: Node, inputs: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """The outputs of a layer in float64. Raises what its reference raises."""
    return outputs_of(node.operation, ranked(node, inputs), arguments(node))


def expected_of(
    node: Node,
    inputs: Sequence[np.ndarray],
    computed_in: str = "",
    by_kernel: bool = False,
) -> list[Expected]:
    """The expected outputs of a layer on inputs of its types. Raises what its reference raises."""
    given, values = ranked(node, inputs), arguments(node)
    return answer(node.operation, given, values, types_of(node), computed_in, by_kernel)


def carried(
    node: Node,
    inputs: Sequence[Value],
    computed_in: str = "",
    by_kernel: bool = False,
    demands_representable: bool = True,
) -> Sequence[Value]:
    """The outputs of a layer inside a group: its inputs have bounds. See ``bounded``; raises what that raises."""
    given = list(inputs)
    for place, rank in of_other_rank(node, [each.array for each in inputs]).items():
        value, shape = given[place], (1,) * rank
        bound, quality = (
            None if bound is None else np.broadcast_to(bound, value.array.shape).reshape(shape)
            for bound in (value.bound, value.quality)
        )
        given[place] = Value(value.array.reshape(shape), value.type, bound, quality, value.flush)
    types = types_of(node)
    return bounded(
        node.operation, given, arguments(node), types, computed_in, demands_representable, by_kernel
    )


def as_expected(value: Value) -> Expected:
    """A value of a graph as the expected output of a group."""
    return Expected(value.array, value.bound, value.quality, value.flush)


def expected_of_part(
    model: Model, layers: Sequence[str], given: Mapping[str, np.ndarray], results: Sequence[str]
) -> dict[str, Expected]:
    """Values of a part of a model, from its inputs and constants, with the bounds that its layers carry."""
    values = {v: Value.exact(array, type_name(model.types[v])) for v, array in given.items()}
    for name in layers:
        node = model.nodes[name]
        found = carried(node, [values[value] for value in node.inputs])
        values.update(zip(model.sources[name].outputs, found, strict=True))
    return {value: as_expected(values[value]) for value in results}


def judge(expected: Sequence[Expected], actual: Mapping[int, TensorData], node: Node) -> Judged:
    """The verdict on the outputs of a layer that are there, by position: the worst of them."""
    names = [kind.name for kind in node.types]
    chosen = list(expected)
    if any(each.choose is not None for each in expected):
        if len(actual) < len(expected):
            return UNREAD_CHOICE
        chosen = chosen_outputs(chosen, names, [actual[place] for place in range(len(names))])
    found = {}
    for place, tensor in actual.items():
        verdict, one = judge_output(chosen[place], tensor, names[place]), chosen[place]
        counts: tuple[int, ...] = ()
        kinds: frozenset[str] = frozenset()
        if verdict.comparison is not None:
            values = tensor.values()
            counts = histogram(one, values)
            kinds = kinds_of_wrong(one, values) if verdict.comparison.wrong else kinds
        found[place] = OutputFound(verdict, isinstance(one.together, SumErrors), counts, kinds)
    return worst(found)


def narrowing(
    node: Node,
    inputs: Sequence[np.ndarray],
    expected: Sequence[Expected],
    actual: Mapping[int, TensorData],
    precision: tuple[str, bool],
) -> str:
    """What wrong outputs of a layer, which are all there, are right for, such as "i64 as i32"; "" for none."""
    names = [kind.name for kind in node.types]
    if len(actual) < len(names):
        return ""
    given = [*ranked(node, inputs)]

    def evaluate(narrow: Narrowing, computed_in: str) -> list[list[Expected]]:
        narrowed = [narrow(each) for each in given]
        return [expected_of(node, narrowed, computed_in or precision[0])]

    def outcome(others: list[list[Expected]]) -> Outcome:
        return judge(others[0], actual, node).outcome

    kinds = {*names, *(dtype_name(each.dtype) for each in inputs)}
    return computed_as(kinds, given, [expected], evaluate, outcome)


class OutputFound(NamedTuple):
    """What is found in an output; ``kinds`` are those of numbers that alone are wrong."""

    verdict: OutputVerdict
    is_of_sums: bool
    histogram: tuple[int, ...]
    kinds: frozenset[str]


def worst(found: Mapping[int, OutputFound]) -> Judged:
    """The worst verdict on the outputs of a layer, which are given by position."""
    judged = [
        replace(
            _judged(one.verdict, one.is_of_sums, place),
            histogram=one.histogram,
            numbers=next(
                (kind for kind in NUMBERS if kind in one.kinds and one.verdict.comparison.wrong), ""
            )
            if one.verdict.comparison is not None
            else "",
        )
        for place, one in found.items()
    ]
    return max(judged, key=lambda each: (each.outcome.badness, each.fraction))


NUMBERS = ("special", "vanishing")
"""Kinds of numbers: zeros, subnormal numbers, infinities and NaN; and small ones for which a device gives 0."""
# Times the smallest normal number: e^-87 is 1.4 times that of f32, x·sigmoid(x) there 122 times.
_VANISHING = 2.0**8


def kinds_of_wrong(expected: Expected, actual: np.ndarray) -> frozenset[str]:
    """The kinds of numbers, of ``NUMBERS``, without which no element is beyond its bound."""
    own = precision_of(actual.dtype)
    if own is None or actual.shape != expected.value.shape:
        return frozenset()
    size = np.abs(expected.value.astype(np.float64))
    others = {
        "special": np.isfinite(size) & (size >= own.smallest_normal),
        "vanishing": (actual != 0) | ~(size < _VANISHING * own.smallest_normal),
    }
    return frozenset(kind for kind, chosen in others.items() if _is_right(expected, actual, chosen))


def _is_right(expected: Expected, actual: np.ndarray, chosen: np.ndarray) -> bool:
    """Whether all chosen elements are within the bound."""

    def of(bound: np.ndarray | None) -> np.ndarray | None:
        return None if bound is None else np.broadcast_to(bound, chosen.shape)[chosen]

    def part(one: Expected) -> Expected:
        others = tuple(part(other) for other in one.others)
        return Expected(one.value[chosen], of(one.bound), of(one.quality), one.flush, others)

    return not compare(part(expected), actual[chosen]).wrong


# Decades of the histogram: errors of 0 are the first, all below 1e-7 the second, all from 1e3 on the last.
_LEAST_DECADE, _MOST_DECADE = -8, 3


def histogram(expected: Expected, actual: np.ndarray) -> tuple[int, ...]:
    """The elements of an output by decades of their errors as fractions of the bound; () where it has no bound."""
    if expected.bound is None or actual.shape != expected.value.shape or not actual.size:
        return ()
    with np.errstate(all="ignore"):
        right, given = expected.value.astype(np.float64), actual.astype(np.float64)
        error = np.abs(given - right) / expected.bound
        same = (right == given) | (np.isnan(right) & np.isnan(given))
        decade = np.floor(np.log10(np.where(np.isnan(error), np.inf, error)))
        decade = np.where(same, _LEAST_DECADE, np.clip(decade, _LEAST_DECADE + 1, _MOST_DECADE))
    counts = np.bincount(
        (decade - _LEAST_DECADE).astype(int).ravel(), minlength=_MOST_DECADE - _LEAST_DECADE + 1
    )
    return tuple(counts.tolist())


def _judged(found: OutputVerdict, is_of_sums: bool, place: int) -> Judged:
    """The verdict on one output.

    The test of the errors of many sums presumes that they are independent, as they are for the suite's own data; those
    of a user's data need not be. Where it alone fails, each element within its bound, the output has QUALITY here; the
    layer is asked again alone with data for which they are.
    """
    if is_of_sums and found.comparison is not None and found.comparison.statistic:
        return Judged(Outcome.QUALITY, found.detail, Facts(), found.comparison)
    facts = Facts(kind=found.kind, output=place) if found.kind else Facts()
    return Judged(found.outcome, found.detail, facts, found.comparison)
