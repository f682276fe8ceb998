"""From verdicts to records: the gate, the results file."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from devices import Verdict, error_verdict
from devices.engine.verdicts.recording import observed
from ir_models import LayerCase
from ir_models.writing import ir
from reports.gate import causes, decision
from reports.gate.baseline import Baseline, unnumbered
from reports.results.explained.explanations import unexplained
from reports.results.failures import folders
from reports.results.failures.folder_plan import FolderPlan
from reports.results.files.reading import failures_folder
from reports.results.files.writer import ResultsWriter
from reports.results.outcomes import RED, Gate
from reports.results.records import CaseRecord, Header, ResultsError, from_line
from tests.conformance.evidence import write_folder
from tests.conformance.header import header
from tests.conformance.selection import SuiteSelection, SuiteTarget

if TYPE_CHECKING:
    from reports.support.claims import Claims

# The largest numbers of failure folders of a run: of cases that are the first of their cause and operation, and of
# others. By gate, so that known departures and QUALITY do not use up the folders of red ones.
FIRST_FOLDERS = {**dict.fromkeys(RED, 1000), Gate.KNOWN: 3000, Gate.NEW_CASE: 1000}
MORE_FOLDERS = {**dict.fromkeys(RED, 300), Gate.KNOWN: 200}
OTHER_FOLDERS = 100, 20  # for each of the other gates
FOLDER_BYTES = 256 * 2**20, 128 * 2**20  # in all, for each gate


@dataclasses.dataclass(frozen=True)
class Knowledge:
    """What the gate knows in a run: read once, by its first process. ``targets`` are by device and profile."""

    header: Header
    causes: causes.Causes
    targets: Mapping[tuple[str, str], decision.GateTarget]

    @classmethod
    def read(
        cls,
        selection: SuiteSelection,
        facts: Mapping[str, Any],
        given: Mapping[str, Baseline] | None = None,
    ) -> Knowledge:
        """Read it. ``facts`` are what each target's device reports about itself, by the target's name; ``given`` are
        the baselines that the user named. Raises BaselineError, CauseError and ResultsError.
        """
        first = header(selection, facts)
        known = causes.load(*selection.causes)
        found = cls(first, known, decision.targets_of(first, known, given)).held_to(selection)
        named = [
            replace(t, baseline=decision.remark(found.targets[t.device, t.profile]))
            for t in first.targets
        ]
        return dataclasses.replace(found, header=replace(first, targets=named))

    def held_to(self, selection: SuiteSelection) -> Knowledge:
        """With the claims of the selection, where it has any. Raises ResultsError."""
        if not selection.claims:
            return self
        from ir_models import models
        from reports.support.claims import read as read_claims

        held = read_claims(selection.claims, models)
        for device, _ in self.targets:
            if held.device not in ("", device, unnumbered(device)):
                raise ResultsError(f"{selection.claims}: claims of {held.device}, not of {device}")
        return self._with_claims(held)

    @property
    def without_claims(self) -> Knowledge:
        """What can be sent to another process: claims refer to the declarations of this one."""
        return self._with_claims(None)

    def _with_claims(self, held: Claims | None) -> Knowledge:
        targets = {t: dataclasses.replace(each, claims=held) for t, each in self.targets.items()}
        return dataclasses.replace(self, targets=targets)


class Recorder:
    """Asks the gate, and writes results and failure folders.

    ``facts`` are what each target's device reports about itself, by the target's name. ``processes`` is the number of
    processes that share the limits of failure folders, ``claims`` the folder in which they share what they wrote.
    """

    def __init__(
        self,
        selection: SuiteSelection,
        path: Path,
        facts: Mapping[str, Any],
        known: Knowledge,
        processes: int = 1,
        claims: Path | None = None,
    ) -> None:
        self.path, self.facts, self.selection, self.known = path, facts, selection, known
        self.folders = failures_folder(path)
        self.causes, self.targets = known.causes, known.targets
        self.plan_folders(processes, claims)
        self.writer: ResultsWriter | None = None
        self.finished: set[tuple[str, str, str]] = set()

    def plan_folders(self, processes: int = 1, claims: Path | None = None) -> None:
        """Begin anew to count failure folders, as for departures that stand for others which have one."""
        self.plans = {gate: _plan(gate, processes, claims) for gate in Gate}

    def open(self) -> None:
        """Create the results file, or resume it. Raises ResultsError."""
        make = ResultsWriter.resume if self.selection.resume else ResultsWriter.create
        self.writer = make(self.path, self.known.header)
        self.finished = set(self.writer.finished)
        earlier, self.writer.earlier = self.writer.earlier, []
        for record in earlier:
            before = unexplained(record)
            again = self._judged_again(before)
            if again != before:
                self.add(again)

    def _judged_again(self, record: CaseRecord) -> CaseRecord:
        """A result of a resumed file by the baseline of now, which may be another than that of its run."""
        return self.judge(record, allow_absent=record.gate == Gate.SKIPPED)

    def add(self, record: CaseRecord) -> None:
        """Write one record. Raises ResultsError when it cannot be written; nothing written before is lost."""
        assert self.writer is not None
        self.check_in_place()
        try:
            self.writer.append(record)
        except OSError as error:
            raise ResultsError(
                f"{self.path}: cannot be written: {error.strerror}; what it holds is whole: make room, and run again "
                "with --resume"
            ) from None

    def rewrite(self, records: Sequence[CaseRecord]) -> None:
        """Write records in the place of what the file has of their cases, so that each case has one line.

        Raises ResultsError when it cannot be written; nothing written before is lost.
        """
        assert self.writer is not None
        self.check_in_place()
        if not records and not self.writer.has_repeated:
            return
        try:
            self.writer.rewrite(self.path, records)
        except OSError as error:
            raise ResultsError(f"{self.path}: cannot be written: {error.strerror}") from None

    def check_in_place(self) -> None:
        """Raise ResultsError when the results file was removed or moved, after its content was saved if possible."""
        if self.writer is not None and not self.writer.is_at(self.path):
            raise ResultsError(f"{self.path}: {self._rescued()}")

    def _rescued(self) -> str:
        """Write a removed results file again. Returns what became of it."""
        assert self.writer is not None
        try:
            if not self.writer.rescue(self.path):
                return "was moved during the run: move it back, and run again with --resume"
        except OSError as error:
            return f"was removed during the run, and cannot be written again: {error.strerror}"
        return "was removed during the run; its results were written again: run again with --resume"

    def judge(self, record: CaseRecord, *, allow_absent: bool = False) -> CaseRecord:
        """The record with what the gate decides of it, and the known cause that it belongs to."""
        return self.targets[record.target].decide(record, allow_absent=allow_absent)


def _plan(gate: Gate, processes: int, claims: Path | None) -> FolderPlan:
    numbers = FIRST_FOLDERS.get(gate, OTHER_FOLDERS[0]), MORE_FOLDERS.get(gate, OTHER_FOLDERS[1])
    first, more = (
        folders.FolderBudget(max(number // processes, 4), size // processes)
        for number, size in zip(numbers, FOLDER_BYTES, strict=True)
    )
    return FolderPlan(first, more, claims)


def is_of_a_case(report: pytest.TestReport) -> bool:
    """Whether a report is of a case: it has a record, and reports of other tests have none."""
    return hasattr(report, "conformance")


def is_reported_pending(report: pytest.TestReport) -> bool:
    """Whether the case of a report departs, and a part of it may still explain that."""
    return getattr(report, "conformance_pending", False)


_NO_KEYWORDS: Mapping[str, Any] = {}


def drop_content(report: pytest.TestReport) -> None:
    """Drop what nobody reads of the report of a case that did not fail: pytest keeps all reports until the end."""
    report.keywords = _NO_KEYWORDS
    report.conformance = ""  # type: ignore[attr-defined]


def record_in(report: pytest.TestReport) -> CaseRecord | None:
    """The record in a report of a case, or None; reports that did not fail have it until it is written."""
    text = getattr(report, "conformance", None)
    if not text:
        return None
    record = from_line(text)
    assert isinstance(record, CaseRecord)
    return record


def record_of(verdict: Verdict, target: SuiteTarget, recorder: Recorder) -> tuple[CaseRecord, str]:
    """The record of one case, and why its failure folder could not be written, or "".

    Writes the failure folder if the verdict has evidence. A verdict that no record can hold is an ERROR.
    """
    try:
        record = _without_folder(verdict, target, recorder)
    except Exception as error:  # of the suite itself
        verdict = error_verdict(verdict.case, f"the suite fails to record {verdict.outcome}", error)
        return _without_folder(verdict, target, recorder), ""
    if verdict.evidence is None:
        return record, ""
    try:
        folder = write_folder(
            recorder.folders,
            record,
            verdict,
            verdict.evidence,
            target,
            recorder.plans[record.gate],
            recorder.selection.seed,
            openvino=recorder.facts.get(target.name, {}).get("openvino", ""),
            compile_only=bool(recorder.facts.get(target.name, {}).get("compile_only")),
        )
    except Exception as error:  # no room, no permission; or a reply that no file can hold
        return record, f"of {record.case}: {type(error).__name__}: {error}"
    return replace(record, folder=folder), ""


def _without_folder(verdict: Verdict, target: SuiteTarget, recorder: Recorder) -> CaseRecord:
    """The record of one case without a failure folder."""
    absent = recorder.selection.allow_absent or verdict.not_in_release or verdict.not_asked
    record = recorder.judge(
        observed(verdict, target.device, target.profile.name), allow_absent=absent
    )
    if not isinstance(verdict.case, LayerCase):
        return record
    if record.gate.is_red or record.gate.has_cause or record.gate is Gate.QUALITY:
        record = replace(record, layer_xml=ir.layer_xml(verdict.case, _output_shapes(verdict)))
    return record


def _output_shapes(verdict: Verdict) -> list[tuple[int, ...]] | None:
    # Behind other layers the outputs are not those of the layer itself.
    is_behind = bool(verdict.case.how.behind)
    return None if is_behind or verdict.evidence is None else verdict.evidence.shapes


def worker_count() -> int:
    """The number of processes of this run."""
    return int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
