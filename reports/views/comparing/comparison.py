"""What two runs differ in, case by case.

Cases are compared on what the device did, not on what the gate decided in the runs: baselines and causes may have
changed between them, and a known defect is still a defect. Whether a departure is worse than the other one is what
the gate says with the old results as its baseline.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from reports.gate.baseline import Run, departs, from_records, line_of, run_of
from reports.gate.causes import Causes
from reports.gate.decision import GateTarget
from reports.results.files.reading import Results
from reports.results.outcomes import Gate, Outcome, improves
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.text import listing
from reports.views.comparing.times import own_times, pace, slower_cases

TargetKey = tuple[str, str]

CATEGORIES = {
    "broken": "conformed before, does not now",
    "refused": "did not conform before, but ran; refused now",
    "worse": "did not conform before; now a worse outcome, the same one in another way, or an answer that is clearly "
    "more wrong",
    "fixed": "did not conform before, conforms now",
    "changed": "any other change of the outcome",
    "drift": "the error grew",
    "slower": "measured alone in both runs, takes longer, and other cases of the operation agree",
    "new": "only in the new results",
    "gone": "only in the old results",
}
"""Name: what it means. In the order in which they are shown; only drift and slower may come with others."""

LEAST_FRACTION = 0.05
"""Errors below this fraction of their bound are not compared."""


@dataclass(frozen=True)
class Difference:
    """A case in which two runs differ."""

    case: str
    operation: str
    device: str
    profile: str
    """With the processor where results of several are together, as `TargetKey` has it."""
    categories: tuple[str, ...]
    old: CaseRecord | None
    new: CaseRecord | None


@dataclass
class RunComparison:
    """What two runs differ in."""

    old: Results
    new: Results
    pairs: list[tuple[TargetKey, TargetKey]]
    """The targets compared, old and new."""
    same: int = 0
    """Number of cases that do not differ."""
    timed: int = 0
    """Number of cases that were measured alone in both runs."""
    pace: float = 1.0
    """How many times as long they took in the new run, by the median."""
    differences: list[Difference] = field(default_factory=list)
    """Sorted by case, device and profile."""
    causes: Causes = field(default_factory=Causes)
    """Those that are known: how wrong a case of a nondeterministic one is says nothing."""

    def counts(self) -> Counter[str]:
        """Return the number of cases in each category."""
        return Counter(name for one in self.differences for name in one.categories)


def compare(
    old: Results,
    new: Results,
    *,
    drift: float = 2.0,
    slower: float = 2.0,
    causes: Causes | None = None,
) -> RunComparison:
    """Compare two runs by case id; ``causes`` are those that are known.

    Targets (device, profile) that both have are compared with each other; where results of several processors are
    together, those of the same one. If they share none, for example a CPU and a GPU, corresponding targets are
    compared. Raises ResultsError if there are none.
    """
    comparison = RunComparison(old, new, _pair_targets(old, new), causes=causes or Causes())
    old_cases, new_cases = _by_target(old), _by_target(new)
    timed = []
    for old_target, new_target in comparison.pairs:
        before, after = old_cases[old_target], new_cases[new_target]
        times = own_times(before, after)
        slow = slower_cases(times, slower)
        runs = (
            run_of(old.header(*old_target), *old_target),
            run_of(new.header(*new_target), *new_target),
        )
        timed += times
        for case in before.keys() | after.keys():
            _add(comparison, before.get(case), after.get(case), drift, case in slow, runs)
    for target in old_cases.keys() - {pair[0] for pair in comparison.pairs}:
        for record in old_cases[target].values():
            _add(comparison, record, None, drift)
    for target in new_cases.keys() - {pair[1] for pair in comparison.pairs}:
        for record in new_cases[target].values():
            _add(comparison, None, record, drift)
    comparison.timed, comparison.pace = len(timed), pace(timed)
    comparison.differences.sort(key=lambda one: (one.case, one.device, one.profile))
    return comparison


def differing_categories(
    old: CaseRecord | None,
    new: CaseRecord | None,
    *,
    drift: float = 2.0,
    is_slower: bool = False,
    causes: Causes | None = None,
    runs: tuple[Run, Run] = (Run(), Run()),
) -> tuple[str, ...]:
    """Return the categories that two results of one case are in; none if they are the same.

    Whether the case is slower depends on the other cases of the runs: see `reports.views.comparing.times`. ``causes``
    are those that are known, and ``runs`` are the old one and the new one.
    """
    if old is None:
        return ("new",)
    if new is None:
        return ("gone",)
    before, after, required = old.outcome, new.outcome, new.expected_outcome
    # A layer that was only compiled has not conformed: nothing was known of its values.
    was_compiled = before is Outcome.COMPILED
    conformed, conforms = old.conforms and not was_compiled, new.conforms
    known = causes or Causes()
    is_worse = (
        _gate(old, new, known, runs) is Gate.WORSE
        if departs(old) and departs(new)
        else (was_compiled and not conforms)
        or (not conformed and after is Outcome.ERROR and improves(before, after, required))
    )
    is_refused = is_worse and after == Outcome.REFUSED != required and before in _RAN
    found = {
        "broken": conformed and not conforms,
        # An operation that the old release lacked was not wrong in it.
        "fixed": conforms and not conformed and not was_compiled and not before.says_nothing,
        "refused": is_refused,
        "worse": is_worse and not is_refused,
        "drift": (conformed or was_compiled) == conforms
        and not _is_by_chance(old, known)
        and _grew(old.fraction, new.fraction, drift, LEAST_FRACTION),
        "slower": is_slower,
    }
    found["changed"] = before != after and not any(
        found[name] for name in ("broken", "fixed", "refused", "worse")
    )
    return tuple(name for name in CATEGORIES if found.get(name))


_RAN = (Outcome.PASS, Outcome.QUALITY, Outcome.FOLDED, Outcome.FAIL, Outcome.FLAKE)


def _grew(old: float | None, new: float | None, factor: float, least: float) -> bool:
    return old is not None and new is not None and new > factor * max(old, least)


def _gate(old: CaseRecord, new: CaseRecord, causes: Causes, runs: tuple[Run, Run]) -> Gate:
    """Return what the gate decides of a departure where the old one is its baseline."""
    baseline = from_records([old], runs[0], chance=causes.nondeterministic)
    return GateTarget(runs[1], baseline, causes).decide(new).gate


def _is_by_chance(record: CaseRecord, causes: Causes) -> bool:
    """Tell whether a departure is one that a nondeterministic cause makes: it says nothing of the release."""
    is_its_cause = record.cause in causes.nondeterministic
    return line_of(record).with_cause(record.cause, is_its_cause).is_nondeterministic


def _add(
    comparison: RunComparison,
    old: CaseRecord | None,
    new: CaseRecord | None,
    drift: float,
    is_slower: bool = False,
    runs: tuple[Run, Run] = (Run(), Run()),
) -> None:
    categories = differing_categories(
        old, new, drift=drift, is_slower=is_slower, causes=comparison.causes, runs=runs
    )
    record = new or old
    if not categories or record is None:
        comparison.same += 1
        return
    comparison.differences.append(
        Difference(
            record.case,
            record.operation,
            *record.target,
            categories,
            old,
            new,
        )
    )


def _by_target(results: Results) -> dict[TargetKey, dict[str, CaseRecord]]:
    cases: dict[TargetKey, dict[str, CaseRecord]] = defaultdict(dict)
    for record in results.records:
        cases[record.target][record.case] = record
    return cases


def _pair_targets(old: Results, new: Results) -> list[tuple[TargetKey, TargetKey]]:
    """Return the targets to compare: those in both, else corresponding ones."""
    before, after = old.targets(), new.targets()
    if not before or not after:
        empty = new if before else old
        raise ResultsError(f"{listing([str(path) for path in empty.paths])}: no case to compare")
    common = [(target, target) for target in before if target in after]
    # Of one machine the results do not name the processor, of several they do.
    named = {old.on_own_processor(*target): target for target in before if target not in after}
    common += [
        (named[own], target)
        for target in after
        if target not in before and (own := new.on_own_processor(*target)) in named
    ]
    if common:
        return common
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    old_devices, new_devices = {one[0] for one in before}, {one[0] for one in after}
    if len(old_devices) == len(new_devices) == 1:
        # One device against another, or one machine against several: profile by profile.
        old_profiles = [old.target(*target).profile for target in before]
        new_profiles = [new.target(*target).profile for target in after]
        pairs = [
            (one, two)
            for one, profile in zip(before, old_profiles, strict=True)
            for two, other in zip(after, new_profiles, strict=True)
            if profile == other
        ]
        is_clear = any(len(set(each)) == len(each) for each in (old_profiles, new_profiles))
        if pairs and is_clear:
            return pairs
    raise ResultsError(
        f"no device and profile in common: {listing(target_names(before))} "
        f"in the old results, {listing(target_names(after))} in the new"
    )


def target_names(targets: Iterable[TargetKey]) -> list[str]:
    """Return targets as ``CPU (accuracy)``."""
    return [f"{device} ({profile})" for device, profile in targets]
