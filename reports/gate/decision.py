"""The gate: from a record, the baseline and the causes to a decision. Explaining is a step of its own, later."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from ir_models.asking.id_parts import segments
from reports.gate import baseline_files
from reports.gate.baseline import Baseline, Line, Run, run_of
from reports.gate.causes import Cause, Causes
from reports.results.outcomes import Gate, Outcome, improves
from reports.results.records import CaseRecord, Header, on_processor
from reports.text import count

_LOST = (Outcome.REFUSED, Outcome.ABSENT, Outcome.ERROR)
"""Outcomes that are no improvement of a wrong answer: the layer used to run."""

_OF_CONFORMING = {Outcome.QUALITY: Gate.QUALITY, Outcome.COMPILED: Gate.COMPILED}
"""Gates of cases that do not depart; the others pass."""

_DEVICES = {"CORE", "CPU", "GPU", "NPU"}
"""Of which none can be another one; a plugin of one's own has any name."""

NO_DEPARTURE = "no departure"
"""What a baseline says of a case that it has no line for."""


@dataclass(frozen=True)
class Target:
    """What the gate knows of one device and profile of a run."""

    run: Run
    baseline: Baseline
    causes: Causes
    is_as_of_baseline: bool = False
    """Whether cases are compared though the run is one of another release."""

    @cached_property
    def differences(self) -> list[str]:
        """In what the run differs from the baseline's, so that its cases cannot be compared."""
        return self.baseline.differences(self.run)

    @cached_property
    def _shown(self) -> dict[tuple[str, ...], list[frozenset[str]]]:
        """How cases are asked that depart by chance: by cause and layer, operation and purpose, or operation."""
        found: dict[tuple[str, ...], list[frozenset[str]]] = defaultdict(list)
        for case, line in self.baseline.lines.items():
            if line.is_nondeterministic:
                layer, how = segments(case)
                for alike in (layer, layer[:2], layer[:1]):
                    key = (line.cause, *alike)
                    found[key].append(frozenset(filter(None, how.split(","))))
        return dict(found)

    def _shows_by_chance(self, cause: Cause, record: CaseRecord) -> bool:
        """Tell whether a nondeterministic cause may show in a case that passed.

        It shows in the baseline where the layer is asked in a part of the ways in which this case is; or the run itself
        has seen two endings of the case, and its like depart in the baseline.
        """
        if not cause.nondeterministic:
            return False
        layer, how = segments(record.case)
        if record.outcome is Outcome.FLAKE:
            # A pack has layers of any purpose: what one does to another there has nothing to do with it.
            alike = layer[:1] if record.facts.kind == "only in a pack" else layer[:2]
            return (cause.id, *alike) in self._shown
        ways = set(how.split(","))
        return any(part <= ways for part in self._shown.get((cause.id, *layer), ()))

    def _ends_so_by_chance(self, line: Line, record: CaseRecord) -> bool:
        """Tell whether the nondeterministic cause of a line names this ending as well.

        What is read from memory that nobody wrote may fail one check in one run, and another one in the next.
        """
        cause = self.causes.get(line.cause)
        if cause is None or not (cause.nondeterministic and line.is_nondeterministic):
            return False
        return cause in self.causes.naming(record, self.run)

    @property
    def differs_in_release_alone(self) -> bool:
        """Whether the run is one of another release, and of nothing else that is another."""
        return len(self.differences) == 1 and self.baseline.run.release != self.run.release

    def as_of_baseline(self) -> Target:
        """Return the target that compares case by case though the release is another one."""
        return dataclasses.replace(self, is_as_of_baseline=True)

    def compares(self, record: CaseRecord) -> bool:
        """Tell whether a case of this run must end as the baseline says."""
        if self.differences and not self.is_as_of_baseline:
            return False
        # Of a processor that computes in f16 only f16 has other kernels.
        is_f16 = (
            any(text.startswith("f16[") for text in record.inputs)
            or "f16" in record.parameters.values()
        )
        return self.baseline.run.f16 == self.run.f16 or not is_f16

    def decide(self, record: CaseRecord, *, allow_absent: bool = False) -> CaseRecord:
        """Return the record with what the gate decides of it, and the cause that it belongs to."""
        return _decided(record, *self._decision(record, allow_absent))

    def _decision(self, record: CaseRecord, allow_absent: bool) -> tuple[Gate, Cause | None, str]:
        """The gate, the cause, and what the baseline says where the run differs from it."""
        if record.outcome is Outcome.ABSENT and allow_absent:
            return Gate.SKIPPED, None, ""
        if record.outcome.says_nothing:
            return Gate.NEW, None, ""
        line = self.baseline.lines.get(record.case)
        compares = self.compares(record)
        if record.conforms:
            return self._of_conforming(record, line, compares)
        if line is not None:
            cause = self._cause_of(line, record)
            if line.admits(record):
                is_worse = compares and line.is_exceeded_by(record)
                return (Gate.WORSE, cause, str(line)) if is_worse else (Gate.KNOWN, cause, "")
            if compares and is_improvement(record, line):
                return Gate.IMPROVED, cause, str(line)
            if compares and self._ends_so_by_chance(line, record):
                return Gate.KNOWN, cause, ""
            if compares:
                return Gate.WORSE, cause, str(line)
        cause = self.causes.name(record, self.run)
        has_passed = line is None and compares and self.baseline.has_asked(record, self.run)
        # Chance may have let it pass in the run of the baseline.
        if has_passed and not (cause and self._shows_by_chance(cause, record)):
            return Gate.BROKEN, cause, NO_DEPARTURE
        return (Gate.NEW_CASE if cause else Gate.NEW), cause, ""

    def _of_conforming(
        self, record: CaseRecord, line: Line | None, compares: bool
    ) -> tuple[Gate, Cause | None, str]:
        if line is not None and compares and not line.may_pass:
            return Gate.IMPROVED, self._cause_of(line, record), str(line)
        return _OF_CONFORMING.get(record.outcome, Gate.PASS), None, ""

    def _cause_of(self, line: Line, record: CaseRecord) -> Cause | None:
        """The cause that a line names; without one, or if it is gone, the one that names the departure.

        If there is none, one that says that it is missing.
        """
        found = self.causes.get(line.cause)
        if found is None and not record.conforms:
            found = self.causes.name(record, self.run)
        if found is None and line.cause:
            return Cause(line.cause, f"{line.cause}: there is no such cause here, see --causes", "")
        return found


def _decided(record: CaseRecord, gate: Gate, cause: Cause | None, said: str) -> CaseRecord:
    """The record with a decision, a cause, and what the baseline says where the run differs from it."""
    return replace(
        record,
        gate=gate,
        baseline=said,
        reason=cause.title if cause else "",
        cause=cause.id if cause else "",
        cause_class=cause.kind if cause else "",
        since=cause.since_on(record.device) if cause else "",
        last_good=cause.last_good_on(record.device) if cause else "",
    )


def named_since(record: CaseRecord, causes: Causes, run: Run) -> CaseRecord:
    """Return a departure that had no cause when it was asked with the one that names it now, or as it is."""
    if record.gate not in (Gate.NEW, Gate.EXPLAINED) or record.cause or record.outcome.says_nothing:
        return record
    cause = causes.name(record, run)
    return record if cause is None else _decided(record, Gate.NEW_CASE, cause, record.baseline)


def is_improvement(record: CaseRecord, line: Line) -> bool:
    """Tell whether a departure is better than all that the baseline says of the case.

    A refusal is no better than a wrong answer: the layer used to run.
    """
    if record.outcome in _LOST and any(
        one.outcome not in (Outcome.CRASH, Outcome.TIMEOUT) for one in line.endings
    ):
        return False
    return all(
        improves(record.outcome, one.outcome, record.expected_outcome) for one in line.endings
    )


def targets_of(
    header: Header,
    causes: Causes,
    given: Mapping[str, Baseline] | None = None,
) -> dict[tuple[str, str], Target]:
    """Return what the gate knows of each target of a run.

    ``given`` are the baselines that the user named, by target; a single one serves any target. Without them each target
    has the nearest that the suite ships. Raises BaselineError.
    """
    found = {}
    for target in header.targets:
        key = target.device, target.profile
        run = run_of(header, *key)
        on_own = on_processor(target.profile, header.processor_of(target))
        found[key] = Target(run, _baseline_for(run, on_own, given or {}), causes)
    return found


def _baseline_for(run: Run, on_own: str, given: Mapping[str, Baseline]) -> Baseline:
    """Return the baseline of a run; ``on_own`` is its profile with its processor, as results of several have it."""
    if given:
        for profile in (run.profile, on_own):
            named = given.get(baseline_files.name_of(run.device, profile))
            if named is not None:
                return named
        if len(given) == 1:
            (only,) = given.values()
            own, other = (name.partition(".")[0] for name in (only.run.device, run.device))
            if own != other and {own, other} <= _DEVICES:
                raise baseline_files.BaselineError(
                    f"{only.name}: a baseline of {only.run.device} says nothing of {run.device}"
                )
            return only
        raise baseline_files.BaselineError(
            f"the baseline has {', '.join(sorted(given))}, but not "
            f"{baseline_files.name_of(run.device, run.profile)}"
        )
    folder = baseline_files.nearest(run)
    return baseline_files.read_folder(folder) if folder else Baseline(name="none")


def remark(target: Target) -> str:
    """Return what a run's first line says of its baseline."""
    if target.baseline.name == "none":
        return "none: every departure that no known cause names is new"
    text = f"{target.baseline.name}, {count(len(target.baseline.lines), 'departure')}"
    if target.baseline.lacks:
        text += f", INCOMPLETE: {target.baseline.lacks}"
    if target.differences:
        start = "; NOT COMPARED: " if target.baseline.is_given else "; "
        text += f"{start}a case that differs from it is a new one ({'; '.join(target.differences)})"
    return text
