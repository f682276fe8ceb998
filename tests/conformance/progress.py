"""The progress of a run: a line on a terminal with the rate and the remaining time."""

from __future__ import annotations

import time

from rich import progress


class Progress:
    """The line, which is removed at the end."""

    def __init__(self, total: int) -> None:
        self._line = progress.Progress(
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn(
                "cases, {task.fields[rate]:.0f}/s, {task.fields[departures]} depart,"
            ),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
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
