"""A user's models as cases of the suite: each layer is one, and the model as a whole; a survey judges them together."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from devices import NotOpenedError
from devices.engine import packs
from devices.engine.session import Session
from devices.models.findings import Survey
from devices.models.inputs import InputError, feeds_of, feeds_that_run
from devices.models.opening import ModelError, models_in, open_model
from devices.models.part_runner import runs
from devices.models.survey import Surveyor
from devices.models.writing.folders import write_folders
from devices.models.writing.recording import WHOLE, case_ids, case_records, run_of
from ir_models.asking.id_parts import MODEL, model_of
from ir_models.models import Model, NotIRError
from reports.gate import causes
from reports.models.report import model_report
from reports.results import model_run
from reports.results.model_run import ModelRun
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import say
from tests.conformance.selection import SuiteSelection, SuiteTarget, UsageError

# Seconds of a stage of a whole model, at least.
_TIMEOUT = 60.0


class Models:
    """The models of a run. ``folder`` is for converted models and pages, ``failures`` for failure folders."""

    def __init__(self, selection: SuiteSelection, results: Path, failures: Path) -> None:
        self.selection, self.failures = selection, failures
        self.folder = results.with_suffix(".models")
        self._records: dict[tuple[str, str], dict[str, CaseRecord]] = {}
        self._sessions: dict[str, Session] = {}
        self._models: dict[Path, Model] = {}

    def check(self) -> None:
        """Read the models, and the values of their inputs. Raises UsageError."""
        for name, path in self.paths().items():
            chosen = self.selection
            try:
                feeds_of(
                    self._opened(path), chosen.inputs, chosen.shapes, chosen.samples, chosen.seed
                )
            except InputError as error:
                raise UsageError(f"{name}: {error}") from None

    def paths(self) -> dict[str, Path]:
        """The models by their names: of one in a folder, its path there. Raises UsageError."""
        found: dict[str, Path] = {}
        for given in self.selection.models:
            try:
                paths = models_in(given)
            except ModelError as error:
                raise UsageError(str(error)) from None
            for path in paths:
                name = path.relative_to(given).as_posix() if given.is_dir() else path.name
                if found.setdefault(name, path) != path:
                    raise UsageError(f"two models have the name {name}: {found[name]} and {path}")
        return found

    def packs(self, finished: Collection[str] = ()) -> list[list[str]]:
        """The ids of the cases by model, without those that are finished. Raises UsageError."""
        number, count = self.selection.shard
        operations = {each.name for each in self.selection.operations}
        is_selected = self.selection.selects_operations
        found = []
        for name, path in self.paths().items():
            if count > 1 and packs.shard(name, count) != number - 1:
                continue
            ids = case_ids(self._opened(path), name).values()
            found.append(
                [
                    each
                    for each in ids
                    if each not in finished
                    and (not is_selected or each.partition("/")[0] in {WHOLE, *operations})
                ]
            )
        return found

    def _opened(self, path: Path) -> Model:
        try:
            if path not in self._models:
                self._models[path] = open_model(path, self.folder / _safe(path.name))
            return self._models[path]
        except (ModelError, NotIRError, OSError) as error:
            raise UsageError(str(error)) from None

    def _feeds(
        self, name: str, model: Model, session: Session
    ) -> tuple[list[dict[str, np.ndarray]], str]:
        chosen = self.selection
        given = chosen.inputs, chosen.shapes, chosen.samples, chosen.seed
        try:
            return feeds_that_run(model, partial(runs, model, session), *given)
        except InputError as error:
            raise UsageError(f"{name}: {error}") from None

    def record(self, case_id: str, target: SuiteTarget, facts: Mapping[str, Any]) -> CaseRecord:
        """The record of a case, before the gate has judged it. The first one of a model surveys the model."""
        name = model_of(case_id)
        key = target.name, name
        if key not in self._records:
            # One model at a time: the cases of another one are in another pack.
            self._records = {key: self._surveyed(name, target, facts)}
        found = self._records[key].get(case_id)
        return found or _unjudged(
            case_id, target, Outcome.ERROR, f"the model {name} has no such layer"
        )

    def _surveyed(
        self, name: str, target: SuiteTarget, facts: Mapping[str, Any]
    ) -> dict[str, CaseRecord]:
        model = self._opened(self.paths()[name])
        ids = case_ids(model, name)
        chosen = self.selection
        session = self._sessions.get(target.name)
        if session is None:
            seconds = max(chosen.options.case_timeout, _TIMEOUT)
            session = Session(target.device, target.profile, seconds)
            self._sessions[target.name] = session
        try:
            feeds, words = self._feeds(name, model, session)
        except NotOpenedError as error:
            return _unopened(ids.values(), target, error)
        surveyor = Surveyor(model, session, feeds)
        surveyor.notes += [words] if words else []

        def made(survey: Survey) -> ModelRun:
            known = causes.load(*chosen.causes)
            device, profile = target.device, target.profile.name
            return run_of(model, survey, name, device, profile, facts, feeds, known)

        folder = self.folder / _safe(target.name) / _safe(name)
        try:
            survey = surveyor.survey()
        except NotOpenedError as error:
            return _unopened(ids.values(), target, error)
        except KeyboardInterrupt:
            # No layer counts as finished: --resume surveys the model again. What is known is told.
            session.discard()
            run = made(surveyor.partial())
            run.is_whole = False
            _write(run, folder)
            say(f"{name}: interrupted; what is known: {folder / 'model.html'}")
            raise
        run = made(survey)
        failures = self.failures / _safe(target.name) / _safe(name)
        write_folders(model, survey, run, failures, surveyor.asking)
        folders = [""] + [
            (failures / layer.folder).relative_to(self.failures).as_posix() if layer.folder else ""
            for layer in run.layers
        ]
        for layer in run.layers:
            if layer.folder:
                layer.folder = os.path.relpath(failures / layer.folder, folder)
        _write(run, folder)
        found = {}
        for record, path in zip(case_records(model, run, ids), folders, strict=True):
            found[record.case] = replace(record, folder=path)
        return found

    def close(self) -> None:
        """End the child processes."""
        for session in self._sessions.values():
            session.close()


def _write(run: ModelRun, folder: Path) -> None:
    model_run.write(folder / "model.json", run)
    (folder / "model.html").write_text(model_report(run), encoding="utf-8")


def _unopened(
    ids: Iterable[str], target: SuiteTarget, error: NotOpenedError
) -> dict[str, CaseRecord]:
    outcome = Outcome.ABSENT if error.absent else Outcome.ERROR
    return {each: _unjudged(each, target, outcome, str(error)) for each in ids}


def _unjudged(case_id: str, target: SuiteTarget, outcome: Outcome, detail: str) -> CaseRecord:
    return CaseRecord(
        case=case_id,
        operation=case_id.partition("/")[0],
        purpose=MODEL,
        device=target.device,
        profile=target.profile.name,
        outcome=outcome,
        detail=detail,
        seconds=0.0,
        kernel="",
        precision="",
        gate=Gate.NO_VERDICT if outcome.says_nothing else Gate.NEW,
    )


def _safe(name: str) -> str:
    return re.sub(r"[^\w.()=,-]+", "_", name)
