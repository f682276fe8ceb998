"""Patterns: what optimizers rewrite, by the formulas of the pages, written out in elementary layers.

A file has the patterns of one family; each is a name, a formula and a graph as text (``ir_models.graphs.notation``).
``factors`` finds in the graph what the condition of a rewriting may have forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ir_models.graphs.notation import AskedGraph, read
from ir_models.patterns import pattern as _pattern
from ir_models.patterns.activations import ACTIVATIONS
from ir_models.patterns.movements import MOVEMENTS
from ir_models.patterns.normalizations import NORMALIZATIONS
from ir_models.patterns.pattern import Pattern
from ir_models.patterns.weights import WEIGHTS

PATTERNS: tuple[Pattern, ...] = (*ACTIVATIONS, *NORMALIZATIONS, *WEIGHTS, *MOVEMENTS)

__all__ = ["PATTERNS", "Pattern", "graph_of", "ids", "select"]


def select(names: Sequence[str] = ()) -> list[Pattern]:
    """These patterns, all by default. Raises ValueError for a name that is none."""
    known = {each.name: each for each in PATTERNS}
    unknown = sorted(name for name in names if name not in known)
    if unknown:
        raise ValueError(f"no pattern is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names or known]


def ids(names: Sequence[str] = ()) -> Iterator[str]:
    """The ids of the valid cases of these patterns, all by default. Raises ValueError for a name that is none."""
    for each in select(names):
        yield from each.ids()


def graph_of(text: str) -> AskedGraph:
    """The graph of an id, of a pattern's case or a graph as text; it need not be valid. Raises GraphError."""
    return read(text) if "return " in text else _pattern.graph_of(PATTERNS, text)
