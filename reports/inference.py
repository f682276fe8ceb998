"""Selectors found from results: the shortest conditions that select all departures given and no case that passes.

This is how ``expectations update`` writes entries that are exact. Each departure proposes conjunctions of a few of its
traits; those that select a case which conforms are dropped; of the others the one that explains the most departures
is taken, the shorter and the more general one where several do, until all are explained. What no conjunction tells
apart is selected by its case id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from ir_models.asking.id_parts import FACTORS
from reports.records import CaseRecord
from reports.selectors import Selector
from reports.traits import ABSENT, NAMES, traits_of

Condition = tuple[str, str]

LARGEST = 4
"""Conditions in one selector at most."""

GENERAL = 3
"""A selector that names no operation must explain departures of so many of them."""

# What a reader expects to be the cause comes first; traits that happen to coincide come last.
_COST = {
    "type": 1.0,
    "index_type": 1.0,
    "how": 1.0,
    "rule": 1.0,
    "operation": 1.2,
    "purpose": 1.3,
    "category": 1.5,
    "rank": 1.5,
    "dimension": 1.5,
    "inputs": 1.6,
    "broadcast": 1.5,
    "parameter": 1.6,
}


class Cases:
    """Records as bit sets by condition: which of them have a trait."""

    def __init__(self, records: Sequence[CaseRecord], parameters: Mapping[str, set[str]]) -> None:
        self.records = records
        self._having: dict[Condition, int] = {}
        self._conditions: list[tuple[Condition, ...]] = []
        for position, record in enumerate(records):
            conditions = tuple(_conditions(record, parameters))
            self._conditions.append(conditions)
            for condition in conditions:
                self._having[condition] = self._having.get(condition, 0) | 1 << position
        self.everything = (1 << len(records)) - 1
        self.by_operation = [
            bits for (name, _), bits in self._having.items() if name == "operation"
        ]

    def having(self, conditions: Iterable[Condition]) -> int:
        """The records that have all traits, as bits."""
        found = self.everything
        for condition in conditions:
            found &= self._having.get(condition, 0)
        return found

    def conditions_of(self, position: int) -> tuple[Condition, ...]:
        """The conditions that a record satisfies."""
        return self._conditions[position]


def _conditions(record: CaseRecord, parameters: Mapping[str, set[str]]) -> Iterator[Condition]:
    """The conditions that a record satisfies; ``parameters`` names those that cases of each operation have.

    Values that a file cannot hold, or that would be patterns for others, are left out.
    """
    traits = traits_of(record)
    for name in parameters[record.operation]:
        traits.setdefault(name, (ABSENT,))
    for name, values in traits.items():
        for value in values:
            may_be_empty = "." in name
            if (
                value.isprintable()
                and (value.strip() or may_be_empty)
                and not {"*", "?"} & {*value}
            ):
                yield name, value


def _parameters(records: Iterable[CaseRecord]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for record in records:
        names = found.setdefault(record.operation, set())
        names.update(name for name in traits_of(record) if name.startswith("parameter."))
    return found


def selectors(departures: Sequence[CaseRecord], conforming: Sequence[CaseRecord]) -> list[Selector]:
    """Selectors that select each of the departures and none of the conforming records."""
    if not departures:
        return []
    parameters = _parameters([*departures, *conforming])
    wanted, others = Cases(departures, parameters), Cases(conforming, parameters)
    left = wanted.everything
    chosen: list[tuple[Condition, ...]] = []
    alone: list[str] = []
    while left:
        seed = (left & -left).bit_length() - 1
        best = _best(seed, left, wanted, others)
        if best is None:
            alone.append(departures[seed].case)
            left &= ~(1 << seed)
            continue
        chosen.append(best)
        left &= ~wanted.having(best)
    found = [Selector(_as_patterns(merged)) for merged in _merged(chosen)]
    return found + ([Selector(cases=tuple(sorted(alone)))] if alone else [])


def _best(seed: int, left: int, wanted: Cases, others: Cases) -> tuple[Condition, ...] | None:
    """The conjunction of traits of one record that explains the most of what is left, None where none is exact."""
    best: tuple[float, float, tuple[Condition, ...]] | None = None
    conditions = [c for c in wanted.conditions_of(seed) if _is_useful(c)]
    for count in range(1, LARGEST + 1):
        for conjunction in combinations(conditions, count):
            if not _is_selector(conjunction):
                continue
            explained = wanted.having(conjunction) & left
            size = explained.bit_count()
            cost = sum(_cost(name) for name, _ in conjunction)
            rank = (-size * (1.0 if size > 1 else 0.5), cost)
            if best is not None and rank >= best[:2]:
                continue
            if others.having(conjunction) or not _may_be_general(conjunction, explained, wanted):
                continue
            best = (*rank, conjunction)
        # A longer one may explain more only by leaving something out, which it cannot.
        if best is not None and -best[0] >= left.bit_count():
            break
    return best[2] if best else None


def _may_be_general(conjunction: Sequence[Condition], explained: int, wanted: Cases) -> bool:
    if any(name == "operation" for name, _ in conjunction):
        return True
    return sum(bool(bits & explained) for bits in wanted.by_operation) >= GENERAL


def _is_selector(conjunction: Sequence[Condition]) -> bool:
    """Tell whether a selector can express it: several values of one trait are alternatives there.

    A parameter left out is a condition on an operation: others may not have such a parameter at all.
    """
    names = [name for name, _ in conjunction]
    if len(set(names)) < len(names):
        return False
    return "operation" in names or all(
        value != ABSENT or not name.startswith("parameter.") for name, value in conjunction
    )


def _is_useful(condition: Condition) -> bool:
    name, value = condition
    return not (name.startswith("how.") and not value)


def _cost(name: str) -> float:
    return _COST[name.partition(".")[0]]


def _merged(chosen: Sequence[tuple[Condition, ...]]) -> list[dict[str, tuple[str, ...]]]:
    """Conjunctions that differ in one trait alone as one, with a list of values."""
    found: list[dict[str, tuple[str, ...]]] = [
        {name: (value,) for name, value in sorted(conjunction, key=lambda c: _cost(c[0]))}
        for conjunction in chosen
    ]
    changed = True
    while changed:
        changed = False
        for one, other in combinations(range(len(found)), 2):
            joined = _joined(found[one], found[other])
            if joined is not None:
                found[one] = joined
                del found[other]
                changed = True
                break
    return found


def _joined(
    one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]] | None:
    if one.keys() != other.keys():
        return None
    different = [name for name in one if set(one[name]) != set(other[name])]
    if len(different) > 1:
        return None
    joined = dict(one)
    for name in different:
        joined[name] = tuple(sorted({*one[name], *other[name]}))
    return joined


def _as_patterns(conditions: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    order = [name for name in NAMES if name in conditions]
    tables = [f"how.{factor}" for factor in FACTORS]
    names = [*order, *tables, *sorted(name for name in conditions if name.startswith("parameter."))]
    return {name: conditions[name] for name in names if name in conditions}
