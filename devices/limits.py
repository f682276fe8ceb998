"""What child processes may use, and how they end with the process that they belong to."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

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


def end_with(parent: int) -> None:
    """End this process, even one that is stopped, when ``parent`` ends, the process that has just forked it."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before
        os.kill(os.getpid(), signal.SIGKILL)
