"""How a case stands in the site: what it conforms to, or how bad its departure is, and why it departs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reports.gate.severity import SEVERITIES, Severity, of_record
from reports.results.explained.alike import reason_of
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, Key
from reports.results.shared.text import trim

STANDINGS = ("pass", "compiled", "no verdict", *SEVERITIES)
"""How a case can stand: the first three are no departures, the others are its severities, the worst first."""

LONGEST_NAME = 300
"""Characters of a name or a cause from results; what is longer is cut."""


class Standing(NamedTuple):
    """How a case stands, and the cause of a departure: its id, or the kind of one that has none."""

    name: str
    """One of `STANDINGS`."""
    cause: str
    severity: Severity

    @property
    def departs(self) -> bool:
        """Whether it is a departure."""
        return self.name in SEVERITIES


class Standings:
    """The standings of the records of one column."""

    def __init__(self, records: Iterable[CaseRecord]) -> None:
        self._explaining: Mapping[Key, CaseRecord] = {
            record.key: record for record in records if record.gate.is_red
        }

    def of(self, record: CaseRecord) -> Standing:
        """Return the standing of one of the records."""
        if record.outcome.says_nothing:
            return Standing("no verdict", "", Severity("", False))
        if record.conforms:
            is_compiled = record.outcome is Outcome.COMPILED
            return Standing("compiled" if is_compiled else "pass", "", Severity("", False))
        severity = of_record(record)
        return Standing(severity.kind or "no verdict", self._cause(record), severity)

    def _cause(self, record: CaseRecord) -> str:
        if record.gate is Gate.EXPLAINED and not record.cause and not record.reason:
            record = self._explaining.get((record.explained_by, *record.key[1:]), record)
        return short(record.cause or record.reason or reason_of(record))


def short(text: str) -> str:
    """Return a name from results in a length that tables can show, without what UTF-8 cannot write."""
    return trim(text, LONGEST_NAME).encode(errors="replace").decode()


def way_of(record: CaseRecord) -> str:
    """Return the way of asking of a case, without what differs from neighbour to neighbour."""
    told = ("data", "index", "shape", "state", "values")
    parts = [f"{name}={level}" if name in told else name for name, level in record.how.items()]
    return short(", ".join(parts)) or "usual"


def rank_of(record: CaseRecord) -> str:
    """Return the rank of a case's first data tensor; "" without one."""
    first = record.inputs[0] if record.inputs else ""
    shape = first.partition("[")[2].rstrip("]")
    if "[" not in first:
        return ""
    return str(shape.count(",") + 1 if shape else 0)
