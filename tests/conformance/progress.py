"""How far a run is: a line with rate and time left on a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from reports.outcomes import Gate


class Progress:
    """A pytest plugin of the process that was started, in place of pytest's dots.

    With -v pytest tells of each case in its own way, and this is silent.
    """

    def __init__(self, is_terminal: bool) -> None:
        self.is_terminal = is_terminal
        self._reporting = False
        self._finished = self._departures = 0
        self._started = 0.0
        self._line: Any = None
        self._task: Any = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        self._reporting = hasattr(report, "conformance")
        yield
        if self._reporting and self._line is not None:
            self._advance(report)
        self._reporting = False

    def _advance(self, report: Any) -> None:
        self._finished += 1
        self._departures += report.conformance["gate"] == Gate.DEPARTURE
        self._line.update(
            self._task,
            completed=self._finished,
            departures=self._departures,
            rate=self._finished / (time.monotonic() - self._started),
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Any:
        category, letter, word = yield
        # pytest also asks for the word when it lists departures at the end.
        return (category, "", "") if self._reporting else (category, letter, word)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            self._start(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if self._line is None:
            self._start(len(ids))

    def _start(self, total: int) -> None:
        if not self.is_terminal:
            return
        from rich import progress

        self._line = progress.Progress(
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("cases, {task.fields[rate]:.0f}/s,"),
            progress.TextColumn("{task.fields[departures]} depart,"),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
            # Cases come by the pack: a short look back would see bursts.
            speed_estimate_period=300,
            transient=True,
        )
        self._started = time.monotonic()
        self._task = self._line.add_task("", total=total, departures=0, rate=0.0)
        self._line.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self._line is not None:
            self._line.stop()
