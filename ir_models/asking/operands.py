"""The second operand of an arithmetic layer before or behind the layer under test: a constant of a shape and a number.

Plugins fuse such a layer where its constant is one for all elements or one for each channel, and compute it apart
where it is not: which shapes are which is where their conditions go wrong.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from ir_models.vocabulary.element_types import ElementType, Tensor, f32, f64

MOST_AXES = 6

SHAPES: dict[str, str] = {
    "one": "of shape [1]",
    "ones": "a dimension of 1 for each of the data",
    "more-ones": "a dimension of 1 for each of the data, and one more",
    "last": "a vector of the last dimension's size",
    **{
        f"axis-{axis}": f"a vector along axis {axis}, a dimension of 1 for each other one"
        for axis in range(MOST_AXES)
    },
    "full": "the whole shape",
}
"""What shape the constant has, beside a scalar."""

SIZED = (*(name for name in SHAPES if name.startswith("axis-")), "last", "full")
"""Shapes that have sizes of the data: beside unknown ones the data has these sizes in each inference."""

NUMBERS: dict[str, str] = {
    "three-halves": "1.5",
    "zero": "zero",
    "minus-two": "negative",
    "large": "2^100, 2^10 in f16",
    "small": "2^-100, 2^-10 in f16",
    "most": "the largest number of the type",
    "least": "the least number of the type",
    "subnormal": "three times the smallest subnormal number",
}
"""What number the constant is, beside the usual one of its layer; a vector has halves of it as well."""

# Those of f64 are numbers of f32: beyond them a device that computes in f32 shows nothing but that.
_EXPONENTS = {"f16": 10}
_HALVINGS = 4
_PLAIN = {"three-halves": 1.5, "zero": 0.0, "minus-two": -2.0}


def shape_of(operand: str, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of the constant for data of a shape; None where that has no such axis, or is too large."""
    rank = len(shape)
    if operand == "":
        return ()
    if operand == "one":
        return (1,)
    if operand == "ones":
        return (1,) * rank
    if operand == "more-ones":
        return (1,) * (rank + 1)
    if operand == "full":
        return shape
    if operand == "last":
        return shape[-1:]
    axis = int(operand.removeprefix("axis-"))
    return (1,) * axis + shape[axis : axis + 1] + (1,) * (rank - axis - 1) if axis < rank else None


def number_of(level: str, usual: float, kind: ElementType) -> float:
    """The number that a level means in an element type."""
    if level == "":
        return usual
    if level in _PLAIN:
        return _PLAIN[level]
    exponent = _EXPONENTS.get(kind.name, 100)
    info = ml_dtypes.finfo((f32 if kind is f64 else kind).dtype)
    return {
        "large": 2.0**exponent,
        "small": 2.0**-exponent,
        "most": float(info.max),
        "least": float(info.min),
        "subnormal": 3 * float(info.smallest_subnormal),
    }[level]


def constant(
    operand: str, level: str, usual: float, kind: ElementType, shape: tuple[int, ...]
) -> Tensor | None:
    """The constant for data of a type and a shape; None where there is none."""
    own = shape_of(operand, shape)
    if own is None:
        return None
    number = number_of(level, usual, kind)
    halved = 2.0 ** -(np.arange(math.prod(own)) % _HALVINGS)
    # Of a subnormal number there is no half.
    values = np.full(own, number) if level == "subnormal" else (number * halved).reshape(own)
    return Tensor(kind, own, _nested(values))


def _nested(values: np.ndarray) -> object:
    return tuple(map(_nested, values)) if values.ndim else float(values)
