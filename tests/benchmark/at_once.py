"""A pytest plugin for ``tests.benchmark.scale``: as many cases as asked, on a device that answers at once.

What is left of a run is the suite's own: listing, collecting, scheduling, the gate, records, reports, results.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from devices import Runner, Verdict
from ir_models import LayerCase
from reports.results.outcomes import Outcome
from tests.conformance.selection import SuiteSelection

CASES, FOLDER = "CONFORMANCE_SCALE_CASES", "CONFORMANCE_SCALE_FOLDER"
"""The variables with the number of cases, and with the folder of what each process used."""


def _ids(_: SuiteSelection, processes: int = 1) -> list[str]:
    # As many as asked of one operation: shapes of three dimensions, none of them the same.
    return [
        f"Abs-1/random/f32[{1 + number // 10_000},{1 + number // 100 % 100},{1 + number % 100}]"
        for number in range(int(os.environ[CASES]))
    ]


def _judge(_: Runner, cases: Sequence[LayerCase]) -> list[Verdict]:
    return [Verdict(case, Outcome.PASS) for case in cases]


def pytest_configure() -> None:
    """Put the cases and the device in their places."""
    places: Any = (
        (SuiteSelection, "ids", _ids),
        (Runner, "judge", _judge),
        (Runner, "open", _nothing),
    )
    for kind, name, function in places:
        setattr(kind, name, function)


def _nothing(_: Runner) -> None:
    pass


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Tell the largest memory of the process, in MiB."""
    role = getattr(config, "workerinput", {}).get("workerid", "first")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    Path(os.environ[FOLDER], role).write_text(str(most), encoding="utf-8")
