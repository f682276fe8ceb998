"""The changes of sources that cases detected, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from tests.kill.source_trial import SourceRow
from tests.kill.table import REQUIRED, table_text


def all_told(rows: Sequence[SourceRow]) -> bool:
    """Whether cases detected enough of all changes together."""
    return _share(rows) >= REQUIRED


def _share(rows: Sequence[SourceRow]) -> float:
    told = sum(len(row.told) for row in rows)
    tried = told + sum(len(row.missed) for row in rows)
    return told / tried if tried else 1.0


def render(rows: Sequence[SourceRow], markdown: bool = False) -> str:
    """The table, the worst source first; the changes that no case detected, and those that none can detect."""
    ordered = sorted(rows, key=lambda row: (row.share, row.source))
    cells = [["source", "changes", "told", "by quality alone", "not told", "equivalent", "share"]]
    cells += [[row.source, *_counts([row])] for row in ordered]
    cells.append(["all", *_counts(rows)])
    missed = [
        f"{row.source}:{each.lines.start} {each.name} ({why})"
        for row in ordered
        for each, why in row.missed.items()
    ]
    excused = [
        f"{row.source}:{each.lines.start} {each.name} ({entry.reason})"
        for row in ordered
        for each, entry in row.excused.items()
    ]
    return table_text(cells, {"Not told": missed, "Equivalent to the reference": excused}, markdown)


def _counts(rows: Sequence[SourceRow]) -> list[str]:
    told = [tier for row in rows for tier in row.told.values()]
    missed, excused = sum(len(r.missed) for r in rows), sum(len(r.excused) for r in rows)
    counts = len(told) + missed + excused, len(told), told.count("quality"), missed, excused
    return [*map(str, counts), f"{_share(rows):.1%}"]
