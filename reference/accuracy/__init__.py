"""How exact an answer must be: every verdict has a bound that follows from arithmetic.

A reference computes in float64, integers exactly, and says next to it of which class its outputs are:

    @implements("Exp-1", accuracy=Function(k=3))
    def exp(data): ...

Which class, for whoever writes a reference:

- ``EXACT``, the default: data moves or bits are combined. Nothing to say for movement, logic, bitwise, shape.
- ``UNROUNDED``: computed, but every result is a number of the type: Abs, Maximum, Relu, Floor, comparisons. By value:
  zeros of both signs are one, subnormals may be taken for zero, inputs may be rounded to what the device computes in.
- ``Rounded()``: one operation of IEEE 754: add, subtract, multiply; divide and square root with a wider gate.
- ``Function(k=...)``: one number from one, two or three by an approximation. k from a published limit (we take the
  OpenCL full profile's ulps), ``a`` and ``scale`` only where the page's formula, computed step by step, loses them to
  cancellation: scale is what cancels, such as |x| in x·(1 + erf x). Amounts may be functions of the call.
- ``Sum(terms=...)``: adds many terms. terms is their number for one output.
- ``Product``, ``State``, ``Softmax``: many multiplications; results carried from step to step; e^z / Σ e^z.
- ``Choice(nearest)``: the page leaves a choice (equal elements in TopK, boxes of one score). ``within`` is the class of
  what was chosen.
- ``Distribution(probability)``: random numbers; ``statistics`` has the usual tests.

An operation with outputs of several classes gives a tuple, one for each output. All classes know the same about the
rest, so that a reference need not: the working precision (the coarser of the output's type and of what the device says
it computed in; inputs are then rounded to it, or not), subnormals that a device may flush, overflow to infinity,
integers that overflow, both tiers. What a page leaves open is ``silent=function(call)``: a mask of such elements.

The gate makes FAIL and has room for what honest arithmetic may do; quality is what good arithmetic does. A gate is
never widened because a device fails: the formula, its k or its scale must be wrong, and the reason stands next to it.

In all formulas ε = 2^-(fraction bits) of the working precision, u = ε/2 is the relative error of one correct rounding,
and ``tiny`` is the smallest normal number.
"""

from reference.accuracy.base import EXACT, Accuracy, Amount, Arithmetic, Bounds, Depending, Exact
from reference.accuracy.call import Arrays, Call, run
from reference.accuracy.choices import Choice, Distribution
from reference.accuracy.precision import (
    PRECISIONS,
    Precision,
    coarser,
    is_float,
    is_integer,
    precision_of,
)
from reference.accuracy.rounding import UNROUNDED, Function, Rounded
from reference.accuracy.statistics import Statistic, chi_square, kolmogorov
from reference.accuracy.sums import Product, Softmax, State, Sum, accumulator

__all__ = [
    "EXACT",
    "PRECISIONS",
    "UNROUNDED",
    "Accuracy",
    "Amount",
    "Arithmetic",
    "Arrays",
    "Bounds",
    "Call",
    "Choice",
    "Depending",
    "Distribution",
    "Exact",
    "Function",
    "Precision",
    "Product",
    "Rounded",
    "Softmax",
    "State",
    "Statistic",
    "Sum",
    "accumulator",
    "chi_square",
    "coarser",
    "is_float",
    "is_integer",
    "kolmogorov",
    "precision_of",
    "run",
]
