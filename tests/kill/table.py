"""What was caught, as a table."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ir_models import Operation
from reports.views.documents.blocks import ReportDocument
from reports.views.documents.plain import as_text
from tests.kill.mutants import KINDS, Mutant, mutants
from tests.kill.trial import Trial

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REQUIRED = 0.95
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


class EquivalentError(ValueError):
    """``equivalent.toml`` or ``source.toml`` is not as it must be."""


@dataclass(frozen=True)
class Equivalent:
    """Mutants that no case can catch, and why: patterns of operations, or of sources, and of mutants' names."""

    operations: tuple[str, ...]
    mutants: tuple[str, ...]
    reason: str

    def covers(self, operation: str, mutant: str) -> bool:
        """Whether this entry speaks of the mutant."""
        return _matches(operation, self.operations) and _matches(mutant, self.mutants)


def _matches(text: str, patterns: Iterable[str]) -> bool:
    parts = (re.escape(pattern).replace(r"\*", ".*") for pattern in patterns)
    return re.fullmatch("|".join(parts), text) is not None


@cache
def equivalents() -> tuple[Equivalent, ...]:
    """The entries of ``equivalent.toml``. Raises EquivalentError."""
    return read_equivalents(EQUIVALENT, "operation")


def read_equivalents(path: Path, where: str) -> tuple[Equivalent, ...]:
    """The entries of a file; the field ``where`` says what the mutants are of. Raises EquivalentError."""
    found = []
    content: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    for number, entry in enumerate(content.get("equivalent", ()), 1):
        if entry.keys() != {where, "mutant", "reason"} or not entry["reason"].strip():
            raise EquivalentError(f"{path.name}: entry {number} needs {where}, mutant and a reason")
        found.append(Equivalent(_listed(entry[where]), _listed(entry["mutant"]), entry["reason"]))
    return tuple(found)


def _listed(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


@dataclass
class Row:
    """One operation: how many mutants of each kind were caught, of how many, and the others by name."""

    operation: str
    caught: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    missed: list[Mutant] = field(default_factory=list)
    excused: list[tuple[Mutant, Equivalent]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of mutants caught."""
        total = self.total.total()
        return self.caught.total() / total if total else 1.0


def try_operation(operation: Operation, trial: Trial | None = None) -> Row:
    """Try every mutant of an operation."""
    row, trial = Row(operation.name), trial or Trial(operation)
    for mutant in mutants(operation):
        by = trial.caught_by(mutant.wrong)
        if by == "":
            continue  # right about every case: nothing of the operation is what it changes
        entry = next((e for e in equivalents() if e.covers(operation.name, mutant.name)), None)
        if by is None and entry is not None:
            row.excused.append((mutant, entry))
            continue
        row.total[mutant.kind] += 1
        if by is None:
            row.missed.append(mutant)
        else:
            row.caught[mutant.kind] += 1
    return row


def render(rows: Sequence[Row], markdown: bool = False) -> str:
    """The table, those not caught, and those that cannot be."""
    cells = [["operation", *KINDS, "all", "share"]]
    for row in rows:
        counts = [_cell(row.caught[kind], row.total[kind]) for kind in KINDS]
        together = _cell(row.caught.total(), row.total.total())
        cells.append([row.operation, *counts, together, f"{row.share:.0%}"])
    missed = [f"{row.operation}: {mutant.name}" for row in rows for mutant in row.missed]
    excused = [
        f"{row.operation}: {mutant.name} ({entry.reason})"
        for row in rows
        for mutant, entry in row.excused
    ]
    return table_text(
        cells, {"Not caught": missed, "Equivalent to the reference": excused}, markdown
    )


def _cell(caught: int, total: int) -> str:
    return f"{caught}/{total}" if total else "-"


def table_text(
    cells: list[list[str]],
    lists: Mapping[str, Sequence[str]],
    markdown: bool,
    remarks: Sequence[str] = (),
) -> str:
    """A table, remarks, and below them the lists by title that are not empty."""
    table = ReportDocument()
    table.table(cells[0], cells[1:], names=1)
    lines = [*(as_markdown(cells) if markdown else [as_text(table).rstrip("\n")]), *remarks]
    bullet = "- " if markdown else "  "
    for title, items in lists.items():
        if items:
            lines += ["", f"{title}:", *([""] if markdown else []), *(bullet + i for i in items)]
    return "\n".join(lines)


def as_markdown(cells: list[list[str]]) -> list[str]:
    """A table as lines of Markdown, numbers to the right."""
    rule = ["---", *["---:"] * (len(cells[0]) - 1)]
    return [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]
