"""What a person sees: the results file written as cases end, the summary, and the exit code."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from _pytest import junitxml

from reports import results, summary
from tests.conformance.records import Recorder

NO_CASES = "no case is selected: see --operation, --purpose, --shard, -k"


def quieten(config: pytest.Config) -> None:
    """The summary names each departure in one line: without another wish, pytest does not repeat them at length."""
    option: Any = config.option
    if option.tbstyle == "auto":
        option.tbstyle = "no"
    if option.reportchars == "fE":
        option.reportchars = ""


class Story:
    """A pytest plugin of the one process that writes: each record as it comes, the whole at the end."""

    def __init__(self, config: pytest.Config, recorder: Recorder) -> None:
        self.config, self.recorder = config, recorder
        self._summary = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        record = getattr(report, "conformance", None)
        if record is None:
            return
        self.recorder.add(record)
        junit = self.config.stash.get(junitxml.xml_key, None)
        if junit is not None:
            # pytest takes the brackets of a shape for those of a parametrised test.
            junit.node_reporter(report).add_attribute("name", record["case"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
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
            for message in self._idle_expectations(loaded):
                _wrong(session, message)

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
            terminalreporter.write_line(f"results: {self.recorder.path}")
            if self.recorder.folders.exists():
                terminalreporter.write_line(f"failure folders: {self.recorder.folders}")


def _wrong(session: pytest.Session, message: str) -> None:
    """What makes a run worthless: a line on standard error and exit code 2."""
    session.exitstatus = 2
    print(f"\nerror: {message}", file=sys.stderr)
