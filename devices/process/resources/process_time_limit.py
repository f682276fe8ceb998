"""A time limit for another process that does not run out while the process waits for a core.

On a busy machine a process may get a tenth of a core. So time counts for what the process used of a core, as long as
one of its threads is ready to run. While all of them sleep it counts whole: nothing keeps such a process from going
on but itself. Where the system does not tell, all time counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# Times the limit: no process is waited for any longer, whatever the system tells of it.
_MOST = 20
# What of a wait counts: one that took longer was that of a process that did not run itself, by SIGSTOP or on a busy
# machine.
_LONGEST_WAIT = 2.0
_RUNNING = "R"
# Fields of /proc/PID/stat behind the name: the state, and the time in user and kernel mode.
_STATE, _USER, _KERNEL = 0, 11, 12


class TimeLimit:
    """What is left of a limit in seconds for a process and those that it has started."""

    def __init__(self, process_id: int, seconds: float) -> None:
        self.left = seconds
        self._process_id, self._wall_left = process_id, _MOST * seconds
        self._used, _ = _told_of(process_id) or (0.0, False)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0 or self._wall_left <= 0

    def spend(self, waited: float) -> None:
        """Seconds of wall time went by since the last call, or since the beginning."""
        waited = min(waited, _LONGEST_WAIT)
        self._wall_left -= waited
        told = _told_of(self._process_id)
        if told is None:
            self.left -= waited
            return
        used, is_ready = told
        # Several threads use more than one core.
        self.left -= min(max(used - self._used, 0.0), waited) if is_ready else waited
        self._used = used


def _told_of(process_id: int) -> tuple[float, bool] | None:
    """Seconds of a core that a process and those that it has started used, and whether a thread is ready to run.

    None where the system does not tell.
    """
    used, is_ready, is_told = 0.0, False, False
    for each in _family(process_id):
        try:
            used += _seconds(Path(f"/proc/{each}/stat"))
            threads = [*Path(f"/proc/{each}/task").iterdir()]
        except (OSError, ValueError, IndexError):
            continue  # it has ended, or there is no /proc
        is_told = True
        is_ready = is_ready or any(map(_is_ready, threads))
    return (used, is_ready) if is_told else None


def _family(process_id: int) -> Iterator[int]:
    yield process_id
    try:
        for children in Path(f"/proc/{process_id}/task").glob("*/children"):
            for each in children.read_text().split():
                yield from _family(int(each))
    except (OSError, ValueError):
        return


def _seconds(stat: Path) -> float:
    fields = _fields(stat)
    ticks: int = os.sysconf("SC_CLK_TCK")
    return (int(fields[_USER]) + int(fields[_KERNEL])) / ticks


def _is_ready(thread: Path) -> bool:
    try:
        return _fields(thread / "stat")[_STATE] == _RUNNING
    except (OSError, IndexError):
        return False


def _fields(stat: Path) -> list[str]:
    # The name may hold anything, brackets too.
    return stat.read_text(errors="replace").rpartition(")")[2].split()
