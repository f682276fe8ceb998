"""Departures in clusters, one for each root cause as far as the results tell, across operations.

Departures are first of one symptom: they end alike, with the same words, and are wrong in the same way. Of one symptom
there may be several causes, so small sets of factors are searched that the departures have, and the conforming cases of
the same operations lack. The set that explains the most is a cluster; what it leaves is searched again. Sets that
differ in the value of one factor, such as the element type, are one mechanism where the operations are the same or the
symptom is distinctive.

What a record shows is all that is used. So a cluster is a proposal: a person reads it and says what its cause is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from reports.explaining.alike import PRECISE, described, have_alike_words, kind_of
from reports.explaining.factors import Part, What, all_of, plain_of
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.text import listing

LARGEST = 2
"""Factors in a set at most."""
TOLERATED = 0.25
"""Conforming cases that have a set for each departure that has it, at most: their data may not show the fault."""
SHOWN = 3
"""Operations and values of a factor in the text of a cluster, at most."""

_ENDS = frozenset(
    str(end)
    for bits in (2, 4, 8, 16, 32, 64)
    for end in (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 2**bits - 1)
)
_NAMED = frozenset(
    ("plain", "type", "index-type", "left-out", "enumeration", "rank", "dim-0", "dim-1", "tiny",
     "random", "covering", "invalid", "graphs", "model")
)  # fmt: skip
"""Purposes that say nothing more of a layer than its factors do."""


@dataclass(frozen=True)
class Cluster:
    """Departures that have one cause, as far as their records tell."""

    records: tuple[CaseRecord, ...]
    reason: str
    """How they end, in which operations, and the factors that they share and conforming cases lack."""
    key: str
    """The same without what depends on which other cases there are."""


class _Symptom(NamedTuple):
    """How departures of one symptom end."""

    kind: tuple[object, ...]
    words: str
    """The message of the first of them; the others have most of its words."""
    nature: str
    """In which way their values are wrong."""

    @property
    def is_distinctive(self) -> bool:
        """Whether departures of several operations that end so have one mechanism."""
        return bool(self.words or self.nature)


def cluster(departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]) -> list[Cluster]:
    """Return departures in clusters of one cause each, large ones first.

    ``conforming`` are cases of the same run that conform; those of other operations are not used.
    """
    layers = _Layers(departing, conforming)
    found: list[Cluster] = []
    for symptom, records in _symptoms(departing).items():
        sets = _merged(_Covering(symptom, records, layers).sets(), symptom)
        found += [_cluster(symptom, names, members) for names, members in sets]
    return sorted(found, key=lambda each: (-len(each.records), each.key))


# --- symptoms -----------------------------------------------------------------------------------


def _symptoms(records: Sequence[CaseRecord]) -> dict[_Symptom, list[CaseRecord]]:
    """Departures by their symptom. Messages that have most of their words in common are one."""
    messages = Counter((kind_of(each)[0], each.facts.message) for each in records)
    first: dict[tuple[tuple[object, ...], str], str] = {}
    representatives: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for kind, message in sorted(messages, key=lambda one: (-messages[one], str(one))):
        known = representatives[kind]
        words = frozenset(message.split())
        alike = (one for one in known if have_alike_words(frozenset(one.split()), words))
        first[kind, message] = next(alike, message)
        if first[kind, message] == message:
            known.append(message)
    found: dict[_Symptom, list[CaseRecord]] = defaultdict(list)
    for each in records:
        kind, words = kind_of(each)
        message = first[kind, each.facts.message] if words else ""
        found[_Symptom(kind, message, _nature(each))].append(each)
    return found


def _nature(record: CaseRecord) -> str:
    """In which way a wrong value is wrong, where the record tells it."""
    if record.outcome is not Outcome.FAIL or record.facts.kind != "value":
        return ""
    if record.facts.computed_as:
        return f"right for {record.facts.computed_as}"
    worst = record.worst
    if worst and worst.actual in _ENDS and worst.expected not in ("", worst.actual):
        return "saturated"
    error = record.relative_error
    return "imprecise" if error is not None and error < PRECISE else ""


# --- factors ------------------------------------------------------------------------------------


class _Layers:
    """The factors of cases, and which conforming cases have some of them."""

    def __init__(
        self, departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]
    ) -> None:
        operations = {record.operation for record in departing}
        by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
        for record in (*departing, *conforming):
            if record.operation in operations:
                by_operation[record.operation].append(record)
        self._plain: dict[str, What | None] = {
            name: plain_of(records) for name, records in by_operation.items()
        }
        # Which of the conforming cases have a factor, as bits.
        self._right: dict[tuple[str, str], int] = defaultdict(int)
        self._count: Counter[str] = Counter()
        for record in conforming:
            name = record.operation
            if name in operations:
                for factor in self.factors(record):
                    self._right[name, factor] |= 1 << self._count[name]
                self._count[name] += 1

    def factors(self, record: CaseRecord) -> Part:
        """Return the factors of a case, with the name of what is tested where that says more than they do."""
        found = set(all_of(record, self._plain[record.operation]))
        if record.purpose not in _NAMED:
            found.add(f"purpose={record.purpose}")
        if record.rule:
            found.add(f"rule={record.rule}")
        return frozenset(found)

    def conforming(self, operation: str, names: Iterable[str]) -> int:
        """Return how many conforming cases of an operation have all these factors."""
        bits = (1 << self._count[operation]) - 1
        for name in names:
            bits &= self._right.get((operation, name), 0)
        return bits.bit_count()


# --- covering -----------------------------------------------------------------------------------

Names = tuple[str, ...]
Sets = list[tuple[Names, list[CaseRecord]]]


class _Covering:
    """Departures of one symptom, covered by sets of factors."""

    def __init__(self, symptom: _Symptom, records: Sequence[CaseRecord], layers: _Layers) -> None:
        self._symptom = symptom
        self._layers = layers
        self._left: dict[str, list[tuple[CaseRecord, list[Names]]]] = defaultdict(list)
        having: Counter[tuple[str, Names]] = Counter()
        for record in records:
            own = sorted(layers.factors(record))
            chosen = [each for size in range(LARGEST + 1) for each in combinations(own, size)]
            self._left[record.operation].append((record, chosen))
            having.update((record.operation, each) for each in chosen)
        self._conforming = {
            (operation, names): right
            for (operation, names), wrong in having.items()
            if (right := layers.conforming(operation, names)) <= TOLERATED * wrong
        }
        """The sets that tell departures of an operation, and how many of its conforming cases have them."""

    def sets(self) -> Sets:
        """Return the sets that cover the departures, with what each covers; the empty set is what is left."""
        found: Sets = []
        while any(self._left.values()):
            names, operations = self._best()
            members = [
                record
                for operation in operations
                for record, chosen in self._left[operation]
                if names in chosen
            ]
            found.append((self._named(names, operations), members))
            for operation in operations:
                kept = [one for one in self._left[operation] if names not in one[1]]
                self._left[operation] = kept
        return found

    def _best(self) -> tuple[Names, list[str]]:
        """The set that covers the most departures and the fewest conforming cases, and in which operations."""
        surplus: Counter[tuple[str, Names]] = Counter()
        for operation, left in self._left.items():
            surplus.update((operation, each) for _, chosen in left for each in chosen)
        total: Counter[tuple[str, Names]] = Counter()
        where: dict[tuple[str, Names], list[str]] = defaultdict(list)
        for (operation, names), wrong in surplus.items():
            right = self._conforming.get((operation, names))
            if right is not None:
                # Without a distinctive symptom only a factor joins operations.
                own = "" if names or self._symptom.is_distinctive else operation
                total[own, names] += wrong - right
                where[own, names].append(operation)
        if not total or max(total.values()) <= 0:
            operation = next(name for name, left in self._left.items() if left)
            operations = [operation]
            if self._symptom.is_distinctive:
                operations = [name for name, left in self._left.items() if left]
            return (), operations
        best = min(total, key=lambda one: (-total[one], len(one[1]), one))
        return best[1], where[best]

    def _named(self, names: Names, operations: Sequence[str]) -> Names:
        if names or self._symptom.is_distinctive:
            return names
        return (f"operation={operations[0]}",)


def _merged(sets: Sets, symptom: _Symptom) -> Sets:
    """Join the sets that differ in the values of their factors alone."""
    found: dict[object, tuple[Names, list[CaseRecord]]] = {}
    for names, members in sets:
        operations = frozenset(record.operation for record in members)
        same = tuple(name.partition("=")[0] for name in names)
        key = (same, None if symptom.is_distinctive else operations)
        before, records = found.get(key, ((), []))
        found[key] = (tuple(dict.fromkeys((*before, *names))), [*records, *members])
    return list(found.values())


def _cluster(symptom: _Symptom, names: Names, records: Sequence[CaseRecord]) -> Cluster:
    operations = sorted({record.operation for record in records})
    first = min(records, key=lambda each: (len(each.case), each.case))
    values: dict[str, list[str]] = defaultdict(list)
    for each in sorted(names):
        name, _, value = each.partition("=")
        if name != "operation":
            values[name].append(value)
    shared = [f"{name}={'|'.join(some)}" if some != [""] else name for name, some in values.items()]
    text = described(first) + (f", {symptom.nature}" if symptom.nature == "saturated" else "")
    parts = [text, _some(operations), *([f"all {', '.join(shared)}"] if shared else [])]
    key = " · ".join(map(str, (*symptom.kind, symptom.words, symptom.nature, *sorted(names))))
    return Cluster(tuple(records), " · ".join(parts), key)


def _some(operations: Sequence[str]) -> str:
    more = [f"{len(operations) - SHOWN} more"] if len(operations) > SHOWN else []
    return listing([*operations[:SHOWN], *more])
