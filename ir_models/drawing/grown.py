"""The operations that a search draws graphs of."""

from __future__ import annotations

from functools import cache

import ir_models
from ir_models import patterns
from ir_models.graphs.growing import can_be_grown
from ir_models.vocabulary.operation import Operation
from reference import is_determined, lookup


@cache
def grown_operations() -> tuple[Operation, ...]:
    """The operations that random graphs are made of: those whose outputs the bounds of a graph determine."""
    of_patterns = {name for each in patterns.PATTERNS for name in each.graph.operations}
    return tuple(
        each
        for each in ir_models.operations()
        if can_be_grown(each)
        and (each.name in of_patterns or is_determined(each.name))
        # The page admits several answers, of which a graph carries one.
        and len(lookup(each.name).__dict__["readings"]) == 1
    )
