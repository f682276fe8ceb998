"""The classes of answers that a page leaves open: one of several admissible ones, or random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reference.accuracy.base import Accuracy, Bounds, Exact
from reference.accuracy.call import Arrays, Call
from reference.accuracy.statistics import Statistic


@dataclass(frozen=True)
class Choice(Accuracy):
    """The admissible answer that is nearest to the one that came, held to another class.

    ``nearest`` takes the call and all outputs that came and gives all outputs of an admissible answer: of the element
    that a device chose among equals, say. It must not trust what came: where that is not admissible it gives the
    reference's own.
    """

    nearest: Callable[[Call, Sequence[np.ndarray]], Arrays]
    within: Accuracy = field(default_factory=Exact)

    @property
    def reads_exactly(self) -> bool:
        """As the class within."""
        return self.within.reads_exactly

    def bounds(self, call: Call, place: int) -> Bounds:
        """Those of the class within."""
        return self.within.bounds(call, place)


@dataclass(frozen=True)
class Distribution(Accuracy):
    """A statistical test of all elements together; any value of a single one passes if the test can have it.

    ``probability`` takes the call and what came and gives the probability that a right device answers so strangely,
    0 for a value that no right device gives; below ``error_rate`` the answer is wrong. At 1e-9 a right device is called
    wrong once in a thousand million cases.
    """

    probability: Callable[[Call, np.ndarray], float]
    error_rate: float = 1e-9

    @property
    def reads_exactly(self) -> bool:
        """Always."""
        return True

    def bounds(self, call: Call, place: int) -> Bounds:
        """Free elements, and the test."""

        def test(came: np.ndarray) -> Statistic:
            chance = self.probability(call, came)
            fraction = np.log(chance) / np.log(self.error_rate) if chance > 0 else np.inf
            text = f"a right device answers so with a probability of {chance:.2g}"
            return Statistic(float(fraction), text)

        free = np.full(call.outputs[place].shape, np.inf)
        return Bounds(free, free, together=test)
