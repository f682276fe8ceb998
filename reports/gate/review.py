"""What a reviewer reads of a take: for each cause the cases that it gained, lost and got from others, with an id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reports.gate.baseline import Baseline, Line
from reports.results.shared.text import count, markdown_code

REVIEW = "changes.md"
"""The name of the file in a baseline's folder."""


@dataclass
class _Change:
    """How the cases of one cause changed: the ids by what happened to them."""

    gained: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    moved: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Cases that were of another cause, by that cause."""
    otherwise: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Cases that depart otherwise than before, by how."""
    gone: list[str] = field(default_factory=list)
    """Cases that are no longer asked."""

    def items(self) -> list[tuple[str, list[str]]]:
        """What happened, in words, with the cases."""
        found = [
            ("gained", self.gained),
            *(
                (f"moved from {each or 'no cause'}", self.moved[each])
                for each in sorted(self.moved)
            ),
            *sorted(self.otherwise.items()),
            ("lost", self.lost),
            ("no longer asked", self.gone),
        ]
        return [(what, cases) for what, cases in found if cases]


def review(before: Baseline, after: Baseline, misnamed: Mapping[str, Sequence[str]]) -> str:
    """Return the changes as Markdown: of the cases that ``after`` has asked, and of those that it asks no longer.

    ``misnamed`` are the cases that the cause of their line does not name, by this cause.
    """
    is_own = before.folder == after.folder
    old = before.departures() if is_own else before.known_departures()
    new = after.departures()
    changes: dict[str, _Change] = defaultdict(_Change)
    for case in old.keys() | new.keys():
        if case in after.asked or case in new:
            _add(changes, case, old.get(case), new.get(case))
        elif is_own:
            changes[old[case].cause].gone.append(case)
    rows = [f"# Changes against {before.name or 'nothing'}", ""]
    table = [
        (cause or "no cause", what, cases)
        for cause, change in sorted(changes.items())
        for what, cases in change.items()
    ]
    total = sum(len(cases) for *_, cases in table)
    rows += [f"{count(total, 'case')} in {count(len(changes), 'cause')}.", ""]
    if table:
        rows += ["| cause | change | cases | such as |", "|---|---|---|---|"]
        rows += [f"| {cause} | {what} | {_cells(cases)} |" for cause, what, cases in table]
    if misnamed:
        rows += [
            "",
            "## Causes that do not name cases of their own: add what is missing to their `[[select]]`",
            "",
        ]
        rows += ["| cause | cases | such as |", "|---|---|---|"]
        rows += [f"| {cause} | {_cells(cases)} |" for cause, cases in sorted(misnamed.items())]
    return "\n".join(rows).rstrip("\n") + "\n"


def _add(changes: Mapping[str, _Change], case: str, old: Line | None, new: Line | None) -> None:
    if old is None and new is not None:
        changes[new.cause].gained.append(case)
    elif new is None and old is not None:
        changes[old.cause].lost.append(case)
    elif old is not None and new is not None:
        if old.cause != new.cause:
            changes[new.cause].moved[old.cause].append(case)
        elif old.endings != new.endings or old.extent != new.extent:
            changes[new.cause].otherwise[_difference(old, new)].append(case)


def _difference(old: Line, new: Line) -> str:
    if old.outcomes != new.outcomes:
        return f"{new.outcomes}, was {old.outcomes}"
    if old.extent is not None and new.extent is not None:
        if old.extent.is_exceeded_by(new.extent):
            return "more is wrong"
        if new.extent.is_exceeded_by(old.extent):
            return "less is wrong"
    return "departs otherwise"


def _cells(cases: Sequence[str]) -> str:
    smallest = min(cases, key=lambda case: (len(case), case))
    return f"{len(cases):,} | {markdown_code(smallest)}"
