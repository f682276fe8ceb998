"""Departures in clusters, one for each root cause as far as the results tell, across operations.

Departures are first of one symptom: they end alike, with the same words, or are wrong in the same way. A message that
the device gives, and values that saturate, name a mechanism by themselves. Other wrong values and deaths do not: small
sets of factors are searched that tell departures from conforming cases of the same operations. The set that tells the
most forms a cluster, and what it leaves is searched again. Clusters that differ in the values of the same factors, or
in the words of one operation, are joined.

What a record shows is all that is used. So a cluster is a proposal: a person reads it and says what its cause is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reports.explaining.alike import PRECISE, described, have_alike_words
from reports.explaining.telling import (
    Layers,
    Names,
    Scope,
    gain,
    is_general,
    kinds_of,
    order,
    scope_of,
    tries,
)
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord, Key
from reports.text import listing

ENOUGH = 0.7
"""The share of words that two messages of one operation have in common; a name cuts off the rest of one."""
MOST = 0.6
"""The share of its cases that the factors in the text of a cluster have at least."""
SHOWN = 3
"""Endings, operations, and values of a factor in the text of a cluster at most."""

_INTEGER = re.compile(r"-?\d+")
_INTEGER_TYPE = re.compile(r"\b([iu])(8|16|32|64)\b")


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


@dataclass(frozen=True)
class _Atom:
    """Departures of one symptom that one set of factors tells from conforming cases."""

    symptom: _Symptom
    names: Names
    """Empty for what no set tells."""
    records: Sequence[CaseRecord]
    scopes: frozenset[Scope]
    shared: Names
    """The set that all of them have and that tells them best: atoms that share one are joined."""

    @property
    def is_refused(self) -> bool:
        return self.symptom.ending.startswith("refused")

    @property
    def is_invalid(self) -> bool:
        return min(self.scopes)[1]

    @property
    def key(self) -> str:
        """Its symptom; the factors or the operation as well where the symptom is that of many mechanisms."""
        own = () if self.symptom.is_mechanism else self.names or (min(self.scopes)[0],)
        return " · ".join((*self.symptom[:2], *own))


def cluster(departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]) -> list[Cluster]:
    """Return departures in clusters of one cause each, large ones first.

    ``conforming`` are cases of the same run that conform; those of other operations are not used.
    """
    layers = Layers(departing, conforming)
    atoms = [
        atom
        for symptom, records in _symptoms(departing).items()
        for atom in _atoms(symptom, records, layers)
    ]
    clusters = [_cluster(joined, layers) for joined in _joined(atoms)]
    return sorted(clusters, key=lambda each: (-len(each.records), each.key))


# --- symptoms -----------------------------------------------------------------------------------


def _symptoms(records: Sequence[CaseRecord]) -> dict[_Symptom, list[CaseRecord]]:
    first = _messages(records)
    found: dict[_Symptom, list[CaseRecord]] = defaultdict(list)
    for each in sorted(records, key=lambda record: record.key):
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
        return _Symptom("dies", facts.stage if facts.stage in ("read", "compile") else "infer")
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


# --- covering -----------------------------------------------------------------------------------


class _Part:
    """Departures of one symptom in one scope, and how many conforming cases have each of their sets."""

    def __init__(self, scope: Scope, records: Sequence[CaseRecord], layers: Layers) -> None:
        self.left: dict[Key, tuple[CaseRecord, frozenset[Names]]] = {
            each.key: (each, layers.sets(each)) for each in records
        }
        self._right = {names: layers.conforming(scope, names) for names in self._count()}
        self._all = len(records), self._right[()]
        self.tries = tries(len(self._right))
        self._gains: dict[Names, float] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether hardly any layer of the operation conforms: nothing tells those that depart."""
        wrong, right = self._all
        return 4 * right <= wrong

    def gains(self) -> Mapping[Names, float]:
        """Return what each set of what is left tells, if as many depart as conform."""
        if self._gains is None:
            counts = self._count().items()
            right = self._right
            self._gains = {
                n: gain(w, right[n], *self._all) for n, w in counts if n and w >= right[n]
            }
        return self._gains

    def take(self, names: Names) -> list[CaseRecord]:
        """Take out and return the departures that have a set, if it tells them."""
        found = [record for record, sets in self.left.values() if names in sets]
        if names and len(found) < self._right.get(names, 0):
            return []
        for each in found:
            del self.left[each.key]
        self._gains = None if found else self._gains
        return found

    def _count(self) -> Counter[Names]:
        return Counter(names for _, sets in self.left.values() for names in sets)


def _atoms(symptom: _Symptom, records: Sequence[CaseRecord], layers: Layers) -> Iterator[_Atom]:
    """Yield departures of one symptom by the sets that tell them from conforming cases."""

    def atom(names: Names, members: Sequence[CaseRecord]) -> _Atom:
        shared = layers.shared(members) or names
        return _Atom(symptom, names, members, frozenset(map(scope_of, members)), shared)

    if symptom.is_mechanism:
        yield atom((), records)
        return
    by_scope: dict[Scope, list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_scope[scope_of(record)].append(record)
    parts = [_Part(scope, some, layers) for scope, some in by_scope.items()]
    yield from (atom((), part.take(())) for part in parts if part.is_whole)
    while True:
        told: dict[Names, float] = defaultdict(float)
        least: dict[Names, float] = defaultdict(float)
        for part in parts:
            for names, its in part.gains().items():
                told[names] += its
                least[names] = max(least[names], part.tries)
        good = [names for names, its in told.items() if its > least[names]]
        if not good:
            break
        best = min(good, key=lambda each: (-round(told[each], 6), *order(each)))
        yield atom(best, [record for part in parts for record in part.take(best)])
    yield from (atom((), part.take(())) for part in parts if part.left)


# --- joining ------------------------------------------------------------------------------------


def _joined(atoms: Sequence[_Atom]) -> list[list[_Atom]]:
    found: list[list[_Atom]] = []
    for atom in atoms:
        same = [group for group in found if any(_are_one(atom, other) for other in group)]
        for group in same:
            found.remove(group)
        found.append([atom, *(each for group in same for each in group)])
    return found


def _are_one(one: _Atom, other: _Atom) -> bool:
    """Whether atoms differ in the values of their factors alone, in the words of one operation, or in how they end."""
    is_of_one = not one.scopes.isdisjoint(other.scopes)
    if one.is_refused and other.is_refused:
        return one.scopes == other.scopes and _have_alike_words_or_kinds(one, other)
    if one.shared and one.shared == other.shared and one.is_invalid == other.is_invalid:
        if one.is_refused or other.is_refused:
            return is_of_one and is_general(one.shared)
        return is_of_one or is_general(one.shared)
    if one.symptom != other.symptom or one.symptom.is_mechanism:
        return False
    kinds, others = kinds_of(one.shared), kinds_of(other.shared)
    is_part = kinds <= others or others <= kinds
    return (
        bool(kinds and others)
        and is_part
        and (one.scopes <= other.scopes or other.scopes <= one.scopes)
    )


def _have_alike_words_or_kinds(one: _Atom, other: _Atom) -> bool:
    words, others = (frozenset(each.symptom.text.split()) for each in (one, other))
    if len(words & others) >= ENOUGH * min(len(words), len(others)):
        return True
    return bool(one.shared) and kinds_of(one.shared) == kinds_of(other.shared)


# --- texts --------------------------------------------------------------------------------------


def _cluster(atoms: Sequence[_Atom], layers: Layers) -> Cluster:
    records = sorted((r for atom in atoms for r in atom.records), key=lambda each: each.key)
    key = min(atom.key for atom in atoms)
    symptom = max(atoms, key=lambda each: (len(each.records), each.key)).symptom
    return Cluster(tuple(records), _reason(symptom, records, layers), key)


def _reason(symptom: _Symptom, records: Sequence[CaseRecord], layers: Layers) -> str:
    endings = Counter(described(record) for record in records)
    parts = [" or ".join(_some([text for text, _ in endings.most_common()]))]
    if symptom.text and symptom.text not in parts[0]:
        parts.append(symptom.text)
    parts.append(listing(_some(sorted({record.operation for record in records}))))
    names = layers.shared(records, MOST)
    if names and len(records) > 1:
        having = [each for each in map(layers.factors, records) if each.issuperset(names)]
        share = "all" if len(having) == len(records) else f"{len(having)} of {len(records)} with"
        parts.append(f"{share} {', '.join(_with_values(each, having) for each in names)}")
    return " · ".join(parts)


def _with_values(name: str, having: Sequence[frozenset[str]]) -> str:
    """The text of a factor; of one with any value those that the cases have."""
    if not name.endswith("=*"):
        return name
    start = name.removesuffix("*")
    values = {
        each.removeprefix(start) for factors in having for each in factors if each.startswith(start)
    }
    return start + "|".join(_some(sorted(values - {"*"})))


def _some(texts: Sequence[str]) -> list[str]:
    return [*texts[:SHOWN], *([f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else [])]
