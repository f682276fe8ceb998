"""Results judged again with the present expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reports.expectations import Decision, Entry, Expectations, facts, judge
from reports.known import Severity, worse
from reports.outcomes import Gate
from reports.records import CaseRecord
from reports.results import Results

FactsByTarget = Mapping[tuple[str, str], Mapping[str, str]]


class Judged(NamedTuple):
    """A result, the entry that decides about it, and what the gate makes of it now."""

    record: CaseRecord
    decision: Decision | None
    gate: Gate
    before: Severity | None = None
    """How wrong the case is known to be, where it is clearly worse now; then it departs."""


def facts_of(results: Results) -> FactsByTarget:
    """Return what `when` can test of a run, by device and profile."""
    return {target: facts(results.header(*target), *target) for target in results.targets()}


def judge_all(
    results: Results,
    records: Iterable[CaseRecord],
    expectations: Expectations,
    severities: Mapping[str, Severity],
) -> list[Judged]:
    """Judge records of these results with other expectations than those of the run.

    `severities` says how wrong known failures are, by case id: see `reports.known`.
    """
    facts_by_target = facts_of(results)
    judged = []
    for record in records:
        decision = expectations.match(record, facts_by_target[record.target])
        # Only the run itself knows that an absent device was allowed.
        gate = judge(
            record.outcome,
            record.expected_outcome,
            decision,
            allow_absent=record.gate == Gate.SKIPPED,
        )
        stable = decision is not None and not decision.unstable
        counts = stable and gate in (Gate.EXPECTED, Gate.IMPROVED)
        before = worse(severities, record) if counts else None
        judged.append(Judged(record, decision, Gate.DEPARTURE if before else gate, before))
    return judged


class Use(NamedTuple):
    """What an entry does in a run: cases that it explains, and cases that conform although it covers them.

    ``varying`` are those of which the entry says why they may conform; ``hidden`` are all others.
    """

    explained: list[CaseRecord]
    varying: list[CaseRecord]
    hidden: list[CaseRecord]


def uses(
    expectations: Expectations, judged: Sequence[Judged], facts_by_target: FactsByTarget
) -> dict[Entry, Use]:
    """Return what each entry does in a run."""
    found = {entry: Use([], [], []) for entry in expectations.entries}
    for record, decision, gate, before in judged:
        if decision is not None and (gate == Gate.EXPECTED or before is not None):
            found[decision.entry].explained.append(record)
        elif record.conforms:
            selecting = expectations.selecting(record, facts_by_target[record.target])
            stable = {one.entry for one in selecting if not one.unstable}
            for entry in {one.entry: None for one in selecting}:
                use = found[entry]
                (use.hidden if entry in stable else use.varying).append(record)
    return found
