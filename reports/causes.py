"""The root causes of the departures of a run, counted before its cases are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from reports.alike import fault_of
from reports.expectations import CLASSES
from reports.known import as_measured, is_worse
from reports.outcomes import Gate
from reports.records import CaseRecord, Key
from reports.text import count, without_numbers

UNKNOWN = ("departure without a root cause", "departures without a root cause")
"""What records are called whose class is not known: they come from a run without root causes."""

TINY = 12
"""Elements of an output that a picture should have at least."""


class Cause(NamedTuple):
    """A root cause, and the expected departures that belong to it."""

    id: str
    kind: str
    """Its class; "" if the records do not say."""
    title: str
    since: str
    """First release that showed it, of those that were tried; "" if unknown."""
    records: tuple[CaseRecord, ...]
    explained: tuple[CaseRecord, ...] = ()
    """Departures of crossings that cases of it explain (see `reports.explaining`)."""

    @property
    def operations(self) -> list[str]:
        """The operations that it concerns, sorted."""
        return sorted({record.operation for record in self.records})

    @property
    def outcomes(self) -> list[str]:
        """How its cases ended, sorted."""
        return sorted({str(record.outcome) for record in self.records})

    @property
    def smallest(self) -> str:
        """The shortest id of its cases."""
        return min((record.case for record in self.records), key=lambda case: (len(case), case))

    @property
    def example(self) -> CaseRecord:
        """The case that shows it best: one with a folder and wrong elements among others, of these the shortest."""

        def order(one: CaseRecord) -> tuple[bool, bool, bool, int, str]:
            is_tiny = (one.elements or 0) < TINY
            return not one.folder, not one.wrong, is_tiny, len(one.case), one.case

        return min(self.records, key=order)


def causes_of(records: Iterable[CaseRecord]) -> list[Cause]:
    """Return the root causes of expected departures: by class, of each class the most frequent first."""
    found: dict[tuple[str, str], list[CaseRecord]] = defaultdict(list)
    records = list(records)
    for record in records:
        if record.gate == Gate.EXPECTED:
            kind = record.cause_class if record.cause_class in CLASSES else ""
            found[kind, record.cause or record.reason].append(record)
    order = [*CLASSES, ""]
    folded = explained_by(records)
    causes = [
        Cause(
            name,
            kind,
            covered[0].reason,
            covered[0].since,
            tuple(covered),
            tuple(each for one in covered for each in folded[one.key]),
        )
        for (kind, name), covered in found.items()
    ]
    return sorted(causes, key=lambda one: (order.index(one.kind), -len(one.records), one.id))


def explained_by(records: Iterable[CaseRecord]) -> defaultdict[Key, list[CaseRecord]]:
    """Return the departures with the gate EXPLAINED by the key of the case that explains them."""
    found: defaultdict[Key, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.gate == Gate.EXPLAINED:
            key = (record.explained_by, record.device, record.profile)
            found[key].append(record)
    return found


def unexpected(records: Iterable[CaseRecord]) -> list[Cause]:
    """Return the kinds of unexpected departures (see `kind_of_departure`).

    The worst outcome comes first, of each outcome the most frequent kind.
    """
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    records = list(records)
    for record in records:
        if record.gate == Gate.DEPARTURE:
            found[kind_of_departure(record)].append(record)
    folded = explained_by(records)
    kinds = [
        Cause(
            *(name, "", name, "", tuple(covered)),
            explained=tuple(each for one in covered for each in folded[one.key]),
        )
        for name, covered in found.items()
    ]
    return sorted(
        kinds, key=lambda one: (-one.records[0].outcome.badness, -len(one.records), one.id)
    )


def kind_of_departure(record: CaseRecord) -> str:
    """Return what unexpected departures of one kind have in common: the outcome and the detail without its numbers.

    A wrong value or shape without its numbers says nothing: there it is the output and the operation.
    """
    outcome = f"{record.outcome}, worse than known" if is_worse(record) else str(record.outcome)
    detail = as_measured(record).detail
    if fault := fault_of(detail, record.operation):
        return f"{outcome}: {fault}"
    return f"{outcome}: {without_numbers(detail)}"


class Count(NamedTuple):
    """How many root causes of one class there are, and cases of them."""

    kind: str
    causes: int
    cases: int

    @property
    def name(self) -> str:
        """What they are called: ``known defects``."""
        return CLASSES.get(self.kind, UNKNOWN)[self.causes != 1]

    def __str__(self) -> str:
        return (
            f"{count(self.causes, *CLASSES.get(self.kind, UNKNOWN))} ({count(self.cases, 'case')})"
        )


def counts_of(causes: Iterable[Cause]) -> list[Count]:
    """Return the number of root causes by class, of the classes that occur."""
    totals: dict[str, tuple[int, int]] = {}
    for one in causes:
        number, cases = totals.get(one.kind, (0, 0))
        totals[one.kind] = (number + 1, cases + len(one.records))
    return [Count(kind, *total) for kind, total in totals.items()]


def operations_as_text(operations: list[str], most: int = 3) -> str:
    """Return the first operations by name, and how many more there are."""
    more = f" and {len(operations) - most} more" if len(operations) > most else ""
    return ", ".join(operations[:most]) + more
