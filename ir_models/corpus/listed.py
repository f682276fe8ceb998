"""Whether the corpus has a case of one layer: cases may also be named by hand, of any layer."""

from __future__ import annotations

from functools import cache

from ir_models import catalog
from ir_models.asking.case import LayerCase
from ir_models.corpus.purposes import cases


def is_listed_anywhere(case: LayerCase) -> bool:
    """Whether any depth has the case, random layers apart."""
    operation = case.operation
    # A layer of one's own is told from those of its purpose without the ways of asking, which take time to find.
    is_known = case.purpose == "covering" or any(
        case.layer == each.layer for each in cases(operation, [case.purpose])
    )
    return is_known and any(
        case.id in _of_operation(operation.name, depth) for depth in ("pairs", "all")
    )


@cache
def _of_operation(name: str, depth: str) -> frozenset[str]:
    return frozenset(case.id for case in cases(catalog.operation(name), (), 0, 0, depth))
