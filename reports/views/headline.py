"""One line that says what a run found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from reports.results.files.reading import Results, leaf_headers
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import count, listing
from reports.views.groups import by_cause, counts_of

_WORDS = {
    Gate.NEW_CASE: "of them in new cases",
    Gate.EXPLAINED: "explained by a part",
    Gate.REWORDED: "reworded",
    Gate.IMPROVED: "fixed",
    Gate.SKIPPED: "skipped",
    Gate.COMPILED: "compiled, values not checked",
}


def headline(
    records: Sequence[CaseRecord], targets: Sequence[tuple[str, str]], results: Results
) -> str:
    """Return what a run found, causes before cases.

    Such as ``6 unexpected departures (4 broken, 2 new) in 4,213 cases at depth pairs on CPU (accuracy), OpenVINO
    2026.4.1 · 97 known defects (1,520 cases) · 310 explained by a part · 3 improved``.
    """
    profiles: dict[str, list[str]] = defaultdict(list)
    for device, profile in targets:
        profiles[device].append(profile)
    devices = listing([f"{device} ({', '.join(names)})" for device, names in profiles.items()])
    first = (
        f"{unexpected(records)}{at_depth(results)} on {devices or 'no device'}, "
        f"OpenVINO {listing(results.openvino_versions(targets))}"
    )
    return " · ".join([first, *map(str, counts_of(by_cause(records))), *others(records)])


def unexpected(records: Sequence[CaseRecord]) -> str:
    """Return what every report begins with: ``6 unexpected departures (4 broken, 2 new) in 4,213 cases``."""
    gates = Counter(record.gate for record in records)
    number = sum(gates[gate] for gate in RED)
    kinds = ", ".join(f"{gates[gate]:,} {gate}" for gate in RED if gates[gate])
    return (
        f"{count(number, 'unexpected departure')} {f'({kinds}) ' if kinds else ''}"
        f"in {count(len(records), 'case')}"
    )


def others(records: Sequence[CaseRecord]) -> list[str]:
    """Return the cases that are neither unexpected nor of a cause nor passed: ``310 explained by a part``."""
    gates = Counter(record.gate for record in records)
    # Also one that departed before.
    gates[Gate.COMPILED] = sum(record.outcome is Outcome.COMPILED for record in records)
    return [f"{gates[gate]:,} {word}" for gate, word in _WORDS.items() if gates[gate]]


def depths_of(results: Results) -> set[str]:
    """Return how much of what x how the runs asked, as far as their headers say."""
    asked = [header.selection for header in leaf_headers(results.runs)]
    return {each.depth for each in asked if each is not None}


def at_depth(results: Results) -> str:
    """Return how much of what x how was asked, as `` at depth pairs``; empty for one factor at a time, the usual."""
    depths = sorted(depths_of(results))
    return f" at depth {' and '.join(depths)}" if depths and depths != ["single"] else ""
