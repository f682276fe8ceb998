"""Which cases a device will probably refuse, learnt from those that it refused before.

A refused pack costs a whole compilation, so cases like one that was refused do not spoil packs: they are asked alone
from then on. This is about speed only: every case still gets its verdict from the device.
"""

from __future__ import annotations

from ir_models import Case, Tensor

_Kind = tuple[object, ...]


class Suspicion:
    """Remembers the kinds of cases that a device refused or took."""

    def __init__(self) -> None:
        self._refused: set[_Kind] = set()
        self._taken: set[_Kind] = set()

    def refused(self, case: Case) -> None:
        """The device refused this case."""
        self._refused |= set(_kinds(case))

    def taken(self, case: Case) -> None:
        """The device computed this case."""
        self._taken |= set(_kinds(case))

    def of(self, case: Case) -> bool:
        """Whether cases of the same kind were refused, and never taken."""
        return any(kind in self._refused and kind not in self._taken for kind in _kinds(case))


def _kinds(case: Case) -> tuple[_Kind, _Kind]:
    """What a refusal usually hangs on: ranks, types of index inputs, attributes present; then data types as well."""
    layer = case.layer
    tensors = [t for _, t in layer.ports() if t is not None]
    kind: _Kind = (
        case.operation.name,
        case.form,
        tuple(layer.attributes),
        tuple(t.element_type.name for t in tensors if t.value is not None),
        tuple(t.rank for t in tensors),
    )
    return kind, (*kind, _data_types(tensors))


def _data_types(tensors: list[Tensor]) -> tuple[str, ...]:
    return tuple(t.element_type.name for t in tensors if t.value is None)
