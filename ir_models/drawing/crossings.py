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
    """Ids, in the order in which they are asked, of patterns that have one of the ``operations``, of all by default."""
    found = [
        (turn, hashlib.sha256(name.encode()).digest(), name)
        for each in patterns.PATTERNS
        if not each.graph.of_variables
        and (not operations or {*operations} & {*each.graph.operations})
        for turn, name in _of(each)
    ]
    return tuple(name for _, _, name in sorted(found))


def _of(pattern: Pattern) -> list[tuple[int, str]]:
    """Ids with their turn: factors without cases, then layers at the end, unknown shapes, inner results."""
    levels = [(name, level) for name, each in pattern.factors.items() for level in each.levels]
    chosen: list[tuple[int, dict[str, str]]] = [
        (0, {name: level}) for name, level in levels if not pattern.factors[name].has_cases
    ]
    ends = [name for name, _ in levels if name.endswith(".end")]
    for one, level in levels:
        # What those behind a layer do not take, or undo.
        is_of_end = one.endswith((".keep_dims", ".larger")) or level == "more-ones"
        if is_of_end:
            chosen += [(0, {one: level, end: "result"}) for end in ends]
        if one != "unknown":
            chosen.append((1, {one: level, "unknown": "all"}))
        for other in pattern.factors:
            if other.endswith(".also") and other != one:
                chosen.append((2, {one: level, other: "result"}))
    asked = {*pattern.candidates()}
    found: dict[str, int] = {}
    for turn, own in chosen:
        name = pattern.id_of({each: own[each] for each in pattern.factors if each in own})
        if name not in asked and own.items() <= {*levels}:
            found.setdefault(name, turn)
    return [(turn, name) for name, turn in found.items()]


def crossing_batch(number: int, operations: Sequence[str] = ()) -> tuple[str, ...]:
    """The ids of a batch; some are not valid, and there are none where all have been asked."""
    return crossings(tuple(operations))[number * CROSSINGS : (number + 1) * CROSSINGS]
