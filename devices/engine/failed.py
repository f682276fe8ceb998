"""The cases that a device refused, or that ended its process: those like them are asked alone.

A pack that is refused, dies or hangs costs a compilation for each half of it, or the time limit. This is about speed
only: every case gets its verdict from the device.
"""

from __future__ import annotations

from ir_models import Case


class Failed:
    """Remembers the kinds of cases that cannot share a model with others."""

    def __init__(self) -> None:
        self._kinds: set[object] = set()

    def add(self, case: Case) -> None:
        """The device refused this case, or did not live through it."""
        self._kinds |= set(_kinds(case))

    def has_similar(self, case: Case) -> bool:
        """Whether there was a case of the same kind."""
        return not self._kinds.isdisjoint(_kinds(case))


def _kinds(case: Case) -> tuple[object, object]:
    """What cases that fail alike have in common, without the types of data and with them."""
    kind, types = case.likeness
    return kind, (kind, types)
