"""Sets of factors that tell departures from the conforming cases of the same operations.

Beside the factors of `reports.results.explained.factors` there are wider ones, which several values of a factor have in
common: any index input of another type, a type of less than 8 bits, a dimension of 0, a negative number in ``axes``.
Data may hide a fault, so cases that conform do not refute a set. A set tells departures if cases that have it depart at
a rate that is no chance, though so many sets are tried.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from ir_models.asking.id_parts import FACTORS, typed
from reports.results.explained.factors import Part, all_of, plain_of
from reports.results.records import CaseRecord

LARGEST = 2
"""Factors in a set at most."""
SHOWN = 3
"""Values of a factor in a text at most."""

_INDEX = "an index of another type"
_CLASSES = {
    **dict.fromkeys(
        ("u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1"), "a type of less than 8 bits"
    ),
    **dict.fromkeys(("i8", "u8", "boolean", "f8e4m3", "f8e5m2", "f8e8m0"), "a type of 8 bits"),
    **dict.fromkeys(("i64", "u64"), "an integer of 64 bits"),
}
_OF_PURPOSE = frozenset(
    ("plain", "type", "index-type", "left-out", "enumeration", "rank", "dim-0", "dim-1", "tiny",
     "random", "covering", "invalid", "graphs", "model")
)  # fmt: skip
"""Purposes that say nothing more of a layer than its factors do."""
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)\b")

Names = tuple[str, ...]
Scope = tuple[str, bool]
"""An operation without its version, and whether its layers are invalid."""


def unit_of(record: CaseRecord) -> str:
    """Return the operation without its version: versions of one share their code."""
    name, _, version = record.operation.rpartition("-")
    return name if name and version.isdigit() else record.operation


def scope_of(record: CaseRecord) -> Scope:
    """Return among which cases a departure is looked at; that others conform is no evidence."""
    return unit_of(record), record.purpose == "invalid"


class Layers:
    """The factors of cases, and which conforming cases have some of them."""

    def __init__(self, departing: Iterable[CaseRecord], conforming: Iterable[CaseRecord]) -> None:
        departing = [*departing]
        scopes = {scope_of(record) for record in departing}
        units = {unit for unit, _ in scopes}
        conforming = [record for record in conforming if unit_of(record) in units]
        by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
        for record in (*departing, *conforming):
            by_operation[record.operation].append(record)
        self._versions = Counter(unit_of(records[0]) for records in by_operation.values())
        self._plain = {name: plain_of(records) for name, records in by_operation.items()}
        # Which of the conforming cases have a factor, as bits.
        self._right: dict[tuple[Scope, str], int] = defaultdict(int)
        self._everything: dict[Scope, int] = defaultdict(int)
        for record in conforming:
            scope = scope_of(record)
            if scope not in scopes:
                continue
            bit = self._everything[scope] + 1
            self._everything[scope] |= bit
            for factor in self.factors(record):
                self._right[scope, factor] |= bit

    def factors(self, record: CaseRecord) -> Part:
        """Return the factors of a case, the wider ones, and what is tested where that says more."""
        plain = self._plain[record.operation]
        found = {*all_of(record, plain)}
        if record.purpose not in _OF_PURPOSE:
            found.add(f"purpose={record.purpose}")
        found |= {wide for each in found for wide in _wider(each)}
        if plain is not None:
            found |= _signs(tuple(record.parameters.items())) - _signs(plain.parameters)
        if record.rule:
            found.add(f"rule={record.rule}")
        if self._versions[unit_of(record)] > 1:
            found.add(f"operation={record.operation}")
        return frozenset(found)

    def sets(self, record: CaseRecord) -> frozenset[Names]:
        """Return the sets of factors that a case has, the empty one among them."""
        own = sorted(self.factors(record))
        sizes = range(LARGEST + 1)
        return frozenset(each for size in sizes for each in combinations(own, size))

    def conforming(self, scope: Scope, names: Names) -> int:
        """Return how many conforming cases have all these factors."""
        bits = self._everything[scope]
        for name in names:
            bits &= self._right.get((scope, name), 0)
        return bits.bit_count()

    def shared(self, records: Sequence[CaseRecord], least: float = 1.0) -> Names:
        """Return the set that tells departures best, of those that a share of them has at least; none if none does."""
        having: dict[Scope, Counter[Names]] = defaultdict(Counter)
        total: Counter[Names] = Counter()
        for record in records:
            sets = self.sets(record)
            having[scope_of(record)].update(sets)
            total.update(sets)
        gains: dict[Names, float] = {}
        for names, count in total.items():
            if names and count >= least * len(records):
                gains[names] = sum(self._gain(scope, names, its) for scope, its in having.items())
        best = min(gains, key=lambda each: (-round(gains[each], 6), *order(each)), default=())
        return best if best and gains[best] > tries(len(total)) else ()

    def _gain(self, scope: Scope, names: Names, having: Counter[Names]) -> float:
        right, everything = (self.conforming(scope, each) for each in (names, ()))
        return gain(having[names], right, having[()], everything)


def gain(wrong: int, right: int, all_wrong: int, all_right: int) -> float:
    """Return how much more likely cases are, as a logarithm, if those of a set depart at a rate of their own.

    It is 0 where their rate is not the higher one.
    """
    count, everything = wrong + right, all_wrong + all_right
    if wrong * everything <= all_wrong * count:
        return 0.0
    parts = ((wrong, all_wrong), (right, all_right))
    return sum(part * math.log(part * everything / (count * of)) for part, of in parts if part)


def tries(sets: int) -> float:
    """Return what a gain must exceed: of many sets that are tried one looks good by chance."""
    return math.log(sets + 1)


def order(names: Names) -> tuple[int, int, Names]:
    """Return the order of sets that tell as much: the small ones first, then those that say most."""
    wide = sum(each.endswith("*") or "=" not in each or each.startswith("size=") for each in names)
    return len(names), wide, names


def kinds_of(names: Names) -> frozenset[str]:
    """Return what factors are about, whatever their values: the parameter, the way, the class of the type."""
    return frozenset(kind for each in names for kind in _kinds(each))


def _kinds(factor: str) -> Iterator[str]:
    name, _, value = factor.partition("=")
    if name == "rule" or value.startswith("variant."):
        yield factor
    elif name.startswith("type") and not name.startswith("type of"):
        yield _CLASSES.get(value, f"type={value}")
    elif factor in (*_CLASSES.values(), _INDEX):
        yield factor
    elif name not in ("operation", "purpose"):
        yield name.split()[0]


def is_general(names: Names) -> bool:
    """Whether factors are of any operation: types, dimensions, and ways of asking."""
    return all(
        (name.partition("=")[0] in FACTORS and "[" not in name)
        or name.startswith(("size", "type", "rank"))
        or name in (*_CLASSES.values(), _INDEX)
        for name in names
    )


def with_values(name: str, having: Sequence[Part]) -> str:
    """Return the text of a factor; of a wide one with the values that the cases have."""
    if name in _CLASSES.values():
        types = {
            each.rpartition("=")[2] for factors in having for each in factors if "type" in each
        }
        return (
            f"{name} ({', '.join(_some([each for each in types if _CLASSES.get(each) == name]))})"
        )
    if not name.endswith("*"):
        return name
    start = name.removesuffix("*")
    values = {
        each.removeprefix(start) for factors in having for each in factors if each.startswith(start)
    }
    return start + "|".join(_some(values - {"*"}))


def _some(texts: Iterable[str]) -> list[str]:
    found = sorted(texts)
    return [*found[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]


@lru_cache(maxsize=65536)
def _wider(factor: str) -> Part:
    """Return what several values of a factor have in common."""
    name, _, value = factor.partition("=")
    if name.startswith("size "):
        return frozenset((f"size={value}",))
    if name.startswith("type"):
        found = [_CLASSES[value]] if value in _CLASSES else []
        return frozenset([*found, _INDEX] if name.startswith("type of ") else found)
    if value.startswith("variant."):
        return frozenset(("purpose=variant.*",))
    return frozenset((f"{name}=*",) if value else ())


@lru_cache(maxsize=65536)
def _signs(parameters: tuple[tuple[str, str], ...]) -> Part:
    """Return which parameters have numbers that are negative, 0 or not finite, or none."""
    found = set()
    for name, text in parameters:
        numbers = _NUMBER.findall(typed(text)[1])
        if any(each.startswith("-") for each in numbers):
            found.add(f"{name} negative")
        if any(float(each) == 0 for each in numbers):
            found.add(f"{name} 0")
        if any(each.endswith(("inf", "nan")) for each in numbers):
            found.add(f"{name} not finite")
        if text in ("", "[]"):
            found.add(f"{name} empty")
    return frozenset(found)
