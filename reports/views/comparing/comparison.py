"""What two runs differ in, case by case.

The gate decides with the old results as its baseline (`reports.gate.decision`), as in a run with ``--baseline``: not by
what it decided in the runs, since baselines and causes may have changed between them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from reports.gate.baseline import from_records, line_of, run_of
from reports.gate.causes import Causes
from reports.gate.decision import target_of
from reports.results.explained.explanations import counted, explained, unexplained
from reports.results.files.reading import Results
from reports.results.outcomes import RED, Gate
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.text import listing
from reports.views.comparing.times import own_times, pace, slower_cases

TargetKey = tuple[str, str]

CATEGORIES = {
    "regressed": "did not fail in the old results, which are of another release; fails now",
    "broken": "did not fail in the old results; fails now",
    "worse": "failed in the old results; fails in another way now, or more",
    "new": "fails; the old results lack it, or have no verdict on it",
    "no-verdict": "has no verdict now",
    "new-case": "new or broken, but a narrow cause names it",
    "explained": "fails as a simpler case does; only that one counts",
    "reworded": "refused with another message",
    "fixed": "failed in the old results; passes now",
    "better": "fails, but less than in the old results",
    "changed": "any other change of the outcome",
    "drift": "the error grew",
    "slower": "measured alone in both runs, takes longer, and other cases of the operation agree",
    "extra": "passes, and is only in the new results",
    "gone": "only in the old results",
}
"""Name: what it means. In the order in which they are shown; only drift and slower may come with others."""

FAILING = tuple(str(gate).replace(" ", "-") for gate in RED)
"""The categories of cases that fail a run."""

_CATEGORY = {gate: str(gate).replace(" ", "-") for gate in
             (*RED, Gate.NEW_CASE, Gate.EXPLAINED, Gate.REWORDED)}  # fmt: skip

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
    """Those that are known to the gate; how wrong a case of a nondeterministic one is says nothing."""

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
        timed += times
        decided = _decided(comparison, old_target, before.values(), new_target, after.values())
        for case in before.keys() | after.keys():
            _add(comparison, before.get(case), decided.get(case), drift, case in slow)
    for target in old_cases.keys() - {pair[0] for pair in comparison.pairs}:
        for record in old_cases[target].values():
            _add(comparison, record, None, drift)
    for target in new_cases.keys() - {pair[1] for pair in comparison.pairs}:
        decided = _decided(comparison, target, [], target, new_cases[target].values())
        for record in decided.values():
            _add(comparison, None, record, drift)
    comparison.timed, comparison.pace = len(timed), pace(timed)
    comparison.differences.sort(key=lambda one: (one.case, one.device, one.profile))
    return comparison


def _categories(
    old: CaseRecord | None, new: CaseRecord | None, drift: float, is_slower: bool, causes: Causes
) -> tuple[str, ...]:
    """Return the categories of two results of one case, the new one as the gate decides; none if they are the same.

    Whether the case is slower depends on the other cases of the runs: see `reports.views.comparing.times`.
    """
    if new is None:
        return ("gone",)
    found = {_CATEGORY.get(new.gate, "")}
    if new.gate is Gate.IMPROVED:
        # An operation that the old release lacked was not wrong in it.
        found = {"fixed" if new.conforms else "better"}
    if old is None:
        return (*filter(None, found),) or ("extra",)
    if found == {""} and old.outcome is not new.outcome:
        found = {"changed"}
    if (
        old.conforms == new.conforms
        and not _is_by_chance(old, causes)
        and _grew(old.fraction, new.fraction, drift, LEAST_FRACTION)
    ):
        found.add("drift")
    if is_slower:
        found.add("slower")
    return tuple(name for name in CATEGORIES if name in found)


def _grew(old: float | None, new: float | None, factor: float, least: float) -> bool:
    return old is not None and new is not None and new > factor * max(old, least)


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
) -> None:
    record = new or old
    # What a run added is counted where the gate counts it.
    if record is None or record.gate is Gate.ADDED or (new is None and record.added):
        return
    categories = _categories(old, new, drift, is_slower, comparison.causes)
    if not categories:
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


def _decided(
    comparison: RunComparison,
    old_target: TargetKey,
    old: Iterable[CaseRecord],
    new_target: TargetKey,
    new: Iterable[CaseRecord],
) -> Mapping[str, CaseRecord]:
    """Return the new results of a target, by case, as the gate decides with the old ones as its baseline."""
    old_run = run_of(comparison.old.header(*old_target), *old_target)
    chance = comparison.causes.nondeterministic
    baseline = from_records(old, old_run, is_given=True, chance=chance)
    new_run = run_of(comparison.new.header(*new_target), *new_target)
    target = target_of(new_run, baseline, comparison.causes)
    decided = [
        target.decide(unexplained(one), allow_absent=one.gate is Gate.SKIPPED) for one in new
    ]
    return {one.case: one for one in counted(explained(decided))}


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
