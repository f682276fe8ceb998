"""Where a random layer takes its choices from."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any


class Draw:
    """Where a random layer takes its choices from.

    ``source`` is a ``random.Random`` or anything that behaves like it, such as what ``hypothesis.strategies.randoms``
    gives; so the same declaration serves a seeded run and Hypothesis, which shrinks failures.
    """

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def integer(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return self.source.randint(least, most)

    def boolean(self) -> bool:
        """True or False."""
        return bool(self.source.randint(0, 1))

    def choice(self, items: Sequence[Any]) -> Any:
        """One of the items."""
        return items[self.source.randint(0, len(items) - 1)]

    def real(self, low: float, high: float) -> float:
        """A number of at most three decimals, so that it reads well in a case id."""
        return round(self.source.uniform(low, high), 3)

    def shape(self, rank: int, least: int = 1, most: int = 6) -> list[int]:
        """``rank`` dimensions, now and then with a 1."""
        return [self.integer(least, most) for _ in range(rank)]

    def permutation(self, count: int) -> list[int]:
        """The numbers 0 to ``count`` - 1 in any order."""
        order: list[int] = []
        for item in range(count):
            order.insert(self.integer(0, len(order)), item)
        return order

    def subset(self, items: Sequence[Any], least: int = 0, most: int | None = None) -> list[Any]:
        """Some of the items, in any order."""
        size = self.integer(least, len(items) if most is None else min(most, len(items)))
        return [items[i] for i in self.permutation(len(items))[:size]]
