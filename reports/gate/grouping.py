"""What a run changes in a baseline, in groups by root cause: what `python -m reports accept` shows and takes."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ir_models.asking.id_parts import is_of_graph
from reports.explaining.telling import unit_of
from reports.gate.asked import SINGLE, row_of
from reports.gate.baseline import (
    DEPTHS,
    PASSES,
    Line,
    departs,
    line_of,
)
from reports.gate.causes import Cause
from reports.gate.decision import ANOTHER_ANSWER, NO_DEPARTURE, GateTarget
from reports.gate.root_causes import SHOWN, cluster
from reports.results.explained.alike import described
from reports.results.explained.explanations import explained, unexplained
from reports.results.files.conflicts import single_results
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, Key
from reports.results.shared.text import count, listing

CHANGES = {
    "new": "failing cases that are not in the baseline, and that no narrow cause names",
    "broken": "they did not fail in the run of the baseline",
    "regressed": "they did not fail in the baseline, which is of another release",
    "worse": "they fail in another way than in the baseline, or more",
    "known": "failing cases that are not in the baseline, or only for another instruction set, and that a narrow "
    "cause names, or that fail as another baseline of the release says",
    "reworded": "they are refused as in the baseline, with another message",
    "fixed": "they fail in the baseline, and pass or are better now",
    "gone": "the baseline has them, and the suite no longer has them",
}
"""The kinds of groups, in the order in which they are shown."""

NEEDS_LOOK = ("new", "broken", "regressed", "worse")
"""Kinds of groups that `--take all` leaves out: they are accepted by their ids alone."""

_OF_GATE = {
    Gate.NEW: "new",
    Gate.BROKEN: "broken",
    Gate.REGRESSED: "regressed",
    Gate.WORSE: "worse",
    Gate.NEW_CASE: "known",
    Gate.REWORDED: "reworded",
    Gate.IMPROVED: "fixed",
}


@dataclass
class ChangeGroup:
    """Changes of one reason. ``lines`` is what the baseline has after it is taken: None for a case that leaves it."""

    change: str
    reason: str
    """What the cases have in common, in words."""
    cause: Cause | None = None
    records: list[CaseRecord] = field(default_factory=list)
    lines: dict[str, Line | None] = field(default_factory=dict)
    explained: int = 0
    """Departures of crossings among them that others of them explain."""
    key: str = ""
    """The part of the reason that does not depend on which other cases there are."""
    named: Mapping[str, int] = field(default_factory=dict)
    """How many of its departures each cause names, where the group has none: a hint, the most frequent first."""
    is_named: bool = False
    """Whether some cause names each of them."""

    @property
    def id(self) -> str:
        """What the command calls it: the same for the same reason, in whichever run."""
        digest = hashlib.sha256(f"{self.change}\n{self.key}".encode()).hexdigest()
        return f"{self.change}-{digest[:5]}"

    @property
    def title(self) -> str:
        """The reason with the message of the example as OpenVINO writes it, with its symbols and numbers."""
        example = self.example
        if example is None or not (words := example.facts.message):
            return self.reason
        start, _, message = example.detail.partition(": ")
        return self.reason.replace(words, message) if start.startswith("at ") else self.reason

    @property
    def needs_cause(self) -> bool:
        """Whether the user must name the cause to take it: it has departures that no cause of its own names."""
        return self.change != "reworded" and self.cause is None and any(self.lines.values())

    @property
    def needs_look(self) -> bool:
        """Whether the user must name it to take it."""
        return self.change in NEEDS_LOOK or self.needs_cause

    def part_of(self, record: CaseRecord) -> CaseRecord:
        """Return the record of the group that explains one of a crossing, else the one itself."""
        return self._by_case.get(record.explained_by, record)

    @cached_property
    def _by_case(self) -> dict[str, CaseRecord]:
        return {record.case: record for record in self.records}

    @property
    def size(self) -> str:
        """How many cases it has, in words."""
        more = f", {self.explained:,} of them due to others of the group" if self.explained else ""
        return count(len(self.lines), "case") + more

    @property
    def example(self) -> CaseRecord | None:
        """A case that shows it: the shortest, one with a failure folder before others; None without records."""
        own = [record for record in self.records if record.case in self.lines]
        return min(own, key=lambda one: (not one.folder, len(one.case), one.case), default=None)

    @property
    def smallest(self) -> str:
        """The shortest id of its cases."""
        return min(self.lines, key=lambda case: (len(case), case))


@dataclass
class Changes:
    """What a run changes in a baseline."""

    groups: list[ChangeGroup]
    """The groups that are left to take."""
    lines: dict[str, Line]
    """The lines of cases that depart as is known, where the baseline lacks the digest of their answer."""
    asked: frozenset[str]
    """The cases of the run that have a verdict."""
    without_verdict: int = 0
    """How many cases say nothing about the device."""

    def group(self, name: str) -> ChangeGroup | None:
        """Return a group by its id."""
        return next((group for group in self.groups if group.id == name), None)

    @property
    def open(self) -> frozenset[str]:
        """The cases of the groups that are left."""
        return frozenset(case for group in self.groups for case in group.lines)


def changes(
    records: Iterable[CaseRecord], target: GateTarget, origin: GateTarget, is_whole: bool
) -> Changes:
    """Return what the results of one target change in the baseline of that target.

    ``origin`` has the baseline as it was before the first group was taken. Groups are formed against that one, so that
    they and their ids stay the same until all are taken; those that ``target`` has are left out.
    ``is_whole``: the run asked all that the run of the baseline asked, so that what is missing is gone.
    """
    bare = [unexplained(record) for record in records]
    original = {
        record.key: record for record in (origin.decide(r, allow_absent=True) for r in bare)
    }
    current = original
    if target is not origin:
        current = {
            record.key: record for record in (target.decide(r, allow_absent=True) for r in bare)
        }
    after = explained([*original.values()])
    changed: dict[Key, str] = {}
    lines: dict[str, Line] = {}
    for record in after:
        if record.outcome.says_nothing:
            continue
        change = _change(record, original[record.key], current[record.key], origin, target)
        if change is not None:
            changed[record.key] = change
            continue
        known, before = (one.baseline.known(record.case) for one in (target, origin))
        if known is not None and known.line is not None and departs(record):
            lines |= _with_digest(record, known.line, before.line if before else None)
    gates = {key: record.gate for key, record in original.items()}
    found = [_left(group, current, target) for group in _formed(after, changed, gates, origin)]
    if is_whole:
        found.append(_gone(target, {record.case for record in after}))
    left = sorted((group for group in found if group.lines), key=_order)
    asked = frozenset(record.case for record in after if not record.outcome.says_nothing)
    return Changes(left, lines, asked, sum(record.outcome.says_nothing for record in after))


def red_groups(records: Sequence[CaseRecord], target: GateTarget) -> list[ChangeGroup]:
    """Return the groups of the red departures of one target, by the gates that its results have.

    They are those of `changes` with the baseline of the run, which may be gone: of ``target`` only the run, the causes
    and their shares are used.
    """
    units = {unit_of(record) for record in records if record.gate.is_red}
    near = [record for record in records if unit_of(record) in units]
    gates = {record.key: unexplained(record).gate for record in near}
    changed = {
        key: change for key, gate in gates.items() if (change := _OF_GATE.get(gate)) in NEEDS_LOOK
    }
    groups = _formed(near, changed, gates, target)
    for group in groups:
        group.lines = {record.case: line_of(record) for record in group.records}
    return sorted(groups, key=_order)


def _order(group: ChangeGroup) -> tuple[int, int, str]:
    return [*CHANGES].index(group.change), -len(group.lines), group.reason


def _formed(
    records: Sequence[CaseRecord],
    changed: Mapping[Key, str],
    gates: Mapping[Key, Gate],
    origin: GateTarget,
) -> list[ChangeGroup]:
    """Return the groups of explained records that have a kind; ``gates`` are those before they were explained.

    What a part explains belongs to the group of the part.
    """
    by_case = {record.case: record for record in records}
    members: dict[str, list[CaseRecord]] = defaultdict(list)
    followers: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        change = changed.get(record.key)
        if change is None:
            continue
        part = by_case.get(record.explained_by) if record.explained_by else None
        if part is not None and _OF_GATE.get(gates[part.key]) == change:
            followers[part.case].append(record)
        else:
            members[change].append(record)
    conforming = [record for record in records if record.conforms]
    groups = [
        group
        for change, own in members.items()
        for group in _groups(change, own, conforming, origin)
    ]
    for group in groups:
        for record in [*group.records]:
            group.records += followers.pop(record.case, [])
    return groups


def _change(
    record: CaseRecord,
    original: CaseRecord,
    current: CaseRecord,
    origin: GateTarget,
    target: GateTarget,
) -> str | None:
    """The kind of a change: by the baseline before the first take, else by the current one.

    ``original`` is the record as ``origin`` decides it, ``current`` as ``target`` does. The current one counts if it is
    red and the original one needs no look: another run of the release may have been taken in between.
    """
    if current.gate.is_red and _OF_GATE.get(original.gate) not in NEEDS_LOOK:
        return _OF_GATE[current.gate]
    for decided, by in ((original, origin), (current, target)):
        change = _OF_GATE.get(decided.gate)
        if change is None and decided.gate is Gate.KNOWN:
            line = by.baseline.known(record.case)
            if line is None or line.line is None:
                return "known"  # as another baseline of the release says
            others = (by.decide(one).gate for one in record.conflicts)
            change = (
                "worse" if any(gate in (Gate.IMPROVED, Gate.WORSE) for gate in others) else None
            )
        if change is not None:
            return change
    return None


def _left(
    group: ChangeGroup,
    current: Mapping[Key, CaseRecord],
    target: GateTarget,
) -> ChangeGroup:
    """The group with the cases that the current baseline does not have as they are."""
    left = [
        record
        for record in group.records
        if _change(record, current[record.key], current[record.key], target, target) is not None
    ]
    group.lines = {
        record.case: _line_after(record, target) if departs(record) else None for record in left
    }
    alone = [record for record in left if group.part_of(record) is record]
    group.explained = len(left) - len(alone)
    if group.needs_cause:
        named = [target.causes.naming(record, target.run) for record in alone]
        counts = Counter(cause.id for fitting in named for cause in fitting)
        group.named, group.is_named = dict(counts.most_common()), all(named)
    return group


def _with_digest(record: CaseRecord, line: Line, before: Line | None) -> dict[str, Line]:
    """The line of a case that departs as is known, where the digest of its answer changes it.

    ``before`` is the line before the first take of these results, which can confirm a nondeterministic answer once.
    """
    if record.outcome is not Outcome.FAIL or not record.digest:
        return {}
    changed = line._replace(digest=(before or line).digest).with_digest_of(_line(record))
    return {} if changed == line else {record.case: changed}


def _line_after(record: CaseRecord, target: GateTarget) -> Line:
    """The line of a case after its change is taken.

    It has what the baseline says as well where one of several results is that, and where it is nondeterministic.
    """
    line, known = _line(record), target.baseline.known(record.case)
    before = known.line if known else None
    if before is None:
        return line
    is_seen_again = record.conflicts and before.admits(record)
    return before.joined(line) if is_seen_again or before.is_nondeterministic else line


def _line(record: CaseRecord) -> Line:
    """The line of a case by all results that there are of it."""
    line: Line | None = None
    for one in single_results(record):
        # The cause is that of the case, whichever result shows it.
        own = line_of(one) if departs(one) else PASSES
        line = own if line is None else line.joined(own)
    assert line is not None
    return line._replace(cause=record.cause)


def _gone(target: GateTarget, asked: set[str]) -> ChangeGroup:
    """The lines of cases that the suite no longer asks.

    A run of some operations may ask no graphs. One of depth single leaves out most cases of several factors, which the
    baseline may have from a run of named cases.
    """
    asks_graphs = any(map(is_of_graph, asked))
    asks_all = target.run.depth != DEPTHS[0]
    group = ChangeGroup("gone", "no longer in the suite", key="not asked any more")
    for case in target.baseline.departures():
        may_be_asked = asks_all or row_of(case)[1] == SINGLE
        if case not in asked and may_be_asked and (asks_graphs or not is_of_graph(case)):
            group.lines[case] = None
    return group


def _groups(
    change: str, records: Sequence[CaseRecord], conforming: Sequence[CaseRecord], origin: GateTarget
) -> list[ChangeGroup]:
    """The groups of changes alike: by the cause that is known to name them, else by their root cause."""
    by_key: dict[tuple[str, str], ChangeGroup] = {}
    unnamed = []
    for record in records:
        cause = _own_cause(change, record, origin)
        key = _key(change, record, cause)
        if key is None:
            unnamed.append(record)
            continue
        name = cause.id if cause else ""
        by_key.setdefault((key, name), ChangeGroup(change, key, cause, key=key)).records.append(
            record
        )
    groups = [*by_key.values()]
    for each in cluster(unnamed, conforming):
        members = [*each.records]
        group = ChangeGroup(change, f"{each.reason}{_before(members)}", None, members, key=each.key)
        groups.append(group)
    return groups


def _own_cause(change: str, record: CaseRecord, origin: GateTarget) -> Cause | None:
    """The cause of a change: of what departed before that of its line, of what did not a narrow one.

    None where it does not name the departure.
    """
    if change == "reworded":
        return None
    bare = unexplained(record)
    if change in ("new", "broken", "regressed"):
        return origin.causes.naming_narrowly(bare, origin.run, origin.shares)
    cause = origin.causes.get(record.cause)
    if cause is None or record.conforms or change == "known":
        return cause
    return cause if cause in origin.causes.naming(bare, origin.run) else None


def _key(change: str, record: CaseRecord, cause: Cause | None) -> str | None:
    """What changes of one group have in common, in words; None where their root cause is to be found."""
    of = f" of {cause.id}: {cause.title}" if cause else f" of {record.operation}"
    if change == "reworded":
        return "refused as before, with another message"
    if change == "known":
        return f"new cases{of}"
    before = record.baseline.partition(",")[0]
    if change == "fixed" and (cause or record.conforms):
        return f"now {record.outcome} ({before or NO_DEPARTURE} in the baseline){of}"
    if change == "worse" and record.baseline == ANOTHER_ANSWER:
        return f"{ANOTHER_ANSWER} than in the baseline{of}"
    if cause is None:
        return None
    if change == "worse":
        return f"{described(record)} (in the baseline: {before or ANOTHER_ANSWER}){of}"
    return f"the known cause {cause.id} names them: {cause.title}"


def _before(records: Sequence[CaseRecord]) -> str:
    """What the baseline says of cases that departed in another way, in words."""
    causes = Counter(record.cause for record in records if record.baseline != NO_DEPARTURE)
    endings = Counter(record.baseline.partition(",")[0] for record in records)
    if not causes or not any(endings):
        return ""
    names = [name or "no cause" for name, _ in causes.most_common()]
    return (
        f" · in the baseline: {listing(_few([*filter(None, endings)]))} of {listing(_few(names))}"
    )


def _few(names: list[str]) -> list[str]:
    return names if len(names) <= SHOWN else [*names[:SHOWN], f"{len(names) - SHOWN} more"]
