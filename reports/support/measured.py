"""The support of a device: for each operation and each cell, how the cases behind it ended.

A cell is a row of an operation with a value, such as ``type T=f16``: see ``ir_models.models.cells``. Its state is the
worst of the cases that differ from the plain layer by this cell alone. Where there is none, those that differ by the
least more tell only that it conforms: if one of them departs, the cell or the rest may be why, and it is *mixed*,
unless no case conforms and the plain layer departs as badly. What departs otherwise is a crossing: cases that differ by
several cells, or in a way that no cell has (special values, a neighbour), though none with a part of that departs as
badly. Nothing is extrapolated: a cell without a case is *not asked*.

`SupportDocument` is what ``python -m reports support --format json`` writes; ``support.schema.json`` beside this file
describes it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from ir_models.asking.id_parts import GRAPHS, split_id
from reports.results.facts_of_departures import Facts, is_unsafe
from reports.results.outcomes import Outcome
from reports.results.schema import of_document

VERSION: Literal[2] = 2
"""Version of the format. A change that a reader must know of has another one. 2: the state *mixed*."""

BETWEEN_VALUES = "|"

SCHEMA_FILE = Path(__file__).with_name("support.schema.json")

Count = Annotated[int, msgspec.Meta(ge=0)]


class State(str, Enum):
    """How a cell is supported."""

    CONFORMS = "conforms"
    """The answers are within their bounds; of invalid layers: they are refused."""
    COMPILES = "compiles"
    """Layers are compiled; the device's values were not seen."""
    LOWER = "lower precision"
    """The answer is right for inputs that were narrowed first, such as f64 as f32."""
    MIXED = "mixed"
    """No case has the cell alone, and of those that have it with something else some depart."""
    REFUSED = "refused"
    """A clean exception on a valid layer."""
    WRONG = "wrong"
    """A wrong value, shape or type; an invalid layer that is accepted."""
    UNSAFE = "unsafe"
    """The process dies, hangs, or its memory is damaged."""
    NOT_ASKED = "not asked"
    """No case."""

    def __str__(self) -> str:
        return self.value

    @property
    def rank(self) -> int:
        """From good (0) to bad."""
        return _RANKS[self]


_RANKS = {state: rank for rank, state in enumerate(State)}


class Cell(msgspec.Struct, frozen=True, array_like=True):
    """The cases that decide the state of a cell: see `reports.support.measured`."""

    asked: Count = 0
    departing: Count = 0
    """Those of them that depart."""
    causes: list[Count] = []
    """Their known causes, as places in the device's list."""
    besides: list[str] = []
    """Of a mixed cell: what those that depart have besides it: ways, else cells."""
    worst: State | None = None
    """Of a mixed cell: the worst that these show."""


class Crossing(msgspec.Struct, frozen=True, array_like=True):
    """What departs together, where a part of it does not depart as badly."""

    cells: list[str]
    """Cells, with ``|`` between values of which one is enough; and what no row has: ways of asking and kinds of cases,
    such as ``way=values special`` and ``way=dim-0``."""
    state: State
    cases: Count
    causes: list[Count] = []

    def each(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells with one value each."""
        rows = [cell.partition("=") for cell in self.cells]
        values = [
            [f"{row}={value}" for value in text.split(BETWEEN_VALUES)] for row, _, text in rows
        ]
        yield from product(*values)


class OperationSupport(msgspec.Struct, frozen=True, kw_only=True):
    """The support of an operation."""

    passed: Count
    asked: Count
    cells: dict[str, dict[State, dict[str, Cell]]]
    """By row, state and value, what was asked. In a document ``|`` stands between rows, and values, that are alike."""
    not_asked: dict[str, list[str]] = {}
    """The values of the page, by row, that no case has; in a document left out if there are none."""
    crossings: list[Crossing] = []

    def state_of(self, cell: str) -> State:
        """Return the state of a cell, written ``type T=f16``; NOT_ASKED for one that the operation has not."""
        row, _, value = cell.partition("=")
        states = self.cells.get(row, {})
        return next((state for state, values in states.items() if value in values), State.NOT_ASKED)

    def cell(self, cell: str) -> Cell:
        """Return the cases behind a cell."""
        row, _, value = cell.partition("=")
        return self.cells.get(row, {}).get(self.state_of(cell), {}).get(value, Cell())

    def names(self) -> Iterator[str]:
        """Yield the cells that were asked, row by row, the best state first."""
        for row, states in self.cells.items():
            for values in states.values():
                for value in values:
                    yield f"{row}={value}"


class DeviceSupport(msgspec.Struct, frozen=True, kw_only=True):
    """The support of a device in a release and profile."""

    device: str
    profile: str
    openvino: str
    full_name: str = ""
    driver: str = ""
    isa: str = ""
    compile_only: bool = False
    """Whether layers were compiled and not inferred."""
    f16: bool = False
    """Whether the processor computes in f16."""
    depth: str = ""
    """How much the run asked: single, pairs or all."""
    source: str = ""
    """The results files or the baseline that it is told by."""
    asked: Count = 0
    """Cases behind it."""
    left_out: Count = 0
    """Cases asked that are behind no cell: graphs, and cases that are not in the corpus."""
    causes: list[str] = []
    """Ids of known causes, to which numbers in cells refer."""
    operations: dict[str, OperationSupport]

    @property
    def title(self) -> str:
        """The device, its profile and the release; of a GPU plugin without a GPU what it runs on."""
        _, software, stack = self.full_name.partition("generic kernels, on ")
        told = f"software OpenCL ({stack.partition(':')[0]}{'' if self.f16 else '; no f16'}), "
        release = f"OpenVINO {self.openvino.partition('-')[0]}"
        return f"{self.device} ({self.profile}), {told if software else ''}{release}"

    def causes_of(self, cell: Cell | Crossing) -> list[str]:
        """Return the ids of the causes of a cell."""
        return [self.causes[number] for number in cell.causes]


class SupportDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``python -m reports support --format json`` writes."""

    support: Literal[2]
    devices: list[DeviceSupport]


class Declared(Protocol):
    """What `ir_models.models` offers: this package imports no declaration itself."""

    def operation_names(self) -> tuple[str, ...]:
        """Return the operations of the suite."""

    def rows_of(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the rows of an operation with their values."""

    def plain_cells(self, name: str) -> frozenset[str]:
        """Return the cells of its plain layer."""

    def cells_of(
        self,
        name: str,
        inputs: Sequence[str],
        parameters: Mapping[str, str],
        how: Mapping[str, str],
    ) -> frozenset[str]:
        """Return the cells of a case."""

    def kind_of(self, purpose: str) -> str:
        """Return what the layer of a case is where cells do not tell it."""

    def has_plain_numbers(
        self, name: str, purpose: str, inputs: Sequence[str], parameters: Mapping[str, str]
    ) -> bool:
        """Return whether cells describe a variant: it states the numbers of the plain layer."""

    def ways_of(
        self, name: str, purpose: str, parameters: Mapping[str, str], how: Mapping[str, str]
    ) -> frozenset[str]:
        """Return what else is unusual about a case."""

    def cases_asked(self, name: str, depth: str, draws: int, seed: int) -> tuple[str, ...]:
        """Return the ids of the corpus."""


class CaseState(NamedTuple):
    """A case with its state and the id of its cause, "" without one."""

    id: str
    state: State
    cause: str = ""


class Tested(NamedTuple):
    """A case by its cells, the kind of its layer, and the ways in which it is unusual otherwise, its kind among them.

    ``differs`` are the cells in which it differs from the plain layer in the usual way, and the ways. ``apart`` are
    those by which it is listed: of a random layer, a variant and the like without the cells that follow from that.
    """

    cells: frozenset[str]
    kind: str
    ways: frozenset[str]
    differs: frozenset[str]
    apart: frozenset[str]
    state: State
    cause: str
    id: str = ""
    has_plain_numbers: bool = False

    def is_alone(self, cell: str) -> bool:
        """Tell whether a cell is all that it differs in; several type variables may have to change together."""
        return self.differs <= {cell} or (
            cell in self.differs and all(each.startswith(_TYPE) for each in self.differs)
        )

    def is_near(self, cell: str) -> bool:
        """Tell whether it differs in a cell, and else only in its sizes or its body."""
        kind = self.kind if self.has_plain_numbers else _BODY
        return self.differs - {cell} == {f"{_WAY}{kind}"}


def state_of(outcome: Outcome, facts: Facts, compile_only: bool = False) -> State:
    """Return the state that an outcome of a case that departs shows; NOT_ASKED if it says nothing of the device."""
    if compile_only and outcome is Outcome.FLAKE:
        return State.COMPILES  # to another blob each time: no value was seen
    if is_unsafe(outcome, facts):
        return State.UNSAFE
    if outcome is Outcome.REFUSED:
        return State.REFUSED
    if outcome is Outcome.FAIL and facts.computed_as:
        return State.LOWER
    if outcome in (Outcome.FAIL, Outcome.FLAKE, Outcome.ACCEPTED_INVALID):
        return State.WRONG
    return State.NOT_ASKED


_OF_HOW = ("dimensions", "constants", "index")
_TYPE = "type "
_WAY = "way="
_INVALID = "invalid"
_BODY = "body"
PASSES = frozenset((State.CONFORMS, State.COMPILES))


def by_cells(cases: Iterable[CaseState], declared: Declared) -> dict[str, list[Tested]]:
    """Return the cases of each operation by their cells; graphs are left out, and operations without a declaration."""
    found: dict[str, list[Tested]] = defaultdict(list)
    unknown: set[str] = set()
    for case, state, cause in cases:
        try:
            parts = split_id(case)
        except ValueError:  # no id of this suite
            continue
        name = parts.operation
        if state is State.NOT_ASKED or parts.purpose == GRAPHS or name in unknown:
            continue
        kind = declared.kind_of(parts.purpose)
        try:
            plain = declared.plain_cells(name)
            ways = declared.ways_of(name, parts.purpose, parts.parameters, parts.how)
            if parts.purpose == _INVALID:
                found[name].append(Tested(frozenset(), kind, ways, ways, ways, state, cause, case))
                continue
            cells = declared.cells_of(name, parts.inputs, parts.parameters, parts.how)
        except ValueError:  # no declaration of this suite has the name
            unknown.add(name)
            continue
        apart = cells - plain
        differs = apart | ways
        if kind:
            # What else a random layer, a variant and the like are follows from what they are for.
            apart = frozenset(cell for cell in apart if cell.partition("=")[0] in _OF_HOW)
        is_near = declared.has_plain_numbers(name, parts.purpose, parts.inputs, parts.parameters)
        found[name].append(
            Tested(cells, kind, ways, differs, apart | ways, state, cause, case, is_near)
        )
    return found


def measured(
    operations: Mapping[str, Sequence[Tested]], declared: Declared
) -> tuple[dict[str, OperationSupport], list[str]]:
    """Return the support of each operation, and the ids of the causes to which the numbers in it refer."""
    causes = sorted({each.cause for cases in operations.values() for each in cases if each.cause})
    numbers = {cause: number for number, cause in enumerate(causes)}
    return {
        name: _operation(cases, declared.rows_of(name), numbers)
        for name, cases in sorted(operations.items())
    }, causes


def _operation(
    cases: Sequence[Tested], rows: Mapping[str, Sequence[str]], numbers: Mapping[str, int]
) -> OperationSupport:
    by_cell: dict[str, list[Tested]] = defaultdict(list)
    for case in cases:
        for cell in case.cells:
            by_cell[cell].append(case)
    found: dict[str, dict[State, dict[str, Cell]]] = {row: defaultdict(dict) for row in rows}
    missing = {
        row: [value for value in values if f"{row}={value}" not in by_cell]
        for row, values in rows.items()
    }
    plain = worst([State.CONFORMS, *(case.state for case in cases if not case.differs)])
    for cell, having in sorted(by_cell.items()):
        row, _, value = cell.partition("=")
        state, cases_behind = _state(cell, having, plain)
        own = found.setdefault(row, defaultdict(dict))
        departing = [case for case in cases_behind if case.state not in PASSES]
        besides = {each for case in departing for each in case.ways or case.differs - {cell}}
        own[state][value] = Cell(
            len(cases_behind),
            len(departing),
            _numbers(departing, numbers),
            *((sorted(besides), worst(c.state for c in departing)) if state is State.MIXED else ()),
        )
    ordered = {
        row: {state: states[state] for state in State if states.get(state)}
        for row, states in found.items()
        if states
    }
    return OperationSupport(
        passed=_passed(cases),
        asked=len(cases),
        cells=ordered,
        not_asked={row: values for row, values in missing.items() if values},
        crossings=_crossings(cases, numbers),
    )


def behind(cell: str, having: Sequence[Tested]) -> tuple[list[Tested], bool]:
    """Return the cases behind a cell, of those that have it, and whether they decide it.

    They do if they have it alone; where none has, a variant with the numbers of the plain layer will do, and a layer
    with another body: some inputs need one.
    """
    if own := [case for case in having if case.is_alone(cell)]:
        return own, True
    if own := [case for case in having if case.is_near(cell)]:
        return own, True
    least = min(len(case.differs) for case in having)
    return [case for case in having if len(case.differs) == least], False


def _state(cell: str, having: Sequence[Tested], plain: State) -> tuple[State, list[Tested]]:
    """The state of a cell, and the cases behind it; ``plain`` is the state of the plain layer."""
    own, is_decided = behind(cell, having)
    state = worst(case.state for case in own)
    # No case conforms, and none needs more than the plain layer to depart as badly.
    is_plain = state.rank <= plain.rank and PASSES.isdisjoint(case.state for case in having)
    return state if is_decided or is_plain or state in PASSES else State.MIXED, own


def worst(states: Iterable[State]) -> State:
    """Return the worst of some states."""
    return max(states, key=lambda one: one.rank)


def of_mixed(cell: Cell | Crossing) -> str:
    """Return what is known of a mixed cell: how many of its cases conform, and what the others have besides it."""
    assert isinstance(cell, Cell)
    conforming = cell.asked - cell.departing
    return (
        f"conforms in {conforming:,} of {cell.asked:,}; {cell.worst} with {', '.join(cell.besides)}"
    )


def _passed(cases: Iterable[Tested]) -> int:
    return sum(case.state in PASSES for case in cases)


def _numbers(cases: Iterable[Tested], numbers: Mapping[str, int]) -> list[int]:
    return sorted({numbers[case.cause] for case in cases if case.cause})


def _crossings(cases: Sequence[Tested], numbers: Mapping[str, int]) -> list[Crossing]:
    departing = [case for case in cases if case.state not in PASSES]
    states: dict[frozenset[str], State] = {}
    for case in departing:
        states[case.apart] = worst((case.state, states.get(case.apart, case.state)))
    listed: dict[frozenset[str], list[Tested]] = defaultdict(list)
    for case in departing:
        is_folded = any(
            other < case.differs and other != case.apart and state.rank >= case.state.rank
            for other, state in states.items()
        )
        if not is_folded and (len(case.apart) > 1 or case.ways):
            listed[case.apart].append(case)
    return [
        Crossing(sorted(apart), worst(c.state for c in found), len(found), _numbers(found, numbers))
        for apart, found in sorted(listed.items(), key=lambda one: (len(one[0]), sorted(one[0])))
    ]


def merged(crossings: Sequence[Crossing]) -> list[Crossing]:
    """Return crossings; those that differ in the value of one row alone are joined."""
    found = [(tuple(each.cells), each) for each in crossings]
    rows = sorted({cell.partition("=")[0] for cells, _ in found for cell in cells})
    # Element types are what differs most.
    for row in sorted(rows, key=lambda one: not one.startswith("type ")):
        alike: dict[tuple[object, ...], tuple[tuple[str, ...], Crossing]] = {}
        for cells, one in found:
            own = next((each for each in cells if each.startswith(f"{row}=")), "")
            rest = tuple(each for each in cells if each != own)
            key = (rest, one.state) if own else (rest, one.state, "")
            if key in alike:
                before, other = alike[key]
                joined = next((each for each in before if each not in rest), own)
                if joined != own:
                    own = f"{joined}{BETWEEN_VALUES}{own.partition('=')[2]}"
                one = Crossing(
                    other.cells,
                    one.state,
                    other.cases + one.cases,
                    sorted({*other.causes, *one.causes}),
                )
            alike[key] = tuple(sorted((*rest, own))) if own else rest, one
        found = list(alike.values())
    return [msgspec.structs.replace(one, cells=list(cells)) for cells, one in found]


def crossings_of(support: OperationSupport, cells: Collection[str]) -> list[Crossing]:
    """Return the crossings all of whose cells a layer has."""
    own = dict(cell.split("=", 1) for cell in cells)
    return [
        each
        for each in support.crossings
        if all(
            own.get(row) in values.split(BETWEEN_VALUES)
            for row, _, values in (cell.partition("=") for cell in each.cells)
        )
    ]


# --- as JSON ------------------------------------------------------------------------------------------------------


def as_json(devices: Sequence[DeviceSupport]) -> str:
    """Return the document, with a line for each operation so that a diff shows which ones changed."""
    texts = []
    for each in devices:
        content = as_builtins(each)
        operations = content.pop("operations")
        lines = ",\n".join(f"{_text(name)}:{_text(one)}" for name, one in operations.items())
        texts.append(f'{_text(content)[:-1]},"operations":{{\n{lines}\n}}}}')
    joined = ",\n".join(texts)
    return f'{{\n"support":{VERSION},"devices":[\n{joined}\n]}}\n'


def as_builtins(device: DeviceSupport) -> dict[str, Any]:
    """Return a device as a document has it."""
    content: dict[str, Any] = msgspec.to_builtins(device)
    content["operations"] = {
        name: _packed(one, device.operations[name].crossings)
        for name, one in content["operations"].items()
    }
    return content


def _packed(operation: dict[str, Any], crossings: Sequence[Crossing]) -> dict[str, Any]:
    """Return an operation as short as it can be written: values with equal numbers once, no zeros at the end."""
    cells = _joined(
        {
            row: {
                state: _joined({value: _trimmed(cell) for value, cell in values.items()})
                for state, values in states.items()
            }
            for row, states in operation["cells"].items()
        }
    )
    packed = operation | {
        "cells": cells,
        "not_asked": _joined(operation["not_asked"]),
        "crossings": [
            _trimmed(msgspec.to_builtins(each))
            for each in merged(_without_cells_of_ways(crossings))
        ],
    }
    return {key: value for key, value in packed.items() if key != "not_asked" or value}


def _without_cells_of_ways(crossings: Sequence[Crossing]) -> list[Crossing]:
    """Return crossings, of those with ways the ways alone, without causes: no model shows these, and they are many."""
    found: dict[tuple[str, ...], list[Crossing]] = defaultdict(list)
    for each in crossings:
        ways = [one for one in each.cells if one.startswith(_WAY)]
        if not any((one,) in found for one in ways) or len(ways) == 1:
            found[tuple(ways or each.cells)].append(each)
    return [
        Crossing(
            list(cells),
            worst(one.state for one in own),
            sum(one.cases for one in own),
            [] if cells[0].startswith(_WAY) else [*own[0].causes],
        )
        for cells, own in found.items()
    ]


def _joined(values: dict[str, Any]) -> dict[str, Any]:
    """Return a dictionary in which keys of one value are one."""
    alike: dict[str, list[str]] = defaultdict(list)
    for key, value in values.items():
        alike[_text(value)].append(key)
    return {BETWEEN_VALUES.join(keys): json.loads(value) for value, keys in alike.items()}


def _trimmed(values: list[Any]) -> list[Any]:
    while values and values[-1] in (0, [], None):
        values = values[:-1]
    return values


def unpacked(operation: OperationSupport) -> OperationSupport:
    """Return an operation of a document with each row and value apart."""
    cells = {
        row: {state: _apart(values) for state, values in states.items()}
        for row, states in _apart(operation.cells).items()
    }
    return msgspec.structs.replace(operation, cells=cells, not_asked=_apart(operation.not_asked))


def as_documented(device: DeviceSupport) -> DeviceSupport:
    """Return a device with what a document has of it: of crossings with ways these alone."""
    packed = msgspec.convert(as_builtins(device)["operations"], dict[str, OperationSupport])
    operations = {name: unpacked(each) for name, each in packed.items()}
    return msgspec.structs.replace(device, operations=operations)


def _apart(values: Mapping[str, _Value]) -> dict[str, _Value]:
    return {key: value for keys, value in values.items() for key in keys.split(BETWEEN_VALUES)}


_Value = TypeVar("_Value")


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def json_schema() -> str:
    """Return the content of `SCHEMA_FILE`."""
    return of_document(
        SupportDocument,
        f"Support of devices by the OpenVINO layer conformance suite, version {VERSION}",
        "What `python -m reports support --format json` writes: see docs/support.md.",
    )
