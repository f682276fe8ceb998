"""The accuracy of an operation that computes one thing or another, as its attributes or inputs say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reference.accuracy import Accuracy, Bounds
from reference.call import Call


@dataclass(frozen=True)
class Depending(Accuracy):
    """The class that ``choose`` gives for a call and the place of an output; a Choice it cannot be."""

    choose: Callable[[Call, int], Accuracy]

    def bounds(self, call: Call, place: int) -> Bounds:
        """Those of the class chosen."""
        return self.choose(call, place).bounds(call, place)
