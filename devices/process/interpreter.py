"""The Python that child processes and the fork server run in: this one, unless another is named.

Another one may be of another machine: an emulator that runs a Python for Arm, say. Then everything takes its time.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from devices.process import own_build

PYTHON = "CONFORMANCE_PYTHON"
"""The variable of the program, which workers inherit; that of a profile counts before it."""

# How much longer the start may take in another Python, which may be emulated.
_PATIENCE = 5.0


class InterpreterError(ValueError):
    """There is no such program. The message is one line."""


def use(program: str | None) -> None:
    """Start children with this program from now on. Raises InterpreterError."""
    if not program:
        return
    if os.environ.get(own_build.OPENVINO):
        raise InterpreterError(
            "--python: it has an OpenVINO of its own, which --openvino cannot replace"
        )
    found = shutil.which(os.path.expanduser(program))
    if found is None:
        raise InterpreterError(f"--python {program}: there is no such program")
    os.environ[PYTHON] = os.path.abspath(found)


def program(added: Mapping[str, str]) -> str:
    """The program of a child process to whose environment these variables are added."""
    return added.get(PYTHON) or os.environ.get(PYTHON) or sys.executable


def needed(added: Mapping[str, str]) -> str:
    """What the Python of a child process must be, behind why it did not start; empty for this one."""
    other = program(added)
    if other == sys.executable:
        return ""
    return f"; {other} must be a Python with openvino and what else the suite installs"


def start_limit(added: Mapping[str, str], seconds: float) -> float:
    """The time limit of a start that takes so many seconds at most in this Python."""
    return seconds if program(added) == sys.executable else seconds * _PATIENCE
