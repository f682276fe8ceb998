"""Departures in clusters, one for each root cause as far as the results tell, across operations.

Departures are first of one symptom: they end alike, with the same words, and are wrong in the same way. A message that
the device gives names a mechanism by itself. Wrong values and deaths do not: small sets of factors are searched that
the departures of an operation have and its conforming cases lack. The set that explains the most forms a cluster, and
what it leaves is searched again.

What a record shows is all that is used. So a cluster is a proposal: a person reads it and says what its cause is.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from ir_models.asking.id_parts import FACTORS, typed
from reports.explaining.alike import PRECISE, described, have_alike_words
from reports.explaining.factors import Part, What, all_of, plain_of
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.text import listing

LARGEST = 2
"""Factors in a set at most."""
TOLERATED = 0.25
"""Conforming cases that have a set for each departure that has it, at most: their data may not show the fault."""
SHOWN = 3
"""Operations, and values of a factor, in the text of a cluster at most."""

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
_CLASSES = {
    "numbers of less than 8 bits": "u1 u2 u3 u4 u6 i4 nf4 f4e2m1",
    "integers of 8 and 16 bits": "i8 u8 i16 u16",
    "integers of 64 bits": "i64 u64",
    "floating-point numbers of 8 bits": "f8e4m3 f8e5m2 f8e8m0",
}
_CLASS_OF = {name: f"type={about}" for about, names in _CLASSES.items() for name in names.split()}


@dataclass(frozen=True)
class Cluster:
    """Departures that have one cause, as far as their records tell."""

    records: tuple[CaseRecord, ...]
    reason: str
    """How they end, in which operations, and the factors that they share and conforming cases lack."""
    key: str
    """What makes them a cluster, without what depends on which other cases there are."""


def cluster(departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]) -> list[Cluster]:
    """Return departures in clusters of one cause each, large ones first.

    ``conforming`` are cases of the same run that conform; those of other operations are not used.
    """
    layers = _Layers(departing, conforming)
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    shared: dict[str, Names] = {}
    for symptom, records in _symptoms(departing).items():
        units: dict[str, list[CaseRecord]] = defaultdict(list)
        for record in records:
            units[unit_of(record)].append(record)
        for names, members in _covered(units, layers, symptom.is_mechanism):
            key = _key(symptom, names, members)
            found[key] += members
            shared[key] = names
    clusters = [
        Cluster(tuple(records), _reason(records, shared[key], layers), key)
        for key, records in found.items()
    ]
    return sorted(clusters, key=lambda each: (-len(each.records), each.key))


def unit_of(record: CaseRecord) -> str:
    """Return the operation without its version: versions of one share their code."""
    name, _, version = record.operation.rpartition("-")
    return name if name and version.isdigit() else record.operation


# --- symptoms -----------------------------------------------------------------------------------


class _Symptom(NamedTuple):
    """How departures of one symptom end."""

    ending: str
    text: str = ""
    """The message of the first of them, of which the others have most words; or in which way their values are wrong."""
    is_mechanism: bool = False
    """Whether all that end so have one mechanism, in whichever operation."""


def _symptoms(records: Sequence[CaseRecord]) -> dict[_Symptom, list[CaseRecord]]:
    """Departures by their symptom."""
    first = _messages(records)
    found: dict[_Symptom, list[CaseRecord]] = defaultdict(list)
    for each in records:
        found[_symptom(each, first)].append(each)
    return found


def _symptom(record: CaseRecord, first: Mapping[tuple[str, str], str]) -> _Symptom:
    facts = record.facts
    if facts.rule:
        # Whether what is not checked then works or dies is chance.
        return _Symptom("invalid", facts.rule)
    if record.outcome is Outcome.REFUSED:
        message = first[facts.stage, facts.message]
        return _Symptom(f"refused at {facts.stage}", message, bool(message))
    if facts.kind in ("value", "not finite", "two answers"):
        nature = _nature(record)
        return _Symptom("wrong values", nature, nature == "saturated" or "right" in nature)
    if facts.kind in ("signal", "timeout"):
        return _Symptom("dies", facts.stage)
    return _Symptom(facts.kind or str(record.outcome))


def _messages(records: Sequence[CaseRecord]) -> dict[tuple[str, str], str]:
    """The most frequent of the messages of a stage that have most of their words in common, for each."""
    messages = Counter((each.facts.stage, each.facts.message) for each in records)
    found: dict[tuple[str, str], str] = {}
    known: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for stage, message in sorted(messages, key=lambda one: (-messages[one], one)):
        words = frozenset(message.split())
        alike = (one for one, its in known[stage].items() if have_alike_words(its, words))
        found[stage, message] = next(alike, message)
        known[stage].setdefault(found[stage, message], words)
    return found


def _nature(record: CaseRecord) -> str:
    """In which way a wrong value is wrong, where the record tells it."""
    worst, error = record.worst, record.relative_error
    if record.facts.computed_as:
        return f"right for {record.facts.computed_as}"
    if worst and worst.actual in _ENDS and worst.expected != worst.actual:
        return "saturated"
    return "imprecise" if error is not None and error < PRECISE else ""


# --- factors ------------------------------------------------------------------------------------


class _Layers:
    """The factors of cases, and which conforming cases have some of them."""

    def __init__(
        self, departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]
    ) -> None:
        units = {unit_of(record) for record in departing}
        by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
        for record in (*departing, *conforming):
            if unit_of(record) in units:
                by_operation[record.operation].append(record)
        self._versions = Counter(unit_of(records[0]) for records in by_operation.values())
        self._plain = {name: plain_of(records) for name, records in by_operation.items()}
        # Which of the conforming cases have a factor, as bits.
        self._right: dict[tuple[str, str], int] = defaultdict(int)
        self._everything: dict[str, int] = defaultdict(int)
        for record in conforming:
            unit = unit_of(record)
            if unit in units:
                bit = self._everything[unit] + 1
                self._everything[unit] |= bit
                for factor in self.factors(record):
                    self._right[unit, factor] |= bit

    def factors(self, record: CaseRecord) -> Part:
        """Return the factors of a case, wider ones that they imply, and what is tested where that says more."""
        plain = self._plain[record.operation]
        own = all_of(record, plain)
        found = {*own, *(wide for each in own for wide in _wider(each))}
        if plain is not None:
            found |= set(_signs(record.parameters.items())) - set(_signs(plain.parameters))
        if record.purpose not in _NAMED:
            found.add(f"purpose={record.purpose}")
        if record.rule:
            found.add(f"rule={record.rule}")
        if self._versions[unit_of(record)] > 1:
            found.add(f"operation={record.operation}")
        return frozenset(found)

    def conforming(self, unit: str, names: Iterable[str]) -> int:
        """Return how many conforming cases of a unit have all these factors."""
        bits = self._everything[unit]
        for name in names:
            bits &= self._right.get((unit, name), 0)
        return bits.bit_count()


def _wider(factor: str) -> Iterator[str]:
    """Yield what several values of a factor have in common."""
    name, _, value = factor.partition("=")
    if name.startswith("size "):
        yield f"size={value}"
    elif name.split()[0] == "type" and not name.startswith("type of"):
        if value in _CLASS_OF:
            yield _CLASS_OF[value]
    elif name.startswith("type of"):
        yield f"{name}=*"
        yield "type of an index=*"
    elif name in FACTORS or value:
        yield f"{name}=*"


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-?inf|nan")


def _signs(parameters: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield which parameters have numbers that are negative, 0 or not finite, or none."""
    for name, text in parameters:
        numbers = _NUMBER.findall(typed(text)[1])
        if any(each.startswith("-") for each in numbers):
            yield f"{name} negative"
        if any(float(each) == 0 for each in numbers):
            yield f"{name} 0"
        if any(each.endswith(("inf", "nan")) for each in numbers):
            yield f"{name} not finite"
        if text in ("", "[]"):
            yield f"{name} empty"


# --- covering -----------------------------------------------------------------------------------

Names = tuple[str, ...]
Units = Mapping[str, Sequence[CaseRecord]]


def _covered(
    units: Units, layers: _Layers, is_mechanism: bool
) -> Iterator[tuple[Names, list[CaseRecord]]]:
    """Yield the sets of factors that cover departures, with those that each covers; the empty set has what is left."""
    if is_mechanism:
        yield (), [record for records in units.values() for record in records]
        return
    left = {
        unit: {record.key: (record, _sets(layers.factors(record))) for record in records}
        for unit, records in units.items()
    }
    counts: dict[str, dict[Names, tuple[int, float]]] = {}
    for unit, cases in left.items():
        wrong = Counter(names for _, sets in cases.values() for names in sets)
        right = {names: layers.conforming(unit, names) for names in wrong}
        counts[unit] = {
            each: (n, _gain(wrong[each], n, wrong[()], right[()]))
            for each, n in right.items()
            if n <= TOLERATED * wrong[each]
        }
    penalty = {unit: math.log(len(its) + 1) for unit, its in counts.items()}
    while any(left.values()):
        surplus: Counter[tuple[str, Names]] = Counter()
        gain: Counter[tuple[str, Names]] = Counter()
        where: dict[tuple[str, Names], list[str]] = defaultdict(list)
        for unit, cases in left.items():
            wrong = Counter(names for _, sets in cases.values() for names in sets)
            for names, count in wrong.items():
                if names and names in counts[unit]:
                    own = ("" if is_of_way(names) else unit, names)
                    surplus[own] += count - counts[unit][names][0]
                    gain[own] += counts[unit][names][1] 
                    where[own].append(unit)
        good = [one for one in surplus if surplus[one] > 0 and gain[one] > max(penalty[u] for u in where[one])]
        if not good:
            for unit, cases in left.items():
                if cases:
                    yield (), [record for record, _ in cases.values()]
            return
        best = min(good, key=lambda one: (-surplus[one], len(one[1]), one))
        names = best[1]
        members = [
            record
            for unit in where[best]
            for record, sets in left[unit].values()
            if names in sets
        ]
        yield names, members
        for record in members:
            del left[unit_of(record)][record.key]


def _gain(wrong: int, right: int, all_wrong: int, all_right: int) -> float:
    rate = all_wrong / (all_wrong + all_right)
    n = wrong + right
    total = 0.0
    for part, share in ((wrong, rate), (right, 1 - rate)):
        if part:
            total += part * math.log(part / n / share)
    return total


def is_of_way(names: Names) -> bool:
    return all(n.partition("=")[0] in FACTORS or n.startswith("size") for n in names)


def canonical(names: Names) -> Names:
    found = set()
    for each in names:
        name, _, value = each.partition("=")
        if name.startswith("size"):
            found.add(f"size={value}")
        elif name.startswith("type of"):
            found.add("index type")
        elif name.split()[0] == "type":
            found.add("type")
        elif name == "purpose":
            found.add(each)
        elif name == "operation":
            pass
        else:
            found.add(name.split()[0])
    return tuple(sorted(found))


def _sets(factors: Part) -> frozenset[Names]:
    own = sorted(factors)
    return frozenset(each for size in range(LARGEST + 1) for each in combinations(own, size))


# --- texts --------------------------------------------------------------------------------------


def _key(symptom: _Symptom, names: Names, records: Sequence[CaseRecord]) -> str:
    where = "" if symptom.is_mechanism or (names and is_of_way(names)) else unit_of(records[0])
    return " · ".join((*symptom[:2], where, *canonical(names)))


def _reason(records: Sequence[CaseRecord], names: Names, layers: _Layers) -> str:
    endings = Counter(described(record) for record in records)
    operations = sorted({record.operation for record in records})
    factors = [layers.factors(record) for record in records]
    shared = []
    for each in names:
        name, equals, value = each.partition("=")
        if value == "*":
            values = {one.partition("=")[2] for own in factors for one in own if one.startswith(f"{name}=")}
            value = "|".join(_some(sorted(values - {"*"})))
        if name != "operation":
            shared.append(f"{name}{equals}{value}")
    parts = [
        " or ".join(_some([text for text, _ in endings.most_common()])),
        listing(_some(operations)),
        *([f"all {', '.join(shared)}"] if shared else []),
    ]
    return " · ".join(parts)


def _some(texts: Sequence[str]) -> list[str]:
    return [*texts[:SHOWN], *([f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else [])]
