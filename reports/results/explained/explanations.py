"""Departures of crossings that a part of them explains.

A crossing is a layer that is not the plain one asked in a way that is not the usual one, a layer asked in two ways at
once, or a layer of many factors such as a random one. It often departs because one of its factors does (see
``factors``). Such a departure says nothing new. It is explained by the case with the fewest factors, all of them among
its own, that departs alike (see ``alike``); only departures that nothing explains themselves explain others, so that
there are no chains along which likeness gets lost.

A single factor is never explained: examples, types or ways of asking are findings even where the plain layer departs.

What could be new is not explained: a case whose factors lie between the two and which conforms shows that it is not
the part; a known failure that became worse, and a case whose results conflict, stay what they are; a case that the
baseline's run passed is explained only by another such case. ERROR and ABSENT say nothing about the device.

Explanations are made anew whenever results are read (``reports.results.files.reading``), of all cases that were read.
So they do not depend on the order in which cases end, on the number of processes, on what a resumed run had finished,
nor on the shard in which a part ran: results that are merged are explained by each other. The process that writes a
run's results reads them at its end, decides by them, and writes down what it found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ir_models.asking.id_parts import GRAPHS
from reports.results.explained.alike import are_alike
from reports.results.explained.factors import Factors, Part, factors_of, plain_of, subsets
from reports.results.outcomes import RED, Gate
from reports.results.records import CaseRecord, Key

OF_MANY_FACTORS = ("random", "covering")
"""Purposes of layers with many factors at once."""
_DEPARTED = (*RED, Gate.KNOWN, Gate.REWORDED, Gate.NEW_CASE, Gate.IMPROVED)
_PASSED_BEFORE = (Gate.BROKEN, Gate.REGRESSED)
_MAY_BE_EXPLAINED = (Gate.NEW, *_PASSED_BEFORE, Gate.KNOWN, Gate.NEW_CASE)


def unexplained(record: CaseRecord) -> CaseRecord:
    """Return a record as it was before it was explained."""
    conflicts = [unexplained(other) for other in record.conflicts]
    if not record.explained_by:
        return replace(record, conflicts=conflicts) if conflicts else record
    plain = replace(record, explained_by="", conflicts=conflicts)
    if record.gate != Gate.EXPLAINED:
        return plain
    gate = Gate.BROKEN if record.baseline else Gate.NEW
    return replace(plain, gate=gate, reason="", cause="", cause_class="", since="")


def explained(records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """Return records that are not explained yet, with those explained that have an explanation.

    A new or broken departure gets the gate EXPLAINED and the cause of what explains it. A known or regressed one only
    gets ``explained_by``.
    """
    groups: dict[tuple[str, str, str], list[CaseRecord]] = defaultdict(list)
    for record in records:
        key = (*record.target, record.operation)
        groups[key].append(record)
    found: dict[Key, CaseRecord] = {}
    for group in groups.values():
        if sum(map(_departs, group)) > 1:
            found |= _Operation(group).explanations()
    return [
        _with(record, found[record.key]) if record.key in found else record for record in records
    ]


def _departs(record: CaseRecord) -> bool:
    return record.gate in _DEPARTED and not record.conforms and not record.outcome.says_nothing


def _with(record: CaseRecord, part: CaseRecord) -> CaseRecord:
    if record.gate.has_cause or record.gate is Gate.REGRESSED:
        return replace(record, explained_by=part.case)
    return replace(
        record,
        gate=Gate.EXPLAINED,
        explained_by=part.case,
        reason=part.reason,
        cause=part.cause,
        cause_class=part.cause_class,
        since=part.since,
    )


def is_crossing(record: CaseRecord) -> bool:
    """Tell whether a case has several factors that are also asked one by one."""
    if record.purpose == GRAPHS:
        return len(record.parameters) > 1
    ways = len(record.how)
    return ways + (record.purpose != "plain") > 1 or record.purpose in OF_MANY_FACTORS


def may_be_explained(record: CaseRecord) -> bool:
    """Tell whether the departure may be that of a part of the case, and not a finding by what is known of it."""
    is_open = record.gate in _MAY_BE_EXPLAINED and _departs(record)
    return is_open and is_crossing(record) and not record.conflicts


def counted(records: Iterable[CaseRecord], strict: bool = False) -> list[CaseRecord]:
    """Return the records with the gates by which reports count them: cases that a run added are ADDED.

    A departure that one of these explains has the gate of that one: red or known. An added case keeps its own gate if
    that fails the run and no selected case of its operation does, so that these records have the run's exit code.
    """
    records = [*records]
    parts = {each.key: each.gate for each in records if each.added}
    if not parts:
        return records

    def gate_of(record: CaseRecord) -> Gate:
        if record.gate is not Gate.EXPLAINED:
            return record.gate
        return parts.get((record.explained_by, *record.key[1:]), record.gate)

    gates = {each.key: gate_of(each) for each in records if not each.added}
    red = {
        (r.target, r.operation) for r in records if not r.added and gates[r.key].is_red_if(strict)
    }
    for record in records:
        if record.added:
            is_alone = (record.target, record.operation) not in red
            counts = is_alone and record.gate.is_red_if(strict)
            gates[record.key] = record.gate if counts else Gate.ADDED
    return [replace(each, gate=gates[each.key]) for each in records]


def selected(records: Iterable[CaseRecord]) -> list[CaseRecord]:
    """Return counted records without those that the run added."""
    return [record for record in records if record.gate is not Gate.ADDED]


def is_pending(record: CaseRecord) -> bool:
    """Tell whether a red departure is green once a part explains it, so that it is too early to call it red."""
    return record.gate in (Gate.NEW, Gate.BROKEN) and may_be_explained(record)


Known = tuple[Factors, CaseRecord]


class _Operation:
    """The cases of one operation on one device with one profile."""

    def __init__(self, records: Sequence[CaseRecord]) -> None:
        plain = plain_of(records)
        self._departed: list[Known] = []
        # What conforms, by how and what. Cases are many, sets of factors few.
        self._right: dict[Part, set[Part]] = defaultdict(set)
        for record in records:
            factors = factors_of(record, plain)
            if _departs(record):
                self._departed.append((factors, record))
            elif record.conforms:
                self._right[factors.how].add(factors.what)
        self._departed.sort(key=_order)

    def explanations(self) -> dict[Key, CaseRecord]:
        """Return what explains each departure that is explained, by its key."""
        found: dict[Key, CaseRecord] = {}
        alone: dict[Part, list[Known]] = defaultdict(list)
        for factors, record in self._departed:
            part = None
            if may_be_explained(record):
                part = self._part(factors, record, alone)
            if part is None:
                alone[factors.how].append((factors, record))
            else:
                found[record.key] = part
        return found

    def _part(
        self, factors: Factors, record: CaseRecord, alone: dict[Part, list[Known]]
    ) -> CaseRecord | None:
        """Return the case with the fewest factors that explains a departure, None without any."""
        candidates = [
            (own, part)
            for how in subsets(factors.how)
            for own, part in alone.get(how, ())
            if own.what <= factors.what and _has_cause_of(part, record) and are_alike(part, record)
        ]
        candidates.sort(key=_order)
        return next((part for own, part in candidates if not self._is_refuted(own, factors)), None)

    def _is_refuted(self, part: Factors, whole: Factors) -> bool:
        """Tell whether a case conforms that has all factors of the part, and no other than the whole."""
        return any(
            part.what <= what <= whole.what and (Factors(what, how) != whole or part == whole)
            for how in subsets(whole.how)
            if part.how <= how
            for what in self._right.get(how, ())
        )


def _order(known: Known) -> tuple[int, bool, int, str]:
    factors, record = known
    return factors.number, record.purpose != "plain", len(record.case), record.case


def _has_cause_of(part: CaseRecord, record: CaseRecord) -> bool:
    """Tell whether the gate lets a part explain the record."""
    if record.gate.has_cause:
        # A known departure belongs to one cause.
        return part.gate.has_cause and part.cause == record.cause
    # A part that departed in the run of the baseline, too, did not explain then why this case departs now.
    return record.gate not in _PASSED_BEFORE or part.gate is record.gate
