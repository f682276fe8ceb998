"""The gate: from a record, the baseline and the causes to a decision. Explaining is a step of its own, later.

Every case is compared with what is known of that very case in the nearest baseline:

====================  =======================  =====================================================================
in the baseline       now                      decision
====================  =======================  =====================================================================
conformed             departs                  broken; of another release regressed, whatever cause names it; with
                                               other kernels or another profile a new case if a narrow cause names it
departed              departs otherwise        worse; of another release, or of the device below BATCH or HETERO, a
                                               refusal in other words is reworded
departed              as before                known
either                as another profile of    known
                      the same release departs
                      on these kernels
never asked           as the same release        known
                      departs on other kernels
never asked           departs                  a new case if a narrow cause names it, else new
either                ERROR or ABSENT          no verdict
====================  =======================  =====================================================================

A narrow cause is one that nearly all cases show that it admits: see `reports.gate.precision`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from ir_models.asking.id_parts import segments
from reports.gate import baseline_files, precision
from reports.gate.baseline import (
    Baseline,
    KnownCase,
    Line,
    Relation,
    Run,
    differences,
    must_be_same_bits,
    relation,
    run_of,
    unnumbered,
)
from reports.gate.causes import Cause, Causes
from reports.gate.precision import Share
from reports.results.outcomes import ENDS, Gate, Outcome
from reports.results.records import CaseRecord, Header, on_processor
from reports.results.shared.matching import numbers_of
from reports.results.shared.text import count

_OF_CONFORMING = {Outcome.QUALITY: Gate.QUALITY, Outcome.COMPILED: Gate.COMPILED}
"""Gates of cases that do not depart; the others pass."""

_DEVICES = {"CORE", "CPU", "GPU", "NPU"}
"""Of which none can be another one; a plugin of one's own has any name."""

NO_DEPARTURE = "no departure"
"""What a baseline says of a case that conformed."""

ANOTHER_ANSWER = "another wrong answer"
"""What a baseline says of a failure that was the same bit for bit in every run."""


class Decision(NamedTuple):
    """The gate of a case, its cause, and what the baseline says where the run differs from it."""

    gate: Gate
    cause: Cause | None = None
    said: str = ""


class DeviceClaims(Protocol):
    """What a device says that it runs; `reports.support.claims` reads it from a file."""

    @property
    def waivers(self) -> Mapping[str, Any]:
        """The claims' known exceptions, by cause."""

    def is_inside(self, case: str) -> bool:
        """Tell whether the device says that it runs a case."""

    def decide(self, record: CaseRecord, causes: Collection[str]) -> Gate:
        """Decide of a departure that ``causes`` name."""


@dataclass(frozen=True)
class GateTarget:
    """What the gate knows of one device and profile of a run. ``shares`` say how precise causes are.

    With ``claims`` these decide; the baseline excuses only departures outside them that are no refusals.
    """

    run: Run
    baseline: Baseline
    causes: Causes
    shares: Mapping[str, Share] = field(default_factory=dict)
    own_shares: Mapping[str, Share] = field(default_factory=dict)
    """Those of ``shares`` that were measured on AUTO, HETERO or the like itself."""
    claims: DeviceClaims | None = None
    beside: tuple[Path, ...] = ()
    """Folders of the release's other baselines. For a run with ``isa=AVX2`` these are what the release showed without a
    cap: on AVX2 for cases that the baseline has with other kernels, on any kernels for cases that it lacks."""

    @cached_property
    def differences(self) -> list[str]:
        """In what the run differs from the baseline's, in words."""
        return [*differences(self.baseline.run, self.run).values()]

    @property
    def is_older(self) -> bool:
        """Whether the run is of an older release than the baseline: what departs may be fixed in that one."""
        release, known = (numbers_of(run.release) for run in (self.run, self.baseline.run))
        return bool(release) and release < known

    @cached_property
    def _relations(self) -> dict[Run, Relation]:
        return {}

    def _relation(self, known: Run, record: CaseRecord) -> Relation:
        """How the run compares with the one that shows what is known of a case."""
        if known not in self._relations:
            self._relations[known] = relation(known, self.run)
        found = self._relations[known]
        if found is Relation.SAME and known.f16 != self.run.f16 and _is_of_f16(record):
            # Native f16 changes the kernels of f16 cases only.
            return Relation.KERNELS
        return found

    def known(self, record: CaseRecord) -> tuple[KnownCase | None, Relation]:
        """Return what is known of a case, and how the run compares with the one that shows it."""
        found = self.baseline.known(record.case)
        if found is None:
            return None, Relation.DATA
        return found, self._relation(found.run, record)

    def has_kernels_of(self, known: Run, record: CaseRecord) -> bool:
        """Tell whether the kernels of a case are those of a known run, by a cap on the instruction set or without."""
        return self._relation(known, record) is Relation.SAME

    @cached_property
    def _shown(self) -> dict[tuple[str, ...], list[frozenset[str]]]:
        """How cases are asked that depart by chance: by cause and layer, operation and purpose, or operation."""
        found: dict[tuple[str, ...], list[frozenset[str]]] = defaultdict(list)
        for case, line in self.baseline.departures().items():
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
        return cause in self.causes.naming(record, self.run) and not line.is_exceeded_by(record)

    def decide(self, record: CaseRecord, *, allow_absent: bool = False) -> CaseRecord:
        """Return the record with what the gate decides of it, and the cause that it belongs to."""
        return _decided(record, *self._decision(record, allow_absent))

    def _decision(self, record: CaseRecord, allow_absent: bool) -> Decision:
        if record.outcome is Outcome.ABSENT and allow_absent:
            return Decision(Gate.SKIPPED)
        if record.outcome.says_nothing:
            return Decision(Gate.NO_VERDICT)
        if self.claims is not None:
            decided = self._by_claims(self.claims, record)
            is_inside = decided.gate is not Gate.NEW or self.claims.is_inside(record.case)
            if is_inside or self.baseline.name == "none":
                return decided
        known, compared = self.known(record)
        line = known.line if known else None
        if record.conforms:
            if line is None or line.may_pass or compared is Relation.DATA:
                return Decision(_OF_CONFORMING.get(record.outcome, Gate.PASS))
            return Decision(Gate.IMPROVED, self._cause_of(line, record), str(line))
        decided = self._of_departure(record, known, compared)
        if decided.gate.is_red and (found := self._line_beside(record, known)) is not None:
            return Decision(Gate.KNOWN, self._cause_of(found, record))
        return decided

    def read_beside(self, folder: Path) -> Baseline:
        """Return the baseline of a folder beside the nearest one. Raises BaselineError."""
        if folder not in self._read:
            self._read[folder] = baseline_files.read_folder(folder)
        return self._read[folder]

    @cached_property
    def _read(self) -> dict[Path, Baseline]:
        return {}

    def _line_beside(self, record: CaseRecord, nearest: KnownCase | None) -> Line | None:
        """The line of a folder beside that has this very departure; None if there is none.

        A line of the nearest baseline for these kernels counts more. Only what the folder itself was taken from counts:
        the one below it may be the nearest one.
        """
        if nearest is not None and nearest.run.isa == self.run.isa:
            return None
        for folder in self.beside:
            baseline = self.read_beside(folder)
            known = baseline.known(record.case)
            if known is None or known.run != baseline.run:
                continue
            if relation(known.run, self.run) is Relation.DATA:
                continue
            if nearest is not None and known.run.isa != self.run.isa:
                continue
            line = known.line
            is_as_there = line and line.admits(record) and not line.is_exceeded_by(record)
            # What these kernels show counts more.
            if is_as_there or known.run.isa == self.run.isa:
                return line if is_as_there else None
        return None

    def _of_departure(
        self, record: CaseRecord, known: KnownCase | None, compared: Relation
    ) -> Decision:
        if known is None:
            return self._of_new(record, Gate.NEW, "")
        if compared is Relation.DATA:
            return self._with_other_data(record, known)
        if known.line is not None:
            return self._of_known(known.line, record, compared, known.run)
        cause = self.causes.name(record, self.run)
        if compared is Relation.RELEASE:
            return Decision(Gate.REGRESSED, cause, NO_DEPARTURE)
        # Chance may have let it pass in the run of the baseline.
        if cause and self._shows_by_chance(cause, record):
            return Decision(Gate.NEW_CASE, cause)
        # Narrowed inputs show why an answer is wrong, and not that they were narrowed before.
        if compared is Relation.KERNELS and not record.facts.computed_as:
            return self._of_new(record, Gate.BROKEN, NO_DEPARTURE)
        return Decision(Gate.BROKEN, cause, NO_DEPARTURE)

    def _by_claims(self, claims: DeviceClaims, record: CaseRecord) -> Decision:
        """What conforms passes; what departs is known by a waiver, not claimed, or new."""
        if record.conforms:
            return Decision(_OF_CONFORMING.get(record.outcome, Gate.PASS))
        naming = self.causes.naming(record, self.run)
        gate = claims.decide(record, [each.id for each in naming])
        waived = [each for each in naming if each.id in claims.waivers]
        return Decision(gate, next(iter(waived if gate is Gate.KNOWN else naming), None))

    def _of_new(self, record: CaseRecord, otherwise: Gate, said: str) -> Decision:
        """A departure that a narrow cause may name: without one the gate is ``otherwise``."""
        narrow = self.causes.naming_narrowly(record, self.run, self.shares)
        if narrow is not None:
            return Decision(Gate.NEW_CASE, narrow)
        return Decision(otherwise, self.causes.name(record, self.run), said)

    def _with_other_data(self, record: CaseRecord, known: KnownCase) -> Decision:
        """A departure of a case that another run asked with other values, which may be as wrong as they are."""
        if known.line is not None and known.line.admits(record):
            return Decision(Gate.KNOWN, self._cause_of(known.line, record))
        if known.run.release != self.run.release:
            # What departs so in this release may have conformed in that one, whatever the values are.
            return Decision(Gate.NEW, self.causes.name(record, self.run))
        return self._of_new(record, Gate.NEW, "")

    def _of_known(
        self, line: Line, record: CaseRecord, compared: Relation, before: Run
    ) -> Decision:
        """A departure of a case that departed in the run ``before``."""
        cause = self._cause_of(line, record)
        if line.admits(record) and not line.is_exceeded_by(record):
            if not line.is_another_answer(record):
                return Decision(Gate.KNOWN, cause)
            is_worse = compared is Relation.SAME and must_be_same_bits(line, before, self.run)
            return Decision(Gate.WORSE if is_worse else Gate.KNOWN, cause, ANOTHER_ANSWER)
        if is_improvement(record, line):
            return Decision(Gate.IMPROVED, cause, str(line))
        if self._ends_so_by_chance(line, record):
            return Decision(Gate.KNOWN, cause)
        is_above = self._is_above(before.device)
        if compared is Relation.KERNELS:
            # Evidence in the answer alone: how often a cause shows says nothing of a case that departs otherwise. But
            # what BATCH or HETERO refuses for a reason of its own does not come to the device below.
            is_own = is_above and record.outcome is Outcome.REFUSED
            shares = self.own_shares if is_own else {}
            shown = self.causes.naming_narrowly(record, self.run, shares)
            if shown is not None:
                return Decision(Gate.NEW_CASE, shown)
        if (compared is Relation.RELEASE or is_above) and _is_reworded(record, line):
            return Decision(Gate.REWORDED, cause, str(line))
        return Decision(Gate.WORSE, cause, str(line))

    def _is_above(self, device: str) -> bool:
        """Tell whether the run's device, such as ``BATCH:CPU(4)``, runs the kernels of ``device``."""
        return baseline_files.families_of(self.run.device)[1:] == [unnumbered(device)]

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


def _is_of_f16(record: CaseRecord) -> bool:
    return (
        any(text.startswith("f16[") for text in record.inputs)
        or "f16" in record.parameters.values()
    )


def _is_reworded(record: CaseRecord, line: Line) -> bool:
    """Tell whether a valid layer is refused at the same stage as before, in other words."""
    return record.outcome is Outcome.REFUSED and any(
        each.outcome is Outcome.REFUSED and each.facts.stage == record.facts.stage
        for each in line.endings
    )


def _decided(record: CaseRecord, gate: Gate, cause: Cause | None, said: str) -> CaseRecord:
    """The record with a decision, a cause, and what the baseline says where the run differs from it."""
    return replace(
        record,
        gate=gate,
        baseline=said,
        reason=cause.title if cause else "",
        cause=cause.id if cause else "",
        cause_class=cause.cause_class if cause else "",
        since=cause.told_since_on(record.device) if cause else "",
        last_good=cause.last_good_on(record.device) if cause else "",
    )


def named_since(record: CaseRecord, causes: Causes, run: Run) -> CaseRecord:
    """Return a departure that had no cause when it was asked with the one that names it now, or as it is.

    What the gate decided stays.
    """
    if record.conforms or record.cause or record.outcome.says_nothing:
        return record
    cause = causes.name(record, run)
    return record if cause is None else _decided(record, record.gate, cause, record.baseline)


def is_improvement(record: CaseRecord, line: Line) -> bool:
    """Tell whether a departure is better than all that the baseline says of the case.

    Only a clean refusal is, where the process died or hung. A refusal is no better than a wrong answer, since the layer
    used to run; a wrong answer is no better than a death, which the user sees.
    """
    return record.outcome is Outcome.REFUSED and all(one.outcome in ENDS for one in line.endings)


def targets_of(
    header: Header,
    causes: Causes,
    given: Mapping[str, Baseline] | None = None,
) -> dict[tuple[str, str], GateTarget]:
    """Return what the gate knows of each target of a run.

    ``given`` are the baselines that the user named, by target; a single one serves any target. Without them each target
    has the nearest that the suite ships. Raises BaselineError.
    """
    found = {}
    for target in header.targets:
        key = target.device, target.profile
        run = run_of(header, *key)
        on_own = on_processor(target.profile, header.processor_of(target))
        baseline = _baseline_for(run, on_own, given or {})
        found[key] = target_of(run, baseline, causes)
    return found


def target_of(
    run: Run,
    baseline: Baseline,
    causes: Causes,
    *,
    before: tuple[Path, Mapping[str, str | None]] | None = None,
) -> GateTarget:
    """Return what the gate knows of a run. Raises BaselineError.

    How precise causes are is what the nearest baseline of the suite says, and what the baseline itself says. Those of
    AUTO, HETERO and the like, which have the baselines of the device below, are in the folder of their own name.
    ``before`` is a folder with the texts that its files had earlier: those count, and it is no baseline beside.
    """
    changed, texts = before or (None, {})
    nearest = baseline_files.nearest(run, without=changed)
    own: dict[str, Share] = {}
    for family in baseline_files.families_of(run.device)[:-1]:
        own |= _shares(baseline_files.DIRECTORY / family, {})
    shares = dict(own)
    for folder in filter(None, (nearest, baseline.folder)):
        for each in baseline_files.chain(folder):
            shares |= _shares(each, texts if each == changed else {})
    beside: list[Path] = []
    if baseline.folder and not baseline.is_given and _is_on_shipped(baseline.folder):
        others = baseline_files.beside(run, baseline.folder, baseline_files.DIRECTORY)
        beside = [each for each in others if each != changed]
    return GateTarget(run, baseline, causes, shares, own, beside=tuple(beside))


def _is_on_shipped(folder: Path) -> bool:
    """Whether a baseline is one of the suite's, or has one below it."""
    shipped = baseline_files.DIRECTORY.resolve()
    return any(shipped in each.resolve().parents for each in baseline_files.chain(folder))


def _shares(folder: Path, before: Mapping[str, str | None]) -> dict[str, Share]:
    path = folder / baseline_files.PRECISION
    try:
        name = baseline_files.PRECISION
        text = before[name] if name in before else path.read_text("utf-8") if path.exists() else ""
        return precision.from_text(text) if text else {}
    except (OSError, ValueError) as error:
        raise baseline_files.BaselineError(f"{path}: {error}") from None


def _baseline_for(run: Run, on_own: str, given: Mapping[str, Baseline]) -> Baseline:
    """Return the baseline of a run; ``on_own`` is its profile with its processor, as results of several have it."""
    if given:
        for profile in (run.profile, on_own):
            named = given.get(baseline_files.name_of(run.device, profile))
            if named is not None:
                return named
        if len(given) == 1:
            (only,) = given.values()
            check_device(only.name, only.run.device, run.device)
            return only
        raise baseline_files.BaselineError(
            f"the baseline has {', '.join(sorted(given))}, but not "
            f"{baseline_files.name_of(run.device, run.profile)}"
        )
    folder = baseline_files.nearest(run)
    return baseline_files.read_folder(folder) if folder else Baseline(name="none")


def check_device(baseline: str, own: str, other: str) -> None:
    """Refuse a baseline of the device ``own`` for another one. Raises BaselineError."""
    families = {name.partition(".")[0] for name in (own, other)}
    if len(families) > 1 and families <= _DEVICES:
        raise baseline_files.BaselineError(
            f"{baseline}: a baseline of {own} cannot be used for {other}"
        )


def remark(target: GateTarget) -> str:
    """Return what a run's first line says of its baseline."""
    baseline = target.baseline
    if target.claims is not None and baseline.name == "none":
        return str(target.claims)
    if baseline.name == "none":
        return "no baseline: a departure is new unless a narrow cause names it"
    text = f"{target.claims}; outside the claims with " if target.claims is not None else ""
    text += f"{baseline.name}, which has {count(len(baseline.known_departures()), 'departure')}"
    if baseline.lacks:
        text += f", INCOMPLETE: {baseline.lacks}"
    if target.beside and baseline_files.read_run(target.beside[0]).isa == target.run.isa:
        text += f", and {target.read_beside(target.beside[0]).name}, for this instruction set"
    said = target.differences
    if baseline.run.profile != target.run.profile and not said:
        said = [f"the baseline of this processor's instruction set ({target.run.isa})"]
    if not said:
        return text
    text += f"; {'; '.join(said)}"
    compared = relation(baseline.run, target.run)
    if compared is Relation.RELEASE:
        there = "in that newer release" if target.is_older else "there"
        text += f": a case that passed {there} and fails here is called regressed"
    elif compared is Relation.DATA:
        text += ": the data differ, so these cases cannot be compared"
    return text
