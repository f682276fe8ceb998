"""A script of an issue run on several releases of OpenVINO: which is the last good one, which the first bad one?"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reports.patterns import numbers_of
from reports.results.records import ResultsError
from reports.results.releases import is_not_in_release
from reports.text import listing
from reports.upstream.script import Ending, run

_ASK_VERSION = "import openvino; print(openvino.__version__)"
# Below an installation, a virtual environment, and what `pip install --target` makes.
_PACKAGES = (".", "python", "lib/python3*/site-packages", "Lib/site-packages", "bin/*/*/python")
_LIBRARIES = ("runtime/lib/*", "runtime/3rdparty/tbb/lib", "bin/*/*")


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
    packages = [
        found
        for pattern in _PACKAGES
        for found in ([folder] if pattern == "." else sorted(folder.glob(pattern)))
        if (found / "openvino" / "__init__.py").is_file()
    ]
    if not packages:
        raise ResultsError(f"--openvino {folder}: there is no Python package openvino")
    libraries = [str(found) for pattern in _LIBRARIES for found in sorted(folder.glob(pattern))]
    own = folder / "bin" / "python"
    environment = {} if own.exists() else {"PYTHONPATH": str(packages[0])}
    if libraries:
        before = os.environ.get("LD_LIBRARY_PATH", "")
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [*libraries, before]))
    program = str(own) if own.exists() else python
    done = subprocess.run(
        [program, "-c", _ASK_VERSION],
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

    def __str__(self) -> str:
        return "has no such layer" if self.lacks else self.ending


def try_on(script: str, release: Release, times: int = 1) -> Tried:
    """Run a script on a release; it passes if it does so as many ``times``, as some departures do not always come."""
    environment = {**os.environ, **release.environment}
    for _ in range(times):
        done = run(script, release.python, environment)
        if done.ending != "passes":
            break
    lacks = done.ending == "refused" and is_not_in_release("read", done.output, release.version)
    return Tried(release.version, done.ending, lacks)


def search(script: str, releases: Sequence[Release], times: int = 1) -> list[Tried]:
    """Run a script that departs on a newer release on some of these, until the first one that departs is found.

    The oldest is first; where that conforms, or has no such layer, halves of the others are searched.
    """
    ordered = sorted(releases, key=lambda one: numbers_of(one.version))
    if not ordered:
        return []
    tried = [try_on(script, ordered[0], times)]
    low, high = 0, len(ordered)
    while not tried[0].departs and high - low > 1:
        middle = (low + high) // 2
        tried.append(try_on(script, ordered[middle], times))
        low, high = (low, middle) if tried[-1].departs else (middle, high)
    return tried


@dataclass(frozen=True)
class Span:
    """Where a departure began, as far as releases were tried; "" where no release tells."""

    first_bad: str
    last_good: str
    lacking: str
    """The newest release before the first bad one that has no such layer."""

    def __str__(self) -> str:
        if not self.first_bad:
            return "not seen in the releases that were tried"
        if self.last_good:
            return f"first bad {self.first_bad}, last good {self.last_good}"
        if self.lacking:
            return f"first bad {self.first_bad}, no good one: {self.lacking} has no such layer"
        return f"first bad {self.first_bad}, the oldest release that was tried"


def span_of(tried: Sequence[Tried]) -> Span:
    """Return the last release that passes, and the first one after it that departs."""
    ordered = sorted(tried, key=lambda one: numbers_of(one.version))
    good = [number for number, one in enumerate(ordered) if one.ending == "passes"]
    # A release that passes after all bad ones has it mended.
    bad = [number for number, one in enumerate(ordered) if one.departs]
    before = [number for number in good if bad and number < bad[-1]]
    start = before[-1] if before else -1
    first = next((ordered[number] for number in bad if number > start), None)
    lacking = [one.version for one in ordered[: bad[0]] if one.lacks] if bad else []
    return Span(
        first.version if first else "",
        ordered[start].version if before else "",
        lacking[-1] if lacking and not before else "",
    )


def as_rows(tried: Sequence[Tried]) -> list[str]:
    """Return the endings with the releases that have them, the oldest release first."""
    ordered = sorted(tried, key=lambda one: numbers_of(one.version))
    by_ending: dict[str, list[str]] = {}
    for one in ordered:
        by_ending.setdefault(str(one), []).append(one.version)
    return [f"- {ending}: {listing(versions)}" for ending, versions in by_ending.items()]
