"""Two supports compared, and what several devices have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reports.support.measured import (
    PASSES,
    Cell,
    Crossing,
    DeviceSupport,
    OperationSupport,
    State,
    worst,
)

LOST, GAINED, OTHERWISE = "lost", "gained", "otherwise"


class Change(NamedTuple):
    """A cell whose state differs between two supports."""

    kind: str
    """LOST: worse here than there; GAINED: better."""
    operation: str
    cell: str
    there: State
    here: State
    causes: tuple[str, ...]
    """Those of the side that is worse."""


def changes(there: DeviceSupport, here: DeviceSupport) -> tuple[list[Change], int, int]:
    """Return the cells that both asked and whose state differs, what was lost first; and how many one alone asked.

    Crossings count as cells where both asked about as many cases of the operation, and so do mixed cells, which hang on
    crossings: they differ from what conforms alone. The last number is that of the operations where they do not. That
    one compiles and the other conforms is no difference.
    """
    found: list[Change] = []
    alone = shallow = 0
    for name in sorted({*there.operations, *here.operations}):
        before, now = there.operations.get(name), here.operations.get(name)
        if before is None or now is None:
            alone += len(list((before or now or _EMPTY).names()))
            continue
        is_as_much = min(before.asked, now.asked) >= _AS_MUCH * max(before.asked, now.asked)
        shallow += not is_as_much
        for cell in sorted({*before.names(), *now.names()}):
            states = before.state_of(cell), now.state_of(cell)
            if State.NOT_ASKED in states:
                alone += 1
            elif State.MIXED in states and (not is_as_much or PASSES.isdisjoint(states)):
                continue
            elif states[0] is not states[1] and not PASSES.issuperset(states):
                is_lost = states[1].rank > states[0].rank
                worse = (
                    here.causes_of(now.cell(cell))
                    if is_lost
                    else there.causes_of(before.cell(cell))
                )
                kind = LOST if is_lost else GAINED
                found.append(Change(kind, name, cell, *states, tuple(worse)))
        if is_as_much:
            found += _crossed(name, there, before, here, now)
    found.sort(key=lambda one: (one.kind != LOST, -max(one.there.rank, one.here.rank)))
    return found, alone, shallow


_AS_MUCH = 0.9
"""The share of cases from which on one run asked as much as another: releases fold other layers."""
_EMPTY = OperationSupport(passed=0, asked=0, cells={})


def _crossed(
    name: str,
    there: DeviceSupport,
    before: OperationSupport,
    here: DeviceSupport,
    now: OperationSupport,
) -> list[Change]:
    sides = [
        {cells: one for one in each.crossings for cells in one.each()} for each in (before, now)
    ]
    found = []
    for cells in sorted(sides[0].keys() ^ sides[1].keys()):
        is_lost = cells in sides[1]
        crossing = sides[is_lost][cells]
        # One that is folded under a part that departs now is no crossing of its own.
        other = before if is_lost else now
        if any(other.state_of(cell).rank >= crossing.state.rank for cell in cells
               if other.state_of(cell) is not State.NOT_ASKED):  # fmt: skip
            continue
        states = (State.CONFORMS, crossing.state) if is_lost else (crossing.state, State.CONFORMS)
        causes = (here if is_lost else there).causes_of(crossing)
        kind = LOST if is_lost else GAINED
        found.append(Change(kind, name, " with ".join(cells), *states, tuple(causes)))
    return found


def common(devices: Sequence[DeviceSupport]) -> DeviceSupport:
    """Return what several devices have in common: of each cell the worst state.

    A cell that one of them was not asked is not asked, unless another one departs in it.
    """
    causes = sorted({cause for each in devices for cause in each.causes})
    names = set.intersection(*(set(each.operations) for each in devices))
    return DeviceSupport(
        device=" and ".join(dict.fromkeys(each.device for each in devices)),
        profile=", ".join(dict.fromkeys(each.profile for each in devices)),
        openvino=", ".join(dict.fromkeys(each.openvino for each in devices)),
        full_name="; ".join(dict.fromkeys(each.full_name for each in devices if each.full_name)),
        f16=all(each.f16 for each in devices),
        compile_only=any(each.compile_only for each in devices),
        depth=", ".join(dict.fromkeys(each.depth for each in devices)),
        source="; ".join(each.source for each in devices),
        asked=sum(each.asked for each in devices),
        left_out=sum(each.left_out for each in devices),
        causes=causes,
        operations={name: _common(name, devices, causes) for name in sorted(names)},
    )


def _common(name: str, devices: Sequence[DeviceSupport], causes: Sequence[str]) -> OperationSupport:
    sides = [(each, each.operations[name]) for each in devices]
    cells: dict[str, dict[State, dict[str, Cell]]] = {}
    missing: dict[str, list[str]] = {}

    def numbers(of: Sequence[tuple[DeviceSupport, Cell | Crossing]]) -> list[int]:
        return sorted(
            {causes.index(cause) for device, one in of for cause in device.causes_of(one)}
        )

    for cell in dict.fromkeys(cell for _, side in sides for cell in side.names()):
        row, _, value = cell.partition("=")
        states = [side.state_of(cell) for _, side in sides]
        known = worst(state for state in states if state is not State.NOT_ASKED)
        if State.NOT_ASKED in states and known in PASSES:
            missing.setdefault(row, []).append(value)
            continue
        own = [(device, side.cell(cell)) for device, side in sides]
        is_mixed = known is State.MIXED
        cells.setdefault(row, {}).setdefault(known, {})[value] = Cell(
            sum(one.asked for _, one in own),
            sum(one.departing for _, one in own),
            numbers(own),
            sorted({each for _, one in own for each in one.besides} if is_mixed else ()),
            worst(one.worst for _, one in own if one.worst) if is_mixed else None,
        )
    for _, side in sides:
        for row, values in side.not_asked.items():
            listed = missing.setdefault(row, [])
            shown = {value for each in cells.get(row, {}).values() for value in each}
            listed += [value for value in values if value not in {*listed, *shown}]
    crossings: dict[tuple[str, ...], list[tuple[DeviceSupport, Crossing]]] = {}
    for device, side in sides:
        for one in side.crossings:
            crossings.setdefault(tuple(one.cells), []).append((device, one))
    return OperationSupport(
        passed=sum(side.passed for _, side in sides),
        asked=sum(side.asked for _, side in sides),
        cells={
            row: {state: states[state] for state in State if state in states}
            for row, states in cells.items()
        },
        not_asked={row: values for row, values in missing.items() if values},
        crossings=[
            Crossing(
                list(key),
                worst(one.state for _, one in own),
                sum(one.cases for _, one in own),
                numbers(own),
            )
            for key, own in crossings.items()
        ],
    )
