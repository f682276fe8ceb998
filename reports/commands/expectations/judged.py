"""Results judged again with the present expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reports.expectations import Entry, Expectations, facts, judge
from reports.outcomes import Gate
from reports.records import CaseRecord
from reports.results import Results

FactsByTarget = Mapping[tuple[str, str], Mapping[str, str]]


class Judged(NamedTuple):
    """A result, the entry that decides about it, and what the gate makes of it now."""

    record: CaseRecord
    entry: Entry | None
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
        entry = expectations.match(
            record.case, record.outcome, record.detail, facts_by_target[record.target]
        )
        # Only the run itself knows that an absent device was allowed.
        gate = judge(
            record.outcome,
            record.expected_outcome,
            entry,
            allow_absent=record.gate == Gate.SKIPPED,
        )
        judged.append(Judged(record, entry, gate))
    return judged


def is_stale(entry: Entry, judged: Sequence[Judged], facts_by_target: FactsByTarget) -> bool:
    """Tell whether the entry covers cases of the run, but none of them departs."""
    decided = [one.record for one in judged if one.entry is entry]
    if decided:
        return all(record.conforms for record in decided)
    return any(
        entry.covers(one.record.case) and entry.applies(facts_by_target[one.record.target])
        for one in judged
    )
