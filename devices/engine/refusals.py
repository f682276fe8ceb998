"""The refusal history of a device: which cases it will probably refuse, judging by those that it refused before.

A refused pack costs a whole compilation. Therefore a case that is like a refused one is not compiled in a pack: it is
asked alone. This is about speed only: every case gets its verdict from the device.
"""

from __future__ import annotations

from ir_models import Case


class RefusalHistory:
    """Remembers the kinds of cases that a device refused."""

    def __init__(self) -> None:
        self._refused: set[object] = set()

    def add(self, case: Case) -> None:
        """The device refused this case."""
        self._refused |= set(_kinds(case))

    def has_similar(self, case: Case) -> bool:
        """Whether the device refused a case of the same kind."""
        return not self._refused.isdisjoint(_kinds(case))


def _kinds(case: Case) -> tuple[object, object]:
    """What cases that are refused alike have in common, without the types of data and with them."""
    kind, types = case.likeness
    return kind, (kind, types)
