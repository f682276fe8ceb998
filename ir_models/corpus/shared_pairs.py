"""Pairs of ways that the operations of a category meet between them.

Fusions, reorders and kernels of a plugin serve several operations alike: a condition that forgets that a shape may be
unknown beside a constant of rank one shows in each of them. So each pair of ways need not be asked of each operation,
but of some of its category: which ones is drawn for each pair, so that a new operation takes over a few pairs and
leaves all others where they are. A case meets several pairs at once.

A way beside *any* neighbour of a side, or beside any type, is met by each operation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import NamedTuple

from ir_models import catalog
from ir_models.asking.case import LayerCase
from ir_models.asking.how import HOWS, USUAL, How, levels, way
from ir_models.asking.neighbours import EXACT_BEFORE, NEIGHBOURS, OF_UNKNOWN, WITH_CONSTANT
from ir_models.asking.operands import MOST_AXES, NUMBERS, SHAPES
from ir_models.corpus.crossings import data_ports
from ir_models.vocabulary.element_types import FLOATS, Tensor
from ir_models.vocabulary.operation import Operation

SHARERS = 2
"""Operations of a category that are to meet a pair; the second is there for what the first cannot be asked."""
MOST_WAYS = 4
"""Levels that a case may have: with more it is hard to see which of them a device is wrong about."""
_TRIES = 8

Level = tuple[str, str]
Pair = tuple[Level, Level]
_ANY = "*"
_WAYS = ("before", "behind", "operand", "number", "shape", "also", "twice")
_TYPES = ("f32", "f16", "bf16", "f64", "i8", "u8", "i32", "i64", "boolean")
_AXES = tuple(f"axis-{axis}" for axis in range(MOST_AXES))


def _named(factor: str, names: Iterable[str]) -> list[Level]:
    return [(factor, name) for name in names]


@cache
def _pairs() -> tuple[Pair, ...]:
    """The pairs that a category meets."""
    alone = {name for name, each in NEIGHBOURS.items() if each.of_sums and name not in EXACT_BEFORE}
    alone |= {*OF_UNKNOWN}
    sides = [
        level
        for side in ("before", "behind")
        for level in _named(side, levels(side))
        if level[1] not in alone
    ]
    types = _named("type", _TYPES)
    readers = [*_named("also", HOWS["also"]), *_named("twice", HOWS["twice"])]
    axes = _named("shape", _AXES)
    arithmetic = [*_named("behind", WITH_CONSTANT), *_named("before", EXACT_BEFORE)]
    operands, numbers = _named("operand", SHAPES), _named("number", NUMBERS)
    floats = _named("type", (each.name for each in FLOATS))
    unknown: Level = ("shape", _ANY)
    some: Level = ("given", "some")
    valued = [("values", f"{v} of {g}") for v in _VALUES for g in ("all", "some")]
    return tuple(
        pair
        for one, two in (
            (_named("given", ("first", "rest")), sides),
            (arithmetic, [*operands, *numbers]),
            (operands, numbers),
            ([*operands, *numbers], [*floats, unknown]),
            ([("size", "square")], [("operand", "axis-1")]),
            (sides, [*types, unknown]),
            (readers, [*types, *sides, unknown, some]),
            (axes, [*sides, *types, ("size", "empty"), some]),
            (valued, [*types, *_named("behind", _SHOW_VALUES)]),
        )
        for pair in product(one, two)
    )


_VALUES = ("special", "ends", "large")
_SHOW_VALUES = ("concat", "to-boolean")
_OWN: tuple[Pair, ...] = (
    *product(_named("shape", _AXES), (("before", _ANY), ("behind", _ANY))),
    *product(_named("given", ("first", "rest")), (("before", _ANY), ("behind", _ANY))),
    *((level, level) for level in (("values", f"{v} of {g}") for v in _VALUES for g in ("all", "some"))),
)  # fmt: skip
"""The pairs that each operation meets."""


class SharedPairs:
    """What an operation asks of the pairs of its category. ``why_not`` tells why a case cannot be asked."""

    def __init__(self, operation: Operation, why_not: Callable[[LayerCase], str]) -> None:
        self._operation, self._why_not = operation, why_not
        self._random = Random(f"{operation.name} shared pairs")

    def cases(self, layers: Sequence[LayerCase], asked: Iterable[LayerCase]) -> Iterator[LayerCase]:
        """Cases that meet the pairs of this operation which no case of ``asked`` does."""
        groups = _groups(layers)
        if not groups:
            return
        wanted = dict.fromkeys(self._wanted(groups))
        for case in asked:
            self._strike(wanted, case)
        while wanted:
            pair = next(iter(wanted))
            del wanted[pair]
            found = self._case({*pair}, groups)
            if found is None:
                continue
            case, row = found
            tries = 0
            for other in wanted:
                both = _joined(row, other)
                if both is None:
                    continue
                more = self._case(both, groups, tries=1)
                tries += 1
                if more is not None:
                    case, row = more
                if tries == _TRIES or len(row) >= MOST_WAYS:
                    break
            self._strike(wanted, case)
            yield case

    def _wanted(self, groups: dict[Level, list[LayerCase]]) -> Iterator[Pair]:
        """Its pairs, without those of levels that none of its layers has."""
        plain = groups[_USUAL][0]
        first = _first(plain)
        assert first is not None
        highest = max(t.rank for t in plain.layer_tensors if t is not None)
        data = len(data_ports(plain.layer))

        def may_have(level: Level) -> bool:
            factor, name = level
            if factor in ("type", "size"):
                return level in groups
            if name in _AXES:
                # Along another axis than the layer has the constant is a scalar.
                rank = first.rank if factor == "shape" else highest
                return int(name.removeprefix("axis-")) < rank
            if factor == "given" or factor == "twice":
                return data > 1
            return factor != "values" or data > 1 or name.endswith("all")

        own = (p for p in _pairs() if self._operation in _sharers(p, self._operation.category))
        yield from (pair for pair in (*_OWN, *own) if all(map(may_have, pair)))

    @staticmethod
    def _strike(wanted: dict[Pair, None], case: LayerCase) -> None:
        has = levels_of(case)
        for pair in [pair for pair in wanted if has.issuperset(pair)]:
            del wanted[pair]

    def _case(
        self, row: set[Level], groups: dict[Level, list[LayerCase]], tries: int = _TRIES
    ) -> tuple[LayerCase, set[Level]] | None:
        """A case that has these levels, and they; None where none of so many tries can be asked."""
        group = next((level for level in row if level[0] in ("type", "size")), _USUAL)
        if group not in groups:
            return None
        own = groups[group]
        if group == _USUAL and any(factor == "values" for factor, _ in row):
            # Which values there are hangs on the type.
            own = [each for level, of in groups.items() if level[0] == "type" for each in of]
        for _ in range(tries):
            layer = own[0] if len(own) == 1 else self._random.choice(own)
            how = self._how(row, layer)
            if how is None:
                return None
            case = LayerCase(layer.layer, layer.purpose, how)
            if how != USUAL and not self._why_not(case) and levels_of(case).issuperset(row):
                return layer.asked(how), row
        return None

    def _how(self, row: set[Level], case: LayerCase) -> How | None:
        """A way of asking with these levels, where *any* is drawn; None where a layer has no such inputs."""
        chosen: dict[str, str] = {}
        given = {name for factor, name in row if factor == "given"}
        for factor, name in sorted(row):
            if factor == "values":
                chosen["values"], _, of = name.partition(" of ")
                given.add(of)
            elif factor in _WAYS:
                names = (each for each in levels(factor) if each not in OF_UNKNOWN)
                among = tuple(names) if name == _ANY else (name,)
                chosen[factor] = self._random.choice(among)
        if {"operand", "number"} & chosen.keys() and not {"before", "behind"} & chosen.keys():
            chosen |= self._random.choice(
                [{"behind": name} for name in WITH_CONSTANT] + [{"before": n} for n in EXACT_BEFORE]
            )
        ports = data_ports(case.layer)
        wanted = next((name for name in ("all", "first", "rest", "some") if name in given), "")
        if wanted == "all":
            chosen["data"] = "constant"
        elif wanted:
            if len(ports) < 2:
                return None
            rest = {"data": "first"} if len(ports) > 2 else {"constant": ports[1]}
            chosen |= {
                "first": {"constant": ports[0]},
                "rest": rest,
                "some": {"constant": self._random.choice(ports)},
            }[wanted]
        return way(**chosen)


_USUAL: Level = ("size", "")


def _groups(layers: Sequence[LayerCase]) -> dict[Level, list[LayerCase]]:
    """The layers by element type, and those without elements or with square data; first the plain one."""
    found: dict[Level, list[LayerCase]] = {}
    for each in layers:
        if each.how != USUAL:
            continue
        if each.purpose == "plain":
            found.setdefault(_USUAL, []).append(each)
        if each.purpose in ("plain", "type"):
            for level in levels_of(each):
                if level[0] == "type":
                    found.setdefault(level, []).append(each)
        if each.purpose in ("dim-0", "tiny"):
            for level in levels_of(each):
                if level[0] == "size":
                    found.setdefault(level, []).append(each)
    return found if _USUAL in found and _first(found[_USUAL][0]) is not None else {}


def _joined(row: set[Level], pair: Pair) -> set[Level] | None:
    """A row with two more levels; None where it has other ones of the same factors, or too many."""
    both = row | {*pair}
    factors = ["size" if factor == "type" else factor for factor, _ in both]
    if len(both) > MOST_WAYS or len({*factors}) < len(factors):
        return None
    if {"values", "given"} <= {*factors}:
        return None
    return both


def levels_of(case: LayerCase) -> set[Level]:
    """The levels that a case has, also those that stand for several."""
    how, first = case.how, _first(case)
    found: set[Level] = set()
    if first is not None:
        found.add(("type", first.element_type.name))
        if not first.size:
            found.add(("size", "empty"))
        if first.rank > 2 and first.shape[1] == first.shape[-1] > 1:
            found.add(("size", "square"))
    for factor in _WAYS:
        level = getattr(how, factor)
        if level:
            found |= {(factor, level), (factor, _ANY)}
    if how.also == "both":
        found |= {("also", "input"), ("also", "output")}
    given = _given(case)
    found |= {("given", name) for name in given}
    if how.values:
        found |= {("values", f"{how.values} of {name}") for name in given}
    return found


def _given(case: LayerCase) -> set[str]:
    """Which of its data is constant."""
    if case.how.data == "constant":
        return {"all"}
    names = data_ports(case.layer)
    constant = [name for name in case.constants if name in names]
    found = {"some"} if constant else set()
    if constant and constant[0] == names[0]:
        found.add("first")
    if constant and constant == names[1:]:
        found.add("rest")
    return found


def _first(case: LayerCase) -> Tensor | None:
    """Its first data input that is given at run time."""
    names = data_ports(case.layer)
    return next(t for n, t in case.layer.ports() if n == names[0]) if names else None


@cache
def _sharers(pair: Pair, category: str) -> tuple[Operation, ...]:
    """The operations that are to meet a pair."""
    return tuple(_least(pair, _inputs(category)))


def _least(pair: Pair, among: Sequence[_Inputs]) -> list[Operation]:
    """Each operation has a number of its own for a pair: those of the least ones.

    Those whose declaration has no such type, or too few inputs, take no part.
    """
    able = [one.operation for one in among if _declares(one, pair)]
    of_pair = hashlib.blake2b(f"{pair} ".encode())

    def number(operation: Operation) -> bytes:
        found = of_pair.copy()
        found.update(operation.name.encode())
        return found.digest()

    return sorted(able, key=number)[:SHARERS]


class _Inputs(NamedTuple):
    """What a declaration says of the data inputs of an operation: the types of the first, whether there are more."""

    operation: Operation
    types: frozenset[str]
    are_several: bool


@cache
def _inputs(category: str) -> tuple[_Inputs, ...]:
    found = []
    for each in catalog.of_category(category):
        inputs = [one for one in each.inputs if not one.index]
        types = frozenset(kind.name for one in inputs[:1] for kind in one.types.types)
        found.append(_Inputs(each, types, len(inputs) > 1 or any(one.many for one in inputs)))
    return tuple(found)


def _declares(inputs: _Inputs, pair: Pair) -> bool:
    for factor, name in pair:
        if factor == "type" and name not in inputs.types:
            return False
        is_of_several = factor in ("given", "twice") or (
            factor == "values" and not name.endswith("all")
        )
        if is_of_several and not inputs.are_several:
            return False
    return True
