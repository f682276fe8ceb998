"""One line that says what a run found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from reports.results.files.reading import Results, leaf_headers
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import count, listing
from reports.views.groups import by_cause, counts_of

_WORDS = {
    Gate.NEW_CASE: "of them new cases of known causes",
    Gate.EXPLAINED: "due to a simpler case that fails",
    Gate.REWORDED: "refused with another message",
    Gate.IMPROVED: "fixed",
    Gate.NOT_CLAIMED: "refused, and not claimed as supported",
    Gate.SKIPPED: "skipped",
    Gate.COMPILED: "compiled, values not checked",
}


def headline(
    records: Sequence[CaseRecord], targets: Sequence[tuple[str, str]], results: Results
) -> str:
    """Return what a run found, causes before cases.

    Such as ``6 unexpected departures (4 broken, 2 new) in 4,213 cases at depth pairs on CPU (accuracy), OpenVINO
    2026.4.1 · 97 known defects (1,520 cases) · 310 due to a simpler case that fails · 3 improved``.
    """
    first = (
        f"{unexpected(records)}{at_depth(results)} on {targets_as_text(targets)}, "
        f"OpenVINO {listing(results.openvino_versions(targets))}"
    )
    return " · ".join([first, *map(str, counts_of(by_cause(records))), *others(records)])


def targets_as_text(targets: Iterable[tuple[str, str]]) -> str:
    """Return devices with their profiles: ``CPU (accuracy, performance) and GPU (accuracy)``."""
    profiles: dict[str, list[str]] = defaultdict(list)
    for device, profile in targets:
        profiles[device].append(profile)
    devices = [f"{device} ({', '.join(names)})" for device, names in profiles.items()]
    return listing(devices) or "no device"


def unexpected(records: Sequence[CaseRecord]) -> str:
    """Return what every report begins with: ``6 unexpected departures (4 broken, 2 new) in 4,213 cases``."""
    gates = Counter(record.gate for record in records)
    number = sum(gates[gate] for gate in RED)
    kinds = ", ".join(f"{gates[gate]:,} {gate}" for gate in RED if gates[gate])
    return (
        f"{count(number, 'unexpected departure')} {f'({kinds}) ' if kinds else ''}"
        f"in {count(len(records), 'case')}"
    )


def changed(records: Sequence[CaseRecord]) -> str:
    """Return what changed against the baseline: ``3 regressed, 1 worse, 2 reworded, 12 new, 5 fixed``."""
    gates = Counter(record.gate for record in records)
    names = {
        **{gate: str(gate) for gate in RED},
        Gate.REWORDED: "refused with another message",
        Gate.IMPROVED: "fixed",
    }
    names[Gate.NEW_CASE] = "new cases of known causes"
    found = [f"{gates[gate]:,} {name}" for gate, name in names.items() if gates[gate]]
    return ", ".join(found) or "nothing changed"


def others(records: Sequence[CaseRecord]) -> list[str]:
    """Return the other cases: ``310 due to a simpler case that fails``."""
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
