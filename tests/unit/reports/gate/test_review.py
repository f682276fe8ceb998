"""What a reviewer reads of a take."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reports.gate.baseline import PASSES, Baseline, Ending, Line
from reports.gate.review import review
from reports.results.facts_of_departures import Extent, Facts
from reports.results.outcomes import Outcome
from tests.unit.reports.gate.desks import RUN

FAIL = Line((Ending(Outcome.FAIL, Facts(kind="value", output=0)),), "a", Extent(0.5, 2.0))
OF_B = FAIL._replace(cause="b")
MORE = FAIL._replace(extent=Extent(1.0, 2.0))
CASE = "A-1/x/f32[{}]"


def baseline(lines: Mapping[int, Line], asked: int = 9, name: str = "CPU 2026.4") -> Baseline:
    cases = {CASE.format(number): line for number, line in lines.items()}
    return Baseline(RUN, cases, frozenset(CASE.format(n) for n in range(asked)), name)


def rows(before: Baseline, after: Baseline) -> list[str]:
    found = review(before, after, {}).splitlines()
    return [line.strip("| ") for line in found if line.startswith("|")][2:]


def test_nothing_changed() -> None:
    one = baseline({1: FAIL})
    assert review(one, one, {}) == "# Changes against CPU 2026.4\n\n0 cases in 0 causes.\n"
    assert review(Baseline(), baseline({}), {}).startswith("# Changes against nothing\n")


def test_what_each_cause_gained_lost_and_got_from_others() -> None:
    before = baseline({1: FAIL, 2: FAIL, 3: FAIL, 4: OF_B, 5: FAIL._replace(cause="")})
    after = baseline({1: FAIL, 3: OF_B, 4: FAIL, 5: OF_B, 6: FAIL, 77: FAIL, 7: MORE})
    assert review(before, after, {}).splitlines()[2] == "7 cases in 2 causes."
    assert rows(before, after) == [
        "a | gained | 3 | `A-1/x/f32[6]`",
        "a | moved from b | 1 | `A-1/x/f32[4]`",
        "a | lost | 1 | `A-1/x/f32[2]`",
        "b | moved from no cause | 1 | `A-1/x/f32[5]`",
        "b | moved from a | 1 | `A-1/x/f32[3]`",
    ]


def test_what_departs_otherwise() -> None:
    dies = FAIL._replace(endings=(Ending(Outcome.CRASH, Facts(kind="signal", signal="SIGSEGV")),))
    # Another digest is no change that one would read.
    before = baseline({1: FAIL, 2: FAIL, 3: FAIL})
    after = baseline({1: MORE, 2: dies, 3: FAIL._replace(digest="0123456789")})
    assert rows(before, after) == [
        "a | CRASH, was FAIL | 1 | `A-1/x/f32[2]`",
        "a | more is wrong | 1 | `A-1/x/f32[1]`",
    ]
    assert rows(after, before) == [
        "a | FAIL, was CRASH | 1 | `A-1/x/f32[2]`",
        "a | less is wrong | 1 | `A-1/x/f32[1]`",
    ]


def test_what_the_run_did_not_ask_is_no_change() -> None:
    before = baseline({1: FAIL, 8: FAIL})
    after = baseline({1: FAIL}, asked=3)
    after.folder = Path("other")
    assert rows(before, after) == []
    # In the baseline's own folder it is gone.
    before.folder = after.folder
    assert rows(before, after) == ["a | no longer asked | 1 | `A-1/x/f32[8]`"]


def test_against_the_baseline_below() -> None:
    below = baseline({1: FAIL, 2: FAIL, 3: FAIL})
    above = baseline({2: PASSES, 4: OF_B}, asked=6)
    above.base = below
    assert rows(below, above) == [
        "a | lost | 1 | `A-1/x/f32[2]`",
        "b | gained | 1 | `A-1/x/f32[4]`",
    ]


def test_causes_that_do_not_name_their_cases() -> None:
    text = review(
        baseline({}), baseline({}), {"b": ["A-1/x/f32[22]", "A-1/x/f32[1]"], "a": ["A-1/y|z"]}
    )
    assert text.splitlines()[-4:] == [
        "| cause | cases | such as |",
        "|---|---|---|",
        "| a | 1 | <code>A-1/y&#124;z</code> |",
        "| b | 2 | `A-1/x/f32[1]` |",
    ]
