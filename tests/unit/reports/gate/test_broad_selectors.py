"""Selectors that swallow: what says little of the case names wrong answers of any reason, so each has one of its own.

``broad_selectors.tsv`` lists them: the cause, the digest of the conditions, and why they cannot say more.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from reports.gate import baseline_files
from reports.gate.causes import Cause, load, name_of
from reports.gate.precision import Share, from_text, is_narrow
from reports.gate.selectors import Selector, is_of_case

LISTED = Path(__file__).with_name("broad_selectors.tsv")
LEAST = 0.05
"""The least share of the admitted cases that depart so."""
MANY = 50
"""Shares of fewer admitted cases say nothing."""


def measured() -> dict[str, Share]:
    """Return the best share of each selector in the shipped baselines."""
    best: dict[str, Share] = {}
    for path in sorted(baseline_files.DIRECTORY.glob("*/*/precision.tsv")):
        for name, share in from_text(path.read_text("utf-8")).items():
            if name not in best or share.share > best[name].share:
                best[name] = share
    return best


def swallows(cause: Cause, selector: Selector, shares: Mapping[str, Share]) -> bool:
    """Tell whether a selector says so little of the case that it must be listed."""
    if "message" in selector.conditions or selector.shows_itself:
        return False
    share = shares.get(name_of(cause, selector))
    if share is not None and is_narrow(share):
        return False
    says_something = any(
        is_of_case(name)
        and name != "operation"
        and not all(each.startswith("!") for each in patterns)
        for name, patterns in selector.conditions.items()
    )
    is_low = share is not None and share.admitted >= MANY and share.share < LEAST
    return not says_something or is_low


def test_each_selector_that_swallows_is_listed_with_its_reason() -> None:
    shares = measured()
    found = {
        name_of(cause, selector): str(selector)
        for cause in load().by_id.values()
        for selector in cause.selectors
        if swallows(cause, selector, shares)
    }
    rows = [line.split("\t") for line in LISTED.read_text("utf-8").splitlines()[1:]]
    listed = {f"{cause} {key}": reason for cause, key, reason in rows}
    assert rows == sorted(rows)
    assert len(listed) == len(rows)
    assert all(listed.values()), "a selector without a reason"
    missing = {name: said for name, said in found.items() if name not in listed}
    assert not missing, "say more of the case, or list it with its reason"
    assert listed.keys() <= found.keys(), "what is listed and swallows nothing"


@pytest.mark.parametrize(
    "conditions, share, expected",
    [
        ({}, None, True),
        ({"operation": ("Abs-1",), "kind": ("value",), "device": ("CPU",)}, None, True),
        # What is excluded alone says nothing.
        ({"operation": ("Abs-1",), "purpose": ("!plain",), "how.shape": ("!rank",)}, None, True),
        ({"operation": ("Abs-1",)}, Share(40, 36), False),
        ({"operation": ("Abs-1",)}, Share(40, 35), True),
        ({"operation": ("Abs-1",), "message": ("*no kernel*",)}, Share(99, 1), False),
        ({"operation": ("Abs-1",), "computed_as": ("i64 as i32",)}, Share(99, 1), False),
        ({"operation": ("Abs-1",), "type": ("i64",)}, None, False),
        ({"operation": ("Abs-1",), "type": ("i64",)}, Share(50, 2), True),
        ({"operation": ("Abs-1",), "type": ("i64",)}, Share(49, 2), False),
        ({"operation": ("Abs-1",), "where": ("axis > 1",)}, Share(60, 3), False),
    ],
)
def test_a_new_selector(
    conditions: dict[str, tuple[str, ...]], share: Share | None, expected: bool
) -> None:
    selector = Selector({"outcome": ("FAIL",), **conditions})
    cause = Cause("a-cause", "A cause", "defect", devices=("CPU",), selectors=(selector,))
    shares = {} if share is None else {name_of(cause, selector): share}
    assert swallows(cause, selector, shares) is expected
