"""Claims: what a device says that it runs, as ranges of cells, in one page that a person edits.

Inside the claims everything must conform, but departures of a waived cause until the waiver's date; an invalid layer is
inside if its operation is claimed. Outside, a clean refusal is *not claimed*, and passes; a wrong value, a death, a
hang is red there, and no waiver lets it pass::

    device = "NPU"

    [[claim]]
    operations = ["Abs-1", "ReLU-1"]
    "type T" = ["f16", "f32"]      # rows as in docs/support.md; a row that is left out may have any value
    rank = "1-5"
    dimensions = "not rank unknown"

    [[waiver]]
    cause = "erf-inexact-near-zero"
    reason = "fixed in the next driver"
    until = 2027-01-31             # red from the day after
"""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ir_models.asking.id_parts import split_id
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared import toml
from reports.results.shared.text import count
from reports.support.measured import PASSES, Declared, OperationSupport, State, Tested
from reports.support.sources import SupportSource

WAIVED_FOR = datetime.timedelta(days=180)
"""How long a drafted waiver holds."""

INVALID = "invalid"
_RANGE = re.compile(r"(\d+)-(\d+)")
_NOT = "not "
_OPERATIONS = "operations"


@dataclass(frozen=True)
class Waiver:
    """A cause whose departures the claims admit until a day."""

    cause: str
    reason: str
    until: datetime.date


@dataclass(frozen=True)
class Claims:
    """What a device claims. ``rows`` has for each operation the claims on it: the values of each row that has any."""

    name: str
    device: str
    rows: Mapping[str, Sequence[Mapping[str, frozenset[str]]]]
    waivers: Mapping[str, Waiver]
    declared: Declared = field(compare=False, repr=False)
    today: datetime.date = field(default_factory=datetime.date.today)

    def admits(self, case: str) -> bool:
        """Tell whether a valid case is inside the claims: one of them on its operation admits each of its cells."""
        parts = split_id(case)
        if parts.operation not in self.rows:
            return False
        cells = self.declared.cells_of(parts.operation, parts.inputs, parts.parameters, parts.how)
        return _admit(self.rows[parts.operation], cells)

    def is_inside(self, case: str) -> bool:
        """Tell whether a case is inside the claims: an invalid one is if its operation is claimed."""
        parts = split_id(case)
        return parts.operation in self.rows if parts.purpose == INVALID else self.admits(case)

    def decide(self, record: CaseRecord, causes: Collection[str]) -> Gate:
        """Return what the gate decides of a departure; ``causes`` are the ids of those that name it."""
        if self.is_inside(record.case):
            is_waived = any(cause in self.waivers and cause not in self.ended for cause in causes)
            return Gate.KNOWN if is_waived else Gate.NEW
        is_refused = record.outcome is Outcome.REFUSED and record.purpose != INVALID
        return Gate.NOT_CLAIMED if is_refused else Gate.NEW

    @property
    def ended(self) -> list[str]:
        """The causes whose waivers have ended."""
        return sorted(cause for cause, each in self.waivers.items() if each.until < self.today)

    def __str__(self) -> str:
        text = f"{self.name}, {count(len(self.rows), 'operation')}, {count(len(self.waivers), 'waiver')}"
        return text + (f", ENDED: {', '.join(self.ended)}" if self.ended else "")


def _admit(claims: Sequence[Mapping[str, frozenset[str]]], cells: Collection[str]) -> bool:
    pairs = [cell.split("=", 1) for cell in cells]
    return any(all(value in rows.get(row, (value,)) for row, value in pairs) for rows in claims)


def read(path: Path, declared: Declared) -> Claims:
    """Read a page of claims. Raises ResultsError with what is wrong."""
    try:
        content = toml.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ResultsError(f"{path}: {error}") from None
    try:
        if unknown := content.keys() - {"device", "claim", "waiver"}:
            raise ValueError(f"no such key: {', '.join(sorted(unknown))}")
        rows: dict[str, list[Mapping[str, frozenset[str]]]] = defaultdict(list)
        for each in _tables(content, "claim"):
            for name, values in _claims_of(each, declared):
                rows[name].append(values)
        waivers = {one.cause: one for one in map(_waiver, _tables(content, "waiver"))}
        if not rows:
            raise ValueError("it has no [[claim]]")
    except ValueError as error:
        raise ResultsError(f"{path}: {error}") from None
    return Claims(path.name, str(content.get("device", "")), rows, waivers, declared)


def _tables(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = content.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{name} must be tables, [[{name}]]")
    return found


def _claims_of(
    table: Mapping[str, Any], declared: Declared
) -> Iterator[tuple[str, Mapping[str, frozenset[str]]]]:
    operations = table.get(_OPERATIONS)
    if not isinstance(operations, list) or not operations:
        raise ValueError(f"a claim needs {_OPERATIONS}, a list of names")
    for name in operations:
        known = declared.rows_of(str(name))
        rows = {}
        for row, values in table.items():
            if row == _OPERATIONS:
                continue
            if row not in known:
                raise ValueError(f"{name} has no row {row!r}; it has {', '.join(known)}")
            rows[row] = frozenset(_values(row, values, known[row]))
            if unknown := rows[row] - {*known[row]}:
                raise ValueError(f"{name}: {row} has no value {', '.join(sorted(unknown))}")
        yield str(name), rows


def _values(row: str, values: object, known: Sequence[str]) -> list[str]:
    if isinstance(values, str) and (found := _RANGE.fullmatch(values)):
        return list(map(str, range(int(found[1]), int(found[2]) + 1)))
    if isinstance(values, str) and values.startswith(_NOT):
        left = values.removeprefix(_NOT).split(", ")
        if unknown := {*left} - {*known}:
            raise ValueError(f"{row} has no value {', '.join(sorted(unknown))}")
        return [each for each in known if each not in left]
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise ValueError(
            f'{row} must be a list of texts, "not f64, u8", or a range such as "1-5", got {values!r}'
        )
    return values


def _waiver(table: Mapping[str, Any]) -> Waiver:
    if table.keys() != {"cause", "reason", "until"}:
        raise ValueError("a waiver needs cause, reason and until, and nothing else")
    if type(table["until"]) is not datetime.date:
        raise ValueError(f"until must be a date such as 2027-01-31, got {table['until']!r}")
    if not str(table["reason"]).strip():
        raise ValueError(f"the waiver of {table['cause']} needs a reason")
    return Waiver(str(table["cause"]), str(table["reason"]), table["until"])


# --- drafted ------------------------------------------------------------------------------------------------------


def draft(source: SupportSource, today: datetime.date) -> str:
    """Return a page that claims the cells that conform, with a waiver for each cause of what departs all the same."""
    support = source.support
    claimed = {
        name: rows
        for name, each in support.operations.items()
        if (rows := _drafted(each)) is not None
    }
    alike: dict[str, list[str]] = defaultdict(list)
    for name, rows in claimed.items():
        alike[
            "".join(
                f"{_key(row)} = {_text(row, values, support.operations[name])}\n"
                for row, values in rows.items()
            )
        ].append(name)
    lines = [
        f"# What {support.title} claims to run; drafted from {support.source}. See docs/support.md.",
        f"device = {json.dumps(support.device)}\n",
    ]
    for text, names in sorted(alike.items(), key=lambda one: -len(one[1])):
        lines.append(f"[[claim]]\n{_OPERATIONS} = [{', '.join(map(json.dumps, names))}]\n{text}")
    left = sorted(support.operations.keys() - claimed.keys())
    if left:
        lines.append(f"# Not claimed, as no plain layer conforms: {', '.join(left)}\n")
    waived, nameless, outside = _waived(source.cases, claimed)
    for cause, number in sorted(waived.items()):
        until = (today + WAIVED_FOR).isoformat()
        lines.append(
            f"[[waiver]]  # cases: {number}\ncause = {json.dumps(cause)}\n"
            f'reason = "known when drafted"\nuntil = {until}\n'
        )
    if nameless:
        lines.append(f"# Red: {nameless} departures that no cause names.\n")
    if outside:
        lines.append(f"# Red: {outside} departures outside the claims that are no refusals.\n")
    return "\n".join(lines)


def _drafted(operation: OperationSupport) -> dict[str, list[str]] | None:
    """The values of each row that conform, where not all of the page do; None where a row has no such value."""
    found = {}
    for row in {**operation.cells, **operation.not_asked}:
        states = operation.cells.get(row, {})
        good = [value for state in PASSES for value in states.get(state, ())]
        if not good:
            if states:
                return None
            continue
        if row in operation.not_asked or any(state not in PASSES for state in states):
            found[row] = sorted(good)
    return found if operation.cells else None


def _waived(
    cases: Mapping[str, Sequence[Tested]], claimed: Mapping[str, Mapping[str, Sequence[str]]]
) -> tuple[Counter[str], int, int]:
    """The causes of what departs inside the claims; how many have no cause; how many outside are no refusals."""
    found: Counter[str] = Counter()
    outside = 0
    for name, own in cases.items():
        rows = [{row: frozenset(v) for row, v in claimed[name].items()}] if name in claimed else []
        for case in own:
            is_flake = case.state is State.COMPILES and bool(case.cause)
            if case.state in PASSES and not is_flake:
                continue
            if bool(rows) if case.kind == INVALID else _admit(rows, case.cells):
                found[case.cause] += 1
            elif case.state is not State.REFUSED:
                outside += 1
    return found, found.pop("", 0), outside


def _key(row: str) -> str:
    return row if re.fullmatch(r"[\w-]+", row) else json.dumps(row)


def _text(row: str, values: Sequence[str], operation: OperationSupport) -> str:
    """The values of a row in the shortest way: as a list, as a range, or by the values that are not claimed."""
    numbers = sorted(int(each) for each in values) if all(map(str.isdecimal, values)) else []
    if row == "rank" and numbers and numbers == [*range(numbers[0], numbers[-1] + 1)]:
        return json.dumps(f"{numbers[0]}-{numbers[-1]}")
    measured = [value for cells in operation.cells.get(row, {}).values() for value in cells]
    left = sorted({*measured, *operation.not_asked.get(row, ())} - {*values})
    if len(left) < len(values):
        return json.dumps(f"{_NOT}{', '.join(left)}")
    return f"[{', '.join(map(json.dumps, values))}]"
