"""Statistical tests of many numbers together, each with a stated error rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

MINIMUM_OUTPUTS = 1000
# The mean square of the errors of sums, each divided by its standard scale. The error of one
# rounding is uniform within half an ulp, which is at most u: its variance is at most u²/3 = 0.33 u², and 0.4 allows for
# the random variation over 1,000 outputs.
VARIANCE = 0.4
# Errors of mean zero and that variance: their sum over n outputs has a deviation of at most sqrt(0.4 n), so that
# 2 sqrt(n) is over three deviations for the worst accumulator that rounds without bias.
BIAS = 2.0
# Roundings of a sum are independent where its partial sums grow step by step. Of k terms as large as each other the
# square of the sum of sizes is k times the sum of squares; where it is less than an eighth of that, some terms
# dominate: all partial sums are next to these, and each small term is rounded in the same way, with an error of one
# sign.
EVEN = 0.125


def even_sums(terms: np.ndarray, total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Where no few of ``terms`` numbers dominate: ``total`` is the sum of their sizes, ``squares`` that of squares."""
    with np.errstate(all="ignore"):
        return (EVEN * terms <= 1) | (total**2 >= EVEN * terms * squares)


@dataclass(frozen=True)
class Statistic:
    """The result of a test of all elements: ``fraction`` of the allowed value (above 1 fails), and a message."""

    fraction: float
    text: str


@dataclass(frozen=True)
class SumErrors:
    """The TOSA dot-product test of the errors of many sums: their variance and their bias.

    ``scale`` [shape of the output] is the deviation that one error may have: u·B·sqrt(k) for k roundings of sums whose
    absolute values add up to B. Where most outputs have one sign (sums of positive terms, for example) a systematic
    rounding error, such as that of 1/n in a mean, has the sign of the output, and only the variance is tested.

    The errors must be independent, which the test looks at first. ``is_even`` gives the outputs whose terms none
    dominates: others have no part in it. Outputs that are equal in f32 are most likely one sum several times, with one
    error: they count as one.
    """

    exact: np.ndarray
    scale: np.ndarray
    is_even: Callable[[], np.ndarray] | None = None

    def __call__(self, actual: np.ndarray) -> Statistic | None:
        """The worse of the two, or None for fewer than 1,000 finite outputs that may have an error of their own."""
        counted = np.isfinite(self.exact) & np.isfinite(actual) & (self.scale > 0)
        if np.count_nonzero(counted) < MINIMUM_OUTPUTS:
            return None
        if self.is_even is not None:
            counted &= self.is_even()
        exact, scale = self.exact[counted], np.broadcast_to(self.scale, actual.shape)[counted]
        _, first, place = np.unique(
            exact.astype(np.float32), return_index=True, return_inverse=True
        )
        count = len(first)
        if count < MINIMUM_OUTPUTS:
            return None
        errors = np.bincount(place.reshape(-1), (actual[counted] - exact) / scale) / np.bincount(
            place.reshape(-1)
        )
        exact = exact[first]
        variance = float(np.mean(errors**2)) / VARIANCE
        result = Statistic(
            variance, f"the variance of {count:,} errors is {variance:.3g} of allowed"
        )
        if abs(np.sum(np.sign(exact))) <= 3 * math.sqrt(count):
            bias = abs(float(np.sum(errors))) / (BIAS * math.sqrt(count))
            if bias > variance:
                return Statistic(bias, f"the bias of {count:,} errors is {bias:.3g} of allowed")
        return result


def kolmogorov(cumulative: np.ndarray) -> float:
    """The p-value of the Kolmogorov-Smirnov test that numbers are uniform in [0, 1], by Kolmogorov's limit.

    ``cumulative`` [n] holds the values of the exact distribution function at the n actual numbers.
    """
    count = cumulative.size
    if not count:
        return 1.0
    if np.any((cumulative < 0) | (cumulative > 1)):
        return 0.0
    ordered = np.sort(cumulative.reshape(-1))
    steps = np.arange(1, count + 1) / count
    distance = max(float(np.max(steps - ordered)), float(np.max(ordered - steps + 1 / count)))
    reduced = distance * (math.sqrt(count) + 0.12 + 0.11 / math.sqrt(count))
    if reduced < 0.3:
        return 1.0
    terms = (2 * (-1) ** (j - 1) * math.exp(-2 * (j * reduced) ** 2) for j in range(1, 101))
    return min(max(sum(terms), 0.0), 1.0)
