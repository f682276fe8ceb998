"""Faults of rewritings of graphs, as a text each: what an optimizer does wrong where a match holds.

    rank dropped:MatMul-1>Add-1
    constant as scalar:Convolution-1>Multiply-1:unknown shape
    switched on:ReLU-1>Add-1:with SoftMax-8

A kind, the layers of the match in their order, and what must hold besides. Each layer alone is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ir_models import catalog
from ir_models.vocabulary.graph import Step

Arrays = list[np.ndarray]


class RefusedError(Exception):
    """The device refuses what a rewriting made."""


class DiedError(Exception):
    """The device ends its process."""


@dataclass
class View:
    """One inference of a graph as an optimizer sees it.

    ``steps`` have all attributes as a reference takes them; ``compute`` gives the outputs of a layer, rounded to their
    types, ``exact`` before they are rounded. ``before`` has the tensors of the inference before. ``reads`` are values
    that one layer gets in place of a tensor, ``given`` those that a result gives.
    """

    steps: Sequence[Step]
    values: dict[str, np.ndarray]
    constants: set[str]
    results: Sequence[str]
    is_unknown: bool
    compute: Callable[[Step, Sequence[Any]], Arrays]
    exact: Callable[[Step, Sequence[Any]], Arrays]
    before: Mapping[str, np.ndarray] = field(default_factory=dict)
    reads: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    given: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def producers(self) -> dict[str, Step]:
        """The layers by name."""
        return {step.name: step for step in self.steps}

    def readers(self, value: str) -> list[Step]:
        """The layers that read a value, in their order."""
        return [step for step in self.steps if value in step.inputs]

    def uses(self, value: str) -> int:
        """How often a value is read, as a result too."""
        return sum(step.inputs.count(value) for step in self.steps) + (value in self.results)

    def inputs(self, step: Step) -> list[Any]:
        """What a layer reads."""
        return [
            self.reads.get((step.name, value), self.values[value]) if value else None
            for value in step.inputs
        ]


@dataclass(frozen=True)
class Match:
    """Layers that each read the one before; ``links`` are the tensors between them."""

    steps: tuple[Step, ...]
    links: tuple[str, ...]

    @property
    def last(self) -> Step:
        """The layer that gives what the rewriting gives."""
        return self.steps[-1]

    @property
    def link(self) -> str:
        """What the last layer reads of the one before."""
        return self.links[-1]

    @property
    def place(self) -> int:
        """The port at which the last layer reads it."""
        return self.last.inputs.index(self.link)

    @property
    def operand(self) -> str:
        """What else a last layer of two inputs reads; "" for another one."""
        return self.last.inputs[1 - self.place] if len(self.last.inputs) == 2 else ""


def matches(view: View, chain: Sequence[str], last: Step) -> Iterator[Match]:
    """The matches of a chain of operations that end in a layer."""
    if last.operation != chain[-1]:
        return
    if len(chain) == 1:
        yield Match((last,), ())
        return
    for value in dict.fromkeys(each for each in last.inputs if each):
        before = view.producers.get(value.partition(":")[0])
        if before is not None:
            for each in matches(view, chain[:-1], before):
                yield Match((*each.steps, last), (*each.links, value))


# --- operations ---------------------------------------------------------------------------------------------------


def broadcasts(operation: str) -> bool:
    """Whether it is a layer of two operands."""
    declared = catalog.operation(operation)
    names = {each.name for each in declared.attributes}
    return len(declared.inputs) == 2 and "auto_broadcast" in names


def keeps_dims(operation: str) -> bool:
    """Whether it is a reduction."""
    return any(each.name == "keep_dims" for each in catalog.operation(operation).attributes)


def axis_place(operation: str) -> tuple[int, str] | None:
    """Where a layer has its axes: an input's position, or an attribute's name."""
    declared = catalog.operation(operation)
    for place, each in enumerate(declared.inputs):
        if each.axis_of:
            return place, ""
    return next(((-1, each.name) for each in declared.attributes if each.axis_of), None)


def is_ordered(operation: str) -> bool:
    """Whether the order of its two operands counts."""
    names = ("Subtract", "Divide", "Power", "Less", "Greater", "LessEqual", "GreaterEqual", "PReLU")
    return operation.rpartition("-")[0] in names


# --- what an effect computes --------------------------------------------------------------------------------------


def _again(view: View, match: Match, first: int, inputs: Sequence[Any], **changed: Any) -> Arrays:
    """What the match gives where its layer number ``first`` reads and has something else."""
    step = match.steps[first]
    step = Step(step.name, step.operation, step.inputs, {**step.attributes, **changed})
    outputs = view.compute(step, inputs)
    for place in range(first + 1, len(match.steps)):
        step, link = match.steps[place], match.links[place - 1]
        given = outputs[int(link.partition(":")[2] or 0)]
        outputs = view.compute(
            step,
            [
                given if value == link else own
                for value, own in zip(step.inputs, view.inputs(step), strict=True)
            ],
        )
    return outputs


def _last_with(view: View, match: Match, operand: np.ndarray) -> Arrays:
    """What the last layer gives with another operand."""
    own = view.inputs(match.last)
    own[1 - match.place] = operand
    return view.compute(match.last, own)


def _constant(view: View, match: Match) -> np.ndarray | None:
    """The operand, where it is a constant of a layer of two operands."""
    if (
        not match.operand
        or match.operand not in view.constants
        or not broadcasts(match.last.operation)
    ):
        return None
    return view.values[match.operand]


def _right(view: View, match: Match) -> np.ndarray:
    return view.values[match.last.name]


def _rank_dropped(view: View, match: Match, condition: str) -> Arrays | None:
    """The result has the rank of the first layer's, whatever rank the constant has."""
    right, rank = _right(view, match), view.values[match.link].ndim
    lost = right.ndim - rank
    if _constant(view, match) is None or lost <= 0 or right.shape[:lost] != (1,) * lost:
        return None
    return [right.reshape(right.shape[lost:])]


def _keep_dims(view: View, match: Match, condition: str) -> Arrays | None:
    """keep_dims is taken for true."""
    for place, step in enumerate(match.steps):
        if keeps_dims(step.operation):
            if step.attributes.get("keep_dims"):
                return None
            return _again(view, match, place, view.inputs(step), keep_dims=True)
    return None


def _with_axes(view: View, match: Match, change: Callable[[int, np.ndarray], int]) -> Arrays | None:
    """The match with other axes in its last layer that has some; ``change`` gets an axis and the data."""
    for place in reversed(range(len(match.steps))):
        step = match.steps[place]
        where = axis_place(step.operation)
        if where is None:
            continue
        given = view.inputs(step)
        data = given[0]
        if where[0] >= 0:
            if where[0] >= len(given) or given[where[0]] is None or not data.ndim:
                return None
            axes = given[where[0]]
            changed = np.array([change(int(a), data) for a in axes.reshape(-1)], axes.dtype)
            given[where[0]] = changed.reshape(axes.shape)
            return _again(view, match, place, given)
        axis = step.attributes.get(where[1])
        if not isinstance(axis, int) or not data.ndim:
            return None
        return _again(view, match, place, given, **{where[1]: change(axis, data)})
    return None


def _wrong_axis(view: View, match: Match, condition: str) -> Arrays | None:
    """The axis before is taken."""
    return _with_axes(view, match, lambda axis, data: (axis - 1) % data.ndim)


def _last_axis(view: View, match: Match, condition: str) -> Arrays | None:
    """The last axis is taken, whatever is asked for."""
    return _with_axes(view, match, lambda axis, data: data.ndim - 1)


def _stale(view: View, match: Match, condition: str) -> Arrays | None:
    """The inner tensor as a result is that of the inference before."""
    if match.link in view.results and match.link in view.before:
        view.given[match.link] = view.before[match.link]
    return None


def _unrounded(view: View, match: Match, condition: str) -> Arrays | None:
    """The first layer, which rounds, is left out; where it is a conversion, the last one is as well."""
    first = match.steps[0]
    data = view.inputs(first)[0]
    if first.operation != "Convert-1":
        return _passing(view, match, data)
    narrow = str(first.attributes.get("destination_type"))
    if (condition and f"of {narrow}" != condition) or _right(view, match).dtype != data.dtype:
        return None
    if len(match.steps) == 2:
        return [data]
    middle = match.steps[1]
    link = match.links[0]
    given = [
        data if value == link else own
        for value, own in zip(middle.inputs, view.inputs(middle), strict=True)
    ]
    return [view.exact(middle, given)[0].astype(data.dtype)]


def _passing(view: View, match: Match, data: np.ndarray) -> Arrays | None:
    """What the match gives where its first layer gives its input."""
    link = match.links[0]
    if data.dtype != view.values[link].dtype or data.shape != view.values[link].shape:
        return None
    following = Match(match.steps[1:], match.links[1:])
    step = following.steps[0]
    given = [
        data if value == link else own
        for value, own in zip(step.inputs, view.inputs(step), strict=True)
    ]
    return _again(view, following, 0, given)


def _later(view: View, match: Match, value: str) -> list[Step]:
    """The readers of a value behind the last layer."""
    place = list(view.steps).index(match.last)
    return [step for step in view.steps[place + 1 :] if value in step.inputs]


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype


def _memory_reused(view: View, match: Match, condition: str) -> Arrays | None:
    """The result is written where the inner tensor stands, which something reads later."""
    right = _right(view, match)
    if not _alike(right, view.values[match.link]):
        return None
    for step in _later(view, match, match.link):
        view.reads[step.name, match.link] = right
    if match.link in view.results:
        view.given[match.link] = right
    return None


def _reader_after(view: View, match: Match, condition: str) -> Arrays | None:
    """A second reader of the inner tensor gets what the last layer gives."""
    right = _right(view, match)
    if _alike(right, view.values[match.link]):
        for step in _later(view, match, match.link):
            view.reads[step.name, match.link] = right
    return None


def _reader_before(view: View, match: Match, condition: str) -> Arrays | None:
    """Where the last layer has several readers, the last one gets the inner tensor."""
    name, link = match.last.name, view.values[match.link]
    readers = _later(view, match, name)
    if readers and view.uses(name) > 1 and _alike(_right(view, match), link):
        view.reads[readers[-1].name, name] = link
    return None


def _scalar(view: View, match: Match, condition: str) -> Arrays | None:
    """The constant is taken for one number: its first."""
    operand = _constant(view, match)
    if operand is None or operand.size < 2:
        return None
    return _last_with(view, match, np.full(operand.shape, operand.reshape(-1)[0]))


def _swapped(view: View, match: Match, condition: str) -> Arrays | None:
    """The operands change places where the match comes second."""
    if match.place != 1 or not match.operand:
        return None
    return view.compute(match.last, view.inputs(match.last)[::-1])


def _equal_sizes(view: View, match: Match, condition: str) -> Arrays | None:
    """The other one of two dimensions of one size is taken; a Transpose that keeps the shape is left out."""
    for place, step in enumerate(match.steps):
        if step.operation == "Transpose-1":
            data, link = view.inputs(step)[0], view.values[step.name]
            if data.shape != link.shape:
                return None
            if place == len(match.steps) - 1:
                return [data]
            return _passing(view, Match(match.steps[place:], match.links[place:]), data)

    def other(axis: int, data: np.ndarray) -> int:
        own = axis % data.ndim
        alike = [k for k in range(data.ndim) if k != own and data.shape[k] == data.shape[own] > 1]
        return alike[0] if alike else axis

    if any(axis_place(step.operation) for step in match.steps):
        return _with_axes(view, match, other)
    operand, right = _constant(view, match), _right(view, match)
    if operand is None or operand.size < 2 or operand.ndim > right.ndim:
        return None
    whole = operand.reshape((1,) * (right.ndim - operand.ndim) + operand.shape)
    shape: tuple[int, ...] = whole.shape
    long = [axis for axis, size in enumerate(shape) if size > 1]
    alike = [k for k in range(right.ndim) if k not in long and right.shape[k] == operand.size]
    if len(long) != 1 or not alike:
        return None
    return _last_with(view, match, np.swapaxes(whole, long[0], alike[0]))


def _switched_on(view: View, match: Match, condition: str) -> Arrays | None:
    """The match is computed in bf16."""
    right = _right(view, match)
    if right.dtype != np.float32:
        return None
    cut = np.ascontiguousarray(right).view(np.uint32) & np.uint32(0xFFFF0000)
    return [cut.view(np.float32).reshape(right.shape)]


def _cancelled(view: View, match: Match, condition: str) -> Arrays | None:
    """The layers are taken to cancel each other."""
    data = view.inputs(match.steps[0])[0]
    return [data] if data is not None and _alike(data, _right(view, match)) else None


def _forgotten(view: View, match: Match, condition: str) -> Arrays | None:
    """The last layer with its constant is left out."""
    link = view.values[match.link]
    if _constant(view, match) is None or not _alike(link, _right(view, match)):
        return None
    return [link]


def _not_broadcast(view: View, match: Match, condition: str) -> Arrays | None:
    """The result has the shape of the first layer's, though the constant makes it larger."""
    link, right = view.values[match.link], _right(view, match)
    if _constant(view, match) is None or right.size <= link.size or not link.size:
        return None
    whole = right[(0,) * (right.ndim - link.ndim)]
    return [whole[tuple(slice(0, size) for size in link.shape)]]


def _unchecked(view: View, match: Match, condition: str) -> Arrays | None:
    """The constant is taken for the number that the formula has."""
    operand = _constant(view, match)
    number = condition.removeprefix("number ")
    if operand is None or not condition or operand.dtype.kind == "b":
        return None
    return _last_with(view, match, np.full(operand.shape, float(number)).astype(operand.dtype))


def _near(view: View, match: Match, condition: str) -> Arrays | None:
    """A constant that is near the number of a formula is taken for it."""
    operand = _constant(view, match)
    number, _, tolerance = condition.removeprefix("number ").partition(" within ")
    if operand is None or not operand.size or operand.dtype.kind != "f":
        return None
    off = np.abs(operand.astype(np.float64) / float(number) - 1)
    if not 1e-6 < off.max() <= float(tolerance):
        return None
    return _last_with(view, match, np.full(operand.shape, float(number)).astype(operand.dtype))


def _long(view: View, match: Match, condition: str) -> Arrays | None:
    """From so many elements along an axis on, the last one is not computed."""
    right = _right(view, match)
    long = [axis for axis, size in enumerate(right.shape) if size >= int(condition.split()[-1])]
    if not long:
        return None
    wrong = np.array(right)
    wrong[(slice(None),) * long[0] + (-1,)] = 0
    return [wrong]


def _readers_alike(view: View, match: Match, condition: str) -> Arrays | None:
    """The second of two readers of one tensor, of one operation, gets what is not its own."""
    twins = [s for s in view.readers(match.link) if s.operation == match.last.operation]
    if len(twins) < 2 or twins[-1] is not match.last or view.uses(match.link) < 2:
        return None
    right = _right(view, match)
    return [np.roll(right.reshape(-1), 1).reshape(right.shape)] if right.size > 1 else None


def _unread(view: View, match: Match, condition: str) -> Arrays | None:
    """An attribute is taken for what a formula has."""
    what, _, where = condition.partition(" where ")
    name, _, text = what.partition(" is ")
    if where and not view.is_unknown:
        return None
    for place, step in enumerate(match.steps):
        declared = catalog.operation(step.operation).attribute(name)
        now = step.attributes.get(name)
        if declared is None or now is None:
            continue
        taken = declared.parse(text)
        if now == taken or (declared.is_list and len(now) != len(taken)):
            return None
        return _again(view, match, place, view.inputs(step), **{name: taken})
    return None


def _refused(view: View, match: Match, condition: str) -> Arrays | None:
    """The device refuses what it has made."""
    raise RefusedError("the fused layer is not implemented")


def _dead(view: View, match: Match, condition: str) -> Arrays | None:
    """The process ends."""
    raise DiedError


# --- conditions ---------------------------------------------------------------------------------------------------


def _has_negative_axis(view: View, match: Match) -> bool:
    for step in match.steps:
        where = axis_place(step.operation)
        if where is None:
            continue
        if where[0] < 0:
            axis = step.attributes.get(where[1])
            return isinstance(axis, int) and axis < 0
        given = view.inputs(step)
        if where[0] < len(given) and given[where[0]] is not None:
            return bool((given[where[0]] < 0).any())
    return False


Holds = Callable[[View, Match], bool]

# What must hold of a match besides, by name.
CONDITIONS: Mapping[str, Holds] = {
    "unknown shape": lambda view, match: view.is_unknown,
    "rank 4": lambda view, match: view.values[match.link].ndim >= 4,
    "rank 2": lambda view, match: view.values[match.link].ndim <= 2,
    "a dimension of 1": lambda view, match: 1 in view.values[match.link].shape,
    "f16": lambda view, match: view.values[match.link].dtype == np.float16,
    "inner result": lambda view, match: match.link in view.results,
}
# Of layers of two operands.
OPERANDS: Mapping[str, Holds] = {
    "operand at run time": lambda view, match: (
        match.operand not in view.constants and match.operand not in view.producers
    ),
    "one number": lambda view, match: (
        match.operand in view.constants and view.values[match.operand].size == 1
    ),
    "several numbers": lambda view, match: (
        match.operand in view.constants and view.values[match.operand].size > 1
    ),
    "second operand": lambda view, match: match.place == 1,
}
AXES: Mapping[str, Holds] = {"negative axis": _has_negative_axis}
_HOLDS = {**CONDITIONS, **OPERANDS, **AXES}


def _holds(view: View, match: Match, condition: str) -> bool:
    if condition.startswith("with "):
        name = condition.removeprefix("with ")
        own = {step.name for step in match.steps}
        return any(step.operation == name and step.name not in own for step in view.steps)
    return condition not in _HOLDS or _HOLDS[condition](view, match)


# --- kinds --------------------------------------------------------------------------------------------------------


def _any(chain: Sequence[str]) -> bool:
    return True


def _by_last(is_fit: Callable[[str], bool]) -> Callable[[Sequence[str]], bool]:
    return lambda chain: is_fit(chain[-1])


def _has_axis(chain: Sequence[str]) -> bool:
    return any(axis_place(each) for each in chain)


def _reduces(chain: Sequence[str]) -> bool:
    return any(map(keeps_dims, chain))


def _may_confuse(chain: Sequence[str]) -> bool:
    return "Transpose-1" in chain or _has_axis(chain) or broadcasts(chain[-1])


def _rounds(chain: Sequence[str]) -> bool:
    if chain[0] == "Convert-1":
        return chain[-1] == "Convert-1"
    return chain[0] in ("Round-5", "Floor-1", "Ceiling-1")


@dataclass(frozen=True)
class Kind:
    """An effect, the chains that can have it, and what a graph needs beside the chain.

    ``is_shared``: the inner tensor may be read by others; other rewritings look for it to be read once. ``is_wide``:
    it would be seen in any graph of the chain, and is planted under a condition alone. ``extra``: layers beside those
    of the chain. ``of_constant``: the last layer reads a constant.
    """

    effect: Callable[[View, Match, str], Arrays | None]
    fits: Callable[[Sequence[str]], bool] = _any
    is_shared: bool = False
    is_wide: bool = False
    extra: int = 0
    of_constant: bool = False

    @property
    def about(self) -> str:
        """What the rewriting does."""
        return (self.effect.__doc__ or "").strip()


KINDS: Mapping[str, Kind] = {
    "rank dropped": Kind(_rank_dropped, _by_last(broadcasts), of_constant=True),
    "keep_dims ignored": Kind(_keep_dims, _reduces),
    "wrong axis": Kind(_wrong_axis, _has_axis),
    "last axis": Kind(_last_axis, _has_axis),
    "stale result": Kind(_stale, is_shared=True),
    "rounding left out": Kind(_unrounded, _rounds),
    "memory reused": Kind(_memory_reused, is_shared=True),
    "reader gets what is behind": Kind(_reader_after, is_shared=True, extra=1),
    "reader gets what is in front": Kind(_reader_before, is_shared=True, extra=1),
    "constant as scalar": Kind(_scalar, _by_last(broadcasts), of_constant=True),
    "operands swapped": Kind(_swapped, _by_last(is_ordered)),
    "equal dimensions": Kind(_equal_sizes, _may_confuse),
    "switched on": Kind(_switched_on, extra=1),
    "cancelled": Kind(_cancelled, is_wide=True),
    "constant forgotten": Kind(_forgotten, _by_last(broadcasts), is_wide=True, of_constant=True),
    "not broadcast": Kind(_not_broadcast, _by_last(broadcasts), of_constant=True),
    "value not checked": Kind(_unchecked, _by_last(broadcasts), of_constant=True),
    "refusal": Kind(_refused, is_wide=True),
    "death": Kind(_dead, is_wide=True),
}


VARIATIONS: Mapping[str, Kind] = {
    "value near enough": Kind(_near, _by_last(broadcasts), is_shared=True, of_constant=True),
    "too long": Kind(_long, is_shared=True),
    "readers alike": Kind(_readers_alike, is_shared=True, extra=1),
    "attribute not read": Kind(_unread),
}
"""Kinds that only variations and attributes of patterns can show: a trial of their own; the draws of others stay."""
_ALL = {**KINDS, **VARIATIONS}


@dataclass(frozen=True)
class Fault:
    """One fault. ``is_of_formula``: documents say that the chain is fused; otherwise it is a random one."""

    kind: str
    chain: tuple[str, ...]
    condition: str = ""
    is_of_formula: bool = True

    def __str__(self) -> str:
        parts = [self.kind, ">".join(self.chain), self.condition]
        return ":".join(part for part in parts if part)

    @classmethod
    def read(cls, text: str) -> Fault:
        """The fault of a text. Raises ValueError."""
        kind, chain, condition = [*text.split(":"), "", ""][:3]
        if kind not in _ALL or not chain:
            raise ValueError(f"{text!r} is no fault: KIND:OPERATION>OPERATION[:CONDITION]")
        return cls(kind, tuple(chain.split(">")), condition)

    @property
    def layers(self) -> int:
        """How many layers a graph needs to show it."""
        return len(self.chain) + _ALL[self.kind].extra

    def strikes(self, view: View, match: Match) -> bool:
        """Whether the rewriting takes place."""
        is_shared = _ALL[self.kind].is_shared or self.condition == "inner result"
        is_fused = is_shared or all(view.uses(link) == 1 for link in match.links)
        return is_fused and _holds(view, match, self.condition)


def infer(view: View, fault: Fault) -> list[np.ndarray]:
    """The results of one inference with a fault. Raises RefusedError, DiedError."""
    changed: set[str] = set()
    for step in view.steps:
        if any(v in changed or (step.name, v) in view.reads for v in step.inputs):
            _set(view, step, _computed(view, step), changed)
        for match in matches(view, fault.chain, step):
            if not fault.strikes(view, match):
                continue
            try:
                outputs = _ALL[fault.kind].effect(view, match, fault.condition)
            except (
                ValueError,
                TypeError,
                LookupError,
                ArithmeticError,
                NotImplementedError,
            ) as error:
                raise RefusedError("the rewritten layers do not fit each other") from error
            if outputs is not None:
                _set(view, step, outputs, changed)
                break
    return [view.given.get(value, view.values[value]) for value in view.results]


def _computed(view: View, step: Step) -> Arrays:
    try:
        return view.compute(step, view.inputs(step))
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise RefusedError("a layer does not take what the rewritten ones give") from error


def _set(view: View, step: Step, outputs: Arrays, changed: set[str]) -> None:
    for place, array in enumerate(outputs):
        name = f"{step.name}:{place}" if place else step.name
        view.values[name] = np.asarray(array)
        changed.add(name)
