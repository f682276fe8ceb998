"""Remainders of rounded divisions: what is undefined, and what rounding a quotient leaves of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from reference.accuracy import Call, Choice, Function, is_float
from reference.shared.elementwise import both

Ends = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def undefined(call: Call) -> np.ndarray:
    """Where the divisor is zero, or the page's formula meets an infinity or NaN that it does not mention."""
    a, b = both(call)
    if not is_float(call.outputs[0].dtype):
        return b == 0
    working = call.precision(0)
    with np.errstate(all="ignore"):
        quotient = np.abs(a / b)
        # The whole part of the quotient, rounded, times b may be a little more than a.
        product = np.abs(a) * (1 + 2 * working.epsilon)
    # Infinite divisors too: their quotient is 0, and 0 times infinity no number.
    in_range = (quotient < working.overflow) & (product < working.overflow) & np.isfinite(b)
    return ~in_range


def is_large(call: Call) -> np.ndarray:
    """Where the rounding of the product of the whole quotient and b may be more than b: no remainder is left."""
    a, b = both(call)
    return call.precision(0).epsilon * np.abs(a) >= np.abs(b)


# The page defines the remainder r by q·b + r = a, q the whole part of a / b: computed so, the product and the
# difference round by half an ulp of a each, unless that is more than a divisor (``nearest``). Quality is what a
# division without rounding leaves, which is exact but for one addition.
REMAINDER = Function(
    k=1,
    a=1,
    scale=lambda call: np.where(is_large(call), 0.0, np.abs(both(call)[0])),
    quality_k=0.5,
    silent=undefined,
)


def remainder(ends: Ends) -> Choice:
    """The class of remainders that lie between ``ends`` of dividends and divisors."""

    def nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
        """The remainder, or one divisor beside it where the rounded quotient is a whole number and the exact one not.

        The whole part of the quotient is then one off, and the remainder close to 0 where it should be close to b. Of
        large quotients every remainder between the ends is admissible.
        """
        (exact,) = call.outputs
        if not is_float(exact.dtype) or actual[0].shape != exact.shape:
            return (exact,)
        a, b = both(call)
        answer = actual[0].astype(np.float64)
        with np.errstate(all="ignore"):
            quotient = a / b
            working = call.precision(0)
            # A quotient below the smallest normal number may vanish, and so be whole.
            room = np.maximum(2 * working.epsilon * np.abs(quotient), working.smallest_normal)
            is_whole = np.abs(quotient - np.rint(quotient)) <= room
            beside = a - np.rint(quotient) * b
            closer = np.abs(answer - beside) < np.abs(answer - exact)
            settled = np.where(is_whole & closer, beside, exact)
            low, high = ends(a, b)
            is_remainder = (answer >= low) & (answer <= high)
        any_remainder = np.where(is_remainder, answer, exact)
        return (np.where(is_large(call), any_remainder, settled),)

    return Choice(nearest, within=REMAINDER)
