"""What the user sees of a run: the results file, written as cases end, the summary and the exit code."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ir_models import UnknownOperationError
from reports.gate.causes import Cause, RunScope
from reports.gate.exit_code import exit_code
from reports.results.explained.explanations import counted
from reports.results.files import reading as results
from reports.results.outcomes import RED, Gate
from reports.results.records import CaseRecord, Key, ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.text import count, printable
from reports.views import run_end
from reports.views.junit import OtherError, as_junit
from tests.conformance import options
from tests.conformance.explaining import Explainer
from tests.conformance.header import now
from tests.conformance.items import departure_text
from tests.conformance.records import (
    Recorder,
    drop_content,
    is_of_a_case,
    is_reported_pending,
    record_in,
)
from tests.conformance.selection import named_cases

if TYPE_CHECKING:
    from tests.conformance.progress import Progress

NO_TERMINAL = (120, 24)
"""The size that is assumed where the output is no terminal and COLUMNS is not set."""
NO_CASES = "no case is selected: see --operation, --purpose, --how, --shard, -k"


class ResultsReporter:
    """A pytest plugin of the process that writes: each record as it arrives, the summary and exit code at the end."""

    def __init__(self, config: pytest.Config, recorder: Recorder) -> None:
        self.config, self.recorder = config, recorder
        self._summary = ""
        self._has_changes = False
        self._folders = ""
        self._idle_causes: list[str] = []
        self._explainer = Explainer(recorder)
        # The node ids and locations of departures that a part may still explain.
        self._pending: dict[Key, tuple[str, Any]] = {}
        self._progress: Progress | None = None
        self._other_failures: list[pytest.TestReport | pytest.CollectReport] = []
        self._junit = _take_junit(config)
        # Why failure folders could not be written.
        self._folder_errors: list[str] = []
        # Why the results could not be written any more, or "".
        self._lost = ""
        # What ended the run before all cases were asked, or "": not what Ctrl-C does.
        self._stopped = ""
        self._selected: int | None = None
        self._recorded = 0
        self._running: list[str] = []
        # The node ids of the cases that run: those of the workers where there are some.
        self.waits_for: Callable[[], Sequence[str]] = lambda: self._running

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the cases of a run in one process."""
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Count the cases of a run in several processes, once the first worker has collected."""
        self._begin(len(ids))

    def expect(self, total: int | None) -> None:
        """In a run of several processes: how many cases there are, None where not all are listed yet."""
        if total != self._selected:
            self._selected = total
            if self._progress is not None and total is not None:
                self._progress.set_total(total)

    def _begin(self, total: int) -> None:
        """Remember how many cases are to run, and show progress."""
        self._selected = total
        option = self.config.option
        is_shown = total and option.verbose == 0 and not option.collectonly and sys.stdout.isatty()
        if is_shown and self._progress is None:
            from tests.conformance.progress import Progress

            self._progress = Progress(total, lambda: self.waits_for())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Remember the case that runs in this process."""
        self._running = [item.nodeid]
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Write the record of a case, before any other plugin sees its report."""
        record = record_in(report)
        if record is not None:
            self._take(report, record)
        elif report.failed and not is_of_a_case(report):
            self._other_failures.append(report)
        yield

    def _take(self, report: pytest.TestReport, record: CaseRecord) -> None:
        self._add(record)
        self._recorded += 1
        if error := getattr(report, "conformance_folder_error", ""):
            self._folder_errors.append(error)
        is_red = report.failed
        if is_reported_pending(report):
            is_red = self._is_red_at_once(record)
            if is_red:
                report.conformance_pending = False  # type: ignore[attr-defined]
                report.outcome = "failed"
                report.longrepr = departure_text(record, self.recorder.folders)
            else:
                self._pending[record.key] = report.nodeid, report.location
        if self._progress is not None:
            self._progress.advance(is_red)
        if not report.failed:
            drop_content(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """A case that is pending counts when it is settled."""
        if not is_reported_pending(report):
            return None
        return "", "", "PENDING" if self.config.option.verbose > 0 else ""

    def _is_red_at_once(self, record: CaseRecord) -> bool:
        """Tell whether a pending departure ends the run: where failures do, and no part that is not red explains it."""
        if not self.config.option.maxfail:
            return False
        try:
            return not self._explainer.is_green(record)
        except ResultsError as error:
            self._lose(error)
            return False

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember that failures ended the run, which pytest-xdist tells as an interruption: ``-x``, ``--maxfail``."""
        # Not earlier: pytest rewrites the assertions of its plugins as it loads them, and tells where it cannot.
        from xdist.dsession import Interrupted

        if isinstance(excinfo.value, Interrupted):
            self._stopped = str(excinfo.value)

    def _add(self, record: CaseRecord) -> None:
        """Write a record. A run whose results cannot be written ends."""
        if self._lost:
            return
        if self.config.option.maxfail:
            self._explainer.note(record)
        try:
            self.recorder.add(record)
        except ResultsError as error:
            self._lose(error)

    def _lose(self, error: ResultsError) -> None:
        self._lost = str(error)
        pytest.exit(self._lost, returncode=2)

    def _removed(self) -> str:
        """What became of a results file that was removed after the last record, or ""."""
        try:
            self.recorder.check_in_place()
        except ResultsError as error:
            return str(error)
        return ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Make the summary and set the exit code."""
        if self._progress is not None:
            self._progress.stop()
        if self.recorder.writer is not None and not self._lost:
            self._lost = self._removed()
            if not self._lost and self._recorded == self._selected:
                self.recorder.writer.end(now())
        try:
            self._conclude(session)
        finally:
            # Not earlier: another run could take the place of the results that are read here.
            if self.recorder.writer is not None:
                self.recorder.writer.close()

    def _conclude(self, session: pytest.Session) -> None:
        if self._stopped and self._recorded and self.config.option.maxfail:
            session.exitstatus, session.shouldfail = 1, self._stopped
        is_empty = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        if is_empty and not self.recorder.finished:
            _fail_run(session, NO_CASES)
            return
        if self.recorder.writer is None:
            return
        if self._lost:
            _fail_run(session, self._lost)
            return
        has_ended = session.exitstatus in (0, 1, pytest.ExitCode.NO_TESTS_COLLECTED)
        is_complete = has_ended and not (session.shouldstop or session.shouldfail)
        # Who names cases asks for these alone.
        is_named = bool(named_cases(self.config.args) or self.recorder.selection.named)
        try:
            loaded = self._explainer.finish(runs_parts=is_complete and not is_named)
        except (ResultsError, UnknownOperationError) as error:
            _fail_run(session, str(error))
            return
        if not (has_ended or loaded.records):
            return
        self._report_pending(session, loaded)
        self._folders = _folders(loaded, self.recorder.folders)
        if is_complete:
            self._idle_causes = [each.id for each in self._idle(loaded)]
        end = run_end.render(
            loaded,
            self.recorder.targets,
            shutil.get_terminal_size(NO_TERMINAL).columns,
            strict=self.recorder.selection.strict,
            green=("FAILED" if self._other_failures else "PASSED") if has_ended else "INCOMPLETE",
        )
        self._summary = "\n\n".join([*self._sweeps(loaded), end])
        # A case without a verdict changes no baseline.
        changing = {*RED, Gate.NEW_CASE, Gate.REWORDED, Gate.IMPROVED} - {Gate.NO_VERDICT}
        self._has_changes = any(record.gate in changing for record in loaded.records)
        errors = [*self._too_few(loaded)] if has_ended else []
        errors += self._write_junit(loaded)
        if has_ended:
            session.exitstatus = self._exit_code(loaded, is_unreliable=bool(errors))
            if session.exitstatus == 2 and not errors:
                why = loaded.records[0].detail if loaded.records else NO_CASES
                errors.append(f"no case ran, so nothing is known: {why}")
        for each in errors:
            _fail_run(session, each)

    def _exit_code(self, loaded: results.Results, *, is_unreliable: bool) -> int:
        return exit_code(
            (r.gate for r in counted(loaded.records, self.recorder.selection.strict)),
            strict=self.recorder.selection.strict,
            may_skip_all=self.recorder.selection.allow_absent,
            has_other_failures=bool(self._other_failures),
            is_unreliable=is_unreliable,
        )

    def _report_pending(self, session: pytest.Session, loaded: results.Results) -> None:
        """Report to pytest the cases that were pending: as failures, or as expected ones if a part explains them."""
        # Nothing is left to stop, and the records are written.
        hook: Any = self.config.pluginmanager.subset_hook_caller(
            "pytest_runtest_logreport", remove_plugins=[session, self]
        )
        for record in counted(loaded.records):
            if record.key in self._pending:
                hook(report=self._settled(record, *self._pending.pop(record.key)))

    def _settled(self, record: CaseRecord, node_id: str, location: Any) -> pytest.TestReport:
        """The report of a case that was pending."""
        is_failed = record.gate.is_red
        text = departure_text(record, self.recorder.folders) if is_failed else None
        outcome: Any = "failed" if is_failed else "skipped"
        report = pytest.TestReport(node_id, location, {}, outcome, text, "call", duration=0.0)
        report.conformance = ""  # type: ignore[attr-defined]
        if not is_failed:
            report.wasxfail = f"due to {record.explained_by}"
        return report

    def _idle(self, loaded: results.Results) -> list[Cause]:
        """The causes of the user's own that name nothing of a run which asked all that they could name."""
        selection = self.recorder.selection
        if not (selection.causes and selection.asks_all_of_operations):
            return []
        asked = RunScope(
            frozenset(record.operation for record in loaded.records),
            frozenset(record.cause for record in loaded.records),
            not selection.selects_operations,
        )
        runs = [target.run for target in self.recorder.targets.values()]
        return self.recorder.causes.idle(selection.causes, runs, asked)

    def _sweeps(self, loaded: results.Results) -> Iterator[str]:
        """A table for each sweep on each target: where it departs."""
        for target in self.recorder.selection.targets:
            own = (target.device, target.profile.name)
            outcomes = {r.case: str(r.outcome) for r in loaded.records if r.target == own}
            for each in self.recorder.selection.sweeps:
                first, *lines = each.table(outcomes)
                yield "\n".join([f"{target.name}: {first}", *lines])

    def _write_junit(self, loaded: results.Results) -> list[str]:
        """Write ``--junitxml`` with all cases of the results file, those of a run that was resumed included.

        Returns why it cannot be written.
        """
        if self._junit is None:
            return []
        text = as_junit(
            loaded,
            strict=self.recorder.selection.strict,
            prefix=self.config.option.junitprefix or "",
            others=[_other_error(report) for report in self._other_failures],
        )
        try:
            write_text(self._junit, text)
        except (OSError, ResultsError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            return [f"--junitxml: {self._junit}: {reason}"]
        return []

    def _too_few(self, loaded: results.Results) -> list[str]:
        if not self.recorder.selection.is_whole:
            return []
        counts = Counter(record.target for record in loaded.records)
        least = self.recorder.selection.minimum
        return [
            f"{target.name}: {counts[target.device, target.profile.name]} cases in all, fewer than the {least} "
            f"of {options.MINIMUM} in pyproject.toml: cases were lost, or the minimum is too large"
            for target in self.recorder.selection.targets
            if counts[target.device, target.profile.name] < least
        ]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember an error of collection."""
        if report.failed:
            self._other_failures.append(report)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the end of the run, errors outside of cases, and commands that say more."""
        if self._summary:
            terminalreporter.section("conformance")
            for line in (self._summary, "", *self._remarks(), *self._commands()):
                terminalreporter.write_line(line)

    def _remarks(self) -> Iterator[str]:
        for report in self._other_failures:
            yield f"error outside of cases: {_other_error(report).message}"
        if self._folders:
            yield self._folders
        if self._idle_causes:
            number = count(len(self._idle_causes), "cause")
            yield f"{number} of --causes named no departure: {', '.join(self._idle_causes)}"
        if self._folder_errors:
            failed = f"{len(self._folder_errors):,}, first {self._folder_errors[0]}"
            yield f"failure folders that could not be written: {failed}"
        if self._selected is not None and self._recorded < self._selected:
            yield "The same command with --resume runs the cases that are left."
        yield f"results: {self.recorder.path}"

    def _commands(self) -> Iterator[str]:
        path = shlex.quote(printable(str(self.recorder.path)))
        page = shlex.quote(printable(str(self.recorder.path.with_suffix(".html"))))
        yield f"all causes and operations: python -m reports summary {path}"
        yield f"as an HTML report:         python -m reports html {path} --out {page}"
        chosen = self.recorder.selection
        # What differs from the results of another run is no change of a baseline.
        if (
            self._has_changes
            and not chosen.claims
            and (chosen.baseline is None or chosen.baseline.is_dir())
        ):
            own = [("--baseline", chosen.baseline)] if chosen.baseline else []
            own += [("--causes", each) for each in chosen.causes]
            words = "".join(f" {name} {shlex.quote(str(value))}" for name, value in own)
            yield f"accept what changed:       python -m reports accept {path}{words}"


def _folders(loaded: results.Results, root: Path) -> str:
    """How many cases have a failure folder, and where; "" for none."""
    records = counted(loaded.records)
    departed = [r for r in records if r.gate.is_red or r.gate.has_cause or r.gate is Gate.EXPLAINED]
    having = sum(bool(record.folder) for record in loaded.records)
    shown = sum(bool(record.folder) for record in departed)
    if not shown:
        return ""
    which = f"{shown:,} of {count(len(departed), 'departure')}"
    which += f", {count(having - shown, 'other case')}" if having > shown else ""
    return f"Failure folders: {having:,} ({which}), in {root}"


def _take_junit(config: pytest.Config) -> Path | None:
    """Take over ``--junitxml``: pytest would count a pack's time to its first case, and know one class only."""
    path = junit_path(config)
    if path is not None:
        config.option.xmlpath = None
    return path


def junit_path(config: pytest.Config) -> Path | None:
    """The path of ``--junitxml``, None without it."""
    text = config.option.xmlpath
    if not text or config.option.collectonly:
        return None
    return Path(os.path.expandvars(text)).expanduser().absolute()


def _other_error(report: pytest.TestReport | pytest.CollectReport) -> OtherError:
    lines = report.longreprtext.strip().splitlines() or [f"{report.nodeid} failed"]
    return OtherError(report.nodeid or "collection", lines[-1], "\n".join(lines))


def _fail_run(session: pytest.Session, message: str) -> None:
    """A line on standard error and exit code 2: the results cannot be relied on."""
    session.exitstatus = 2
    print(f"\nerror: {message}", file=sys.stderr)
