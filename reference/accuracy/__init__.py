"""How exact an output must be: every verdict has a bound that follows from arithmetic.

A reference computes in float64, integers exactly, and declares the accuracy class of its outputs:

    from reference.accuracy import Function, implements

    @implements("Exp-1", accuracy=Function(k=3))
    def exp(data): ...

The classes:

- ``EXACT``, the default: data moves or bits are combined; movement, logic, bitwise and shape operations need no other.
- ``UNROUNDED``: computed, but every result is a number of the type: Abs, Maximum, Relu, Floor, comparisons. By value:
  zeros of both signs are equal, subnormals may become zero, inputs may be rounded to the device's precision.
- ``DECIDED``: integers that comparisons of data decide: exact, of the data as the device reads them.
- ``Rounded()``: one operation of IEEE 754: add, subtract, multiply; divide and square root with a wider bound.
- ``Function(k=...)``: an approximation of a function of one, two or three numbers. k from a published limit (the ulps
  of the OpenCL full profile for f32; a few ulps in narrow types, see ``function_ulps``), ``a`` and ``scale`` only
  where the page's formula, computed step by step, cancels: scale is the magnitude of the terms that cancel, such as
  |x| in x·(1 + erf x). Amounts may be functions of the call.
- ``Periodic(k=..., extremes=...)``: a function of an angle, which turns back, or has poles, at its ``extremes``.
- ``Sum(terms=...)``: adds many terms; ``terms`` is their number for one output element.
- ``Product``, ``CarriedState``, ``Softmax``: many multiplications; results carried from step to step; e^z / Σ e^z.
- ``Choice(nearest)``: the page leaves a choice (equal elements in TopK, boxes of one score). ``within`` is the class of
  the chosen output.
- ``Distribution(probability)``: random numbers; ``statistics`` has the usual tests.

An operation with outputs of several classes gives a tuple, one for each output. All classes handle the rest: the
working precision (the coarser of the output's type and of the precision that the device reports; inputs may be
rounded to it; where the kernel itself states a finer one, its error and one rounding to the output's type),
subnormals that a device may flush, in results and on the way to them, overflow to infinity, integers that overflow,
both tiers.
``silent=function(call)`` is a mask of the elements that a page does not define.

An output outside the bound is FAIL; the bound allows every error that correct arithmetic may make. The quality bound is
that of good arithmetic. A bound is never widened because a device fails: only if the formula, its k or its scale is
wrong, and the reason is written next to it.

In all formulas ε = 2^-(fraction bits) of the working precision, u = ε/2 is the relative error of one correct rounding,
and ``tiny`` is the smallest normal number.
"""

from reference.accuracy.base import (
    DECIDED,
    EXACT,
    Accuracy,
    Amount,
    Arithmetic,
    Bounds,
    Decided,
    Depending,
    Exact,
)
from reference.accuracy.call import Arrays, Call, run
from reference.accuracy.choices import Choice, Distribution
from reference.accuracy.precision import (
    PRECISIONS,
    Precision,
    coarser,
    integer_range,
    is_float,
    is_integer,
    precision_of,
    rounded,
)
from reference.accuracy.registry import implements
from reference.accuracy.rounding import (
    UNROUNDED,
    Function,
    Periodic,
    Rounded,
    flushed_factor,
    function_ulps,
)
from reference.accuracy.statistics import Statistic, kolmogorov
from reference.accuracy.sums import CarriedState, Product, Softmax, Sum, accumulator

__all__ = [
    "DECIDED",
    "EXACT",
    "PRECISIONS",
    "UNROUNDED",
    "Accuracy",
    "Amount",
    "Arithmetic",
    "Arrays",
    "Bounds",
    "Call",
    "CarriedState",
    "Choice",
    "Decided",
    "Depending",
    "Distribution",
    "Exact",
    "Function",
    "Periodic",
    "Precision",
    "Product",
    "Rounded",
    "Softmax",
    "Statistic",
    "Sum",
    "accumulator",
    "coarser",
    "flushed_factor",
    "function_ulps",
    "implements",
    "integer_range",
    "is_float",
    "is_integer",
    "kolmogorov",
    "precision_of",
    "rounded",
    "run",
]
