"""Kinds of crossings, and defects drawn for each: what a device is wrong about where ways of asking meet.

A defect of one way (a layer behind that reshapes to a column, say) is one operation's. A defect of two ways beside each
other is in code that operations share, as fusions are: it concerns every operation of a category.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import ir_models
from ir_models import Layer, LayerCase, Operation
from ir_models.asking.how import USUAL, How
from ir_models.asking.neighbours import (
    BEFORE_ALONE,
    EXACT_BEFORE,
    NEIGHBOURS,
    OF_UNKNOWN,
    WITH_CONSTANT,
    may_stand_before,
)
from ir_models.asking.operands import MOST_AXES, NUMBERS, SHAPES
from ir_models.corpus.crossings import data_ports
from ir_models.corpus.meetings import Meetings
from ir_models.families import windows
from ir_models.vocabulary import layers, rules
from ir_models.vocabulary.element_types import FLOATS, Tensor
from ir_models.vocabulary.layers import plain_layer
from tests.planted.defects import EFFECTS, Defect
from tests.planted.factors import Factor

_OF_SHAPES = (
    "keep-two", "end-one", "unsqueeze", "squeeze", "reduce-max", "reduce-max-keep", "reduce-sum", "concat",
    "concat-constant", "split", "variadic-split", "slice", "reshape", "to-boolean", "to-number", "to-half",
)  # fmt: skip
# Where values are drawn and their references take seconds, a device refuses instead.
_AT_ONCE = ("refusal", "death")


@dataclass(frozen=True)
class Plant:
    """A defect of one kind, in an operation or in several that share code."""

    kind: str
    operations: tuple[str, ...]
    factors: tuple[Factor, ...]
    effect: str
    output: int = 0

    def on(self, operation: Operation) -> Defect:
        """The defect in one of its operations."""
        return Defect(operation, self.kind, self.factors, self.effect, self.output)

    def __str__(self) -> str:
        where = self.operations[0] + (
            f" and {len(self.operations) - 1} more" if self.is_shared else ""
        )
        return f"{where}: {' and '.join(f.name for f in self.factors)} ({self.effect})"

    @property
    def is_shared(self) -> bool:
        """Whether several operations have it."""
        return len(self.operations) > 1


@dataclass(frozen=True)
class Conditions:
    """Factors that meet, the way of asking that shows that they can, for a layer; ``is_shared``: see ``Plant``."""

    factors: tuple[Factor, ...]
    way: How | None = None
    layer: Layer | None = None
    is_shared: bool = False
    at_once: bool = False
    output: int = 0


class Source:
    """The choices for one operation."""

    def __init__(self, operation: Operation, state: random.Random) -> None:
        self.operation = operation
        self.random = state

    @cached_property
    def plain(self) -> Layer:
        """Its plain layer."""
        return plain_layer(self.operation)

    def choice(self, among: Sequence[Any]) -> Any:
        """One of these."""
        return self.random.choice(among)

    def can_meet(self, found: Conditions) -> bool:
        """Whether a layer can be asked so that all factors are met: no other reason than a page's rules it out."""
        layer = found.layer or self.plain
        if found.way is None:
            return True
        operation = self.operation
        if operation.partner or operation.role or operation.keeps_state:
            return False
        case = LayerCase(layer, "", found.way)
        is_met = all(factor.is_met(case) for factor in found.factors)
        return is_met and not Meetings(operation).why_not(case)


def _of(factor: str, *levels: str) -> Factor:
    """One of these levels of a factor of how a case is asked; any without one."""
    if not levels:
        return Factor(
            f"any {factor}", lambda case: bool(getattr(case.how, factor)), (f"{factor}=*",)
        )
    names = tuple(f"{factor}={level}" for level in levels)
    return Factor(names[0], lambda case: getattr(case.how, factor) in levels, names)


_FIRST_ALONE = Factor(
    "all but the first data constant",
    lambda case: not case.is_constant and _constant_ports(case) == set(_data(case)[1:]) != set(),
    ("data=first", "constant=*"),
)
_SOME_CONSTANT = Factor(
    "data constant",
    lambda case: bool(_constant_ports(case)),
    ("data=first", "data=constant", "constant=*"),
)
_FIRST_CONSTANT = Factor(
    "the first data constant, not all",
    lambda case: (
        not case.is_constant and bool(_data(case)) and _data(case)[0] in _constant_ports(case)
    ),
    ("constant=*",),
)


def _data(case: LayerCase) -> list[str]:
    """The ports of data whose value the layer does not state."""
    index = {each.name for each in case.operation.index_inputs}
    return [
        n for n, t in case.layer.ports() if t is not None and t.value is None and n not in index
    ]


def _constant_ports(case: LayerCase) -> set[str]:
    ports = dict(case.layer.ports())
    return {name for name in _data(case) if case.feeds_constant(name, ports[name])}  # type: ignore[arg-type]


def _first_data(case: LayerCase) -> Tensor | None:
    names = _data(case)
    return dict(case.layer.ports())[names[0]] if names else None


def _of_type(kind: str) -> Factor:
    def is_met(case: LayerCase) -> bool:
        first = _first_data(case)
        return first is not None and first.element_type.name == kind

    return Factor(
        f"data of {kind}", is_met, (f"type={kind}", f"type [0-9]*={kind}", f"type of *={kind}")
    )


def _typed(source: Source, kinds: Sequence[str]) -> tuple[Factor, Layer] | None:
    """The factor of a type of the first data input that is not the usual one, and a layer of it."""
    first = next(
        (i for i in source.operation.inputs if not i.index and source.plain.tensors(i.name)), None
    )
    if first is None:
        return None
    usual = source.plain.tensors(first.name)[0].element_type
    found = [
        k for k in layers.fitting(source.plain, first.types) if k is not usual and k.name in kinds
    ]
    if not found:
        return None
    kind = source.choice(found)
    layer = source.plain.with_types({first.types.name: kind})
    return (_of_type(kind.name), layer) if rules.is_valid(layer) else None


_TYPES = ("f16", "bf16", "f64", "f32", "i8", "u8", "i32", "i64", "boolean")
_FLOATS = tuple(each.name for each in FLOATS)


# --- constants beside neighbours --------------------------------------------------------------------------------------


def _constants_and_neighbours(source: Source) -> Conditions:
    constant, way = source.choice(
        [
            (_FIRST_ALONE, {"data": "first"}),
            (_FIRST_CONSTANT, {"constant": (data_ports(source.plain) or [""])[0]}),
        ]
    )
    if len(data_ports(source.plain)) == 2 and constant is _FIRST_ALONE:
        way = {"constant": data_ports(source.plain)[1]}
    side = source.choice(["before", "behind"])
    if source.choice([True, False]):
        # Any neighbour of the side, of which some takes this layer.
        for level in source.random.sample(_levels(side), len(_levels(side))):
            found = Conditions((constant, _of(side)), How(**way, **{side: level}))
            if source.can_meet(found):
                return found
    level = source.choice(_levels(side))
    return Conditions((constant, _of(side, level)), How(**way, **{side: level}), is_shared=True)


def _levels(side: str) -> list[str]:
    names = [n for n in NEIGHBOURS if not NEIGHBOURS[n].of_sums or n in EXACT_BEFORE]
    if side == "before":
        return [n for n in names if may_stand_before(n) and n not in OF_UNKNOWN]
    return [n for n in names if n not in BEFORE_ALONE]


# --- the constant of a neighbour --------------------------------------------------------------------------------------


def _constants_of_neighbours(source: Source) -> Conditions:
    side = source.choice(["before", "behind", "behind"])
    level = source.choice(WITH_CONSTANT if side == "behind" else tuple(EXACT_BEFORE))
    first = _first_data(LayerCase(source.plain, "", USUAL))
    axes = {f"axis-{axis}" for axis in range(MOST_AXES)}
    own = {f"axis-{axis}" for axis in range(first.rank if first else 0)}
    operand = source.choice([each for each in SHAPES if each not in axes - own])
    number = source.choice(list(NUMBERS))
    neighbour = {side: level}
    by = source.choice(
        ["shape", "number", "neighbour", "neighbour", "both", "type", "unknown", "square"]
    )
    if by == "shape":
        return Conditions((_of("operand", operand),), How(**neighbour, operand=operand))
    if by == "number":
        return Conditions((_of("number", number),), How(**neighbour, number=number))
    name, chosen = source.choice([("operand", operand), ("number", number)])
    if by == "neighbour":
        pair = _of(side, level), _of(name, chosen)
        return Conditions(pair, How(**neighbour, **{name: chosen}), is_shared=True)
    if by == "both":
        pair = _of("operand", operand), _of("number", number)
        return Conditions(pair, How(**neighbour, operand=operand, number=number), is_shared=True)
    if by == "type":
        typed = _typed(source, _FLOATS)
        if typed is None:
            return _NOTHING
        pair = typed[0], _of(name, chosen)
        return Conditions(pair, How(**neighbour, **{name: chosen}), typed[1], is_shared=True)
    if by == "unknown":
        pair = _of("shape"), _of(name, chosen)
        way = How(**neighbour, **{name: chosen}, shape="dims")
        return Conditions(pair, way, is_shared=True)
    pair = _SQUARE, _of("operand", "axis-1")
    tiny = next((c.layer for c in ir_models.cases(source.operation, ["tiny"])), source.plain)
    return Conditions(pair, How(**neighbour, operand="axis-1"), tiny, is_shared=True)


_NOTHING = Conditions((Factor("nothing", lambda case: False, ()),), USUAL)


def _is_square(case: LayerCase) -> bool:
    first = _first_data(case)
    return first is not None and first.rank > 2 and first.shape[1] == first.shape[-1] > 1


_SQUARE = Factor(
    "as many channels as in the last dimension",
    _is_square,
    ("tiny", "size *"),
    reported=("purpose=tiny",),
)


# --- equal sizes ------------------------------------------------------------------------------------------------------


def _equal_sizes(source: Source) -> Conditions:
    """Two dimensions of data that are equal, alone, with a neighbour and its constant, or with unknown dimensions."""
    found = _with_two_alike(source)
    if found is None:
        return _NOTHING
    equal, layer = found
    by = source.choice(["alone", "alone", "behind", "operand", "unknown"])
    if by == "alone":
        return Conditions((equal,), USUAL, layer)
    if by == "unknown":
        return Conditions((equal, _of("shape")), How(shape="dims"), layer, is_shared=True)
    if by == "behind":
        for level in source.random.sample(WITH_CONSTANT, len(WITH_CONSTANT)):
            conditions = Conditions((equal, _of("behind")), How(behind=level), layer)
            if source.can_meet(conditions):
                return conditions
        return _NOTHING
    operand, level = source.choice(["axis-0", "axis-1", "last"]), source.choice(WITH_CONSTANT)
    way = How(behind=level, operand=operand)
    return Conditions((equal, _of("operand", operand)), way, layer, is_shared=True)


def _with_two_alike(source: Source) -> tuple[Factor, Layer] | None:
    """Two dimensions of unlike sizes, drawn from all of data, and a layer in which they are one."""
    plain = source.plain
    tensors = dict(plain.ports())
    places = [
        (number, axis, size)
        for number, name in enumerate(_data(LayerCase(plain, "", USUAL)))
        for axis, size in enumerate(tensors[name].shape)  # type: ignore[union-attr]
        if size > 1
    ]
    if len(places) < 2:
        return None
    one, two = sorted(source.random.sample(places, 2))
    if one[2] == two[2]:
        return None

    def is_met(case: LayerCase) -> bool:
        if case.is_invalid:
            return False
        given, names = case.layer.ports(), _data(case)
        tensors = [t for n, t in given if n in names and t is not None]
        shapes = [tensors[number].shape for number, _, _ in (one, two) if number < len(tensors)]
        sizes = [
            s[axis] for s, (_, axis, _) in zip(shapes, (one, two), strict=False) if axis < len(s)
        ]
        return len(sizes) == 2 and sizes[0] == sizes[1] > 1

    about = " and ".join(f"{number}.{axis}" for number, axis, _ in (one, two))
    # All sizes of a tiny layer are equal, and some of a random one.
    reported = tuple(f"purpose={name}" for name in ("equal-sizes", "tiny", "random"))
    equal = Factor(f"{about} equal", is_met, ("equal *", "tiny"), reported=reported)
    names = _data(LayerCase(plain, "", USUAL))
    for kept, changed in ((one, two), (two, one)):
        name = next((i.name for i in source.operation.inputs if i.name == names[changed[0]]), None)
        layer = layers.with_size(plain, name, changed[1], kept[2]) if name else None
        if layer is not None and is_met(LayerCase(layer, "", USUAL)):
            return equal, layer
    return None


# --- neighbours that change shapes ------------------------------------------------------------------------------------


def _neighbours_of_shapes(source: Source) -> Conditions:
    side = source.choice(["before", "behind", "behind"])
    among = [n for n in _OF_SHAPES if n in _levels(side)]
    level = source.choice(among)
    one, by = _of(side, level), source.choice(["alone", "alone", "type", "unknown", "constant"])
    if by == "alone":
        outputs = len(source.operation.output_types(source.plain))
        return Conditions((one,), How(**{side: level}), output=source.random.randrange(outputs))
    if by == "type":
        typed = _typed(source, _TYPES)
        if typed is None:
            return _NOTHING
        return Conditions((one, typed[0]), How(**{side: level}), typed[1], is_shared=True)
    if by == "unknown":
        return Conditions((one, _of("shape")), How(**{side: level}, shape="dims"), is_shared=True)
    ports = data_ports(source.plain)
    if len(ports) < 2:
        return _NOTHING
    way = How(**{side: level}, constant=ports[-1])
    return Conditions((one, _SOME_CONSTANT), way, is_shared=True)


# --- two readers ------------------------------------------------------------------------------------------------------


def _two_readers(source: Source) -> Conditions:
    name, levels_, way = source.choice(
        [
            ("also", ("input", "both"), "input"),
            ("also", ("output", "both"), "output"),
            ("also", ("both",), "both"),
            ("twice", ("plain",), "plain"),
            ("twice", ("converted",), "converted"),
        ]
    )
    one = _of(name, *levels_)
    by = source.choice(["alone", "alone", "type", "neighbour", "unknown", "constant"])
    if by == "alone" or name == "twice":
        return Conditions((one,), How(**{name: way}))
    if by == "type":
        typed = _typed(source, _TYPES)
        if typed is None:
            return _NOTHING
        return Conditions((one, typed[0]), How(**{name: way}), typed[1], is_shared=True)
    if by == "neighbour":
        side = source.choice(["before", "behind"])
        level = source.choice(_levels(side))
        return Conditions((one, _of(side, level)), How(**{name: way, side: level}), is_shared=True)
    if by == "unknown":
        return Conditions((one, _of("shape")), How(**{name: way}, shape="dims"), is_shared=True)
    ports = data_ports(source.plain)
    if len(ports) < 2:
        return _NOTHING
    return Conditions((one, _SOME_CONSTANT), How(**{name: way}, constant=ports[-1]), is_shared=True)


# --- one dimension unknown --------------------------------------------------------------------------------------------


def _one_unknown(source: Source) -> Conditions:
    first = _first_data(LayerCase(source.plain, "", USUAL))
    if first is None or not first.rank:
        return _NOTHING
    level = f"axis-{source.random.randrange(first.rank)}"
    one, by = (
        _of("shape", level),
        source.choice(["alone", "alone", "neighbour", "zero", "type", "constant"]),
    )
    if by == "alone":
        return Conditions((one,), How(shape=level))
    if by == "neighbour":
        side = source.choice(["before", "behind"])
        if source.choice([True, False]):
            names = source.random.sample(_levels(side), len(_levels(side)))
            for name in names:
                found = Conditions((one, _of(side)), How(shape=level, **{side: name}))
                if source.can_meet(found):
                    return found
        name = source.choice(_levels(side))
        return Conditions((one, _of(side, name)), How(shape=level, **{side: name}), is_shared=True)
    if by == "zero":
        empty = [c.layer for c in ir_models.cases(source.operation, ["dim-0"])]
        if not empty:
            return _NOTHING
        return Conditions((one, _WITH_ZERO), How(shape=level), source.choice(empty), is_shared=True)
    if by == "type":
        typed = _typed(source, _TYPES)
        if typed is None:
            return _NOTHING
        return Conditions((one, typed[0]), How(shape=level), typed[1], is_shared=True)
    ports = data_ports(source.plain)
    if len(ports) < 2:
        return _NOTHING
    return Conditions((one, _SOME_CONSTANT), How(shape=level, constant=ports[-1]), is_shared=True)


def _has_zero(case: LayerCase) -> bool:
    first = _first_data(case)
    return first is not None and 0 in first.shape


_WITH_ZERO = Factor("a dimension of 0", _has_zero, ("size *=0",), reported=("purpose=dim-0",))


# --- values of constants ----------------------------------------------------------------------------------------------


def _values_of_constants(source: Source) -> Conditions:
    level = source.choice(["special", "special", "ends", "large"])
    one = _of("values", level)
    ports = data_ports(source.plain)
    by = source.choice(["any", "all", "type", "neighbour"])
    if by == "all" or len(ports) < 2:
        constant, way = _of("data", "constant"), {"data": "constant"}
    else:
        constant, way = _SOME_CONSTANT, {"constant": source.choice(ports)}
    layer = None
    if level != "special" or by == "type":
        typed = _typed(source, _TYPES)
        if typed is None:
            return _NOTHING
        kind, layer = typed
        if by == "type":
            return Conditions(
                (one, constant, kind), How(values=level, **way), layer, is_shared=True
            )
    if by == "neighbour":
        name = source.choice(["concat", "to-boolean"])
        ways = How(values=level, behind=name, **way)
        return Conditions((one, constant, _of("behind", name)), ways, layer, is_shared=True)
    return Conditions((one, constant), How(values=level, **way), layer)


# --- lengths ----------------------------------------------------------------------------------------------------------


def _lengths(source: Source) -> Conditions:
    plain = source.plain
    names = [i.name for i in source.operation.inputs if not i.index and plain.tensors(i.name)]
    if (
        not names
        or plain.tensors(names[0])[0].value is not None
        or not plain.tensors(names[0])[0].rank
    ):
        return _NOTHING
    rank, types = plain.tensors(names[0])[0].rank, source.operation.input(names[0]).types
    about, axis, size = source.choice(
        [
            ("from 64 on", -1, 66),
            ("a tail", -1, 66),
            ("repeated", -1, 66),
            ("channels", 1, 180),
            ("large", -1, 66),
        ]
    )
    if about == "channels" and rank < 3:
        return _NOTHING
    if about == "large":
        grown = (layers.with_size(plain, names[0], each, 60_000) for each in range(rank))
        long = next((each for each in grown if each is not None), None)
    else:
        long = layers.with_size(plain, names[0], axis % rank, size)
    if long is None or any(
        long.inputs[i.name] != plain.inputs[i.name] for i in source.operation.index_inputs
    ):
        return _NOTHING
    if about == "repeated":
        others = [n for n in names[1:] if long.tensors(n)[0].shape[-1:] == (size,)]
        if not others or long.tensors(others[0])[0].value is not None:
            return _NOTHING
        long = long.with_dimension(others[0], 0, long.tensors(others[0])[0].rank - 1, 1)
        if not rules.is_valid(long):
            return _NOTHING
    # Large layers and many channels are asked of types that kernels are written for.
    names_of = _OF_KERNELS[:4] if about in ("channels", "large") else _OF_KERNELS
    kinds = [k for k in layers.fitting(long, types) if k.name in names_of]
    if not kinds:
        return _NOTHING
    kind = source.choice(kinds)
    how_long = Factor(_LENGTHS[about][0], _LENGTHS[about][1], (), reported=_LENGTHS[about][2])
    of_type = replace(_of_type(kind.name), reported=(f"type={kind.name} alone",))
    return Conditions((how_long, of_type), at_once=about == "large")


_OF_KERNELS = ("f32", "f16", "i8", "u8", "i32", "bf16")


def _last(case: LayerCase) -> int:
    first = _first_data(case)
    return first.shape[-1] if first is not None and first.rank else 0


def _is_repeated(case: LayerCase) -> bool:
    ends = [
        t.shape[-1] for n, t in case.layer.ports() if t is not None and t.rank and n in _data(case)
    ]
    return len(ends) > 1 and 1 in ends and max(ends) >= 64


def _has_many_channels(case: LayerCase) -> bool:
    first = _first_data(case)
    return first is not None and first.rank > 2 and first.shape[1] > 64 and first.shape[1] % 16 != 0


def _is_large(case: LayerCase) -> bool:
    return sum(t.size for _, t in case.layer.ports() if t is not None) >= 50_000


_LENGTHS: dict[str, tuple[str, Callable[[LayerCase], bool], tuple[str, ...]]] = {
    "from 64 on": ("a last dimension of 64 or more", lambda case: _last(case) >= 64, ("purpose=lengths",)),
    "a tail": (
        "a last dimension with a tail", lambda case: _last(case) > 16 and _last(case) % 16 != 0, ("purpose=lengths",)
    ),
    "repeated": ("1 beside a last dimension of 64 or more", _is_repeated, ("purpose=lengths",)),
    "channels": ("more than 64 channels that 16 does not divide", _has_many_channels, ("purpose=lengths",)),
    "large": ("50,000 elements or more", _is_large, ("purpose=large-output",)),
}  # fmt: skip


# --- empty inputs -----------------------------------------------------------------------------------------------------


def _empty_inputs(source: Source) -> Conditions:
    empty = [c.layer for c in ir_models.cases(source.operation, ["dim-0"]) if _is_empty(c)]
    if not empty:
        return _NOTHING
    layer = source.choice(empty)
    by = source.choice(["alone", "constant", "before", "behind", "unknown", "neighbour"])
    if by == "alone":
        return Conditions((_EMPTY,), USUAL, layer)
    if by == "constant":
        return Conditions((_EMPTY, _of("data", "constant")))
    if by == "unknown":
        return Conditions((_EMPTY, _of("shape")), How(shape="dims"), layer)
    side = by if by != "neighbour" else source.choice(["before", "behind"])
    for level in source.random.sample(_levels(side), len(_levels(side))):
        found = Conditions((_EMPTY, _of(side)), How(**{side: level}), layer)
        if source.can_meet(found):
            if by == "neighbour":
                return replace(found, factors=(_EMPTY, _of(side, level)), is_shared=True)
            return found
    return _NOTHING


def _is_empty(case: LayerCase) -> bool:
    tensors = [dict(case.layer.ports())[name] for name in _data(case)]
    return bool(tensors) and not any(t.size for t in tensors if t is not None)


_EMPTY = Factor("all data empty", _is_empty, ("size *=0",), reported=("purpose=dim-0",))


# --- windows at the edges ---------------------------------------------------------------------------------------------

_AT_EDGES: dict[str, Callable[[windows.Axis, str], bool]] = {
    "padding at the begin as large as the window": lambda axis, _: axis.begin >= axis.extent,
    "padding at the end as large as the window": lambda axis, _: axis.end >= axis.extent,
    "strides larger than the window": lambda axis, _: axis.stride > axis.extent and axis.places > 1,
    "windows of padding alone": lambda axis, kind: (
        axis.last(kind) >= 0 and not axis.holds_data(kind)
    ),
    "a window larger than data, rounded up": lambda axis, kind: (
        kind == "ceil" and axis.extent > axis.size
    ),
}
# The parameter or the size of the kernel that makes the edge. Where the plain layer has one, its operation is reported.
_OF_WINDOWS = (
    *(
        f"{name}=*"
        for name in ("kernel", "strides", "pads_*", "dilations", "auto_pad", "rounding_type")
    ),
    "size *=[01]",
)
_OF_VARIANTS = tuple(
    f"purpose={name}" if name in ("limits", "plain", "rank") else f"purpose=variant.{name}"
    for name in (
        "limits",
        "plain",
        "rank",
        "window-at-pads",
        "larger-window",
        "padding-window",
        "large-strides",
        "large-pads",
        "unit-strides",
    )
)


def _axis(layer: Layer, number: int) -> tuple[windows.Axis, str] | None:
    try:
        found = windows.axes(layer)
    except (ValueError, TypeError, AttributeError, LookupError):
        return None
    return (found[number], windows.rounding(layer)) if number < len(found) else None


def _window_edges(source: Source) -> Conditions:
    number, about = source.choice([0, 1]), source.choice(list(_AT_EDGES))

    def is_met(case: LayerCase) -> bool:
        found = None if case.is_invalid else _axis(case.layer, number)
        return found is not None and _AT_EDGES[about](*found)

    edge = Factor(f"{about} on axis {number}", is_met, _OF_WINDOWS, reported=_OF_VARIANTS)
    layer = _at_edge(source, is_met)
    if layer is None:
        return _NOTHING
    by = source.choice(["alone", "alone", "before", "behind", "shape"])
    if by == "alone":
        return Conditions((edge,), USUAL, layer)
    level = {"before": "transpose", "behind": "transpose", "shape": "dims"}[by]
    return Conditions((edge, _of(by)), How(**{by: level}), layer)


def _at_edge(source: Source, is_met: Callable[[LayerCase], bool]) -> Layer | None:
    """A valid layer that shows that windows can be so, found by changing the plain one."""
    plain = source.plain
    if _axis(plain, 1) is None or "output_padding" in plain.attributes:
        return None  # the windows of transposed convolutions are those of the output
    for _ in range(60):
        draw = [source.random.randrange(0, 7) for _ in range(8)]
        changes: dict[str, Any] = {"pads_begin": draw[:2], "pads_end": draw[2:4]}
        changes["strides"] = [max(each, 1) for each in draw[4:6]]
        if "rounding_type" in plain.attributes:
            changes["rounding_type"] = source.choice(["floor", "ceil"])
            changes["kernel"] = [draw[6] + 1, draw[7] + 1]
        if "dilations" in plain.attributes:
            changes["dilations"] = [1, 1]
        try:
            found = plain.replace(**changes, auto_pad="explicit")
            if rules.is_valid(found) and is_met(LayerCase(found, "")):
                return found
        except (ValueError, TypeError, LookupError):
            continue
    return None


# --- limits -----------------------------------------------------------------------------------------------------------


def _limits(source: Source) -> Conditions:
    """The check at a limit: a device lacks it for the nearest value, or refuses the limit itself."""
    plain = source.plain
    declared: list[Any] = [*source.operation.index_inputs, *source.operation.attributes]
    bounded = [each for each in declared if each.axis_of or each.least is not None]
    if not bounded:
        return _NOTHING
    each = source.choice(bounded)
    name = each.name
    kept = [
        n
        for changes in rules.at_limits(plain)
        if name in changes
        for n in _numbers(changes[name])[-1:]
    ]
    if not kept:
        return _NOTHING
    if source.choice([True, False]):
        limit = source.choice(kept)
        if limit in _given(plain, name):
            return _NOTHING
        at = Factor(
            f"{name} of {limit}", lambda case: not case.is_invalid and limit in _given(case.layer, name),
            (f"{name}=*",), reported=("purpose=limits",),
        )  # fmt: skip
        try:
            layer = layers.suited(plain.replace(**{name: _with_last(plain, name, limit)}))
        except (ValueError, TypeError):
            return _NOTHING
        return Conditions((at,), USUAL, layer) if rules.is_valid(layer) else _NOTHING
    if each.axis_of:
        beyond = source.choice([kept[0] - 1, kept[-1] + 1])
        is_beyond = lambda value: value == beyond  # noqa: E731
    else:
        is_float = isinstance(kept[0], float)
        least = float(kept[0])
        beyond = rules._just_below(least) if is_float else int(least) - 1
        is_beyond = lambda value: beyond <= value < least  # noqa: E731
    try:
        invalid = plain.replace(**{name: _with_last(plain, name, beyond)})
        broken = rules.broken_rules(invalid)
    except (ValueError, TypeError, LookupError):
        return _NOTHING
    if len(broken) != 1 or broken[0].unasked:
        return _NOTHING
    rule = broken[0].id
    lacking = Factor(
        f"{name} of {beyond} taken",
        lambda case: case.is_invalid and any(map(is_beyond, _given(case.layer, name))),
        (),
        reported=(f"rule={rule}",),
    )
    return Conditions((lacking,), at_once=True)


def _given(layer: Layer, name: str) -> tuple[Any, ...]:
    given = layer.inputs[name] if name in layer.inputs else layer.attributes.get(name)
    return _numbers(given.value if isinstance(given, Tensor) else given)


def _numbers(value: Any) -> tuple[Any, ...]:
    if value is None or isinstance(value, str):
        return ()
    listed = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(each for each in listed if isinstance(each, (int, float)))


def _with_last(layer: Layer, name: str, number: Any) -> Any:
    given = layer.inputs[name] if name in layer.inputs else layer.attributes.get(name)
    value = given.value if isinstance(given, Tensor) else given
    return [*value[:-1], number] if isinstance(value, tuple) else number


KINDS: dict[str, Callable[[Source], Conditions]] = {
    "constants beside neighbours": _constants_and_neighbours,
    "constants of neighbours": _constants_of_neighbours,
    "equal sizes": _equal_sizes,
    "neighbours that change shapes": _neighbours_of_shapes,
    "two readers": _two_readers,
    "one dimension unknown": _one_unknown,
    "values of constants": _values_of_constants,
    "lengths": _lengths,
    "empty inputs": _empty_inputs,
    "window edges": _window_edges,
    "limits": _limits,
}
"""What is drawn of each kind; for another layer, or where the page rules it out, ``nothing``."""


OF_KIND: dict[str, Callable[[LayerCase], bool]] = {
    "constants beside neighbours": lambda case: _has_neighbour(case) and _SOME_CONSTANT.is_met(case),
    "constants of neighbours": lambda case: bool(case.how.operand or case.how.number),
    "equal sizes": lambda case: case.purpose == "equal-sizes",
    "neighbours that change shapes": lambda case: bool({case.how.before, case.how.behind} & {*_OF_SHAPES}),
    "two readers": lambda case: bool(case.how.also or case.how.twice),
    "one dimension unknown": lambda case: case.how.shape.startswith("axis-"),
    "values of constants": lambda case: case.how.values in ("special", "ends", "large") and _SOME_CONSTANT.is_met(case),
    "lengths": lambda case: case.purpose in ("lengths", "large-output"),
    "empty inputs": lambda case: not case.is_invalid and _is_empty(case),
    "window edges": lambda case: not case.is_invalid and _is_at_edge(case.layer),
    "limits": lambda case: case.is_invalid or case.purpose == "limits",
}  # fmt: skip
"""Whether a case is of a kind."""


def _has_neighbour(case: LayerCase) -> bool:
    return bool(case.how.before or case.how.behind)


def _is_at_edge(layer: Layer) -> bool:
    found = [_axis(layer, number) for number in (0, 1)] if "auto_pad" in layer.attributes else []
    return any(each and is_so(*each) for each in found for is_so in _AT_EDGES.values())


def draw(kind: str, operations: Sequence[Operation], count: int, seed: int) -> list[Plant]:
    """At most so many different defects of a kind, in operations drawn from these."""
    state = random.Random(f"{kind}/{seed}")
    found: dict[str, Plant] = {}
    for operation in _turns(operations, state, count):
        conditions = KINDS[kind](source := Source(operation, state))
        if conditions.factors[0].name == "nothing" or not source.can_meet(conditions):
            continue
        is_empty = any(f in (_EMPTY, _WITH_ZERO) for f in conditions.factors)
        effects = _AT_ONCE if conditions.at_once or is_empty else EFFECTS
        names: tuple[str, ...] = (operation.name,)
        if conditions.is_shared:
            alike = [
                o.name for o in operations if o.category == operation.category and o != operation
            ]
            names = (operation.name, *state.sample(alike, len(alike)))
        plant = Plant(kind, names, conditions.factors, state.choice(effects), conditions.output)
        found.setdefault(str(plant).rpartition(" (")[0], plant)
        if len(found) == count:
            break
    return list(found.values())


def _turns(
    operations: Sequence[Operation], state: random.Random, count: int
) -> Iterator[Operation]:
    """Operations in random order, again and again, at most so often that there is no hope for more."""
    for _ in range(max(count, 20)):
        yield from state.sample(list(operations), len(operations))
