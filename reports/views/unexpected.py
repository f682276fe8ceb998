"""The groups of a run's unexpected departures, with the ids that ``python -m reports accept`` prints."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reports.explaining.naming import Names
from reports.gate.decision import GateTarget
from reports.gate.grouping import ChangeGroup, red_groups
from reports.results.explained.explanations import selected
from reports.results.records import CaseRecord
from reports.results.shared.text import count


class UnexpectedGroup(NamedTuple):
    """Unexpected departures of one target with one root cause, as far as their records tell."""

    id: str
    change: str
    """One of `NEEDS_LOOK`; the outcome, in small letters, of cases without a verdict."""
    title: str
    records: tuple[CaseRecord, ...]
    """The cases that are red themselves."""
    larger: tuple[CaseRecord, ...]
    """The cases that depart because one of these does, or a simpler one that the run added."""
    example: CaseRecord
    """The case that shows it best; one that the run added can be simpler than any other."""
    factors: str
    """What the cases have in common and conforming ones lack, where the title does not say it; or ""."""
    known_as: str
    """Of regressed cases: the cause that names them in this or another release, in words, or ""."""


def unexpected_groups(
    records: Sequence[CaseRecord], counted: Sequence[CaseRecord], target: GateTarget
) -> list[UnexpectedGroup]:
    """Return the groups of one target: those without a verdict, then those of ``accept``, in its order.

    ``counted`` are the same records with the gates by which reports count them.
    """
    if not any(record.gate.is_red for record in counted):
        return []
    own = {record.case: record for record in selected(counted)}
    names = Names(records)
    found = []
    shown: set[str] = set()
    for group in red_groups(records, target):
        members = [own[record.case] for record in group.records if record.case in own]
        red = tuple(record for record in members if record.gate.is_red)
        example = group.example
        if red and example is not None:
            shown |= group.lines.keys()
            larger = tuple(record for record in members if not record.gate.is_red)
            factors = _factors(group, example, names)
            known_as = _known_as(red, target) if group.change == "regressed" else ""
            found.append(
                UnexpectedGroup(
                    *(group.id, group.change, group.title, red, larger, example, factors, known_as)
                )
            )
    return [*_without_verdict([*own.values()], shown), *found]


def _without_verdict(
    records: Sequence[CaseRecord], shown: Container[str]
) -> Iterator[UnexpectedGroup]:
    """A group for each outcome of red cases that no other group has."""
    by_outcome: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.gate.is_red and record.case not in shown:
            by_outcome[str(record.outcome)].append(record)
    for name, red in sorted(by_outcome.items()):
        group = ChangeGroup(
            name.lower(), name, None, red, dict.fromkeys(r.case for r in red), key=name
        )
        assert group.example is not None
        yield UnexpectedGroup(group.id, group.change, name, tuple(red), (), group.example, "", "")


def _factors(group: ChangeGroup, example: CaseRecord, names: Names) -> str:
    """The factors that the cases of a group have and conforming ones lack, where its reason names none."""
    if " with " in group.reason:
        return ""
    if needed := names.of(example):
        return f"fails only with {needed}"
    shared = names.shared(group.records)
    return f"all have {shared}; no passing case has it" if shared else ""


def _known_as(red: Sequence[CaseRecord], target: GateTarget) -> str:
    """The cause that names the most of some departures, whether this release should show it or not."""
    any_release = replace(target.run, openvino="")
    naming = [target.causes.naming(record, any_release) for record in red]
    causes = {cause.id: cause for each in naming for cause in each}
    number = Counter(cause.id for each in naming for cause in each)
    best = min(number, key=lambda each: (-number[each], each), default=None)
    if best is None:
        return ""
    device = red[0].device.partition(".")[0]
    fixed = causes[best].fixed_on(device)
    of = "" if number[best] == len(red) else f" of {count(number[best], 'case')}"
    return f"the known cause{of} may be {best}{f', fixed in {fixed}' if fixed else ''}"
