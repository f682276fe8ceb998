"""A script of an issue run in a process of its own, and how it ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reports.results.outcomes import Outcome

MAKE = "make"
"""The function of a script that makes a layer: what fails in it says nothing about a device."""

SECONDS = 120
"""How long a script may take."""

LINES = 12
"""Lines of what a script prints that an issue has at most."""
_TRACE = "Traceback (most recent call last)"

Ending = Literal["passes", "wrong", "refused", "died", "hung", "cannot run"]


ENDINGS: dict[Outcome, tuple[Ending, ...]] = defaultdict(
    tuple,
    {
        Outcome.CRASH: ("died",),
        Outcome.TIMEOUT: ("hung",),
        Outcome.REFUSED: ("refused",),
        Outcome.ACCEPTED_INVALID: ("wrong",),
        Outcome.FAIL: ("wrong",),
        Outcome.FLAKE: ("wrong", "died"),
    },
)
"""How the script of a case ends that shows its departure."""


@dataclass(frozen=True)
class ScriptRun:
    """What a script did."""

    code: int
    output: str
    hung: bool = False

    @property
    def ending(self) -> Ending:
        """How it ended: `cannot run` for an exception that is none of OpenVINO, such as of a name that it lacks.

        So does a script that builds a layer which OpenVINO cannot make.
        """
        if self.hung:
            return "hung"
        if self.code < 0:
            return "died"
        if self.code == 0:
            return "passes"
        if _TRACE in self.output:
            if f", in {MAKE}" in self.output:
                return "cannot run"
            last = "".join(_raised(self.output)[:1])
            return "refused" if last.startswith(("RuntimeError", "openvino.")) else "cannot run"
        return "wrong"

    @property
    def said(self) -> str:
        """Its last lines, without the frames of Python: these have paths of this machine."""
        before, trace, _ = self.output.rpartition(_TRACE)
        lines = (before.splitlines() + _raised(self.output)) if trace else self.output.splitlines()
        return "\n".join(lines[-LINES:])

    @property
    def shows(self) -> bool:
        """Whether the departure is there."""
        return self.ending not in ("passes", "cannot run")

    @property
    def how(self) -> str:
        """How the process ended, in words."""
        if self.hung:
            return f"no end within {SECONDS} s"
        if self.code < 0:
            return f"the process dies of {_signal(-self.code)}"
        return f"exit code {self.code}"


def _raised(output: str) -> list[str]:
    """The lines of the exception that ended a script, behind the frames."""
    lines = output.rpartition(_TRACE)[2].splitlines()
    first = next((n for n, line in enumerate(lines) if line[:1].isalpha()), len(lines))
    return lines[first:]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def environment_of(variables: Mapping[str, str]) -> dict[str, str]:
    """Return those of a case's variables without which its device is not there, as those of OpenCL on a processor.

    What else counts when a process starts, a script sets itself.
    """
    return {n: v for n, v in variables.items() if "ISA" not in n and n != "MALLOC_PERTURB_"}


def run(
    text: str, python: str = sys.executable, environment: dict[str, str] | None = None
) -> ScriptRun:
    """Run a script in a process of its own, with an openvino that ``python`` has."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "reproduce.py"
        path.write_text(text, "utf-8")
        try:
            done = subprocess.run(
                [python, str(path)],
                cwd=directory,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ScriptRun(1, f"no end within {SECONDS} s", hung=True)
    return ScriptRun(done.returncode, (done.stdout + done.stderr).strip())
