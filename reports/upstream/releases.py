"""A script of an issue run on several releases of OpenVINO: which is the last good one, which the first bad one?"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reports.results.case_folder import own_openvino
from reports.results.case_folder.own_openvino import package_in
from reports.results.records import ResultsError
from reports.results.releases import is_not_in_release
from reports.results.shared.matching import numbers_of
from reports.results.shared.text import listing
from reports.upstream.running import Ending, run

_ASK_VERSION = "import openvino; print(openvino.__version__)"
_ASK_ARRAYS = """
import sys, numpy
given = numpy.arange(1, 5, dtype=numpy.float32)
if hasattr(openvino, "Tensor") and openvino.Tensor(given).data.tolist() != [1, 2, 3, 4]:
    sys.exit(f"it misreads arrays of NumPy {numpy.__version__}: install an older NumPy beside it")
"""
"""Releases of 2024 accept a NumPy that they were not built for, and read other memory: every script would depart."""


@dataclass(frozen=True)
class Release:
    """An OpenVINO of some folder: its version such as ``2025.4.1``, and how a Python imports it."""

    version: str
    python: str
    environment: Mapping[str, str]


def release_in(folder: Path, python: str) -> Release:
    """Return the OpenVINO of a virtual environment, an installation or a folder of ``pip install --target``.

    Raises ResultsError.
    """
    folder = folder.expanduser().absolute()
    own = folder / "bin" / "python"
    try:
        package, loading = package_in(folder), own_openvino.environment(str(folder))
    except own_openvino.OwnBuildError as error:
        raise ResultsError(str(error)) from None
    # A script imports openvino by itself: it needs the libraries, and the package unless the program has it.
    environment = {n: each for n, each in loading.items() if each and n != own_openvino.OPENVINO}
    if not own.exists():
        environment["PYTHONPATH"] = str(package.parent)
    program = str(own) if own.exists() else python
    done = subprocess.run(
        [program, "-c", _ASK_VERSION + _ASK_ARRAYS],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    version = done.stdout.strip().partition("-")[0]
    if done.returncode or not numbers_of(version):
        last = (done.stderr.strip().splitlines() or ["it tells no version"])[-1]
        raise ResultsError(f"--openvino {folder}: does not load: {last}")
    return Release(version, program, environment)


@cache
def openvino_of(python: str) -> str:
    """Return the version of the openvino of a Python, with its build. Raises ResultsError if it cannot run scripts."""
    try:
        done = subprocess.run(
            [python, "-c", _ASK_VERSION], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise ResultsError(f"--python {python}: cannot be run: {error.strerror}") from None
    if done.returncode or not numbers_of(done.stdout):
        last = (done.stderr.strip().splitlines() or ["it tells no version"])[-1]
        raise ResultsError(f"--python {python}: has no openvino that loads: {last}")
    return done.stdout.strip()


@cache
def machine_of(python: str) -> str:
    """Return the architecture that a Python runs on, such as ``x86_64``, which may be emulated."""
    ask = [python, "-c", "import platform; print(platform.machine())"]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


@dataclass(frozen=True)
class Tried:
    """What a script did on a release: ``lacks`` if the release is older than the layer."""

    version: str
    ending: Ending
    lacks: bool = False

    @property
    def departs(self) -> bool:
        """Whether the departure, or another one, is there."""
        return not self.lacks and self.ending not in ("passes", "cannot run")

    def departs_like(self, other: Tried) -> bool:
        """Whether it departs in the same way: refused, or computed with a wrong value, a death or no end."""
        same = (self.ending == "refused") == (other.ending == "refused")
        return self.departs and other.departs and same

    def __str__(self) -> str:
        return "has no such layer" if self.lacks else self.ending


def try_on(script: str, release: Release, times: int = 1) -> Tried:
    """Run a script on a release; it passes if it does so as many ``times``, as some departures do not always come."""
    environment = {**os.environ, **release.environment}
    for _ in range(times):
        done = run(script, release.python, environment)
        if done.ending != "passes":
            break
    is_told = done.ending in ("refused", "cannot run")
    lacks = is_told and is_not_in_release("read", done.output, release.version)
    return Tried(release.version, done.ending, lacks)


def search(script: str, tested: Tried, releases: Sequence[Release], times: int = 1) -> list[Tried]:
    """Run a script on some of these releases, until the first one that departs as the ``tested`` one is found.

    The oldest is first; where that does not, halves of the others are searched. Returns all that were tried.
    """
    older = [one for one in releases if numbers_of(one.version) < numbers_of(tested.version)]
    ordered = sorted(older, key=lambda one: numbers_of(one.version))
    if not ordered:
        return [tested]
    tried = [try_on(script, ordered[0], times)]
    low, high = 0, len(ordered)
    while not tried[0].departs_like(tested) and high - low > 1:
        middle = (low + high) // 2
        tried.append(try_on(script, ordered[middle], times))
        low, high = (low, middle) if tried[-1].departs_like(tested) else (middle, high)
    return [*tried, tested]


@dataclass(frozen=True)
class Span:
    """Where a departure began, as far as releases were tried."""

    first_bad: str
    before: Tried | None
    """The newest release before the first bad one; None if the oldest that was tried is bad."""

    @property
    def last_good(self) -> str:
        """The release before the first bad one, if it conforms; else ""."""
        return self.before.version if self.before and self.before.ending == "passes" else ""

    def __str__(self) -> str:
        first = f"first bad {self.first_bad}"
        if self.before is None:
            return f"{first}, the oldest release that was tried"
        if self.last_good:
            return f"{first}, last good {self.last_good}"
        return f"{first}, no good one: {self.before.version} {_NOT_GOOD.get(str(self.before), str(self.before))}"


_NOT_GOOD = {"refused": "refuses it", "died": "dies", "hung": "does not end", "wrong": "is wrong"}


def span_of(tried: Sequence[Tried]) -> Span:
    """Return the first release that departs as the newest one does, and all between; and the one before it."""
    *older, first = sorted(tried, key=lambda one: numbers_of(one.version))
    tested = first
    while older and older[-1].departs_like(tested):
        first = older.pop()
    return Span(first.version, older[-1] if older else None)


def as_rows(tried: Sequence[Tried]) -> list[str]:
    """Return the endings with the releases that have them, the oldest release first."""
    ordered = sorted(tried, key=lambda one: numbers_of(one.version))
    by_ending: dict[str, list[str]] = {}
    for one in ordered:
        by_ending.setdefault(str(one), []).append(one.version)
    return [f"- {ending}: {listing(versions)}" for ending, versions in by_ending.items()]
