"""How much is asked of each page of the specification: the table of ``python -m ir_models coverage``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from ir_models.asking.case import LayerCase
from ir_models.corpus.purposes import cases
from ir_models.pages.opsets import LISTED
from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.rules import rules_of

Level = tuple[str, str]


@dataclass(frozen=True)
class Coverage:
    """What is asked of one operation.

    ``examples`` and ``rules`` are those of its page, ``violations`` the layers that break a rule. ``levels`` are what
    valid cases vary: purposes and variants, element types of inputs, values of enumerations, ranks, and levels of how
    (``ir_models.asking.how``); ``pairs`` are those of two factors that one case has.
    """

    operation: str
    category: str
    examples: int
    rules: int
    violations: int
    levels: int
    pairs: int


def of(operation: Operation, depth: str = "single", draws: int = 0) -> Coverage:
    """What the cases of an operation ask, at a depth and with so many random layers."""
    levels: set[Level] = set()
    pairs: set[frozenset[Level]] = set()
    violations = 0
    for case in cases(operation, draws=draws, depth=depth):
        if case.is_invalid:
            violations += 1
            continue
        held = set(_levels(case))
        levels |= held
        both = combinations(sorted(held), 2)
        pairs |= {frozenset(pair) for pair in both if pair[0][0] != pair[1][0]}
    return Coverage(
        operation.name,
        operation.category,
        len(operation.examples),
        len(rules_of(operation)),
        violations,
        len(levels),
        len(pairs),
    )


def missing(operations: Iterable[Operation]) -> list[str]:
    """The operations that pages describe and the project does not have."""
    have = {operation.name for operation in operations}
    return [name for name in LISTED if name not in have]


def _levels(case: LayerCase) -> Iterator[Level]:
    """The factors of a case with their levels."""
    yield "purpose", case.purpose
    for name, tensor in case.layer.ports():
        if tensor is not None:
            yield f"type of {name}", tensor.element_type.name
            yield f"rank of {name}", str(tensor.rank)
    for attribute in case.operation.attributes:
        if attribute.is_enumeration or attribute.is_body or attribute.type is bool:
            yield attribute.name, str(case.layer.attributes.get(attribute.name, "-"))
    yield from case.how.pairs
