"""What is asked: operations as the specification declares them, cases, and their IR.

operation("SpaceToBatch-2")          a declaration
cases(operation, ["plain"])          its cases, lazily
parse("SpaceToDepth-1/...")          the case that an id names; ``named`` is for ids that a user wrote
writing.ir.write([case])             XML and weights

Names are loaded when they are first used: a program that only reads ids (``ir_models.asking.id_parts``) needs neither
NumPy nor a declaration.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

# The package of declarations bears the name of a function below: loaded first, it cannot take that name later.
import ir_models.operations  # noqa: F401

if TYPE_CHECKING:
    from ir_models.asking.case import Case, LayerCase
    from ir_models.asking.depths import DEFAULT_DEPTH, DEPTHS
    from ir_models.asking.how import HOWS, How
    from ir_models.asking.ids import CaseIdError
    from ir_models.catalog import UnknownOperationError, operation, select
    from ir_models.corpus.purposes import (
        PURPOSES,
        UnknownPurposeError,
        cases,
    )
    from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, Tensor, element_type
    from ir_models.vocabulary.operation import Layer, Operation

_PLACES = {
    "asking.case": ("Case", "LayerCase"),
    "asking.depths": ("DEFAULT_DEPTH", "DEPTHS"),
    "asking.how": ("HOWS", "How"),
    "asking.ids": ("CaseIdError",),
    "catalog": ("UnknownOperationError", "operation", "select"),
    "corpus.purposes": ("PURPOSES", "UnknownPurposeError", "cases"),
    "vocabulary.element_types": ("ELEMENT_TYPES", "ElementType", "Tensor", "element_type"),
    "vocabulary.operation": ("Layer", "Operation"),
}
_PLACE = {name: f"ir_models.{module}" for module, names in _PLACES.items() for name in names}

__all__ = [
    "DEFAULT_DEPTH",
    "DEPTHS",
    "ELEMENT_TYPES",
    "HOWS",
    "PURPOSES",
    "Case",
    "CaseIdError",
    "ElementType",
    "How",
    "Layer",
    "LayerCase",
    "Operation",
    "Tensor",
    "UnknownOperationError",
    "UnknownPurposeError",
    "all_purposes",
    "are_all",
    "cases",
    "check_named",
    "check_purposes",
    "element_type",
    "graph_ids",
    "named",
    "operation",
    "operations",
    "parse",
    "parse_layer",
    "patterns_asked",
    "patterns_with",
    "select",
    "select_with_patterns",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(_PLACE[name]), name)
    globals()[name] = found
    return found


def operations() -> tuple[Operation, ...]:
    """All operations, by name and version."""
    from ir_models import catalog

    return catalog.operations()


def are_all(chosen: Sequence[Operation]) -> bool:
    """Whether these are all operations; a few are found without reading the other declarations."""
    from ir_models import catalog

    return catalog.are_all(chosen)


def parse(text: str) -> Case:
    """The case that an id names, or the text of a graph. Raises CaseIdError, or UnknownOperationError."""
    from ir_models.asking import id_parts

    if id_parts.is_of_graph(text) or "return " in text:
        return _graph(text.strip())
    return parse_layer(text)


def parse_layer(text: str) -> LayerCase:
    """The case of a layer that an id names. Raises CaseIdError, or UnknownOperationError."""
    from ir_models import catalog
    from ir_models.asking import case, ids

    found = case.LayerCase(*ids.read(text, catalog.operation))
    if found.contradiction:
        raise ids.CaseIdError(f"malformed case id {text!r}: {found.contradiction}")
    try:
        # Another layer is looked for up to the first dimension that can change: all of them take much longer.
        _ = found.can_be_resized or found.layers
    except ValueError as error:  # a layer all of whose dimensions are fixed has no unknown shape
        raise ids.CaseIdError(f"malformed case id {text!r}: {error}") from None
    return found


def named(text: str) -> Case:
    """The case that an id names which a user wrote. Raises as ``parse`` and ``check_named`` do."""
    found = parse(text)
    check_named(found)
    return found


def check_named(case: Case) -> None:
    """Raise CaseIdError for a case that only a hand writes.

    It has an unknown purpose, its layer is not valid or invalid as the purpose says, or a way of asking changes
    nothing.
    """
    from ir_models.asking import ids
    from ir_models.corpus import named as by_hand

    why = by_hand.why_not(case)
    if why:
        raise ids.CaseIdError(f"{case.id}: {why}")


def _graph(text: str) -> Case:
    from ir_models import patterns
    from ir_models.asking import ids
    from ir_models.graphs import GraphError

    try:
        found = patterns.case_of(text)
        _ = found.evaluated()
    except GraphError as error:
        raise ids.CaseIdError(f"malformed case id {text!r}: {error}") from None
    return found


def graph_ids(names: Sequence[str] = ()) -> Iterator[str]:
    """The ids of all graphs of `patterns_with` these names. Raises UnknownOperationError."""
    from ir_models import patterns

    for name in patterns_with(names):
        yield from patterns.case_ids(name)


def patterns_asked(names: Sequence[str], purposes: Sequence[str]) -> list[str]:
    """The patterns whose graphs a run of these operations, patterns and purposes asks.

    Graphs belong to a run of everything; else they are asked where their purpose or a pattern is named. Raises
    UnknownOperationError.
    """
    from ir_models.asking.id_parts import GRAPHS

    _, named = select_with_patterns(names)
    is_everything = not (names or purposes)
    return [*patterns_with(names)] if named or GRAPHS in purposes or is_everything else []


def patterns_with(names: Sequence[str] = ()) -> Iterator[str]:
    """The patterns of these names, or with a layer of one of these operations; all by default.

    Raises UnknownOperationError for a name that is neither.
    """
    from ir_models import patterns

    operations, _ = select_with_patterns(names)
    wanted = {each.name for each in operations} if names else set()
    for each in patterns.PATTERNS:
        # A pattern may be called as an operation: Clamp.
        if not names or each.name in names or wanted & {*each.graph.operations}:
            yield each.name


def select_with_patterns(names: Sequence[str]) -> tuple[tuple[Operation, ...], tuple[str, ...]]:
    """The operations of names, as ``select`` has them, and those names that are patterns of graphs alone.

    Raises UnknownOperationError for a name that is neither.
    """
    from ir_models import catalog

    others, named = [], []
    for name in names:
        try:
            catalog.select([name])
        except catalog.UnknownOperationError:
            from ir_models import patterns

            if all(name != each.name for each in patterns.PATTERNS):
                raise
            named.append(name)
        else:
            others.append(name)
    return (catalog.select(others) if others or not names else ()), tuple(named)


def all_purposes() -> dict[str, str]:
    """The purposes of every operation, then the variants of single operations, with a line on each."""
    from ir_models.corpus import purposes

    return purposes.all_purposes(operations())


def check_purposes(names: list[str] | tuple[str, ...]) -> None:
    """Raise UnknownPurposeError for a name that is no purpose."""
    from ir_models.corpus import purposes

    purposes.check(names, operations)
