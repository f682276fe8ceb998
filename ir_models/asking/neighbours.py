"""Neighbours: layers before and behind the layer under test, so that a device may fuse them with it.

A neighbour's effect on the bound of an output is known exactly. ``reference.accuracy.neighbours`` says what it makes of
an expected output; the two meet on the neighbour's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ir_models.vocabulary.element_types import (
    FLOATS,
    INTEGERS,
    ElementType,
    Tensor,
    bf16,
    boolean,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
)

ADDED = 1.5
LIMITS = (-16.0, 16.0)

# Types to convert to and back: they hold all numbers of the first ones.
_WIDER = {
    f16: f32, bf16: f32, f32: f64, i8: i32, u8: i32, i16: i32, u16: i32, i32: i64, u32: i64, boolean: u8,
}  # fmt: skip
_SIGNED = (*FLOATS, i8, i16, i32, i64)
# Devices may compute Relu of integers in f32, which holds these; wider ones would show an error of the neighbour.
_EXACT_IN_F32 = (*FLOATS, i8, i16)


@dataclass(frozen=True)
class Written:
    """A layer of IR. ``inputs`` are constants; None stands for the tensor that comes from the layer before."""

    type: str
    opset: str
    element_type: ElementType
    inputs: Sequence[Tensor | None] = (None,)
    attributes: Mapping[str, str] = field(default_factory=dict)


def _same(values: np.ndarray) -> np.ndarray:
    return values


@dataclass(frozen=True)
class Neighbour:
    """A neighbour: the element types that it takes, and its layers in IR for a tensor of a type and a shape.

    Before the layer under test, ``received`` makes of drawn values such as the layer can receive, and ``fed`` gives
    the values that the Parameter needs for these; None where the neighbour stands only behind. ``fed_shape`` gives the
    shape of the Parameter. ``is_clipping``: values that it cannot give are changed, so the layer must take any values.
    ``loses``: the values before it cannot be told from those behind it. ``of_sums``: for sums of many terms alone.
    """

    about: str
    types: tuple[ElementType, ...]
    layers: Callable[[ElementType, tuple[int, ...]], list[Written]]
    fed: Callable[[np.ndarray], np.ndarray] | None = None
    received: Callable[[np.ndarray], np.ndarray] = _same
    fed_shape: Callable[[tuple[int, ...]], tuple[int, ...]] = lambda shape: shape
    is_clipping: bool = False
    loses: bool = False
    of_sums: bool = False


def _unary(kind: str, **attributes: str) -> Callable[[ElementType, tuple[int, ...]], list[Written]]:
    return lambda element_type, _: [
        Written(kind, "opset1", element_type, attributes=dict(attributes))
    ]


def _with_number(
    kind: str, number: float
) -> Callable[[ElementType, tuple[int, ...]], list[Written]]:
    return lambda element_type, _: [
        Written(kind, "opset1", element_type, (None, element_type.tensor(number)))
    ]


def _transposed(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
    order = Tensor(i64, (len(shape),), tuple(reversed(range(len(shape)))))
    return [Written("Transpose", "opset1", element_type, (None, order))]


def _reshaped(shape: tuple[int, ...], element_type: ElementType) -> Written:
    pattern = Tensor(i64, (len(shape),), shape)
    return Written("Reshape", "opset1", element_type, (None, pattern), {"special_zero": "false"})


def _joined(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
    twice = Written("Concat", "opset1", element_type, (None, None), {"axis": "0"})
    return [twice] if shape else [_reshaped((1,), element_type), twice]


def _converted(element_type: ElementType, _: tuple[int, ...]) -> list[Written]:
    wide = _WIDER[element_type]
    return [
        Written("Convert", "opset1", kind, attributes={"destination_type": kind.name})
        for kind in (wide, element_type)
    ]


def _without_least(values: np.ndarray) -> np.ndarray:
    """Integers with the least one, whose negative the type does not hold, replaced by the next."""
    if values.dtype.kind != "i":
        return values
    return np.maximum(values, np.iinfo(values.dtype).min + 1)


def _halved(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float64) / 2).astype(values.dtype)


def _some_negative(values: np.ndarray) -> np.ndarray:
    """Every other number with its sign changed."""
    flat = values.reshape(-1).copy()
    flat[::2] = -flat[::2]
    return flat.reshape(values.shape)


def _negative_for_zero(values: np.ndarray) -> np.ndarray:
    """Numbers below zero where the value is zero."""
    below = -1 - np.arange(values.size) % 7
    return np.where(values == 0, below.reshape(values.shape).astype(values.dtype), values)


_MOVED = (*FLOATS, *INTEGERS, boolean)

NEIGHBOURS: dict[str, Neighbour] = {
    "relu": Neighbour(
        "Relu", _EXACT_IN_F32, _unary("ReLU"), _negative_for_zero,
        lambda values: np.where(values > 0, values, np.zeros_like(values)), is_clipping=True, loses=True,
    ),
    "abs": Neighbour(
        "Abs", _SIGNED, _unary("Abs"), _some_negative,
        lambda values: np.abs(_without_least(values)), is_clipping=True, loses=True,
    ),
    "negative": Neighbour(
        "Negative", _SIGNED, _unary("Negative"), np.negative, _without_least
    ),
    "multiply": Neighbour(
        "Multiply by 2", FLOATS, _with_number("Multiply", 2.0), _halved, lambda values: _halved(values) * 2
    ),
    "add": Neighbour(
        f"Add of {ADDED}", FLOATS, _with_number("Add", ADDED), loses=True, of_sums=True
    ),
    "clamp": Neighbour(
        f"Clamp from {LIMITS[0]} to {LIMITS[1]}", FLOATS,
        _unary("Clamp", min=str(LIMITS[0]), max=str(LIMITS[1])), loses=True, of_sums=True,
    ),
    "logical-not": Neighbour("LogicalNot", (boolean,), _unary("LogicalNot"), np.logical_not),
    "transpose": Neighbour(
        "Transpose that reverses the dimensions", _MOVED, _transposed,
        np.transpose, fed_shape=lambda shape: shape[::-1],
    ),
    "reshape": Neighbour(
        "Reshape to one dimension, or from one", _MOVED,
        lambda kind, _: [_reshaped((-1,), kind)], np.ravel, fed_shape=lambda shape: (int(np.prod(shape)),),
    ),
    "concat": Neighbour("Concat with itself", _MOVED, _joined),
    "convert": Neighbour(
        "Convert to a wider type and back", tuple(_WIDER), _converted, lambda values: values
    ),
}  # fmt: skip


def layers_behind(name: str, kind: ElementType, shape: tuple[int, ...]) -> list[Written]:
    """The layers behind an output, none where the neighbour does not take its type."""
    neighbour = NEIGHBOURS[name]
    return neighbour.layers(kind, shape) if kind in neighbour.types else []


def layers_before(name: str, tensor: Tensor) -> list[Written]:
    """The layers between the Parameter and the layer that takes ``tensor``."""
    neighbour = NEIGHBOURS[name]
    if name == "reshape":
        return [_reshaped(tensor.shape, tensor.element_type)]
    return neighbour.layers(tensor.element_type, tensor.shape)
