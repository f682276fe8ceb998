"""Results judged again with the present expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from reports.expectations import Decision, Entry, Expectations, facts, judge
from reports.explaining import explained, unexplained
from reports.known import Severity, as_measured, as_worse, worse
from reports.outcomes import Gate
from reports.passing import Passing, broken
from reports.records import CaseRecord
from reports.results import Results

FactsByTarget = Mapping[tuple[str, str], Mapping[str, str]]


class Judged(NamedTuple):
    """A result, the entry that decides about it, and what the gate makes of it now."""

    record: CaseRecord
    decision: Decision | None
    gate: Gate
    before: Severity | str | None = None
    """How wrong the case is known to be, or that it passes, where it is clearly worse now; then it departs."""
    explained_by: str = ""
    """The case that explains the departure."""


def facts_of(results: Results) -> FactsByTarget:
    """Return what `when` can test of a run, by device and profile."""
    return {target: facts(results.header(*target), *target) for target in results.targets()}


def judge_all(
    results: Results,
    records: Iterable[CaseRecord],
    expectations: Expectations,
    severities: Mapping[str, Severity],
    passing: Passing,
) -> list[Judged]:
    """Judge records of these results with other expectations than those of the run.

    `severities` says how wrong known failures are, by case id: see `reports.known`; `passing` what passes beside them:
    see `reports.passing`.
    """
    facts_by_target = facts_of(results)
    judged = []
    for record in map(as_measured, records):
        decision = expectations.match(record, facts_by_target[record.target])
        # Only the run itself knows that an absent device was allowed.
        gate = judge(
            record.outcome,
            record.expected_outcome,
            decision,
            allow_absent=record.gate == Gate.SKIPPED,
        )
        counts = gate in (Gate.EXPECTED, Gate.IMPROVED)
        header = results.header(*record.target)
        before: Severity | str | None = None
        if counts:
            before = worse(severities, record, decision, header)
            before = before or broken(passing, record, decision, header)
        judged.append(Judged(record, decision, Gate.DEPARTURE if before else gate, before))
    return _explained(judged)


def _explained(judged: Sequence[Judged]) -> list[Judged]:
    """Explain departures anew: what explains them may be expected now, or no longer."""
    records = explained([_as_judged(*one) for one in judged])
    return [
        one._replace(gate=record.gate, explained_by=record.explained_by)
        for one, record in zip(judged, records, strict=True)
    ]


def _as_judged(
    record: CaseRecord, decision: Decision | None, gate: Gate, before: Severity | str | None, _: str
) -> CaseRecord:
    """Return the record as a run with these expectations would have written it."""
    cause = decision.entry.id if decision is not None and gate == Gate.EXPECTED else ""
    found = replace(unexplained(record), gate=gate, cause=cause)
    return as_worse(found, before) if before is not None else found


class Use(NamedTuple):
    """What an entry does in a run: cases that it explains, and cases that conform although it covers them.

    ``varying`` are those of which the entry says why they may conform; ``hidden`` are all others. ``folded`` are
    departures that the entry does not cover, and that one of its cases explains.
    """

    explained: list[CaseRecord]
    varying: list[CaseRecord]
    hidden: list[CaseRecord]
    folded: list[CaseRecord]


def uses(
    expectations: Expectations, judged: Sequence[Judged], facts_by_target: FactsByTarget
) -> dict[Entry, Use]:
    """Return what each entry does in a run."""
    found = {entry: Use([], [], [], []) for entry in expectations.entries}
    entries = {
        one.record.key: one.decision.entry
        for one in judged
        if one.decision is not None and one.gate == Gate.EXPECTED
    }
    for record, decision, gate, before, part in judged:
        by = entries.get((part, *record.target))
        if gate == Gate.EXPLAINED and by is not None:
            found[by].folded.append(record)
            continue
        if decision is not None and (gate == Gate.EXPECTED or before is not None):
            found[decision.entry].explained.append(record)
        elif record.conforms:
            selecting = expectations.selecting(record, facts_by_target[record.target])
            stable = {one.entry for one in selecting if not one.unstable}
            for entry in {one.entry: None for one in selecting}:
                use = found[entry]
                (use.hidden if entry in stable else use.varying).append(record)
    return found
