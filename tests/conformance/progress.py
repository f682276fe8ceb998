"""The progress of a run: a line on a terminal with the rate, the remaining time, and what is waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich import progress
from rich.text import Text

from reports.results.shared.text import printable, trim

PATIENCE = 5.0
"""Seconds without a result after which the line names the cases that run."""
_NAMED = 2
_LONGEST = 60


class _Waiting(progress.ProgressColumn):
    """The cases that run, where none has ended for some time."""

    def __init__(self, waits_for: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._waits_for = waits_for
        self.since = time.monotonic()

    def render(self, task: progress.Task) -> Text:
        """The text, empty while results come. It is called by the thread that draws the line."""
        return Text(waiting_text(time.monotonic() - self.since, self._waits_for()))


def waiting_text(seconds: float, node_ids: Sequence[str]) -> str:
    """``· 31 s: Convolution-1/plain/... and 1 more``; "" while results come."""
    cases = [trim(printable(each.rpartition("::")[2]), _LONGEST) for each in node_ids]
    if seconds < PATIENCE or not cases:
        return ""
    more = f" and {len(cases) - _NAMED} more" if len(cases) > _NAMED else ""
    return f"· {seconds:.0f} s: {', '.join(cases[:_NAMED])}{more}"


class Progress:
    """The line, which is removed at the end."""

    def __init__(self, total: int, waits_for: Callable[[], Sequence[str]]) -> None:
        self._waiting = _Waiting(waits_for)
        self._line = progress.Progress(
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn(
                "cases, {task.fields[rate]:.0f}/s, {task.fields[departures]} depart,"
            ),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
            self._waiting,
            # Results come by pack: over a short period the speed is that of a burst.
            speed_estimate_period=300,
            transient=True,
        )
        self._finished = self._departures = 0
        self._started = time.monotonic()
        self._task = self._line.add_task("", total=total, departures=0, rate=0.0)
        self._line.start()

    def set_total(self, total: int) -> None:
        """There are so many cases, more than were listed at first."""
        self._line.update(self._task, total=total)

    def advance(self, departs: bool) -> None:
        """Count another case that has ended."""
        self._finished += 1
        self._waiting.since = time.monotonic()
        self._departures += departs
        self._line.update(
            self._task,
            completed=self._finished,
            departures=self._departures,
            rate=self._finished / (time.monotonic() - self._started),
        )

    def stop(self) -> None:
        """Remove the line."""
        self._line.stop()
