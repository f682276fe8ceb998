"""Several results of one case joined into one record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from reports.results.outcomes import Gate, Outcome
from reports.results.records import NOTHING_SETTLED, VARIES, CaseRecord, canonical


def join(records: Iterable[CaseRecord]) -> CaseRecord:
    """Join results of one (case, device, profile) into one record.

    The order and grouping of the joins do not matter, and joining twice changes nothing: of the records that agree
    (outcome, gate, and where it is no pass, detail or class of a message) the first in canonical JSON is kept, and its
    digest says that the answer varies if theirs differ; of those that disagree the worst is kept, and the others are
    listed in its `conflicts`.
    """
    by_answer: dict[tuple[Outcome, Gate, str], list[CaseRecord]] = defaultdict(list)
    for record in records:
        for result in single_results(record):
            # Words of a refusal have names in them with numbers that count up from run to run. Those of an invalid
            # layer, which pass, are cut to a length in the middle as well, so that no class of them is the same.
            words = result.facts.message or result.detail
            answer = result.outcome, result.gate, "" if result.outcome is Outcome.PASS else words
            by_answer[answer].append(result)
    worst, *others = sorted(map(_one_of, by_answer.values()), key=_worst_first)
    return replace(worst, conflicts=others)


def _one_of(alike: list[CaseRecord]) -> CaseRecord:
    """The first of records that agree, with the digest that stands for all of theirs."""
    first = min(alike, key=lambda record: canonical(replace(record, digest="")))
    digests = [record.digest.partition(VARIES) for record in alike]
    known = {plain for plain, _, _ in digests} - {""}
    settled = {own for _, _, own in digests} - {""}
    varies = len(known) > 1 or any(mark for _, mark, _ in digests)
    of_all = NOTHING_SETTLED if len(settled) > 1 else min(settled, default="")
    digest = min(known, default="") + (VARIES + of_all if varies else "")
    return replace(first, digest=digest)


def single_results(record: CaseRecord) -> list[CaseRecord]:
    """Return the record itself, without its conflicts, and then those."""
    return [without_conflicts(record), *record.conflicts]


def without_conflicts(record: CaseRecord) -> CaseRecord:
    """Return the record without its conflicts."""
    return replace(record, conflicts=[]) if record.conflicts else record


def with_added(record: CaseRecord, is_added: bool) -> CaseRecord:
    """Return the record, and its conflicts, as added by the run or not."""
    conflicts = [replace(other, added=is_added) for other in record.conflicts]
    return replace(record, added=is_added, conflicts=conflicts)


def _worst_first(record: CaseRecord) -> tuple[bool, int, str]:
    """Sort key: departures first, then by badness, then by content."""
    return not record.gate.is_red, -record.outcome.badness, canonical(record)
