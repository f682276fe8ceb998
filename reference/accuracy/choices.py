"""The classes of outputs that a page does not fix: one of several admissible ones, or random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reference.accuracy.base import Accuracy, Bounds, Exact
from reference.accuracy.call import Arrays, Call
from reference.accuracy.statistics import Statistic


@dataclass(frozen=True)
class Choice(Accuracy):
    """Outputs with several values that a page admits: the actual ones are compared with the nearest admissible ones.

    ``nearest`` takes the call and all actual outputs and returns all outputs of an admissible answer, for example
    with the element that the device chose among equal ones. It must check the actual outputs: where they are not
    admissible it returns those of the reference. ``within`` is the class that bounds the difference.
    """

    nearest: Callable[[Call, Sequence[np.ndarray]], Arrays]
    within: Accuracy = field(default_factory=Exact)

    @property
    def reads_exactly(self) -> bool:
        """The property of the class ``within``."""
        return self.within.reads_exactly

    @property
    def keeps_representable(self) -> bool:
        """The property of the class ``within``."""
        return self.within.keeps_representable

    def tests_together(self, count: int) -> bool:
        """Like the class ``within``."""
        return self.within.tests_together(count)

    @property
    def is_bit_exact(self) -> bool:
        """The property of the class ``within``."""
        return self.within.is_bit_exact

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """The bounds of the class ``within``."""
        return self.within.bounds(call, output_index)

    def nearest_to(self, call: Call, actual: Sequence[np.ndarray]) -> Arrays:
        """What ``nearest`` returns, which is found once for all outputs that ask with the same actual outputs."""
        key = (self.nearest, *((each.dtype.str, each.shape, _content(each)) for each in actual))
        if key not in call.cache:
            call.cache[key] = self.nearest(call, actual)
        found: Arrays = call.cache[key]
        return found


def _content(values: np.ndarray) -> object:
    """What tells the values of an array from others of its type and shape."""
    return tuple(values.reshape(-1)) if values.dtype == object else values.tobytes()


@dataclass(frozen=True)
class Distribution(Accuracy):
    """A statistical test of all elements together; a single element has no bound.

    ``probability`` takes the call and the actual output and returns a p-value: the probability that a conforming device
    gives an output at least as unlikely, 0 for values that are not admissible. A p-value below ``error_rate`` is a
    failure; at 1e-9 a conforming device fails once in a thousand million cases.
    """

    probability: Callable[[Call, np.ndarray], float]
    error_rate: float = 1e-9

    @property
    def reads_exactly(self) -> bool:
        """Always."""
        return True

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """No bound for single elements, and the test of all."""

        def test(actual: np.ndarray) -> Statistic:
            p_value = self.probability(call, actual)
            fraction = np.log(p_value) / np.log(self.error_rate) if p_value > 0 else np.inf
            text = f"the p-value of the output is {p_value:.2g}"
            return Statistic(float(fraction), text)

        free = np.full(call.outputs[output_index].shape, np.inf)
        return Bounds(free, free, together=test)
