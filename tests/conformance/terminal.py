"""What the user sees of a run: the results file, written as cases end, the summary and the exit code."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reports.commands import summary
from reports.gate.causes import Asked, Cause
from reports.results.case_folder.writing import SCRIPT
from reports.results.failures.folder_plan import group_of
from reports.results.files import reading as results
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.text import count, printable
from reports.views.junit import OtherError, as_junit
from tests.conformance import options
from tests.conformance.explaining import ask, missing_pairs, missing_parts
from tests.conformance.header import now
from tests.conformance.records import Recorder, drop_content, is_of_a_case, record_in
from tests.conformance.selection import named_cases

if TYPE_CHECKING:
    from tests.conformance.progress import Progress

SCRIPTS = 20
"""Scripts of unexpected departures that are printed at most."""
NO_CASES = "no case is selected: see --operation, --purpose, --how, --shard, -k"


def set_quiet_defaults(config: pytest.Config) -> None:
    """Keep pytest from printing departures at length, unless options ask for it: the summary has a line for each."""
    option: Any = config.option
    if option.tbstyle == "auto":
        option.tbstyle = "no"
    if option.reportchars == "fE":
        option.reportchars = ""


class NoMarks:
    """A pytest plugin that keeps pytest from printing a mark (``.``, ``F``) for each case.

    It also keeps it from holding the report of each case until the end, where no option asks for a list of them: pytest
    counts them for its last line, and the first one of its kind stands for all. In a worker nobody reads any.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._category: str | None = None
        self._is_case = False
        option: Any = config.option
        # Failures, errors and warnings alone.
        is_short = option.durations is None and set(option.reportchars) <= set("fEwN")
        self._is_worker = hasattr(config, "workerinput")
        self._only_counts = self._is_worker or is_short

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Remember whether the report that pytest prints now is of a case; then drop it, unless the case failed."""
        self._is_case = is_of_a_case(report)
        self._category = None
        yield
        if self._category and self._only_counts and (self._is_worker or not report.failed):
            reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
            kept = reporter.stats.get(self._category) if reporter is not None else None
            if kept and kept[-1] is report:
                kept[-1] = kept[0]
        # At the end pytest asks for the status again, for the lists of -r.
        self._is_case = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """The status of a case has no mark.

        pytest's own hooks are not asked: that of subtests keeps the id of each report.
        """
        if not self._is_case:
            return None
        is_expected = hasattr(report, "wasxfail") and not report.failed
        self._category = report.outcome
        if is_expected:
            self._category = "xpassed" if report.passed else "xfailed"
        return self._category, "", ""


class ResultsReporter:
    """A pytest plugin of the process that writes: each record as it arrives, the summary and exit code at the end."""

    def __init__(self, config: pytest.Config, recorder: Recorder) -> None:
        self.config, self.recorder = config, recorder
        self._summary = ""
        self._has_changes = False
        self._folder_lines: list[str] = []
        self._idle_causes: list[str] = []
        self._parts = 0
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

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the cases of a run in one process."""
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Count the cases of a run in several processes, once the first worker has collected."""
        self._begin(len(ids))

    def expect(self, total: int | None) -> None:
        """Of a run in several processes: how many cases there are, None where not all are listed yet."""
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

            self._progress = Progress(total)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the record of a case."""
        record = record_in(report)
        if record is None:
            if report.failed:
                self._other_failures.append(report)
            return
        self._add(record)
        self._recorded += 1
        if error := getattr(report, "conformance_folder_error", ""):
            self._folder_errors.append(error)
        if self._progress is not None:
            self._progress.advance(record.gate.is_red)
        if not report.failed:
            drop_content(report)

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
        try:
            self.recorder.add(record)
        except ResultsError as error:
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
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            if not self.recorder.finished:
                _fail_run(session, NO_CASES)
                return
            session.exitstatus = 0
        if self.recorder.writer is None:
            return
        if self._lost:
            _fail_run(session, self._lost)
            return
        try:
            loaded = self._explained(session)
        except ResultsError as error:
            _fail_run(session, str(error))
            return
        self._count_explained(session, loaded)
        self._folder_lines = _folder_lines(loaded, self.recorder.folders)
        if session.exitstatus in (0, 1) and not (session.shouldstop or session.shouldfail):
            self._idle_causes = [each.id for each in self._idle(loaded)]
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        is_strict = self.recorder.selection.strict
        tables = [*self._sweeps(loaded), summary.render(loaded, width=width, strict=is_strict)]
        self._summary = "\n\n".join(tables)
        self._has_changes = any(
            r.gate.is_red or r.gate in (Gate.NEW_CASE, Gate.REWORDED, Gate.IMPROVED)
            for r in loaded.records
        )
        if session.exitstatus == 0 and self._asked_nothing(loaded):
            _fail_run(
                session, f"no case was asked, so nothing is known: {loaded.records[0].detail}"
            )
        if session.exitstatus == 0 and any(r.gate.is_red_if(is_strict) for r in loaded.records):
            session.exitstatus = 1
        if session.exitstatus in (0, 1) and self.recorder.selection.is_whole:
            for message in self._too_few(loaded):
                _fail_run(session, message)
        self._write_junit(session, loaded)

    def _idle(self, loaded: results.Results) -> list[Cause]:
        """The causes of the user's own that name nothing of a run which asked all that they could name."""
        selection = self.recorder.selection
        if not (selection.causes and selection.asks_all_of_operations):
            return []
        asked = Asked(
            frozenset(record.operation for record in loaded.records),
            frozenset(record.cause for record in loaded.records),
            not selection.selects_operations,
        )
        runs = [target.run for target in self.recorder.targets.values()]
        return self.recorder.causes.idle(selection.causes, runs, asked)

    def _asked_nothing(self, loaded: results.Results) -> bool:
        """Whether every case was skipped, although the user has not allowed that the device is absent."""
        if self.recorder.selection.allow_absent or not loaded.records:
            return False
        return all(record.gate == Gate.SKIPPED for record in loaded.records)

    def _sweeps(self, loaded: results.Results) -> Iterator[str]:
        """A table for each sweep on each target: where it departs."""
        for target in self.recorder.selection.targets:
            own = (target.device, target.profile.name)
            outcomes = {r.case: str(r.outcome) for r in loaded.records if r.target == own}
            for each in self.recorder.selection.sweeps:
                first, *lines = each.table(outcomes)
                yield "\n".join([f"{target.name}: {first}", *lines])

    def _explained(self, session: pytest.Session) -> results.Results:
        """The results with explained departures, as the results file then has them. Raises ResultsError."""
        loaded = results.load(self.recorder.path)
        is_complete = session.exitstatus in (0, 1) and not (
            session.shouldstop or session.shouldfail
        )
        # Who names cases asks for these alone.
        if is_complete and not (named_cases(self.config.args) or self.recorder.selection.named):
            for missing in (missing_parts, missing_pairs):
                added = 0
                for record in ask(self.recorder, loaded.records, missing):
                    self.recorder.add(record)
                    added += 1
                if added:
                    loaded = results.load(self.recorder.path)
                self._parts += added
        self.recorder.rewrite(loaded.changed)
        return loaded

    def _count_explained(self, session: pytest.Session, loaded: results.Results) -> None:
        """Make failures of tests that are explained expected ones, and set the exit code anew if none is left.

        pytest counted them when they ended, before the cases that explain them.
        """
        keys = {record.key for record in loaded.records if record.gate == Gate.EXPLAINED}
        plugins = self.config.pluginmanager
        reporter = plugins.get_plugin("terminalreporter")
        if not keys or reporter is None:
            return
        stats = reporter.stats
        last_failed = getattr(plugins.get_plugin("lfplugin"), "lastfailed", {})
        failed = []
        for report in stats.get("failed", ()):
            record = record_in(report)
            if record is not None and record.key in keys:
                stats.setdefault("xfailed", []).append(report)
                last_failed.pop(report.nodeid, None)
            else:
                failed.append(report)
        # pytest prints in red where there is such a list, even an empty one.
        stats.pop("failed", None)
        if failed:
            stats["failed"] = failed
        is_cut_short = session.shouldstop or session.shouldfail
        if session.exitstatus == 1 and not (failed or self._other_failures or is_cut_short):
            session.exitstatus = 0

    def _write_junit(self, session: pytest.Session, loaded: results.Results) -> None:
        """Write ``--junitxml`` with all cases of the results file, those of a run that was resumed included."""
        if self._junit is None:
            return
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
            _fail_run(session, f"--junitxml: {self._junit}: {reason}")

    def _too_few(self, loaded: results.Results) -> list[str]:
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
        """Print the summary, errors outside of cases, and where the results are."""
        if self._summary:
            terminalreporter.section("conformance")
            terminalreporter.write_line(self._summary)
            for report in self._other_failures:
                lines = report.longreprtext.strip().splitlines() or [f"{report.nodeid} failed"]
                terminalreporter.write_line(f"error outside of cases: {lines[-1]}")
            if self._parts:
                asked = f"{count(self._parts, 'case')} beside those collected"
                terminalreporter.write_line(f"{asked}: parts of departures, asked to explain them")
            for line in self._folder_lines:
                terminalreporter.write_line(line)
            if self._idle_causes:
                number = count(len(self._idle_causes), "cause")
                terminalreporter.write_line(
                    f"{number} of --causes named no departure: {', '.join(self._idle_causes)}"
                )
            if self._folder_errors:
                failed = f"{len(self._folder_errors):,}, first {self._folder_errors[0]}"
                terminalreporter.write_line(f"failure folders that could not be written: {failed}")
            terminalreporter.write_line(f"results: {self.recorder.path}")
            if self._selected is not None and self._recorded < self._selected:
                terminalreporter.write_line("the same command with --resume asks what is left")
            path = shlex.quote(printable(str(self.recorder.path)))
            page = shlex.quote(printable(str(self.recorder.path.with_suffix(".html"))))
            terminalreporter.write_line(f"as a page: python -m reports html {path} --out {page}")
            chosen = self.recorder.selection
            # What differs from the results of another run is no change of a baseline.
            if self._has_changes and (chosen.baseline is None or chosen.baseline.is_dir()):
                own = [("--baseline", chosen.baseline)] if chosen.baseline else []
                own += [("--causes", each) for each in chosen.causes]
                words = "".join(f" {name} {shlex.quote(str(value))}" for name, value in own)
                terminalreporter.write_line(
                    f"accept what changed: python -m reports accept {path}{words}"
                )


def _folder_lines(loaded: results.Results, root: Path) -> list[str]:
    """How to reproduce unexpected departures, one of each kind, and how many departures have a folder."""
    departed = [
        r for r in loaded.records if r.gate.is_red or r.gate.has_cause or r.gate is Gate.EXPLAINED
    ]
    with_folder = [record for record in departed if record.folder]
    if not with_folder:
        return []
    kinds: dict[tuple[str, ...], CaseRecord] = {}
    for record in with_folder:
        if record.gate.is_red:
            kinds.setdefault(group_of(record), record)
    shown = list(kinds.values())[:SCRIPTS]
    again = [each for each in shown if loaded.target(*each.target).compile_only]
    scripts = [root / each.folder / SCRIPT for each in shown if each not in again]
    lines = ["reproduce, with openvino and numpy only:"] if scripts else []
    lines += [f"  python {shlex.quote(printable(str(script)))}" for script in scripts]
    # Their scripts are for machines that have the device, or OpenVINO with its compiler.
    lines += ["ask again:"] if again else []
    for each in again:
        words = ["--device", each.device, "--profile", each.profile, "--case", each.case]
        lines.append(f"  pytest tests/conformance {shlex.join(map(printable, words))}")
    if len(kinds) > SCRIPTS:
        lines.append(f"  and {count(len(kinds) - SCRIPTS, 'more kind')} of departures")
    which = f"{len(with_folder):,} of {count(len(departed), 'departure')}"
    others = sum(bool(each.folder) for each in loaded.records) - len(with_folder)
    which += f" and of {count(others, 'other case')}" if others else ""
    lines.append(f"failure folders: of {which}, in {root}")
    return lines


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
