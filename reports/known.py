"""How wrong known failures are: ``reports/expectations/<device>.known.tsv``, a line for each case.

An expectation says that a case fails; this says how much of it does, so that a failure which gets clearly worse is a
departure again. A line holds the case id, the share of wrong elements, the largest error as a fraction of the bound
(empty for bit-exact outputs), and what the first wrong element was where most are wrong, separated by tabs: the largest
of the runs that were accepted.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from reports.case_lines import read, read_for
from reports.expectation_files import DIRECTORY, paths_for
from reports.expectations import Decision
from reports.outcomes import Gate, Outcome
from reports.records import CaseRecord, Header
from reports.selectors import version_in

SUFFIX = ".known.tsv"

SEED = 0
"""Of the data for which it is known how wrong failures are: the default."""

RELEASE = "2026.4"
"""For which it is known: an older one, in which a defect was larger, is not held to what a later one shows."""

LARGEST = 1e300
"""A fraction from here on says only that no error is allowed."""


SEPARATOR = " | "
"""Between the values of a line."""

MOST = 0.7
"""From this share of wrong elements on, a bit-exact output can hardly get worse: what it is must stay the same."""


class Severity(NamedTuple):
    """Share of wrong elements (0 to 1), and the largest error as a fraction of the bound, None where it has none.

    ``values`` are the first wrong element of a bit-exact output, ``2,0=-128``, as the accepted runs had it.
    """

    share: float
    fraction: float | None
    values: tuple[str, ...] = ()

    def is_exceeded_by(self, other: Severity) -> bool:
        """Tell whether another failure of the case is clearly worse, and not by chance."""
        if other.share > self.share * 1.25 + 0.05:
            return True
        if self.fraction is None or other.fraction is None:
            # Where fewer are wrong now, the first of them is another one.
            changed = self.values and other.values and not set(self.values) & set(other.values)
            return self.fraction is not None or bool(changed)
        return other.fraction > self.fraction * 10 + 10

    def __str__(self) -> str:
        errors = "" if self.fraction is None else f", {self.fraction:.3g} times the bound"
        element, _, value = self.values[0].partition("=") if self.values else ("", "", "")
        shown = f", [{element}] is {value}" if self.values else ""
        return f"{self.share:.0%} of the elements{errors}{shown}"


def severity_of(record: CaseRecord) -> Severity | None:
    """Return how wrong a failure is; None where no elements were compared."""
    if record.outcome != Outcome.FAIL or record.wrong is None or not record.elements:
        return None
    fraction = record.fraction
    bounded = fraction is not None and math.isfinite(fraction) and fraction < LARGEST
    share = record.wrong / record.elements
    if bounded:
        return Severity(share, fraction)
    worst = record.worst
    shown = worst is not None and share >= MOST
    element = ",".join(map(str, worst.index)) if worst is not None else ""
    value = f"{element}={worst.actual}".replace(SEPARATOR, " ") if worst is not None else ""
    return Severity(share, None, (value,) if shown and value.isprintable() else ())


def path_for(device: str, directory: str | os.PathLike[str]) -> Path:
    """Return the path of a device's file, whether or not it exists."""
    return paths_for(device, directory)[0].with_suffix(SUFFIX)


def load(path: Path) -> dict[str, Severity]:
    """Read a file; one that does not exist is empty. Raises ExpectationsError with the line."""
    expected = "a case id, a share from 0 to 1, a fraction or nothing, and values or nothing, separated by tabs"
    return read(path, _severity, expected)


def load_for(device: str, directory: str | os.PathLike[str] = DIRECTORY) -> dict[str, Severity]:
    """Return how wrong the failures of a device are known to be."""
    return read_for(device, directory, SUFFIX, load)


def _severity(text: str) -> Severity:
    share, fraction, values = text.split("\t")
    found = Severity(
        float(share),
        float(fraction) if fraction else None,
        tuple(filter(None, values.split(SEPARATOR))),
    )
    if not 0 <= found.share <= 1 or not 0 <= (found.fraction or 0) < math.inf:
        raise ValueError
    return found


def is_known_for(header: Header) -> bool:
    """Tell whether it can be known of a run how wrong its failures are, by its data and its release."""
    return header.seed in (None, SEED) and not version_in(header.openvino, f"<{RELEASE}")


def worse(
    known: Mapping[str, Severity], record: CaseRecord, decision: Decision | None, header: Header
) -> Severity | None:
    """Return what is known of a departure that is clearly worse now, else None.

    Nothing is known of what changes from run to run, nor of other data or older releases. An answer that is right
    for narrowed inputs is as wrong as their digits.
    """
    if decision is None or decision.by_chance or decision.cover.computed_as:
        return None
    if not is_known_for(header):
        return None
    before, now = known.get(record.case), severity_of(record)
    return before if before is not None and now is not None and before.is_exceeded_by(now) else None


_WORSE = "worse than known ("
_BEHIND = "): "


def as_worse(record: CaseRecord, before: Severity | str) -> CaseRecord:
    """Return the record of a known failure that is clearly worse now: a departure that says so."""
    detail = f"{_WORSE}{before}{_BEHIND}{record.detail}"
    return replace(record, gate=Gate.DEPARTURE, detail=detail)


def as_measured(record: CaseRecord) -> CaseRecord:
    """Return the record as it was before it was called worse than known: covers look at the detail of the device."""
    if not is_worse(record):
        return record
    return replace(record, detail=record.detail.partition(_BEHIND)[2])


def is_worse(record: CaseRecord) -> bool:
    """Tell whether a record is of a known failure that is clearly worse."""
    return record.gate == Gate.DEPARTURE and record.detail.startswith(_WORSE)


def as_text(known: Mapping[str, Severity]) -> str:
    """Return the text of a file, sorted by case id; ids that a line cannot hold are left out."""
    lines = ["# Case, share of wrong elements, largest error as a fraction of the bound, values."]
    for case, (share, fraction, values) in sorted(known.items()):
        if not case.isprintable():
            continue
        largest = "" if fraction is None else f"{fraction:.4g}"
        lines.append(f"{case}\t{share:.4g}\t{largest}\t{SEPARATOR.join(values)}")
    return "\n".join(lines) + "\n"


def joined(known: Mapping[str, Severity], records: Iterable[CaseRecord]) -> dict[str, Severity]:
    """Return what is known after accepting these failures: of several results of a case the worst."""
    found = dict(known)
    for record in records:
        now = severity_of(record)
        if now is None:
            continue
        before = found.get(record.case, Severity(0.0, 0.0))
        fraction = (
            None
            if now.fraction is None or before.fraction is None
            else max(now.fraction, before.fraction)
        )
        values = tuple(dict.fromkeys((*before.values, *now.values)))
        found[record.case] = Severity(max(now.share, before.share), fraction, values)
    return found
