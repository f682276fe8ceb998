"""How far a run is: a line on a terminal with the rate and the time left."""

from __future__ import annotations

import time

from rich import progress


class Progress:
    """The line; it goes away at the end."""

    def __init__(self, total: int) -> None:
        self._line = progress.Progress(
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn(
                "cases, {task.fields[rate]:.0f}/s, {task.fields[departures]} depart,"
            ),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
            # Cases come by the pack: a short look back would see bursts.
            speed_estimate_period=300,
            transient=True,
        )
        self._finished = self._departures = 0
        self._started = time.monotonic()
        self._task = self._line.add_task("", total=total, departures=0, rate=0.0)
        self._line.start()

    def advance(self, departs: bool) -> None:
        """Another case has ended."""
        self._finished += 1
        self._departures += departs
        self._line.update(
            self._task,
            completed=self._finished,
            departures=self._departures,
            rate=self._finished / (time.monotonic() - self._started),
        )

    def stop(self) -> None:
        """Take the line away."""
        self._line.stop()
