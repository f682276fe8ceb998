"""The refusal history of a device: which cases it will probably refuse, judging by those that it refused before.

A refused pack costs a whole compilation. Therefore a case that is like a refused one is not compiled in a pack: it is
asked alone. This is about speed only: every case gets its verdict from the device.
"""

from __future__ import annotations

from ir_models import Case, Tensor
from ir_models.graphs import GraphCase

_Kind = tuple[object, ...]


class RefusalHistory:
    """Remembers the kinds of cases that a device refused."""

    def __init__(self) -> None:
        self._refused: set[_Kind] = set()

    def add(self, case: Case) -> None:
        """The device refused this case."""
        self._refused |= set(_kinds(case))

    def has_similar(self, case: Case) -> bool:
        """Whether the device refused a case of the same kind."""
        return not self._refused.isdisjoint(_kinds(case))


def _kinds(case: Case) -> tuple[_Kind, _Kind]:
    """What a refusal usually depends on: ranks, types of index inputs, attributes present; then data types as well."""
    layer = case.layer
    tensors = [t for _, t in layer.ports() if t is not None]
    kind: _Kind = (
        case.operation.name,
        case.graph.operations if isinstance(case, GraphCase) else (),
        case.how,
        tuple(layer.attributes),
        tuple(t.element_type.name for t in tensors if t.value is not None),
        tuple(t.rank for t in tensors),
    )
    return kind, (*kind, _data_types(tensors))


def _data_types(tensors: list[Tensor]) -> tuple[str, ...]:
    return tuple(t.element_type.name for t in tensors if t.value is None)
