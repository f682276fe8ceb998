"""Departures in clusters, one for each root cause as far as the results tell, across operations.

Departures are first of one symptom: they end alike, with the same words, or are wrong in the same way. A message that
the device gives, and values that saturate, name a mechanism by themselves. Other wrong values and deaths do not: small
sets of factors are searched that departures have and conforming cases of the same operations lack, so clearly that it
is no chance. The set that explains the most forms a cluster, and what it leaves is searched again. Clusters of one
operation whose sets are of the same factors are joined, since they differ in the values alone: i8 here, u8 there.

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

from ir_models.asking.id_parts import typed
from reports.explaining.alike import PRECISE, described, have_alike_words
from reports.explaining.factors import Part, all_of, plain_of
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.text import listing

LARGEST = 2
"""Factors in a set at most."""
TOLERATED = 0.25
"""Conforming cases that have a set for each departure that has it, at most: their data may not show the fault."""
SHOWN = 3
"""Operations, and values of a factor, in the text of a cluster at most."""

_OF_FEW_BITS = frozenset(["u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1"])
_OF_8_BITS = frozenset(["i8", "u8", "boolean", "f8e4m3", "f8e5m2", "f8e8m0"])
_OF_64_BITS = frozenset(("i64", "u64"))
_SAY_NOTHING = frozenset(
    ("plain", "type", "index-type", "left-out", "enumeration", "rank", "dim-0", "dim-1", "tiny",
     "random", "covering", "invalid", "graphs", "model")
)  # fmt: skip
"""Purposes that say nothing more of a layer than its factors do."""
_INTEGER = re.compile(r"-?\d+")
_INTEGER_TYPE = re.compile(r"\b([iu])(8|16|32|64)\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-?inf|nan")

Names = tuple[str, ...]
Scope = tuple[str, bool]
Sets = frozenset[Names]


@dataclass(frozen=True)
class Cluster:
    """Departures that have one cause, as far as their records tell."""

    records: tuple[CaseRecord, ...]
    reason: str
    """How they end, in which operations, and the factors that they share and conforming cases lack."""
    key: str
    """What makes them a cluster, without what depends on which other cases there are."""


class _Symptom(NamedTuple):
    """How departures of one symptom end."""

    ending: str
    text: str = ""
    """The message of the first of them, of which the others have most words; or in which way values are wrong."""
    is_mechanism: bool = False
    """Whether all that end so have one mechanism, in whichever operation."""


class _Atom(NamedTuple):
    """Departures of one symptom that one set of factors explains."""

    symptom: _Symptom
    names: Names
    """Empty for what no set explains."""
    records: list[CaseRecord]

    @property
    def units(self) -> frozenset[str]:
        return frozenset(map(unit_of, self.records))

    @property
    def key(self) -> str:
        unit = "" if self.symptom.is_mechanism or self.names else min(self.units)
        return " · ".join((*self.symptom[:2], unit, *self.names))


def cluster(departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]) -> list[Cluster]:
    """Return departures in clusters of one cause each, large ones first.

    ``conforming`` are cases of the same run that conform; those of other operations are not used.
    """
    departing = sorted(departing, key=lambda record: record.key)
    layers = _Layers(departing, conforming)
    atoms = [
        atom
        for symptom, records in _symptoms(departing).items()
        for atom in _atoms(symptom, records, layers)
    ]
    clusters = [_cluster(joined, layers) for joined in _joined(atoms, layers)]
    return sorted(clusters, key=lambda each: (-len(each.records), each.key))


def unit_of(record: CaseRecord) -> str:
    """Return the operation without its version: versions of one share their code."""
    name, _, version = record.operation.rpartition("-")
    return name if name and version.isdigit() else record.operation


def scope_of(record: CaseRecord) -> Scope:
    """Return the unit, and whether the layer is invalid."""
    return unit_of(record), record.purpose == "invalid"


# --- symptoms -----------------------------------------------------------------------------------


def _symptoms(records: Sequence[CaseRecord]) -> dict[_Symptom, list[CaseRecord]]:
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
    if _is_saturated(record):
        return "saturated"
    if record.facts.computed_as:
        return f"right for {record.facts.computed_as}"
    error = record.relative_error
    return "imprecise" if error is not None and error < PRECISE else ""


def _is_saturated(record: CaseRecord) -> bool:
    """Whether the worst element is an end of one of the layer's types, or of the i32 that plugins compute in."""
    worst = record.worst
    texts = (worst.expected, worst.actual) if worst else ()
    if not texts or not all(map(_INTEGER.fullmatch, texts)):
        return False
    expected, actual = map(int, texts)
    if actual in (-(2**31), 2**31 - 1):
        return abs(expected) > 2**31 - 1
    types = _INTEGER_TYPE.findall(" ".join((*record.inputs, *record.parameters.values())))
    sizes = [(kind, 2 ** int(bits)) for kind, bits in types]
    ends = [(0, size - 1) if kind == "u" else (-size // 2, size // 2 - 1) for kind, size in sizes]
    return expected != actual and any(actual in each for each in ends)


# --- factors ------------------------------------------------------------------------------------


class _Layers:
    """The factors of cases, and which conforming cases have some of them."""

    def __init__(self, departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]) -> None:
        units = {unit_of(record) for record in departing}
        by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
        for record in (*departing, *conforming):
            if unit_of(record) in units:
                by_operation[record.operation].append(record)
        self._versions = Counter(unit_of(records[0]) for records in by_operation.values())
        self._plain = {name: plain_of(records) for name, records in by_operation.items()}
        # Which of the conforming cases have a factor, as bits.
        self._right: dict[tuple[Scope, str], int] = defaultdict(int)
        self._everything: dict[Scope, int] = defaultdict(int)
        for record in conforming:
            unit = unit_of(record)
            if unit in units:
                scope = unit, record.purpose == "invalid"
                bit = self._everything[scope] + 1
                self._everything[scope] |= bit
                for factor in self.factors(record):
                    self._right[scope, factor] |= bit

    def factors(self, record: CaseRecord) -> Part:
        """Return the factors of a case, wider ones that they imply, and what is tested where that says more."""
        plain = self._plain[record.operation]
        own = all_of(record, plain)
        found = {*own, *(wide for each in own for wide in _wider(each))}
        if plain is not None:
            found |= set(_signs(record.parameters.items())) - set(_signs(plain.parameters))
        if record.purpose not in _SAY_NOTHING:
            found.add(f"purpose={record.purpose}")
        if record.rule:
            found.add(f"rule={record.rule}")
        if self._versions[unit_of(record)] > 1:
            found.add(f"operation={record.operation}")
        return frozenset(found)

    def conforming(self, scope: Scope, names: Iterable[str]) -> int:
        """Return how many conforming cases of a unit, valid or invalid ones, have all these factors."""
        bits = self._everything[scope]
        for name in names:
            bits &= self._right.get((scope, name), 0)
        return bits.bit_count()


def _wider(factor: str) -> Iterator[str]:
    """Yield what several values of a factor have in common."""
    name, _, value = factor.partition("=")
    if name.startswith("size "):
        yield f"size={value}"
    elif name.startswith("type"):
        if name.startswith("type of "):
            yield "type of an index=*"
        if value in _OF_FEW_BITS:
            yield "a type of less than 8 bits"
        elif value in _OF_8_BITS:
            yield "a type of 8 bits"
        elif value in _OF_64_BITS and not name.startswith("type of "):
            yield "a type of 64 bits"
    elif value:
        yield f"{name}=*"


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


def _sets(factors: Part) -> Sets:
    own = sorted(factors)
    return frozenset(each for size in range(LARGEST + 1) for each in combinations(own, size))


# --- covering -----------------------------------------------------------------------------------


class _Unit:
    """Departures of one symptom of one operation, and the sets of factors that tell them from what conforms."""

    def __init__(self, name: Scope, records: Sequence[CaseRecord], layers: _Layers) -> None:
        self.left = {each.key: (each, _sets(layers.factors(each))) for each in records}
        wrong = self.count()
        right = {names: layers.conforming(name, names) for names in wrong}
        rate = wrong[()] / (wrong[()] + right[()]) if wrong else 0.0
        self.right = {n: r for n, r in right.items() if n and r <= TOLERATED * wrong[n]}
        self.gain = {n: _gain(wrong[n], r, rate) for n, r in self.right.items()}
        self.is_whole = right.get((), 0) <= TOLERATED * wrong[()]
        self.tries = math.log(len(wrong) + 1)
        """What the gain must exceed: so many sets are tried that one of them looks good by chance."""

    def count(self) -> Counter[Names]:
        """How many of the departures that are left have each set."""
        return Counter(names for _, sets in self.left.values() for names in sets)

    def take(self, names: Names) -> list[CaseRecord]:
        """Take out and return the departures that have a set."""
        found = [record for record, sets in self.left.values() if names in sets]
        for each in found:
            del self.left[each.key]
        return found


def _gain(wrong: int, right: int, rate: float) -> float:
    """How much more likely the cases are if those of a set depart at a rate of their own."""
    count = wrong + right
    parts = ((wrong, rate), (right, 1 - rate))
    return sum(part * math.log(part / count / usual) for part, usual in parts if part)


def _atoms(symptom: _Symptom, records: Sequence[CaseRecord], layers: _Layers) -> Iterator[_Atom]:
    """Yield departures of one symptom by the sets that cover them."""
    if symptom.is_mechanism:
        yield _Atom(symptom, _shared(records, layers), [*records])
        return
    by_unit: dict[Scope, list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_unit[scope_of(record)].append(record)
    units = [_Unit(name, some, layers) for name, some in by_unit.items()]
    for unit in units:
        if unit.is_whole:
            yield _Atom(symptom, (), unit.take(()))
    while True:
        surplus: Counter[Names] = Counter()
        gain: Counter[Names] = Counter()
        tries: dict[Names, float] = defaultdict(float)
        for unit in units:
            for names, count in unit.count().items():
                if names in unit.right:
                    surplus[names] += count - unit.right[names]
                    gain[names] += unit.gain[names]
                    tries[names] = max(tries[names], unit.tries)
        good = [each for each, n in surplus.items() if n > 0 and gain[each] > tries[each]]
        if not good:
            break
        best = min(good, key=lambda each: (-surplus[each], len(each), _width(each), each))
        yield _Atom(
            symptom, best, [r for unit in units if best in unit.right for r in unit.take(best)]
        )
    for unit in units:
        if unit.left:
            yield _Atom(symptom, (), unit.take(()))


def _width(names: Names) -> int:
    """How many of the factors are wide ones: the narrow say more."""
    return sum("*" in each or "=" not in each or each.startswith("size=") for each in names)


# --- joining ------------------------------------------------------------------------------------


def _joined(atoms: Sequence[_Atom], layers: _Layers) -> list[list[_Atom]]:
    found: list[list[_Atom]] = []
    for atom in atoms:
        same = [group for group in found if any(_are_one(atom, other, layers) for other in group)]
        for group in same:
            found.remove(group)
        found.append([atom, *(each for group in same for each in group)])
    return found


def _are_one(one: _Atom, other: _Atom, layers: _Layers) -> bool:
    """Whether what differs between two atoms of one operation is the values of factors, or the words alone."""
    if one.units != other.units or one.symptom.is_mechanism != other.symptom.is_mechanism:
        return False
    a, b = _kinds(one.names), _kinds(other.names)
    if one.symptom.is_mechanism:
        if not (
            one.symptom.ending.startswith("refused") and other.symptom.ending.startswith("refused")
        ):
            return False
        words, others = (frozenset(each.symptom.text.split()) for each in (one, other))
        alike = len(words & others) >= LOOSE * min(len(words), len(others))
        return alike or (SAMES and bool(a) and a == b)
    return bool(a and b) and (a <= b or b <= a) and one.symptom[0] == other.symptom[0]


import os

LOOSE = float(os.environ.get("LOOSE", "0.7"))
SAMES = int(os.environ.get("SAMES", "1"))


def _kinds(names: Names) -> frozenset[str]:
    """What factors are about, whatever their values."""
    found = set()
    for each in names:
        name = each.partition("=")[0]
        if each.startswith("purpose=variant") or name == "rule":
            found.add(each)
        elif name.startswith(("type ", "a type")):
            found.add("type")
        elif name not in ("operation", "purpose"):
            found.add(name.split()[0])
    return frozenset(found)


def _cluster(atoms: Sequence[_Atom], layers: _Layers) -> Cluster:
    records = [record for atom in atoms for record in atom.records]
    largest = max(atoms, key=lambda each: (len(each.records), each.key))
    return Cluster(
        tuple(sorted(records, key=lambda each: each.key)),
        _reason(largest.symptom, records, layers),
        min(atom.key for atom in atoms),
    )


# --- texts --------------------------------------------------------------------------------------


def _reason(symptom: _Symptom, records: Sequence[CaseRecord], layers: _Layers) -> str:
    endings = Counter(described(record) for record in records)
    operations = sorted({record.operation for record in records})
    parts = [" or ".join(_some([text for text, _ in endings.most_common()]))]
    if symptom.text and symptom.text not in parts[0]:
        parts.append(symptom.text)
    parts.append(listing(_some(operations)))
    shared = []
    for each in _shared(records, layers):
        name, equals, value = each.partition("=")
        if value == "*":
            given = {
                one for r in records for one in layers.factors(r) if one.startswith(f"{name}=")
            }
            value = "|".join(_some(sorted({one.partition("=")[2] for one in given} - {"*"})))
        shared.append(f"{name}{equals}{value}")
    parts += [f"all {', '.join(shared)}"] if shared else []
    return " · ".join(parts)


def _shared(records: Sequence[CaseRecord], layers: _Layers) -> Names:
    """The smallest set of factors that all have and fewest conforming cases of their operations."""
    factors = [layers.factors(record) for record in records]
    units = {scope_of(record) for record in records}
    common = _sets(frozenset.intersection(*factors)) - {()}
    right = {names: sum(layers.conforming(unit, names) for unit in units) for names in common}
    most = min(TOLERATED * len(records), sum(layers.conforming(unit, ()) for unit in units) - 1)
    telling = [each for each in common if right[each] <= most]
    return min(telling, key=lambda each: (right[each], len(each), _width(each), each), default=())


def _some(texts: Sequence[str]) -> list[str]:
    return [*texts[:SHOWN], *([f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else [])]
