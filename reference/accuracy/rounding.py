"""The classes of elementwise results: each output element is computed from one element of every input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reference.accuracy.base import Amount, Arithmetic, Bounds, amount_of
from reference.accuracy.call import Call
from reference.accuracy.precision import Precision


@dataclass(frozen=True)
class Rounded(Arithmetic):
    """At most n half-ulps of the exact answer, from operations that IEEE 754 rounds correctly.

    ``quality`` = 1 half-ulp is the correctly rounded answer. ``gate`` = 3 admits both neighbours of the exact
    answer: another rounding mode, or a second rounding to a coarser type.
    """

    gate: float = 3
    quality: float = 1

    @property
    def keeps_representable(self) -> bool:
        """Unless a wider gate admits an approximation, as of a quotient."""
        return self.gate <= 3

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """n half-ulps of the working precision."""
        value = call.outputs[output_index].astype(np.float64)
        # The neighbours of a value that rounds up to a power of two have the distance of those above it.
        above = working.half_ulp(value * (1 + working.unit))
        return Bounds(self.gate * above, self.quality * working.half_ulp(value))


# Every result is a number of the type: nothing is rounded.
UNROUNDED = Rounded(gate=0, quality=0)


@dataclass(frozen=True)
class Function(Arithmetic):
    """ε·(k·max(|answer|, tiny) + a·scale): a function computed by an approximation.

    ``k`` is a relative error in ulps, ``a`` an absolute one in ulps of ``scale`` where the page's formula, followed
    step by step, cancels. ``quality_k`` and ``quality_a`` are those of the finer tier: a faithfully rounded function.
    """

    k: Amount = 4.0
    a: Amount = 0.0
    scale: Amount = 1.0
    quality_k: Amount = 1.0
    quality_a: Amount = 0.0

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        size = np.maximum(np.abs(call.outputs[output_index]), working.smallest_normal)
        scale = amount_of(self.scale, call)
        gate = amount_of(self.k, call) * size + amount_of(self.a, call) * scale
        quality = amount_of(self.quality_k, call) * size + amount_of(self.quality_a, call) * scale
        return Bounds(working.epsilon * gate, working.epsilon * quality)
