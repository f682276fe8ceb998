"""A pattern: a formula written out in elementary layers, and the cases that its factors make of it.

An id is the pattern's name and the levels of the factors that are not the pattern's own:

    Gelu-erf                                       the formula itself
    Gelu-erf/half.shape=more-ones                  one factor off the pattern
    Gelu-erf/half.shape=more-ones,c.order=swapped  two
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import dedent

from covertable import make
from covertable.criteria import simple

from ir_models.graphs.case import check
from ir_models.graphs.evaluation import evaluate
from ir_models.graphs.notation import AskedGraph, GraphError, read
from ir_models.patterns.factors import Factor, factors_of

# Factors of one row of the covering array that are asked together, beside the row as a whole.
_TOGETHER = 2
# Crossings of a pattern of many layers, for each case with one factor.
FEW = 0.5


@dataclass(frozen=True, eq=False)
class Pattern:
    """``name``, the page or formula that it is, and the graph as text.

    ``is_varied``: whether it has factors, and is not one graph alone. ``crossings``: so many cases with several factors
    for each valid case with one; all candidates by default.
    """

    name: str
    about: str
    source: str
    is_varied: bool = True
    crossings: float = math.inf

    @cached_property
    def graph(self) -> AskedGraph:
        """The formula itself. Raises GraphError."""
        return read(dedent(self.source))

    @cached_property
    def factors(self) -> Mapping[str, Factor]:
        """What can be off the pattern, by name."""
        return factors_of(evaluate(self.graph)) if self.is_varied else {}

    def checked(self, levels: Mapping[str, str]) -> Mapping[str, str]:
        """Levels of factors, if the pattern has them. Raises GraphError."""
        for factor, level in levels.items():
            if factor not in self.factors:
                raise GraphError(f"{self.name} has no factor {factor!r}")
            if level not in self.factors[factor].levels:
                known = ", ".join(self.factors[factor].levels)
                raise GraphError(f"{self.name}: {factor} is one of {known}, got {level!r}")
        return levels

    def with_levels(self, levels: Mapping[str, str]) -> AskedGraph:
        """The formula with these levels of its factors, which may not be valid then. Raises GraphError."""
        graph = self.graph
        for name, factor in self.factors.items():
            if name in levels:
                graph = factor.levels[levels[name]](graph).pruned()
        return graph

    def candidates(self) -> list[str]:
        """Ids: the formula, each factor alone, rows of a covering array, parts of rows; not all of them are valid."""
        return list(dict.fromkeys(self.id_of(levels) for levels in self._rows()))

    def ids(self) -> Iterator[str]:
        """The ids of its valid cases; where two factors undo each other, the graph is there once."""
        seen: set[str] = set()
        alone = crossed = 0
        for name in self._in_order():
            is_crossed = name.count("=") > 1
            if is_crossed and crossed >= self.crossings * alone:
                return
            try:
                graph = graph_of([self], name)
                check(graph)
            except GraphError:
                continue
            if graph.text not in seen:
                seen.add(graph.text)
                crossed += is_crossed
                alone += not is_crossed
                yield name

    def _in_order(self) -> list[str]:
        """Candidates; where few of several factors are asked, those are drawn by hash."""
        found = self.candidates()
        if self.crossings == math.inf:
            return found
        crossed = [name for name in found if name.count("=") > 1]
        return [name for name in found if name.count("=") < 2] + sorted(crossed, key=_digest)

    def _rows(self) -> Iterator[Mapping[str, str]]:
        yield {}
        factors = {name: factor for name, factor in self.factors.items() if factor.has_cases}
        for name, factor in factors.items():
            for level in factor.levels:
                yield {name: level}
        if len(factors) < 2:
            return
        usual = ""
        arrays = {name: [usual, *factor.levels] for name, factor in factors.items()}
        for row in make(arrays, strength=2, criterion=simple):
            chosen = {name: level for name, level in row.items() if level}
            yield {name: chosen[name] for name in self.factors if name in chosen}
            order = sorted(chosen, key=lambda name: _digest(f"{self.name}/{name}={chosen[name]}"))
            for start in range(0, len(order), _TOGETHER):
                names = order[start : start + _TOGETHER]
                yield {name: chosen[name] for name in self.factors if name in names}

    def id_of(self, levels: Mapping[str, str]) -> str:
        """The id of a case."""
        parts = ",".join(f"{name}={level}" for name, level in levels.items())
        return f"{self.name}/{parts}" if parts else self.name


def graph_of(patterns: Sequence[Pattern], text: str) -> AskedGraph:
    """The graph of an id, which need not be valid. Raises GraphError, which says what is wrong with the id."""
    name, _, rest = text.partition("/")
    found = next((each for each in patterns if each.name == name), None)
    if found is None:
        raise GraphError(f"no pattern is called {name!r}")
    levels: dict[str, str] = {}
    for part in rest.split(",") if rest else ():
        factor, _, level = part.partition("=")
        levels[factor] = level
    return found.with_levels(found.checked(levels))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
