"""What a reviewer reads of a take: for each cause the cases that it gained, lost and got from others, with an id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from reports.gate.baseline import Baseline, Line
from reports.text import count

REVIEW = "changes.md"
"""The name of the file in a baseline's folder."""


@dataclass
class _Change:
    """How the cases of one cause changed: the ids by what happened to them."""

    gained: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    moved: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Cases that were of another cause, by that cause."""
    otherwise: list[str] = field(default_factory=list)
    """Cases that depart otherwise than before."""


def review(before: Baseline, after: Baseline) -> str:
    """Return the changes as Markdown. Only cases that the run of ``after`` asked are compared."""
    old, new = before.departures(), after.departures()
    changes: dict[str, _Change] = defaultdict(_Change)
    for case in old.keys() | new.keys():
        if case not in after.asked and case not in new:
            continue
        _add(changes, case, old.get(case), new.get(case))
    rows = [f"# Changes against {before.name or 'nothing'}", ""]
    if not changes:
        return "\n".join([*rows, "None."]) + "\n"
    rows += ["| cause | change | cases | such as |", "|---|---|---|---|"]
    for cause in sorted(changes):
        rows += [
            f"| {cause or 'no cause'} | {what} | {len(cases):,} | `{_smallest(cases)}` |"
            for what, cases in _of(changes[cause])
        ]
    total = sum(len(cases) for each in changes.values() for _, cases in _of(each))
    rows += ["", f"{count(total, 'change')} in {count(len(changes), 'cause')}."]
    return "\n".join(rows) + "\n"


def _of(change: _Change) -> list[tuple[str, list[str]]]:
    found = [
        ("gained", change.gained),
        ("lost", change.lost),
        ("departs otherwise", change.otherwise),
    ]
    found += [
        (f"moved from {cause or 'no cause'}", cases)
        for cause, cases in sorted(change.moved.items())
    ]
    return [(what, cases) for what, cases in found if cases]


def _add(changes: Mapping[str, _Change], case: str, old: Line | None, new: Line | None) -> None:
    if old is None and new is not None:
        changes[new.cause].gained.append(case)
    elif new is None and old is not None:
        changes[old.cause].lost.append(case)
    elif old is not None and new is not None:
        if old.cause != new.cause:
            changes[new.cause].moved[old.cause].append(case)
        elif old.endings != new.endings or old.extent != new.extent:
            changes[new.cause].otherwise.append(case)


def _smallest(cases: list[str]) -> str:
    return min(cases, key=lambda case: (len(case), case)).replace("|", "\\|")
