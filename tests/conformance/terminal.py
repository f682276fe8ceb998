"""What a person sees: the results file written as cases end, the summary, and the exit code."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from _pytest import junitxml

from reports import results, summary
from reports.outcomes import Gate
from tests.conformance import options
from tests.conformance.records import Recorder, is_of_a_case, told_by

if TYPE_CHECKING:
    from tests.conformance.progress import Progress

NO_CASES = "no case is selected: see --operation, --purpose, --shard, -k"


def quieten(config: pytest.Config) -> None:
    """The summary names each departure in one line: without another wish, pytest does not repeat them at length."""
    option: Any = config.option
    if option.tbstyle == "auto":
        option.tbstyle = "no"
    if option.reportchars == "fE":
        option.reportchars = ""


class NoDots:
    """A pytest plugin that keeps pytest from marking each case: thousands of dots say less than the summary."""

    def __init__(self) -> None:
        self._ends = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        self._ends = is_of_a_case(report)
        yield
        # In the end pytest asks for the word again, for the lists of -r.
        self._ends = False

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Any:
        category, letter, word = yield
        return (category, "", "") if self._ends else (category, letter, word)


class Story:
    """A pytest plugin of the one process that writes: each record as it comes, the whole at the end."""

    def __init__(self, config: pytest.Config, recorder: Recorder) -> None:
        self.config, self.recorder = config, recorder
        self._summary = ""
        self._progress: Progress | None = None
        self._foreign: list[pytest.TestReport] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._start_progress(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self._start_progress(len(ids))

    def _start_progress(self, total: int) -> None:
        option = self.config.option
        wanted = total and option.verbose == 0 and not option.collectonly and sys.stdout.isatty()
        if wanted and self._progress is None:
            from tests.conformance.progress import Progress

            self._progress = Progress(total)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        record = told_by(report)
        if record is None:
            if report.failed:
                self._foreign.append(report)
            return
        self.recorder.add(record)
        if self._progress is not None:
            self._progress.advance(record["gate"] == Gate.DEPARTURE)
        junit = self.config.stash.get(junitxml.xml_key, None)
        if junit is not None:
            # pytest takes the brackets of a shape for those of a parametrised test.
            junit.node_reporter(report).add_attribute("name", record["case"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._progress is not None:
            self._progress.stop()
        if self.recorder.writer is not None:
            self.recorder.writer.close()
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            if not self.recorder.finished:
                _wrong(session, NO_CASES)
                return
            session.exitstatus = 0
        if self.recorder.writer is None:
            return
        loaded = results.load(self.recorder.path)
        self._summary = summary.render(loaded)
        if session.exitstatus == 0 and any(r["gate"] == "departure" for r in loaded.records):
            session.exitstatus = 1
        if session.exitstatus in (0, 1) and self.recorder.selection.whole:
            for message in (*self._too_few(loaded), *self._idle_expectations(loaded)):
                _wrong(session, message)

    def _too_few(self, loaded: results.Results) -> list[str]:
        counts = Counter((record["device"], record["profile"]) for record in loaded.records)
        least = self.recorder.selection.minimum
        return [
            f"{target.name}: {counts[target.device, target.profile.name]} cases in all, fewer than the {least} "
            f"of {options.MINIMUM} in pyproject.toml: some are lost, or the minimum is to be lowered"
            for target in self.recorder.selection.targets
            if counts[target.device, target.profile.name] < least
        ]

    def _idle_expectations(self, loaded: results.Results) -> list[str]:
        for record in loaded.records:
            self.recorder.expected_of(record)
        return [
            f"{device}: an expectation matches no case: {entry}"
            for device, expected in self.recorder.expectations.items()
            for entry in expected.unused()
        ]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._summary:
            terminalreporter.section("conformance")
            terminalreporter.write_line(self._summary)
            for report in self._foreign:
                told = report.longreprtext.strip().splitlines()[-1:] or [f"{report.nodeid} failed"]
                terminalreporter.write_line(f"no verdict of a device: {told[0]}")
            terminalreporter.write_line(f"results: {self.recorder.path}")
            if self.recorder.folders.exists():
                terminalreporter.write_line(f"failure folders: {self.recorder.folders}")


def _wrong(session: pytest.Session, message: str) -> None:
    """What makes a run worthless: a line on standard error and exit code 2."""
    session.exitstatus = 2
    print(f"\nerror: {message}", file=sys.stderr)
