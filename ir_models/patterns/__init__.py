"""Patterns: what optimizers rewrite, by the formulas of the pages, written out in elementary layers.

A file has the patterns of one family; each is a name, a formula and a graph as text (``ir_models.graphs.notation``).
``factors`` finds in the graph what the condition of a rewriting may have forgotten. ``found`` has single graphs that a
search found, and that are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ir_models.asking import id_parts
from ir_models.asking.depths import DEFAULT_DEPTH
from ir_models.asking.id_parts import AS_TEXT
from ir_models.graphs.case import GraphCase
from ir_models.graphs.notation import AskedGraph, GraphError, read
from ir_models.patterns import pattern as _pattern
from ir_models.patterns.activations import ACTIVATIONS
from ir_models.patterns.attention import ATTENTION
from ir_models.patterns.bodies import BODIES
from ir_models.patterns.conversions import CONVERSIONS
from ir_models.patterns.found import FOUND
from ir_models.patterns.movements import MOVEMENTS
from ir_models.patterns.normalizations import NORMALIZATIONS
from ir_models.patterns.pattern import Pattern
from ir_models.patterns.quantization import QUANTIZATION
from ir_models.patterns.recurrences import RECURRENCES
from ir_models.patterns.shapes import SHAPES
from ir_models.patterns.states import STATES
from ir_models.patterns.weights import WEIGHTS

PATTERNS: tuple[Pattern, ...] = (
    *ACTIVATIONS,
    *NORMALIZATIONS,
    *WEIGHTS,
    *QUANTIZATION,
    *MOVEMENTS,
    *SHAPES,
    *ATTENTION,
    *RECURRENCES,
    *BODIES,
    *STATES,
    *CONVERSIONS,
    *FOUND,
)

__all__ = ["PATTERNS", "Pattern", "case_ids", "case_of", "formula", "graph_of", "select"]


def select(names: Sequence[str] = ()) -> list[Pattern]:
    """These patterns, all by default. Raises ValueError for a name that is none."""
    known = {each.name: each for each in PATTERNS}
    unknown = sorted(name for name in names if name not in known)
    if unknown:
        raise ValueError(f"no pattern is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names or known]


def graph_of(text: str) -> AskedGraph:
    """The graph of an id, of a pattern's case or a graph as text; it need not be valid. Raises GraphError."""
    if id_parts.is_of_graph(text):
        return case_of(text).graph
    return read(text) if "return " in text else _pattern.graph_of(PATTERNS, text)


def formula(name: str, parameters: Mapping[str, str]) -> AskedGraph:
    """The graph of a case without its factors, by what its id names. Raises GraphError."""
    return read(parameters["graph"]) if name == AS_TEXT else _pattern_of(name).graph


def _pattern_of(name: str) -> Pattern:
    pattern = next((each for each in PATTERNS if each.name == name), None)
    if pattern is None:
        raise GraphError(f"no pattern is called {name!r}; `python -m ir_models list` has them")
    return pattern


def case_of(text: str) -> GraphCase:
    """The case that an id of the suite names, or that a graph as text is. Raises GraphError."""
    if not id_parts.is_of_graph(text):
        return GraphCase.of(AS_TEXT, read(text), {})
    name, _, data, parameters = [*id_parts.segments(text)[0], ""][:4]
    if name == AS_TEXT:
        found = GraphCase.of(AS_TEXT, read(parameters), {})
    else:
        given = id_parts.pairs(parameters)
        pattern = _pattern_of(name)
        graph = pattern.with_levels(pattern.checked(given))
        ordered = {factor: given[factor] for factor in pattern.factors if factor in given}
        found = GraphCase.of(name, graph, ordered)
    if id_parts.segments(found.id)[0][2] != data:
        raise GraphError(f"it reads as {found.id!r}")
    return found


def case_ids(name: str, depth: str = DEFAULT_DEPTH) -> Iterator[str]:
    """The ids of the valid cases of a pattern at a depth."""
    return (case.id for case in cases(name, depth))


def cases(name: str, depth: str = DEFAULT_DEPTH) -> Iterator[GraphCase]:
    """The valid cases of a pattern at a depth."""
    for text, graph in _pattern_of(name).valid(depth):
        yield GraphCase.of(name, graph, id_parts.pairs(text.partition("/")[2]))
