"""The known departures of a run, by cause."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reports.gate.causes import CLASSES, Cause
from reports.gate.severity import NOT_SEEN, Severity, of_cause, order
from reports.results.explained.alike import kind_of
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord, Key
from reports.results.shared.text import count

UNKNOWN = ("departure without a known cause", "departures without a known cause")
"""What records are called whose class is not known: they come from a run without causes."""

TINY = 12
"""Elements of an output that a picture should have at least."""


class Group(NamedTuple):
    """Departures that a known cause names."""

    id: str
    cause_class: str
    """The cause's class; "" where the records do not say."""
    title: str
    since: str
    """Since when the cause is seen, as its records say it; "" if unknown."""
    records: tuple[CaseRecord, ...]
    explained: tuple[CaseRecord, ...] = ()
    """Departures of crossings that cases of it explain (see `reports.results.explained.explanations`)."""
    severity: Severity = NOT_SEEN
    """How bad it is, by its usual cases."""

    @property
    def operations(self) -> list[str]:
        """The operations that it concerns, sorted."""
        return sorted({record.operation for record in self.records})

    @property
    def outcomes(self) -> list[str]:
        """How its cases ended, sorted."""
        return sorted({str(record.outcome) for record in self.records})

    @property
    def new_cases(self) -> int:
        """How many of the cases the baseline does not have."""
        return sum(record.gate is Gate.NEW_CASE for record in self.records)

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


def by_cause(records: Iterable[CaseRecord], causes: Mapping[str, Cause]) -> list[Group]:
    """Return the known departures by cause: the most severe first, of those the most frequent.

    ``causes`` say how bad each one is (see `reports.gate.severity`).
    """
    found: dict[tuple[str, str], list[CaseRecord]] = defaultdict(list)
    records = list(records)
    for record in records:
        if record.gate.has_cause:
            found[_class_and_name(record)].append(record)
    folded = explained_by(records)
    groups = [
        Group(
            name,
            cause_class,
            covered[0].reason,
            covered[0].since,
            tuple(covered),
            tuple(each for one in covered for each in folded[one.key]),
            of_cause(causes.get(name), covered),
        )
        for (cause_class, name), covered in found.items()
    ]
    return sorted(
        groups, key=lambda one: order(one.cause_class, one.severity, len(one.records), one.id)
    )


def _class_and_name(record: CaseRecord) -> tuple[str, str]:
    cause_class = record.cause_class if record.cause_class in CLASSES else ""
    return cause_class, record.cause or record.reason


def explained_by(records: Iterable[CaseRecord]) -> defaultdict[Key, list[CaseRecord]]:
    """Return the departures with the gate EXPLAINED by the key of the case that explains them."""
    found: defaultdict[Key, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.gate == Gate.EXPLAINED:
            key = (record.explained_by, *record.key[1:])
            found[key].append(record)
    return found


def kind_key(record: CaseRecord) -> tuple[object, ...]:
    """Return what tells kinds of departures of one operation apart."""
    kind, words = kind_of(record)
    return record.gate, kind, words


class Count(NamedTuple):
    """How many causes of one class there are, and cases of them."""

    cause_class: str
    causes: int
    cases: int

    @property
    def name(self) -> str:
        """What they are called: ``known defects``."""
        return CLASSES.get(self.cause_class, UNKNOWN)[self.causes != 1]

    def __str__(self) -> str:
        return f"{count(self.causes, *CLASSES.get(self.cause_class, UNKNOWN))} ({count(self.cases, 'case')})"


def counts_of(records: Iterable[CaseRecord]) -> list[Count]:
    """Return the number of causes of known departures by class, of the classes that occur."""
    causes = Counter(_class_and_name(record) for record in records if record.gate.has_cause)
    found = []
    for cause_class in (*CLASSES, ""):
        cases = [number for (own, _), number in causes.items() if own == cause_class]
        if cases:
            found.append(Count(cause_class, len(cases), sum(cases)))
    return found


def operations_as_text(operations: list[str], most: int = 3) -> str:
    """Return the first operations by name, and how many more there are."""
    more = f" and {len(operations) - most} more" if len(operations) > most else ""
    return ", ".join(operations[:most]) + more
