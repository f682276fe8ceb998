"""What a run changes in a baseline, in groups by reason: what `python -m reports accept` shows and takes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from ir_models.asking.id_parts import is_of_graph
from reports.explaining.alike import described
from reports.explaining.explanations import explained, unexplained
from reports.gate.baseline import Corpus, Ending, Line, corpus_of, departs, line_of
from reports.gate.causes import Cause
from reports.gate.decision import NO_DEPARTURE, Target
from reports.gate.selectors import features_of
from reports.results.conflicts import single_results
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from reports.text import count, listing

KINDS = {
    "new": "no cause names them",
    "broken": "they did not depart in the run of the baseline",
    "worse": "they depart otherwise than the baseline says, or more",
    "regressed": "they did not depart in the run of the other release, and a known cause names them",
    "known": "a known cause names them, and the baseline does not have them",
    "fixed": "the baseline has them, and they conform or are better now",
    "gone": "the baseline has them, and the suite no longer asks them",
}
"""The kinds of groups, in the order in which they are shown."""

NEEDS_CAUSE = ("new", "broken")
"""Kinds of groups that are taken to a cause which the user names."""

NEEDS_LOOK = (*NEEDS_CAUSE, "worse", "regressed")
"""Kinds of groups that are taken by name alone."""

_OF_GATE = {
    Gate.NEW: "new",
    Gate.BROKEN: "broken",
    Gate.WORSE: "worse",
    Gate.NEW_CASE: "known",
    Gate.IMPROVED: "fixed",
}


@dataclass
class ChangeGroup:
    """Changes of one reason. ``lines`` is what the baseline has after it is taken: None for a case that leaves it."""

    kind: str
    reason: str
    """What the cases have in common, in words."""
    cause: Cause | None = None
    records: list[CaseRecord] = field(default_factory=list)
    lines: dict[str, Line | None] = field(default_factory=dict)
    explained: int = 0
    """Departures of crossings among them that others of them explain."""
    key: str = ""
    """The part of the reason that does not depend on which other cases there are."""

    @property
    def id(self) -> str:
        """What the command calls it: the same for the same reason, in whichever run."""
        digest = hashlib.sha256(f"{self.kind}\n{self.key}".encode()).hexdigest()
        return f"{self.kind}-{digest[:5]}"

    @property
    def needs_cause(self) -> bool:
        """Whether the user must name the cause to take it."""
        return self.kind in NEEDS_CAUSE

    @property
    def needs_look(self) -> bool:
        """Whether the user must name it to take it."""
        return self.kind in NEEDS_LOOK

    @property
    def smallest(self) -> str:
        """The shortest id of its cases."""
        return min(self.lines, key=lambda case: (len(case), case))

    @property
    def text(self) -> str:
        """The group in one line: how many cases, of what, and how they ended."""
        text = f"{count(len(self.lines), 'case')}: {self.reason}"
        return (
            f"{text} ({self.explained:,} of them crossings of others)" if self.explained else text
        )


@dataclass
class Changes:
    """What a run changes in a baseline."""

    groups: list[ChangeGroup]
    known: dict[str, Line]
    """The lines of cases that depart as the baseline says."""
    corpus: Corpus
    """What the run asked."""
    operations: frozenset[str] = frozenset()
    """Those of all cases, also of those that the release lacks."""
    without_verdict: int = 0
    """How many cases say nothing about the device."""

    def group(self, name: str) -> ChangeGroup | None:
        """Return a group by its id."""
        return next((group for group in self.groups if group.id == name), None)


def changes(records: Iterable[CaseRecord], target: Target, is_whole: bool) -> Changes:
    """Return what the results of one target change in the baseline of that target.

    ``is_whole``: the run asked all that the run of the baseline asked, so that what is missing is gone.
    """
    # The gate compares no case with another release; who adjudicates one wants to know what is better and worse.
    target = target.as_of_baseline() if target.differs_in_release_alone else target
    decided = [target.decide(unexplained(record), allow_absent=True) for record in records]
    gates = {record.key: record.gate for record in decided}
    after = explained(decided)
    known = {}
    groups: dict[tuple[str, str], ChangeGroup] = {}
    # What a part explains belongs to the cause of the part, and is shown with it.
    by_case = {record.case: record for record in after}
    for record in after:
        gate = gates[record.key]
        line = target.baseline.lines.get(record.case)
        if record.gate is Gate.KNOWN:
            if line is None or not any(_is_otherwise(one, target) for one in record.conflicts):
                known[record.case] = line or _line(record)
                continue
            # Another run of several ended otherwise.
            gate = Gate.WORSE
            record = replace(record, gate=gate, baseline=str(line), explained_by="")
        shown = by_case.get(record.explained_by, record) if record.explained_by else record
        if record.gate is Gate.EXPLAINED and shown.gate is Gate.KNOWN:
            gate = Gate.NEW_CASE
        kind = _OF_GATE.get(
            gates[shown.key] if record.gate is Gate.EXPLAINED and shown.gate.is_red else gate
        )
        if kind is None or record.outcome.says_nothing:
            continue
        cause = target.causes.get(shown.cause)
        if kind == "broken" and cause is not None and target.is_as_of_baseline:
            kind = "regressed"
        before = target.baseline.lines.get(shown.case)
        reason = _reason(kind, shown, before.outcomes if before else NO_DEPARTURE, cause)
        group = groups.setdefault((kind, reason), ChangeGroup(kind, reason, cause))
        group.records.append(record)
        group.explained += record.gate is Gate.EXPLAINED
        group.lines[record.case] = _line_after(record, target) if departs(record) else None
    if is_whole:
        _add_gone(groups, target, {record.case for record in after})
    for group in groups.values():
        group.key, group.reason = group.reason, _with_common(group)
    order = list(KINDS)
    found = sorted(
        groups.values(), key=lambda one: (order.index(one.kind), -len(one.lines), one.reason)
    )
    operations = frozenset(record.operation for record in after)
    without_verdict = sum(record.outcome.says_nothing for record in after)
    return Changes(found, known, corpus_of(after), operations, without_verdict)


def _is_otherwise(record: CaseRecord, target: Target) -> bool:
    """Tell whether one of several results of a known departure is none that the baseline says."""
    return target.decide(record).gate in (Gate.IMPROVED, Gate.WORSE)


def _line_after(record: CaseRecord, target: Target) -> Line:
    """The line of a case after its change is taken.

    It has what the baseline says as well where one of several results is that, and where it is nondeterministic.
    """
    line, before = _line(record), target.baseline.lines.get(record.case)
    if before is None:
        return line
    is_seen_again = record.conflicts and before.admits(record)
    return before.joined(line) if is_seen_again or before.is_nondeterministic else line


def _line(record: CaseRecord) -> Line:
    """The line of a case by all results that there are of it."""
    line: Line | None = None
    for one in single_results(record):
        # The cause is that of the case, whichever result shows it.
        own = line_of(one) if departs(one) else Line((Ending(Outcome.PASS),))
        line = own if line is None else line.joined(own)
    assert line is not None
    return line._replace(cause=record.cause)


def _add_gone(groups: dict[tuple[str, str], ChangeGroup], target: Target, asked: set[str]) -> None:
    """Add the lines of cases that the suite no longer asks; a run asks graphs only where it is told to."""
    asks_graphs = any(map(is_of_graph, asked))
    reason = "not asked any more"
    for case in target.baseline.lines:
        if case not in asked and (asks_graphs or not is_of_graph(case)):
            groups.setdefault(("gone", reason), ChangeGroup("gone", reason)).lines[case] = None


def _reason(kind: str, record: CaseRecord, before: str, cause: Cause | None) -> str:
    """What cases of one group have in common by their facts; ``before`` is what the baseline says."""
    if kind == "regressed" and cause is not None:
        return f"they did not depart there, and are of {cause.id}: {cause.title}"
    if kind == "known" and cause is not None:
        return f"new cases of {cause.id}: {cause.title}"
    if kind == "fixed":
        of = f" of {cause.id}: {cause.title}" if cause else f" of {record.operation}"
        return f"now {record.outcome} ({before} in the baseline){of}"
    text = described(record)
    if kind == "worse":
        text = f"{text} (in the baseline: {before})"
        return f"{text}, of {cause.id}" if cause else text
    if not record.facts.message:
        text = f"{text} of {record.operation}"
    return text


_TOLD = ("operation", "type")


def _with_common(group: ChangeGroup) -> str:
    """The reason with the operations, and the factors that all cases share."""
    if group.kind not in ("new", "broken") or not group.records:
        return group.reason
    operations = sorted({record.operation for record in group.records})
    where = listing(operations[:3] + ([f"{len(operations) - 3} more"] if operations[3:] else []))
    parts = [where] if group.records[0].facts.message or len(operations) > 1 else []
    shared = shared_factors(group.records)
    parts += [f"all {', '.join(shared[:4])}"] if shared and len(group.records) > 1 else []
    return " · ".join([group.reason, *parts])


def shared_factors(records: Sequence[CaseRecord]) -> list[str]:
    """Return what cases have in common: ``type=f64``, ``mode=reflect``, ``shape=dims``; f32 says nothing."""
    features = [features_of(record) for record in records]
    shared = []
    for name in sorted(set.intersection(*(set(each) for each in features))):
        if not name.startswith(("parameter.", "how.")) and name != "type":
            continue
        values = {each[name] for each in features}
        if len(values) == 1 and (name != "type" or values != {("f32",)}):
            value = ",".join(next(iter(values)))
            shared.append(f"{name.partition('.')[2] or name}={value}")
    return shared


def draft_selector(records: Sequence[CaseRecord]) -> Mapping[str, object]:
    """Return the conditions of a new cause: what its first cases have in common, generously."""
    features = [features_of(record) for record in records]

    def values(name: str) -> list[str]:
        return sorted({value for each in features for value in each[name] if value})

    found: dict[str, object] = {"operation": values("operation")}
    # That of the first input: those of indices would select every layer that has them.
    types = {each["type"][0] if each["type"] else "" for each in features}
    if all(types) and len(types) <= 4:
        found["type"] = sorted(types)
    for table, prefix in (("parameter", "parameter."), ("how", "how.")):
        shared = set.intersection(*({n for n in each if n.startswith(prefix)} for each in features))
        entries = {}
        for name in sorted(shared):
            each_value = {each[name] for each in features}
            if len(each_value) == 1 and len(records) > 1:
                entries[name.removeprefix(prefix)] = sorted(next(iter(each_value)))
        if entries:
            found[table] = entries
    for name in ("outcome", "stage", "kind", "signal", "rule", "message"):
        # A condition that one of them has no value for would not select it.
        if all(any(each[name]) for each in features):
            found_values = values(name)
            found[name] = [f"*{v}*" for v in found_values] if name == "message" else found_values
    return found
