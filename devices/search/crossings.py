"""Factors of patterns that no case of the suite has, and pairs that only crowded cases have, where others hide them.

Each factor is asked together with shapes that the model does not know, and with an inner tensor that is a result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

from ir_models import patterns
from ir_models.patterns import Pattern

# Graphs of a batch.
CROSSINGS = 60


@cache
def crossings(operations: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Ids, in the order of a hash, of patterns that have one of the ``operations``, of all by default."""
    found = [
        name
        for each in patterns.PATTERNS
        if not operations or {*operations} & {*each.graph.operations}
        for name in _of(each)
    ]
    return tuple(sorted(found, key=lambda name: hashlib.sha256(name.encode()).digest()))


def _of(pattern: Pattern) -> list[str]:
    levels = [(name, level) for name, each in pattern.factors.items() for level in each.levels]
    wide = [
        (name, level)
        for name, level in levels
        if (name, level) == ("unknown", "all") or (name.endswith(".also") and level == "result")
    ]
    chosen = [{name: level} for name, level in levels if not pattern.factors[name].has_cases]
    chosen += [
        {name: both[name] for name in pattern.factors if name in both}
        for one in wide
        for other in levels
        if one[0] != other[0]
        for both in [dict([one, other])]
    ]
    # A layer at the end may have attributes that those behind it do not take.
    ends = [name for name, _ in levels if name.endswith(".end")]
    chosen += [
        {name: level, end: "result"}
        for end in ends
        for name, level in levels
        if name != end and name.startswith(end.removesuffix("end"))
    ]
    asked = {*pattern.candidates()}
    return [name for name in dict.fromkeys(map(pattern.id_of, chosen)) if name not in asked]


def crossing_batch(number: int, operations: Sequence[str] = ()) -> tuple[str, ...]:
    """The ids of a batch; some are not valid, and there are none where all have been asked."""
    return crossings(tuple(operations))[number * CROSSINGS : (number + 1) * CROSSINGS]
