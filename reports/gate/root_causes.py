"""Departures in clusters, one for each root cause as far as the results tell, across operations.

Departures are first of one symptom (`reports.explaining.symptoms`). A message that the device gives, and values that
saturate, name a mechanism by themselves. Other wrong values and deaths do not: small sets of factors are searched that
tell departures from conforming cases of the same operations (`reports.explaining.telling`). The set that tells the most
takes the departures that have it, and what it leaves is searched again. What is found so is joined where it differs in
the values of the same factors alone, in the words of one operation, or in how cases with one set end.

What a record shows is all that is used. So a cluster is a proposal: a person reads it and says what its cause is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reports.explaining.symptoms import NOT_CHECKED, WRONG_VALUES, Symptom, by_symptom
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
    with_values,
)
from reports.results.explained.alike import described
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord, Key
from reports.results.shared.text import listing

ENOUGH = 0.65
"""The share of its words that the shorter of two messages, or rules, of one operation has in common with the other."""
MOST = 0.6
"""The share of its cases that the factors in the text of a cluster have at least."""
ROUGH = 0.25
"""A set that more conforming cases have, for each departure, is no explanation: it only goes along with one."""
SHOWN = 3
"""Endings and operations in the text of a cluster at most."""


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
    layers = Layers(departing, conforming)
    atoms = [
        atom
        for symptom, records in by_symptom(departing).items()
        for atom in _atoms(symptom, records, layers)
    ]
    clusters = [_cluster(joined, layers) for joined in _joined(atoms)]
    return sorted(clusters, key=lambda each: (-len(each.records), each.key))


# --- covering -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Atom:
    """Departures of one symptom that one set of factors tells from conforming cases."""

    symptom: Symptom
    names: Names
    """The set that was found; empty for what no set tells."""
    shared: Names
    """The set that tells them best of those that all of them have."""
    is_rough: bool
    """Whether conforming cases have the set as well."""
    scopes: frozenset[Scope]
    records: Sequence[CaseRecord]

    @property
    def key(self) -> str:
        """Its symptom, and the factors or the operation where that is the symptom of many mechanisms."""
        own = () if self.symptom.is_mechanism else self.names or (min(self.scopes)[0],)
        return " · ".join((*self.symptom[:2], *own))


class _CausePart:
    """Departures of one symptom in one scope, and how many conforming cases have each of their sets."""

    def __init__(self, scope: Scope, records: Sequence[CaseRecord], layers: Layers) -> None:
        self.left: dict[Key, tuple[CaseRecord, frozenset[Names]]] = {
            each.key: (each, layers.sets(each)) for each in records
        }
        self._right = {names: layers.conforming(scope, names) for names in self._count()}
        self._all = len(records), self._right[()]
        self._gains: dict[Names, float] | None = None
        self.tries = tries(len(self._right))

    @property
    def is_whole(self) -> bool:
        """Whether most layers of the operation depart: no set tells which, whatever it gains."""
        wrong, right = self._all
        return wrong >= 2 * right

    def gains(self) -> Mapping[Names, float]:
        """Return what each set of what is left tells, if as many cases depart as conform."""
        if self._gains is None:
            self._gains = {
                names: gain(wrong, self._right[names], *self._all)
                for names, wrong in self._count().items()
                if names and wrong >= self._right[names]
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


def _atoms(symptom: Symptom, records: Sequence[CaseRecord], layers: Layers) -> Iterator[_Atom]:
    """Yield departures of one symptom by the sets that tell them from conforming cases."""

    def atom(names: Names, members: Sequence[CaseRecord]) -> _Atom:
        scopes = frozenset(map(scope_of, members))
        right = sum(layers.conforming(scope, names) for scope in scopes)
        is_rough = not names or right > ROUGH * len(members)
        shared = layers.shared(members) or names
        return _Atom(symptom, names, shared, is_rough, scopes, members)

    if symptom.is_mechanism:
        yield atom((), records)
        return
    by_scope: dict[Scope, list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_scope[scope_of(record)].append(record)
    parts = [_CausePart(scope, some, layers) for scope, some in by_scope.items()]
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
        found = [group for group in found if group not in same]
        found.append([atom, *(each for group in same for each in group)])
    return found


def _are_one(one: _Atom, other: _Atom) -> bool:
    """Tell whether two atoms have one cause as far as their factors and words tell."""
    if one.key == other.key:
        return True
    refusals = one.symptom.is_refusal + other.symptom.is_refusal
    if refusals == 2:
        is_same = bool(one.shared) and kinds_of(one.shared) == kinds_of(other.shared)
        return one.scopes == other.scopes and (is_same or _have_alike_words(one, other))
    if one.shared and one.shared == other.shared:
        # One set, and cases with it end in several ways.
        is_of_one = not one.scopes.isdisjoint(other.scopes)
        are_alike = len({is_invalid for _, is_invalid in one.scopes | other.scopes}) == 1
        is_wide = is_general(one.shared)
        return are_alike and (is_of_one and is_wide if refusals else is_of_one or is_wide)
    if one.symptom.ending == other.symptom.ending == NOT_CHECKED and one.scopes == other.scopes:
        return _have_alike_words(one, other)
    if one.symptom != other.symptom or one.symptom.is_mechanism:
        return False
    if one.is_rough and other.is_rough and one.scopes == other.scopes and len(one.scopes) == 1:
        return True
    kinds, others = kinds_of(one.shared), kinds_of(other.shared)
    is_part = kinds and others and (kinds <= others or others <= kinds)
    return bool(is_part) and (one.scopes <= other.scopes or other.scopes <= one.scopes)


def _have_alike_words(one: _Atom, other: _Atom) -> bool:
    words, others = (frozenset(re.findall(r"\w+", each.symptom.text)) for each in (one, other))
    return len(words & others) >= ENOUGH * min(len(words), len(others))


# --- texts --------------------------------------------------------------------------------------


def _cluster(atoms: Sequence[_Atom], layers: Layers) -> Cluster:
    records = sorted((r for atom in atoms for r in atom.records), key=lambda each: each.key)
    key = min(atom.key for atom in atoms)
    symptom = max(atoms, key=lambda each: (len(each.records), each.key)).symptom
    return Cluster(tuple(records), _reason(symptom, records, layers), key)


def _reason(symptom: Symptom, records: Sequence[CaseRecord], layers: Layers) -> str:
    endings: dict[Outcome, str] = {}
    for (outcome, text), _ in Counter((r.outcome, described(r)) for r in records).most_common():
        endings.setdefault(outcome, text)
    parts = [" or ".join(list(endings.values())[:SHOWN])]
    if symptom.ending in (NOT_CHECKED, WRONG_VALUES) and symptom.text not in parts[0]:
        parts[0] += f", {symptom.text}"
    operations = sorted({record.operation for record in records})
    more = [f"{len(operations) - SHOWN} more"] if len(operations) > SHOWN else []
    parts.append(listing([*operations[:SHOWN], *more]))
    names = layers.shared(records, MOST) if len(records) > 1 else ()
    if names:
        having = [each for each in map(layers.factors, records) if each.issuperset(names)]
        share = "all" if len(having) == len(records) else f"{len(having)} of {len(records)}"
        parts.append(f"{share} with {', '.join(with_values(each, having) for each in names)}")
    return " · ".join(parts)
