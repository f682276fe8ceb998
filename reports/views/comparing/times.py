"""Which cases take longer in one run than in another, on machines that other work keeps busy.

A case has one measurement in each run, so a single slow one may be chance. Three things are distinct from a slower
device: cases of one pack share a time, which is not theirs; a busy machine slows down all cases that run at about the
same time; and a short pause of the machine hits single cases.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp, lgamma, log, log1p
from statistics import median

from reports.results.records import CaseRecord

LEAST_SECONDS = 0.02
"""Times below this count as this long: they are mostly the machine's."""
PAUSE_SECONDS = 1.0
"""A case that takes this much longer is slower although the other cases of its operation are not."""
NEIGHBOURS = 25
"""Cases of other operations on each side, in the order of the run, that tell how busy the machine was."""
CHANCE = 0.001
"""How probable it may be, over all operations, that chance makes one slower."""

Pair = tuple[CaseRecord, CaseRecord]


def has_own_time(record: CaseRecord) -> bool:
    """Tell whether a case was measured alone: ``seconds`` of a pack are shared among its cases."""
    return record.pack_size in (None, 1) and record.seconds > 0


def own_times(old: Mapping[str, CaseRecord], new: Mapping[str, CaseRecord]) -> list[Pair]:
    """Return the cases that were measured alone in both runs, in the order of the new one.

    Both map case ids to the results of one target. A case that conforms in only one of the runs did something else
    there, so its times are not compared; nor are those of a case that did not reach the device in one of them.
    """
    pairs = [(old[case], record) for case, record in new.items() if case in old]
    return [
        (before, after)
        for before, after in pairs
        if has_own_time(before)
        and has_own_time(after)
        and before.conforms == after.conforms
        and not (before.outcome.says_nothing or after.outcome.says_nothing)
    ]


def pace(pairs: Sequence[Pair]) -> float:
    """Return how many times as long as in the old run a case took in the new one: the median, 1 of none."""
    return median(after.seconds / before.seconds for before, after in pairs) if pairs else 1.0


def slower_cases(pairs: Sequence[Pair], factor: float) -> set[str]:
    """Return the ids of the cases that take more than `factor` times as long, the pace of the machine allowed for.

    `pairs` is what `own_times` returns. Most cases of its operation must agree, more than chance makes; a case on
    its own counts where it takes `PAUSE_SECONDS` longer.
    """
    growths = [
        _growth(before, after, busy)
        for (before, after), busy in zip(pairs, _paces(pairs), strict=True)
    ]
    agreed = _slower_operations(pairs, growths, factor)
    return {
        after.case
        for (before, after), growth in zip(pairs, growths, strict=True)
        if growth > factor
        and (after.operation in agreed or after.seconds * (1 - 1 / growth) > PAUSE_SECONDS)
    }


def _slower_operations(pairs: Sequence[Pair], growths: Sequence[float], factor: float) -> set[str]:
    """Return the operations whose cases mostly take longer, and more than chance makes.

    The share of cases that take longer in the other operations is what chance makes of noise.
    """
    found: dict[str, list[bool]] = defaultdict(list)
    for (_, after), growth in zip(pairs, growths, strict=True):
        found[after.operation].append(growth > factor)
    total, slow = len(pairs), sum(map(sum, found.values()))
    return {
        operation
        for operation, marks in found.items()
        if 2 * sum(marks) > len(marks)
        and _tail(sum(marks), len(marks), (slow - sum(marks) + 1) / (total - len(marks) + 2))
        < CHANCE / len(found)
    }


def _tail(least: int, number: int, share: float) -> float:
    """Return the probability of at least `least` of `number` where each has the probability `share`."""
    return sum(
        exp(
            lgamma(number + 1) - lgamma(k + 1) - lgamma(number - k + 1)
            + k * log(share) + (number - k) * log1p(-share)
        )
        for k in range(least, number + 1)
    )  # fmt: skip


def _growth(before: CaseRecord, after: CaseRecord, busy: float) -> float:
    return after.seconds / (busy * max(before.seconds, LEAST_SECONDS))


def _paces(pairs: Sequence[Pair]) -> list[float]:
    """Return for each case the pace of its neighbours of other operations, 1 where they are no slower."""
    ratios = [after.seconds / before.seconds for before, after in pairs]
    positions: dict[str, list[int]] = defaultdict(list)
    for position, (_, after) in enumerate(pairs):
        positions[after.operation].append(position)
    found = [1.0] * len(pairs)
    for own in positions.values():
        skipped = set(own)
        others = [position for position in range(len(pairs)) if position not in skipped]
        for position in own:
            place = bisect_left(others, position)
            near = others[max(place - NEIGHBOURS, 0) : place + NEIGHBOURS]
            if near:
                found[position] = max(1.0, median(ratios[one] for one in near))
    return found
