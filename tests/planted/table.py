"""What was caught and named of planted defects, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from tests.kill.table import table_text
from tests.planted.defects import KINDS
from tests.planted.trial import Result, shares

REQUIRED = 0.95


def is_enough(results: Sequence[Result]) -> bool:
    """Whether pairs catches enough of what x how, all enough of all, and enough of it is named."""
    by_pairs, *_ = shares([each for each in results if each.defect.kind == KINDS[0]])
    _, by_all, named, _ = shares(results)
    return min(by_pairs, by_all, named) >= REQUIRED


def render(results: Sequence[Result], markdown: bool = False) -> str:
    """The shares of each kind, then the defects that were not caught, and those that were not named."""
    cells = [["factors", "defects", "pairs", "all", "named", "named with more"]]
    for kind in (*KINDS, "all"):
        chosen = [each for each in results if kind in ("all", each.defect.kind)]
        cells.append([kind, str(len(chosen)), *(f"{share:.1%}" for share in shares(chosen))])
    missed = [f"{each.defect}: {_why(each)}" for each in results if not _is_caught(each)]
    unnamed = [
        f"{each.defect}: {_named(each)}, {each.smallest}"
        for each in results
        if each.by_all and not each.is_named
    ]
    return table_text(cells, {"Not caught": missed, "Not named": unnamed}, markdown)


def _is_caught(result: Result) -> bool:
    return result.by_pairs if result.defect.kind == KINDS[0] else result.by_all


def _why(result: Result) -> str:
    if not result.struck:
        return "no case has both"
    if result.by_all:
        return "only at depth all"
    return f"{result.struck} cases have both, and none shows it"


def _named(result: Result) -> str:
    return " × ".join(" & ".join(sorted(part)) for part in result.named) or "nothing is left"
