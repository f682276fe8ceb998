"""What pytest does not print of a run of the suite, in its first process and in its workers."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from tests.conformance.records import is_of_a_case, is_reported_pending


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
        if not self._is_case or is_reported_pending(report):
            return None
        is_expected = hasattr(report, "wasxfail") and not report.failed
        self._category = report.outcome
        if is_expected:
            self._category = "xpassed" if report.passed else "xfailed"
        return self._category, "", ""
