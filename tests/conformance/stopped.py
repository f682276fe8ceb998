"""Tells of workers that somebody stopped (SIGSTOP): the run waits for them, however long, and nothing else says why."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from reports.results.shared.text import say

SECONDS = float(os.environ.get("CONFORMANCE_STOPPED_SECONDS", "30"))
"""How long a worker stands still until that is told; tests have less time."""


class StoppedWorkers:
    """A thread that looks at the workers of pytest-xdist that this process has started."""

    def __init__(self) -> None:
        self._pids: dict[str, int] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def add(self, node: Any) -> None:
        """Look at a worker from now on, unless it is on another machine, or execnet does not tell its process."""
        process = getattr(getattr(node.gateway, "_io", None), "popen", None)
        if getattr(node.gateway.spec, "popen", None) and process is not None:
            self._pids[node.gateway.id] = process.pid
            if not self._thread.is_alive():
                self._thread.start()

    def remove(self, node: Any) -> None:
        """A worker has ended."""
        self._pids.pop(node.gateway.id, None)

    def end(self) -> None:
        """Look no more."""
        self._ended.set()

    def _watch(self) -> None:
        before: set[str] = set()
        told: set[str] = set()
        while not self._ended.wait(SECONDS):
            stopped = {name for name, pid in list(self._pids.items()) if is_stopped(pid)}
            for name in sorted(stopped & before - told):
                pid = self._pids.get(name)
                say(f"worker {name} was stopped, and the run waits for it: kill -CONT {pid}")
            told = (told | (stopped & before)) & stopped
            before = stopped


def is_stopped(pid: int) -> bool:
    """Whether a process of this machine was stopped, by SIGSTOP or a debugger; False where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # The name, in brackets, may have any characters.
    return text.rpartition(")")[2].split()[:1] in (["T"], ["t"])
