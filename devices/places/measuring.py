"""The place of a departure: a case folder is run in a process of its own, and what it shows is told in a line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from devices.places.frames import place_of_crash
from reports.results.case_folder.command import read_report
from reports.results.case_folder.manifest import Manifest, read

ROOT = Path(__file__).parents[2]
SECONDS = 60
_LARGEST = 2**18
"""Bytes of constants at most of a model whose passes are traced: it is written after each of them."""
_LINE = re.compile(r"([\w./+-]+\.(?:cpp|hpp|h|cc)):(\d+)")
_TRACE = "OV_ENABLE_SERIALIZE_TRACING"
MOST = 3
"""Nodes that are told at most."""


def place_of(folder: Path) -> str:
    """Return where the departure of a case folder happens; "" where nothing tells it.

    A refusal prints a line of code. A crash has a frame. Of a wrong answer the pass is told that changes it, else the
    node with its kernel. Raises OSError, ValueError.
    """
    case = read(folder)
    outcome = str((case.result or {}).get("outcome", ""))
    with tempfile.TemporaryDirectory() as directory:
        out, passes = (Path(directory) / name for name in ("out", "passes"))
        out.mkdir()
        passes.mkdir()
        command = [sys.executable, str(folder.absolute() / "reproduce.py"), "--child", str(out)]
        if case.device == "CORE":
            command += ["--device", "CORE"]
        environment = {**os.environ, **case.environment, "PYTHONPATH": str(ROOT)}
        if outcome == "CRASH":
            found = place_of_crash(command, environment, SECONDS)
            return f"frame {found}" if found else ""
        is_traced = outcome == "FAIL" and (folder / "model.bin").stat().st_size <= _LARGEST
        traced = {**environment, _TRACE: "true"} if is_traced else environment
        if not _ends(command, traced, passes):
            return ""
        report = read_report(out)
        if "exception" in report:
            lines = _LINE.findall(report["exception"])
            return f"line {lines[-1][0]}:{lines[-1][1]}" if lines else ""
        told = _of_passes(folder, passes, environment) if is_traced else ""
        kind, _, name = told.partition(" ")
        if kind == "changed":
            return f"pass {name}"
        if kind == "core" and case.device == "CORE":
            return ""
        nodes = _nodes(case, report.get("layers", ()))
        return (
            f"node {nodes}{f', made by pass {name}' if kind == 'made' and nodes else ''}"
            if nodes
            else ""
        )


def _ends(command: Sequence[str], environment: dict[str, str], directory: Path) -> bool:
    """Run a program in a folder, and return whether it ends by itself."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=directory,
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode >= 0


def _of_passes(folder: Path, directory: Path, environment: dict[str, str]) -> str:
    command = [
        sys.executable,
        "-m",
        "devices.places.passes",
        str(folder.absolute()),
        str(directory),
    ]
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _nodes(case: Manifest, layers: Sequence[str]) -> str:
    """The executed nodes that compute the layers of a case: those of its types, else all, if they are few."""
    result = case.result or {}
    kind = str(result.get("operation", "")).rpartition("-")[0]
    own = [layer for layer in dict.fromkeys(layers) if layer.partition(" ")[0] == kind]
    found = own or [*dict.fromkeys(layers)]
    return ", ".join(found) if len(found) <= MOST else ""
