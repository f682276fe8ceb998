"""Runs the suite as its users do, in a process of its own, and looks at what is left of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ir_models
from devices.process.forking.fork_client import CAN_FORK
from ir_models.writing import ir
from tests.unit.conformance.preloaded import MARK, Preloaded, name_of
from tests.unit.devices import faulty

ROOT = Path(__file__).parents[3]
FAULTY = "PYTHON:tests.unit.devices.faulty"
# Nine cases, which share one pack; three of them have mode=depth_first, one of these has the shape 2x5x6.
SMALL = ("--operation", "SpaceToDepth-1", "--purpose", "variant.depth-first", "--purpose", "rank")
SUITE = "tests/conformance"
ADDRESS = f"{SUITE}/test_layers.py"
# Seconds that a run may take.
_LIMIT = 120.0


@dataclass
class Run:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that it printed, for messages."""
        return f"exit code {self.code}\n{self.out}\n{self.err}"


class Survivors:
    """Processes of a run that are still there, found by a mark in their environment, or by the name of forks."""

    def environment(self, folder: Path) -> dict[str, str]:
        """The environment of a run that ``of(folder)`` finds again."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
        return {**clean, MARK: str(folder)}

    def of(self, folder: Path) -> list[int]:
        """The ids of the processes of runs with this folder that are alive."""
        mark, name = f"{MARK}={folder}".encode(), f"{name_of(str(folder))}\n"
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                variables = (process / "environ").read_bytes().split(b"\0")
                if mark in variables or (process / "comm").read_text() == name:
                    found.append(int(process.name))
            except OSError:
                continue  # another user's, or gone meanwhile
        return found


survivors = Survivors()


def command(
    folder: Path, *options: str, device: str = FAULTY, paths: Sequence[str] = (SUITE,)
) -> list[str]:
    """The command line of a run whose files are in ``folder``."""
    return [sys.executable, *_arguments(folder, options, device, paths)]


def _arguments(
    folder: Path, options: Sequence[str], device: str, paths: Sequence[str]
) -> list[str]:
    own = ["--device", device, "--depth", "single", "-o", f"cache_dir={folder / 'cache'}"]
    if not any(option.startswith("--results") for option in options):
        own += ["--results", str(folder / "results.jsonl")]
    return ["-m", "pytest", *paths, *own, *options]


def start(
    folder: Path,
    *options: str,
    device: str = FAULTY,
    prepare: Callable[[], None] | None = None,
    paths: Sequence[str] = (SUITE,),
) -> subprocess.Popen[str]:
    """Start a run in a process group of its own, which calls ``prepare`` first.

    It takes Ctrl-C, whether or not these tests do.
    """
    return subprocess.Popen(
        command(folder, *options, device=device, paths=paths),
        cwd=ROOT,
        env=survivors.environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=prepare,
    )


def finish(process: subprocess.Popen[str]) -> Run:
    """Wait for the end of a run."""
    out, err = process.communicate(timeout=_LIMIT)
    return Run(process.returncode, out, err)


def suite(folder: Path, *options: str, device: str = FAULTY) -> Run:
    """Run the suite to its end."""
    return run(folder, *_arguments(folder, options, device, [SUITE]))


def run(folder: Path, *arguments: str, root: Path = ROOT) -> Run:
    """Run ``python ARGUMENTS``: a module in a process that has imported it before, where there can be one."""
    environment = survivors.environment(folder)
    if CAN_FORK and arguments[0] == "-m" and environment.get("PYTHONPATH") == _PATH:
        return Run(*_preloaded(root).run(arguments, environment, _LIMIT))
    return fresh(folder, *arguments, root=root)


# Forks have the path that the process of these tests has.
_PATH = os.environ.get("PYTHONPATH")
_preloaded = cache(Preloaded)


def fresh(folder: Path, *arguments: str, root: Path = ROOT) -> Run:
    """Run ``python ARGUMENTS`` from its start: after a module was changed, or where imports are what is tested."""
    return finish(
        subprocess.Popen(
            [sys.executable, *arguments],
            cwd=root,
            env=survivors.environment(folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    )


def lines(folder: Path) -> list[dict[str, Any]]:
    """All whole lines of the results file, headers and cases."""
    whole = (folder / "results.jsonl").read_text().rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


def records(folder: Path) -> list[dict[str, Any]]:
    """The lines of cases."""
    return [line for line in lines(folder) if line["kind"] == "case"]


def outcomes(folder: Path) -> dict[str, str]:
    """The outcome by case id; each case must have one line."""
    found = records(folder)
    assert len({record["case"] for record in found}) == len(found)
    return {record["case"]: record["outcome"] for record in found}


def small_cases() -> list[str]:
    """The case ids that ``SMALL`` selects."""
    operation = ir_models.operation("SpaceToDepth-1")
    return [case.id for case in ir_models.cases(operation, ["variant.depth-first", "rank"])]


def description(case_id: str) -> str:
    """What the faulty device writes in its log when it is asked about this case."""
    (layer,) = faulty.layers(ir.write([ir_models.parse(case_id)]).xml)
    return layer.description


def asked(log: Path) -> list[str]:
    """The layers that the faulty device was asked about."""
    return log.read_text().splitlines() if log.exists() else []


def wait_until(condition: Callable[[], object], limit: float = 60.0) -> None:
    """Wait until the condition holds. Raises TimeoutError after ``limit`` seconds."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"no such thing within {limit:g} s")
        time.sleep(0.02)


def suite_of(
    folder: Path,
    *cases: str,
    device: str = FAULTY,
    prepare: Callable[[], None] | None = None,
) -> Run:
    """Run these cases alone, in a process that calls ``prepare`` first."""
    addresses = [f"{ADDRESS}::{device}::{case}" for case in cases]
    return finish(start(folder, device=device, prepare=prepare, paths=addresses))
