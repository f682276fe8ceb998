"""A pattern: a formula written out in elementary layers, and the cases that its factors make of it.

An id is the pattern's name and the levels of the factors that are not the pattern's own:

    Gelu-erf                                       the formula itself
    Gelu-erf/half.shape=more-ones                  one factor off the pattern
    Gelu-erf/half.shape=more-ones,c.order=swapped  two
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from covertable import make
from covertable.criteria import simple

from ir_models.asking.depths import ALL, DEFAULT_DEPTH, SINGLE
from ir_models.graphs.case import check
from ir_models.graphs.evaluation import Evaluated, evaluate
from ir_models.graphs.notation import AskedGraph, GraphError, read
from ir_models.patterns.attributes import attributes, is_shown_by_equal_sizes
from ir_models.patterns.factors import Factor, factors_of
from ir_models.patterns.variations import BESIDE, EXTREMES, SWITCHES, VALUES, variations

# Factors of one row of the covering array that are asked together, beside the row as a whole.
_TOGETHER = 2
# Levels of other factors beside which each level of a variation is asked.
_BESIDE = 1
# Crossings of a pattern of many layers, for each case with one factor.
FEW = 0.5

_HEADING = re.compile(r"^ *([\w-]+): (.+)$", re.MULTILINE)


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
    own_factors: Callable[[Evaluated], dict[str, Factor]] | None = None
    """What finds its factors in the graph, in place of all conditions and variations."""

    @cached_property
    def graph(self) -> AskedGraph:
        """The formula itself. Raises GraphError."""
        return read(self.source)

    @cached_property
    def factors(self) -> Mapping[str, Factor]:
        """What can be off the pattern, by name."""
        return {**self._conditions, **self._variations, **self._attributes}

    @cached_property
    def _evaluated(self) -> Evaluated:
        return evaluate(self.graph)

    @cached_property
    def _conditions(self) -> Mapping[str, Factor]:
        if self.own_factors is not None:
            return self.own_factors(self._evaluated)
        return factors_of(self._evaluated) if self.is_varied else {}

    @cached_property
    def _variations(self) -> Mapping[str, Factor]:
        is_varied = self.is_varied and self.own_factors is None
        return variations(self._evaluated) if is_varied else {}

    @cached_property
    def _attributes(self) -> Mapping[str, Factor]:
        is_varied = self.is_varied and self.own_factors is None
        return attributes(self._evaluated, self._conditions) if is_varied else {}

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
        """Ids: the formula, each factor alone, rows of a covering array, parts of rows; not all of them are valid.

        Behind them those of variations, those of the ends of types, and those of attributes, so that none of these
        changes one before it.
        """
        return list(
            dict.fromkeys(
                (*self._of_conditions, *self.of_variations, *self.of_ends, *self.of_attributes)
            )
        )

    @cached_property
    def _of_conditions(self) -> list[str]:
        return list(dict.fromkeys(map(self.id_of, self._rows())))

    @cached_property
    def of_variations(self) -> list[str]:
        """Ids of candidates that have a level of a variation."""
        return list(dict.fromkeys(map(self.id_of, self._varied())))

    @cached_property
    def of_ends(self) -> list[str]:
        """Ids of candidates in which data or constants have the ends of types."""
        return list(dict.fromkeys(map(self.id_of, self._with_ends())))

    @cached_property
    def of_attributes(self) -> list[str]:
        """Ids of candidates in which a parameter of a layer has another value."""
        return list(dict.fromkeys(map(self.id_of, self._with_attributes())))

    def ids(self, depth: str = DEFAULT_DEPTH) -> Iterator[str]:
        """The ids of its valid cases at a depth."""
        return (name for name, _ in self.valid(depth))

    def valid(self, depth: str = DEFAULT_DEPTH) -> Iterator[tuple[str, AskedGraph]]:
        """Its valid cases, ids and graphs; where two factors undo each other, the graph is there once.

        The depth ``single`` has the formula and each condition alone, ``all`` has the attributes.
        """
        seen: set[str] = set()
        if depth == SINGLE:
            yield from self._valid([self.id_of(levels) for levels in self._alone()], seen)
            return
        for candidates in (self._of_conditions, self.of_variations, self.of_ends):
            yield from self._valid(self._in_order(candidates), seen, self.crossings)
        if depth == ALL:
            yield from self._valid(self.of_attributes, seen)

    def _valid(
        self, candidates: Sequence[str], seen: set[str], crossings: float = math.inf
    ) -> Iterator[tuple[str, AskedGraph]]:
        alone = crossed = 0
        for name in candidates:
            is_crossed = name.count("=") > 1
            if is_crossed and crossed >= crossings * alone:
                return
            try:
                graph = graph_of([self], name)
                check(graph, self._evaluated)
            except GraphError:
                continue
            if graph.text not in seen:
                seen.add(graph.text)
                crossed += is_crossed
                alone += not is_crossed
                yield name, graph

    def _in_order(self, found: Sequence[str]) -> Sequence[str]:
        """Candidates; where few of several factors are asked, those are drawn by hash."""
        if self.crossings == math.inf:
            return found
        crossed = [name for name in found if name.count("=") > 1]
        return [name for name in found if name.count("=") < 2] + sorted(crossed, key=_digest)

    @cached_property
    def _with_cases(self) -> Mapping[str, Factor]:
        return {name: each for name, each in self._conditions.items() if each.has_cases}

    def _alone(self) -> Iterator[Mapping[str, str]]:
        yield {}
        for name, factor in self._with_cases.items():
            for level in factor.levels:
                yield {name: level}

    def _rows(self) -> Iterator[Mapping[str, str]]:
        yield from self._alone()
        factors = self._with_cases
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

    def _varied(self) -> Iterator[Mapping[str, str]]:
        """Each level of a variation alone, then beside the level of another factor that a hash draws."""
        levels = self._levels_of(self._variations, lambda name: not name.endswith(VALUES))
        others = [*levels, *self._levels_of(self._with_cases)]
        yield from self._beside(levels, others)
        # What is switched on for the whole model meets one level of each factor.
        switch = (BESIDE, SWITCHES)
        for factor in dict.fromkeys(name for name, _ in others) if switch in levels else ():
            among = [each for each in others if each[0] == factor != BESIDE]
            if among:
                other = min(among, key=lambda each: _digest(f"{self.name}/{each[0]}={each[1]}"))
                yield dict((other, switch))

    def _with_ends(self) -> Iterator[Mapping[str, str]]:
        """Ends of types as variations are, then with unknown dimensions; extreme constants in pairs."""
        levels = self._levels_of(self._variations, lambda name: name.endswith(VALUES))
        yield from self._beside(levels, self._levels_of(self._with_cases))
        if "unknown" in self._with_cases:
            yield from ({"unknown": "all", name: level} for name, level in levels)
        extremes = self._levels_of(self._variations, lambda name: name.endswith(EXTREMES))
        yield from (dict(pair) for pair in combinations(extremes, 2) if pair[0][0] != pair[1][0])

    def _with_attributes(self) -> Iterator[Mapping[str, str]]:
        """Each level alone, with unknown dimensions, with equal sizes, and beside each other attribute of its layer.

        Levels of attributes and axes among the conditions are alone already.
        """
        own = self._levels_of(self._attributes)
        yield from ({name: level} for name, level in own)
        conditions = self._levels_of(self._with_cases, self._is_parameter)
        levels = [*(each for each in conditions if each[1] != "left-out"), *own]
        for state in self._states():
            for name, level in levels:
                if name not in state and (
                    "unknown" in state or is_shown_by_equal_sizes(name, level)
                ):
                    yield self._ordered({**state, name: level})
        for name, level in own:
            layer = name.partition(".")[0]
            others = [
                each for each in levels if each[0] != name and each[0].partition(".")[0] == layer
            ]
            yield from (self._ordered(each) for each in self._pairs((name, level), others))

    def _is_parameter(self, name: str) -> bool:
        """Whether a condition is an attribute of a layer, or the axes of one."""
        value, _, what = name.partition(".")
        step = next((each for each in self.graph.steps if each.name == value), None)
        return what == "axes" or (step is not None and what in step.attributes)

    def _states(self) -> Iterator[Mapping[str, str]]:
        """What each attribute meets: unknown dimensions; sizes that are all one."""
        if "unknown" in self._with_cases:
            yield {"unknown": "all"}
        if "all" in self._variations.get("equal", Factor("equal")).levels:
            yield {"equal": "all"}
        else:
            sizes = [(n, f) for n, f in self._with_cases.items() if n.startswith("size")]
            for name, factor in sizes[:1]:
                yield {name: [*factor.levels][-1]}

    def _ordered(self, levels: Mapping[str, str]) -> Mapping[str, str]:
        return {name: levels[name] for name in self.factors if name in levels}

    @staticmethod
    def _levels_of(
        factors: Mapping[str, Factor], is_wanted: Callable[[str], bool] = lambda _: True
    ) -> list[tuple[str, str]]:
        return [(n, level) for n, each in factors.items() if is_wanted(n) for level in each.levels]

    def _beside(
        self, levels: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]
    ) -> Iterator[Mapping[str, str]]:
        """Each level alone, then beside some of the others."""
        yield from ({name: level} for name, level in levels)
        for each in levels:
            yield from self._pairs(each, [other for other in others if other[0] != each[0]])

    def _pairs(
        self, one: tuple[str, str], others: Sequence[tuple[str, str]]
    ) -> Iterator[Mapping[str, str]]:
        """A level beside those of others that a hash draws."""

        def digest(other: tuple[str, str]) -> bytes:
            return _digest(f"{self.name}/{one[0]}={one[1]},{other[0]}={other[1]}")

        for other in sorted(others, key=digest)[:_BESIDE]:
            yield self._ordered(dict((other, one)))

    def id_of(self, levels: Mapping[str, str]) -> str:
        """The id of a case."""
        parts = ",".join(f"{name}={level}" for name, level in levels.items())
        return f"{self.name}/{parts}" if parts else self.name


def read_patterns(text: str, crossings: float = math.inf) -> list[Pattern]:
    """The patterns of a family: a line ``NAME: ABOUT`` each, and below it the graph as text."""
    _, *parts = _HEADING.split(text)
    texts = zip(*(parts[place::3] for place in range(3)), strict=True)
    return [Pattern(name, about, source, crossings=crossings) for name, about, source in texts]


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
