"""What child processes may use, and how they end with the process that they belong to."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import resource

KEEP_CORES = "CONFORMANCE_KEEP_CORES"
"""The variable with which children that crash write core dumps, where ``ulimit -c`` lets them."""

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl


def forbid_core_dumps() -> None:
    """Keep this process from writing a core dump when it crashes, unless the user asks for them.

    Devices that crash are what the suite looks for, and a dump of each would fill the checkout.
    """
    if sys.platform != "win32" and not os.environ.get(KEEP_CORES):
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def be_ended_first() -> None:
    """Make this the first of all processes that the system ends when no memory is left."""
    if sys.platform == "linux":
        with suppress(OSError):  # no /proc, or a read-only one
            Path("/proc/self/oom_score_adj").write_text("1000")


def take_no_more_than(most: int | None) -> None:
    """Keep this process from allocating more bytes: an allocation fails, and the machine stays as it is."""
    if sys.platform != "win32" and most is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        known = [each for each in (soft, hard, most) if each != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))


def take_any() -> None:
    """Take back what ``take_no_more_than`` did to the process that started this one."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def most() -> int | None:
    """The bytes that this process may allocate; None for any number."""
    if sys.platform == "win32":
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if soft == resource.RLIM_INFINITY else soft


def end_with(parent: int) -> None:
    """End this process, even one that is stopped, when ``parent`` ends, the process that has just forked it."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before
        os.kill(os.getpid(), signal.SIGKILL)
