"""Runs the suite in a process of its own, and tells what the run used."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Exit codes of runs that came to their end.
_ENDED = (0, 1)


@dataclass(frozen=True)
class Used:
    """Seconds of wall time and of the cores.

    They are those of the run's process and of all that it waited for, and these waited for. ``code`` is the exit code:
    1 where something departs.
    """

    wall: float
    cores: float
    code: int


def run(options: Sequence[str], environment: Mapping[str, str] = os.environ) -> Used:
    """Run the suite with these options. Raises RuntimeError for a run that did not come to its end."""
    command = [sys.executable, "-m", "pytest", "tests/conformance", "-q", "-p", "no:cacheprovider"]
    started = time.monotonic()
    process = subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    if code not in _ENDED:
        raise RuntimeError(told.strip() or f"the run ended with exit code {code}")
    cores = usage.ru_utime + usage.ru_stime
    return Used(time.monotonic() - started, cores, code)


def with_path(*folders: Path) -> str:
    """The value of PYTHONPATH with these folders in front."""
    return os.pathsep.join(filter(None, [*map(str, folders), os.environ.get("PYTHONPATH", "")]))
