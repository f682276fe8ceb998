"""Orders of takes in which what regressed must not be accepted without a look at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from reports.results.records import CaseRecord, Selection
from tests.unit.reports.gate.desks import LATER, PLAIN, RANDOM_U4, U4, Desk, ok, refuse
from tests.unit.reports.small_results import write


def test_a_part_of_the_cases_in_a_folder_of_ones_own(desk: Desk) -> None:
    """A shard that leaves nothing does not hide what the base knows of other cases."""
    desk.ship(ok(PLAIN), ok(U4))
    part = replace(LATER, selection=Selection(depth="single", shard="1/2"))
    desk.ran(ok(PLAIN), header=part)
    desk.accept("--baseline", str(desk.folder / "ours"), "--take", "all")
    desk.ran(ok(PLAIN), refuse(U4), header=LATER)
    out = desk.accept("--baseline", str(desk.folder / "ours"))
    assert "regressed" in out, out


def test_another_run_of_the_release_between_two_takes(desk: Desk) -> None:
    """What another run of this release showed to pass is broken, whatever it was before."""
    desk.ship(ok(PLAIN), refuse(U4, "old words", cause="no-u4"), refuse(RANDOM_U4, cause="no-u4"))
    first = desk.results
    desk.ran(ok(PLAIN), refuse(U4), ok(RANDOM_U4), header=LATER)
    fixed = next(name for name in desk.groups() if name.startswith("fixed"))
    desk.accept("--take", fixed)
    desk.results = write(desk.folder / "second.jsonl", LATER, ok(PLAIN), ok(U4), ok(RANDOM_U4))
    desk.accept("--take", "all")
    assert U4 in desk.lines(desk.later)
    desk.results = first
    out = desk.accept("--take", "all")
    assert "broken" in out, out


def test_a_whole_run_of_less_depth_in_a_folder_of_ones_own(desk: Desk) -> None:
    desk.ship(ok(PLAIN), ok(U4), depth="pairs")
    ours = str(desk.folder / "ours")
    desk.ran(ok(PLAIN), header=LATER)
    desk.accept("--baseline", ours, "--take", "all")
    desk.ran(ok(PLAIN), refuse(U4), header=replace(LATER, selection=Selection(depth="pairs")))
    out = desk.accept("--baseline", ours)
    assert "regressed" in out, out


@pytest.mark.parametrize("with_other_data", [ok, refuse])
def test_a_run_with_another_seed_before_the_one_with_the_same(
    desk: Desk, with_other_data: Callable[[str], CaseRecord]
) -> None:
    """The baseline of the release before has this seed, and says more than one of this release with another seed."""
    others = [f"A-1/type/u4[{size}]" for size in range(1, 30)]
    known = [refuse(each, cause="no-u4") for each in others]
    desk.ship(ok(PLAIN), ok(U4), *known)
    seeded = replace(LATER, seed=7)
    desk.results = write(desk.folder / "seed.jsonl", seeded, ok(PLAIN), with_other_data(U4), *known)
    desk.accept("--take", "all", code=int(with_other_data is refuse))
    desk.results = write(desk.folder / "run.jsonl", LATER, ok(PLAIN), refuse(U4), *known)
    out = desk.accept("--take", "all", code=1)
    assert "\nregressed" in out, out
