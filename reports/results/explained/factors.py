"""The factors of a case: what sets it apart from the plain layer asked in the usual way.

A factor is a text such as ``type=u4``, ``rank=5``, ``mode=reflect`` or ``shape=dims``. A case whose factors are among
those of another one asks a part of it. Records have all that it takes as fields, so that this room is free of the
declarations of operations, and reads no id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from ir_models.asking import id_parts
from ir_models.asking.id_parts import ABSENT, GRAPHS, DataPart
from reports.results.records import CaseRecord

_EQUAL = "equal-sizes"
_SINGLE = frozenset(
    (
        "plain",
        "type",
        "index-type",
        "left-out",
        "defaults",
        "enumeration",
        "dim-0",
        "dim-1",
        "tiny",
        _EQUAL,
    )
)
"""Purposes whose layers differ from the plain one by what their parameters and tensors show, and by nothing else."""

Part = frozenset[str]


class Factors(NamedTuple):
    """The factors of what is asked, and of how it is asked."""

    what: Part
    how: Part

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.what) + len(self.how)


class What(NamedTuple):
    """What a case asks: its purpose, its data tensors, its parameters."""

    purpose: str
    inputs: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]


def what_of(record: CaseRecord) -> What:
    """Return what a case asks, without how it is asked."""
    return What(record.purpose, tuple(record.inputs), tuple(record.parameters.items()))


def how_of(how: Mapping[str, str]) -> Part:
    """Return the factors of how a case is asked."""
    return frozenset(f"{name}={level}" for name, level in how.items())


def plain_of(records: Iterable[CaseRecord]) -> What | None:
    """Return the plain layer of an operation, by its records; None if none of them is of that layer."""
    # A few ways of writing IR are asked of a plain layer with another boolean.
    found = Counter(what_of(record) for record in records if record.purpose == "plain")
    return found.most_common(1)[0][0] if found else None


def factors_of(record: CaseRecord, plain: What | None) -> Factors:
    """Return the factors of a case; ``plain`` is the plain layer of its operation.

    Without that only cases of one layer are known to be parts of each other.
    """
    return Factors(what_factors(what_of(record), plain), how_of(record.how))


def all_of(record: CaseRecord, plain: What | None) -> Part:
    """Return all factors of a case in which it differs from the plain layer, whatever its purpose is.

    Beside those of `factors_of` there is what follows from others, and no name of the case as a whole.
    """
    asked = how_of(record.how)
    if record.purpose == GRAPHS:
        return asked | _of_pattern(what_of(record))
    return asked if plain is None else asked | _differences(what_of(record), plain)


def _of_pattern(what: What) -> Part:
    return frozenset(f"{name}={level}" for name, level in what.parameters)


def subsets(part: Part) -> list[Part]:
    """Return all subsets of some factors, small ones first."""
    items = sorted(part)
    return [frozenset(each) for size in range(len(items) + 1) for each in combinations(items, size)]


@lru_cache(maxsize=65536)
def what_factors(what: What, plain: What | None) -> Part:
    """Return the factors of what is asked; those of a graph are what is off its pattern."""
    if what.purpose == GRAPHS:
        return _of_pattern(what)
    parameters = ",".join(f"{name}={value}" for name, value in what.parameters)
    whole = frozenset((f"what={what.purpose}/{','.join(what.inputs)}/{parameters}",))
    if what == plain:
        return frozenset()
    if plain is None or what.purpose == "invalid":
        return whole
    if what.purpose == "rank":
        # What else differs follows from the rank.
        return frozenset(_rank(tensors_of(what.inputs), tensors_of(plain.inputs)))
    found = _differences(what, plain)
    return found if what.purpose in _SINGLE else found | whole


@lru_cache(maxsize=65536)
def _differences(what: What, plain: What) -> Part:
    found = frozenset((*_of_data(what.inputs, plain.inputs), *_of_parameters(what, plain)))
    # Of other purposes sizes that are equal follow from what they change.
    if what.purpose != _EQUAL:
        return found
    return found | (_equal_sizes(what.inputs) - _equal_sizes(plain.inputs))


def tensors_of(inputs: Iterable[str]) -> tuple[DataPart | None, ...]:
    """Return each data tensor, None for one left out."""
    return id_parts.tensors(",".join(inputs))


def _of_data(inputs: Iterable[str], plain: Iterable[str]) -> Iterable[str]:
    own, usual = tensors_of(inputs), tensors_of(plain)
    given, given_usually = list(filter(None, own)), list(filter(None, usual))
    kinds, usual_kinds = ({each.element_type for each in some} for some in (given, given_usually))
    if len(kinds) == len(usual_kinds) == 1:
        yield from (f"type={kind}" for kind in kinds - usual_kinds)
    else:
        # Which of the inputs has the type is part of the factor.
        for number, each in enumerate(own):
            before = usual[number] if number < len(usual) else None
            if each is not None and (before is None or before.element_type != each.element_type):
                yield f"type {number}={each.element_type}"
    for number, each in enumerate(usual):
        if each is not None and (number >= len(own) or own[number] is None):
            yield f"input {number}={ABSENT}"
    yield from _rank(own, usual)
    sizes = set(_sizes(own))
    yield from sizes - set(_sizes(usual))
    if given and _is_tiny(given) and not _is_tiny(given_usually):
        yield "tiny"


def _rank(own: Sequence[DataPart | None], usual: Sequence[DataPart | None]) -> Iterable[str]:
    """Yield the rank of the first tensor, if it is not the usual one."""
    first, before = (next(filter(None, each), None) for each in (own, usual))
    if first is not None and (before is None or len(first.shape) != len(before.shape)):
        yield f"rank={len(first.shape)}"


def _sizes(tensors: Sequence[DataPart | None]) -> Iterable[str]:
    """Yield the dimensions of 0 and 1: kernels treat no other sizes apart."""
    for number, each in enumerate(tensors):
        for axis, size in enumerate(each.shape if each is not None else ()):
            if size in (0, 1):
                yield f"size {number}.{axis}={size}"


def _equal_sizes(inputs: Iterable[str]) -> Part:
    """Return each two dimensions that are equal and more than 1."""
    places = [
        (f"{number}.{axis}", size)
        for number, each in enumerate(tensors_of(inputs))
        for axis, size in enumerate(each.shape if each is not None else ())
        if size > 1
    ]
    pairs = combinations(places, 2)
    return frozenset(f"equal {one[0]}={other[0]}" for one, other in pairs if one[1] == other[1])


def _is_tiny(tensors: Sequence[DataPart]) -> bool:
    return all(size <= 2 for each in tensors for size in each.shape)


def _of_parameters(what: What, plain: What) -> Iterable[str]:
    own, usual = map(typed, (what.parameters, plain.parameters))
    for name in own.keys() | usual.keys():
        (kind, value), (usual_kind, usual_value) = (
            each.get(name, ("", ABSENT)) for each in (own, usual)
        )
        if value != usual_value:
            yield f"{name}={value}"
        if kind != usual_kind:
            yield f"type of {name}={kind}"


def typed(parameters: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the element type, where it is stated, and the value of each parameter."""
    return {name: id_parts.typed(value) for name, value in parameters}
