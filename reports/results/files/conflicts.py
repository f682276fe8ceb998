"""Several results of one case joined into one record."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, canonical


def join(records: Iterable[CaseRecord]) -> CaseRecord:
    """Join results of one (case, device, profile) into one record.

    The order and grouping of the joins do not matter, and joining twice changes nothing: of the records that agree
    (outcome, gate, and where it is no pass, detail or class of a message) the first in canonical JSON is kept; of those
    that disagree the worst is kept, and the others are listed in its `conflicts`.
    """
    by_answer: dict[tuple[Outcome, Gate, str], CaseRecord] = {}
    for record in records:
        for result in single_results(record):
            # Words of a refusal have names in them with numbers that count up from run to run. Those of an invalid
            # layer, which pass, are cut to a length in the middle as well, so that no class of them is the same.
            words = result.facts.message or result.detail
            answer = result.outcome, result.gate, "" if result.outcome is Outcome.PASS else words
            kept = by_answer.get(answer)
            if kept is None or canonical(result) < canonical(kept):
                by_answer[answer] = result
    worst, *others = sorted(by_answer.values(), key=_worst_first)
    return replace(worst, conflicts=others)


def single_results(record: CaseRecord) -> list[CaseRecord]:
    """Return the record itself, without its conflicts, and then those."""
    return [without_conflicts(record), *record.conflicts]


def without_conflicts(record: CaseRecord) -> CaseRecord:
    """Return the record without its conflicts."""
    return replace(record, conflicts=[]) if record.conflicts else record


def _worst_first(record: CaseRecord) -> tuple[bool, int, str]:
    """Sort key: departures first, then by badness, then by content."""
    return not record.gate.is_red, -record.outcome.badness, canonical(record)
