"""Results judged again with the present expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reports.expectations import Decision, Entry, Expectations, facts, judge
from reports.outcomes import Gate
from reports.records import CaseRecord
from reports.results import Results

FactsByTarget = Mapping[tuple[str, str], Mapping[str, str]]


class Judged(NamedTuple):
    """A result, the entry that decides about it, and what the gate makes of it now."""

    record: CaseRecord
    decision: Decision | None
    gate: Gate


def facts_of(results: Results) -> FactsByTarget:
    """Return what `when` can test of a run, by device and profile."""
    return {target: facts(results.header(*target), *target) for target in results.targets()}


def judge_all(
    results: Results, records: Iterable[CaseRecord], expectations: Expectations
) -> list[Judged]:
    """Judge records of these results with other expectations than those of the run."""
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
        judged.append(Judged(record, decision, gate))
    return judged


class Use(NamedTuple):
    """What an entry does in a run: cases that it explains, and cases that conform although it covers them."""

    explained: list[CaseRecord]
    hidden: list[CaseRecord]


def uses(
    expectations: Expectations, judged: Sequence[Judged], facts_by_target: FactsByTarget
) -> dict[Entry, Use]:
    """Return what each entry does in a run."""
    found = {entry.id: Use([], []) for entry in expectations.entries}
    for record, decision, gate in judged:
        if gate == Gate.EXPECTED and decision is not None:
            found[decision.entry.id].explained.append(record)
        elif record.conforms:
            for one in expectations.selecting(record, facts_by_target[record.target]):
                found[one.entry.id].hidden.append(record)
    return {entry: found[entry.id] for entry in expectations.entries}
