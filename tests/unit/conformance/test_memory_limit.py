"""A run where memory is limited: what does not fit is reported as not asked, never as passed, and the run is green."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.unit.conformance.running import records, suite_of

HEAVY = "ScatterUpdate-3/example/u8[1000,256,10,15],i64[125,20],u8[1000,125,20,10,15]/axis=[1]"
SMALL = "ScatterUpdate-3/example/f32[3,5],i64[2],f32[3,2]/indices=[0,2];axis=[1]"


def test_a_case_that_does_not_fit_is_not_asked(tmp_path: Path) -> None:
    limit = 2 * 10**9

    def with_little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    came = suite_of(tmp_path, SMALL, HEAVY, device="CPU", prepare=with_little)
    assert came.code == 0, came.text
    small, heavy = sorted(records(tmp_path), key=lambda record: record["case"] == HEAVY)
    assert (small["outcome"], small["gate"]) == ("PASS", "pass")
    assert (heavy["outcome"], heavy["gate"]) == ("ABSENT", "skipped")
    assert heavy["detail"].startswith("not run: it takes up to 3.3 GB of memory, and a process")
    assert "1 passed, 1 skipped" in came.out


def test_a_run_in_which_nothing_was_asked_is_an_error(tmp_path: Path) -> None:
    limit = 2 * 10**9

    def with_little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    came = suite_of(tmp_path, HEAVY, device="CPU", prepare=with_little)
    assert came.code == 2, came.text
    assert "error: no case ran, so nothing is known: not run: it takes" in came.err


def test_a_reference_that_does_not_fit_is_not_asked_and_workers_have_a_limit(
    tmp_path: Path,
) -> None:
    """Its inputs are small, and its output of 2 GB is not."""
    limit = 15 * 10**8

    def with_little() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    large = "Tile-1/plain/f32[2,5]/repeats=10000,5000"
    came = suite_of(tmp_path, SMALL, large, device="CPU", prepare=with_little)
    assert came.code == 0, came.text
    found = {record["case"]: record for record in records(tmp_path)}
    assert found[SMALL]["outcome"] == "PASS"
    (other,) = (record for case, record in found.items() if case != SMALL)
    assert (other["outcome"], other["gate"]) == ("ABSENT", "skipped")
    assert other["detail"].startswith("not run: it takes more memory than the ")
