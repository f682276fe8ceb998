"""One line that says what a run found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from reports.gate.causes import CLASSES
from reports.gate.known_groups import UNKNOWN, counts_of
from reports.results.explained.explanations import selected
from reports.results.files.reading import Results, leaf_headers
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import count, listing

PASSED, COMPILED, BETTER, SKIPPED, NO_VERDICT = (
    "passed",
    "compiled, values not checked",
    "better, still failing",
    "skipped",
    "without a verdict",
)

_WORDS = {
    Gate.EXPLAINED: "due to a simpler case that fails",
    Gate.NOT_CLAIMED: "refused, and not claimed as supported",
    Gate.SKIPPED: SKIPPED,
    Gate.ADDED: "added",
    Gate.COMPILED: COMPILED,
    Gate.NO_VERDICT: NO_VERDICT,
    **dict.fromkeys(RED[:-1], "unexpected"),
}
"""What cases are counted as that neither conform nor have a known cause."""

NO_DEPARTURE = (PASSED, COMPILED, SKIPPED, NO_VERDICT)
"""What cases are counted as that do not depart."""


def headline(
    records: Sequence[CaseRecord], targets: Sequence[tuple[str, str]], results: Results
) -> str:
    """Return what a run found; ``records`` are counted ones (see `reports.results.explained.explanations.counted`).

    Such as ``6 unexpected departures (4 broken, 2 new) in 4,213 cases at depth pairs on CPU (accuracy), OpenVINO
    2026.4.1 · 2,377 passed · 97 known defects (1,520 cases) · 310 due to a simpler case that fails · 6 unexpected``.
    """
    first = (
        f"{unexpected(records)}{at_depth(results)} on {targets_as_text(targets)}, "
        f"OpenVINO {listing(results.openvino_versions(targets))}"
    )
    return " · ".join([first, *(text for text, _ in counts(records))])


def targets_as_text(targets: Iterable[tuple[str, str]]) -> str:
    """Return devices with their profiles: ``CPU (accuracy, performance) and GPU (accuracy)``."""
    profiles: dict[str, list[str]] = defaultdict(list)
    for device, profile in targets:
        profiles[device].append(profile)
    devices = [f"{device} ({', '.join(names)})" for device, names in profiles.items()]
    return listing(devices) or "no device"


def unexpected(records: Sequence[CaseRecord]) -> str:
    """Return what every report begins with: ``6 unexpected departures (4 broken, 2 new) in 4,213 cases``."""
    gates = Counter(record.gate for record in selected(records))
    none = gates.pop(Gate.NO_VERDICT, 0)
    number = sum(gates[gate] for gate in RED)
    kinds = ", ".join(f"{gates[gate]:,} {gate}" for gate in RED if gates[gate])
    found = [count(number, "unexpected departure")]
    found += [f"({kinds})"] if kinds else []
    found += [f"and {count(none, 'case')} {NO_VERDICT}"] if none else []
    return f"{' '.join(found)} in {count(gates.total() + none, 'case')}"


def added(records: Sequence[CaseRecord]) -> str:
    """Return how many cases the run added, as a sentence; "" for none. No other count has them."""
    if number := len(records) - len(selected(records)):
        run = "case was run" if number == 1 else "cases were run"
        return f"{number:,} more {run}, to find which part of a departure fails."
    return ""


def changed(records: Sequence[CaseRecord]) -> str:
    """Return what changed against the baseline: ``3 regressed, 1 worse, 2 reworded, 12 new, 5 fixed``."""
    names = {
        **{gate: str(gate) for gate in RED},
        Gate.REWORDED: "refused with another message",
        Gate.NEW_CASE: "new cases of known causes",
        Gate.NO_VERDICT: NO_VERDICT,
    }
    found = Counter(names[record.gate] for record in records if record.gate in names)
    better = Counter(record.conforms for record in records if record.gate is Gate.IMPROVED)
    found |= Counter({"fixed": better[True], BETTER: better[False]})
    order = [*names.values(), "fixed", BETTER]
    shown = [numbered(found[name], name) for name in order if found[name]]
    return ", ".join(shown) or "nothing changed"


def numbered(number: int, name: str) -> str:
    """Return a number with what it counts: ``3 fixed``, ``1 new case of known causes``."""
    return f"{number:,} {name.replace('new cases', 'new case') if number == 1 else name}"


def counts(records: Sequence[CaseRecord]) -> list[tuple[str, str]]:
    """Return how many cases there are of each kind: ``90 passed``, ``7 known defects (10 cases)``, ``2 unexpected``.

    With each text comes its kind, as `kind_of` has it. Each case is of one kind, but for those that the run added.
    """
    records = selected(records)
    kinds = Counter(map(kind_of, records))
    causes = [(str(each), _plural(each.cause_class)) for each in counts_of(records)]
    order = dict.fromkeys([BETTER, *_WORDS.values()])
    others = [(f"{kinds[kind]:,} {kind}", kind) for kind in order if kinds[kind]]
    return [(f"{kinds[PASSED]:,} {PASSED}", PASSED), *causes, *others]


def kind_of(record: CaseRecord) -> str:
    """Return what a case is counted as, such as ``passed``, ``unexpected`` or ``known defects``."""
    if record.gate.has_cause:
        return _plural(record.cause_class)
    if record.gate in _WORDS:
        return _WORDS[record.gate]
    if record.outcome is Outcome.COMPILED:
        return COMPILED
    is_better = record.gate is Gate.IMPROVED and not record.conforms
    return BETTER if is_better else PASSED


def _plural(cause_class: str) -> str:
    return CLASSES.get(cause_class, UNKNOWN)[1]


def depths_of(results: Results) -> set[str]:
    """Return how much of what x how the runs asked, as far as their headers say."""
    asked = [header.selection for header in leaf_headers(results.runs)]
    return {each.depth for each in asked if each is not None}


def at_depth(results: Results) -> str:
    """Return how much of what x how was asked, as `` at depth pairs``; empty for one factor at a time, the usual."""
    depths = sorted(depths_of(results))
    return f" at depth {' and '.join(depths)}" if depths and depths != ["single"] else ""
