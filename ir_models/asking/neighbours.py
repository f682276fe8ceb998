"""Neighbours: layers before and behind the layer under test, so that a device may fuse them with it.

A neighbour's effect on the bound of an output is known exactly. ``reference.accuracy.neighbours`` says what it makes of
an expected output; the two meet on the neighbour's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

from ir_models.asking import operands
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
# Devices may compute Relu and ReduceMax of integers in f32, which holds these; wider ones would show an error of the
# neighbour.
_SIGNED_IN_F32 = (*FLOATS, i8, i16)
_EXACT_IN_F32 = (*_SIGNED_IN_F32, u8, u16)


@dataclass(frozen=True)
class Written:
    """A layer of IR. ``inputs`` are constants; None stands for the tensor that comes from the layer before.

    Of several ``outputs``, all of one element type, the next layer takes the one at ``taken``.
    """

    type: str
    opset: str
    element_type: ElementType
    inputs: Sequence[Tensor | None] = (None,)
    attributes: Mapping[str, str] = field(default_factory=dict)
    outputs: int = 1
    taken: int = 0


def _same(values: np.ndarray) -> np.ndarray:
    return values


@dataclass(frozen=True)
class Neighbour:
    """A neighbour: the element types that it takes, and its layers in IR for a tensor of a type and a shape.

    Before the layer under test, ``received`` makes of drawn values such as the layer can receive, and ``fed`` gives the
    values that the Parameter needs for these; None where the neighbour stands only behind. ``fed_shape`` gives the
    shape of the Parameter. ``is_clipping``: values that it cannot give are changed, so the layer must take any values.
    ``loses``: the values before it do not follow from those behind it. ``of_sums``: for sums of many terms alone.
    ``usual``: the number of the constant that it has as its second operand, None where it has none; its shape and
    another number are factors of their own (see ``ir_models.asking.operands``). ``type_behind``: the element type that
    it gives. ``needs_shape``: behind a layer its shape must be known. ``least_rank``: that of its data.
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
    usual: float | None = None
    type_behind: Callable[[ElementType], ElementType] = lambda kind: kind
    needs_shape: bool = False
    least_rank: int = 0


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


# --- a constant as second operand ---------------------------------------------------------------------------------


# The layers of neighbours with a constant; what makes the Parameter's values of a layer's, and these of the former.
_ARITHMETIC = {
    "multiply": ("Multiply", lambda values, constant: values / constant, np.multiply),
    "divide": ("Divide", lambda values, constant: values * constant, np.divide),
    "add": ("Add", lambda values, constant: values - constant, np.add),
    "subtract": ("Subtract", lambda values, constant: values + constant, np.subtract),
    "prelu": ("PReLU", None, None),
}
# Numbers for which a layer before gives values without an error.
EXACT_BEFORE = {
    "multiply": ("", "minus-two", "large", "small"),
    "divide": ("", "minus-two", "large", "small"),
    "add": ("", "minus-two", "three-halves"),
    "subtract": ("", "minus-two", "three-halves"),
}
_NEAR = 8.0


def constant_of(
    name: str, operand: str, number: str, kind: ElementType, shape: tuple[int, ...]
) -> Tensor | None:
    """The second operand of a neighbour for data of a type and a shape; None where it has none of this shape."""
    usual = NEIGHBOURS[name].usual
    if usual is None:
        return None
    if name == "prelu":
        # The page knows one slope for all elements, or one for each channel.
        if operand == "axis-1":
            found = operands.constant("last", number, usual, kind, shape[1:2])
            return found if len(shape) > 1 else None
        return operands.constant("one", number, usual, kind, shape) if operand == "" else None
    return operands.constant(operand, number, usual, kind, shape)


def constant_behind(
    name: str, operand: str, number: str, kind: ElementType, shape: tuple[int, ...]
) -> Tensor | None:
    """Like ``constant_of``; an output whose rank has no such axis meets a constant of the usual shape."""
    found = constant_of(name, operand, number, kind, shape)
    return constant_of(name, "", number, kind, shape) if found is None else found


# --- what changes the shape -----------------------------------------------------------------------------------------


def _keeping_two(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
    if 0 in shape:
        return [_reshaped((*shape[:2], 0), element_type)]
    pattern = (*(0,) * min(len(shape), 2), -1)
    tensor = Tensor(i64, (len(pattern),), pattern)
    return [Written("Reshape", "opset1", element_type, (None, tensor), {"special_zero": "true"})]


def _ending_in_one(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
    return [_reshaped((0 if 0 in shape else -1, 1), element_type)]


def _axes(kind: str, *axes: int, **attributes: str) -> Callable[..., list[Written]]:
    """A layer along axes, which its second input names."""

    def written(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
        tensor = Tensor(i64, (len(axes),), axes)
        layer = Written(kind, "opset1", element_type, (None, tensor), dict(attributes))
        needs_axis = kind.startswith("Reduce") and not shape
        return [_reshaped((1,), element_type), layer] if needs_axis else [layer]

    return written


def _sliced(start: int, stop: int, axis: int) -> Callable[..., list[Written]]:
    def written(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
        numbers = (Tensor(i64, (1,), (number,)) for number in (start, stop, 1, axis))
        layer = Written("Slice", "opset8", element_type, (None, *numbers))
        return [layer] if shape else [_reshaped((1,), element_type), layer]

    return written


def _joined_with_ones(element_type: ElementType, shape: tuple[int, ...]) -> list[Written]:
    own = shape or (1,)
    ones = Tensor(element_type, own, _filled(True if element_type is boolean else 1, own))
    joined = Written("Concat", "opset1", element_type, (None, ones), {"axis": str(len(own) - 1)})
    return [joined] if shape else [_reshaped((1,), element_type), joined]


def _filled(number: object, shape: tuple[int, ...]) -> object:
    return (_filled(number, shape[1:]),) * shape[0] if shape else number


def _part_of_two(element_type: ElementType, _: tuple[int, ...]) -> list[Written]:
    inputs = (None, Tensor(i64, (), 0))
    return [Written("Split", "opset1", element_type, inputs, {"num_splits": "2"}, 2, 1)]


BESIDE = 3  # elements along the last axis in front of the part that a layer takes


def _part_of_row(element_type: ElementType, _: tuple[int, ...]) -> list[Written]:
    inputs = (None, Tensor(i64, (), -1), Tensor(i64, (2,), (BESIDE, -1)))
    return [Written("VariadicSplit", "opset1", element_type, inputs, {}, 2, 1)]


def _one_of_axis(element_type: ElementType, _: tuple[int, ...]) -> list[Written]:
    inputs = (None, Tensor(i64, (), 1), Tensor(i64, (), 1))
    return [Written("Gather", "opset8", element_type, inputs)]


def _ones(shape: tuple[int, ...], values: np.ndarray) -> np.ndarray:
    return np.ones(shape, values.dtype)


def _converted_to(kind: ElementType) -> Callable[..., list[Written]]:
    return lambda *_: [
        Written("Convert", "opset1", kind, attributes={"destination_type": kind.name})
    ]


_MOVED = (*FLOATS, *INTEGERS, boolean)
_NUMBERS = (*FLOATS, *INTEGERS)

NEIGHBOURS: dict[str, Neighbour] = {
    "relu": Neighbour(
        "Relu", _SIGNED_IN_F32, _unary("ReLU"), _negative_for_zero,
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
        "Multiply by 2", FLOATS, _with_number("Multiply", 2.0), _halved, lambda values: _halved(values) * 2,
        usual=2.0,
    ),
    "add": Neighbour(
        f"Add of {ADDED}", FLOATS, _with_number("Add", ADDED), loses=True, of_sums=True, usual=ADDED
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
    "subtract": Neighbour(
        f"Subtract of {ADDED}", FLOATS, _with_number("Subtract", ADDED), loses=True, usual=ADDED
    ),
    "divide": Neighbour("Divide by 2", FLOATS, _with_number("Divide", 2.0), loses=True, usual=2.0),
    "prelu": Neighbour(
        "PReLU with a slope of 1/4", FLOATS,
        lambda kind, shape: [Written("PReLU", "opset1", kind, (None, kind.tensor([0.25])))],
        loses=True, usual=0.25,
    ),
    "keep-two": Neighbour("Reshape that keeps two dimensions", _MOVED, _keeping_two),
    "end-one": Neighbour("Reshape to a column", _MOVED, _ending_in_one),
    "unsqueeze": Neighbour(
        "Unsqueeze, which inserts a dimension of 1 in front", _MOVED, _axes("Unsqueeze", 0)
    ),
    "squeeze": Neighbour(
        "Squeeze: of a dimension of 1 in front before a layer, of all dimensions of 1 behind it", _MOVED,
        lambda kind, _: [Written("Squeeze", "opset1", kind)],
        lambda values: values[None], fed_shape=lambda shape: (1, *shape), needs_shape=True,
    ),
    "reduce-max": Neighbour(
        "ReduceMax along the last axis", _EXACT_IN_F32, _axes("ReduceMax", -1, keep_dims="false"), loses=True
    ),
    "reduce-max-keep": Neighbour(
        "ReduceMax along the last axis, which stays", _EXACT_IN_F32,
        _axes("ReduceMax", -1, keep_dims="true"), loses=True,
    ),
    "reduce-sum": Neighbour(
        "ReduceSum along the first axis", FLOATS, _axes("ReduceSum", 0, keep_dims="false"), loses=True
    ),
    "slice": Neighbour(
        "Slice without an end: of both ends of the first axis before a layer, of the last axis behind it", _MOVED,
        _sliced(1, 2**31 - 1, -1),
        lambda values: np.pad(values, [(1, 1), *[(0, 0)] * (values.ndim - 1)], constant_values=1),
        fed_shape=lambda shape: (shape[0] + 2, *shape[1:]), loses=True, least_rank=1,
    ),
    "split": Neighbour(
        "the second part of a Split in two of the first axis", _MOVED, _part_of_two,
        lambda values: np.concatenate([np.flip(values), values]),
        fed_shape=lambda shape: (2 * shape[0], *shape[1:]), least_rank=1,
    ),
    "variadic-split": Neighbour(
        f"what a VariadicSplit leaves of the last axis behind {BESIDE} elements", _MOVED, _part_of_row,
        lambda values: np.concatenate([_ones((*values.shape[:-1], BESIDE), values), values], -1),
        fed_shape=lambda shape: (*shape[:-1], shape[-1] + BESIDE), least_rank=1,
    ),
    "gather": Neighbour(
        "Gather of one index of an axis behind the first one, which goes", _MOVED, _one_of_axis,
        lambda values: np.stack([np.flip(values), values, np.flip(values)], 1),
        fed_shape=lambda shape: (shape[0], 3, *shape[1:]), least_rank=1,
    ),
    "concat-constant": Neighbour("Concat with a constant", _MOVED, _joined_with_ones, needs_shape=True),
    "to-boolean": Neighbour(
        "Convert to boolean", _NUMBERS, _converted_to(boolean), loses=True, type_behind=lambda kind: boolean
    ),
    "to-number": Neighbour(
        "Convert of boolean to f32", (boolean,), _converted_to(f32), type_behind=lambda kind: f32
    ),
    "to-half": Neighbour(
        "Convert of f32 to f16", (f32,), _converted_to(f16), loses=True, type_behind=lambda kind: f16
    ),
}  # fmt: skip

# Those that stand before a layer alone.
BEFORE_ALONE = ("split", "variadic-split", "gather")
# Those that unknown shapes alone meet (``ir_models.corpus.unknown``): other arrays stay as they were without them.
OF_UNKNOWN = ("gather",)
# Those of earlier corpora, which every layer meets in every way that it can have; others meet by covering arrays.
FIRST = (
    "relu", "abs", "negative", "multiply", "add", "clamp", "logical-not", "transpose", "reshape", "concat", "convert",
)  # fmt: skip


WITH_CONSTANT = tuple(name for name, each in NEIGHBOURS.items() if each.usual is not None)
"""Neighbours whose constant has shapes and numbers of its own."""
WRITES_SIZES = ("keep-two", "end-one")
"""Layers behind that write sizes of the data where there is no element, from which -1 could tell them."""


def may_stand_before(name: str) -> bool:
    """Whether there is a layer of this name before another one."""
    return NEIGHBOURS[name].fed is not None or name in EXACT_BEFORE


def reader_of(kind: ElementType) -> str:
    """The layer that reads a tensor beside another layer, and is computed in its place where that is not seen."""
    if kind is boolean:
        return "logical-not"
    return "negative" if kind in NEIGHBOURS["negative"].types else "reshape"


def may_be_read(kind: ElementType) -> bool:
    """Whether there is a reader for an element type."""
    return kind in _MOVED


def is_converted(kind: ElementType) -> bool:
    """Whether there is a wider type to convert an element type to, and back."""
    return kind in _WIDER


def fed(name: str, operand: str, number: str, kind: ElementType, values: np.ndarray) -> np.ndarray:
    """The values of the Parameter for those that a layer receives from the neighbour before it."""
    constant = _constant_before(name, operand, number, kind, values)
    if constant is None:
        inverse = NEIGHBOURS[name].fed
        assert inverse is not None
        return inverse(values)
    backward = _ARITHMETIC[name][1]
    assert backward is not None
    return backward(values.astype(np.float64), constant).astype(values.dtype)


def received(
    name: str, operand: str, number: str, kind: ElementType, values: np.ndarray
) -> np.ndarray:
    """Values such as a layer can receive from the neighbour before it, without an error, like the drawn ones."""
    constant = _constant_before(name, operand, number, kind, values)
    if constant is None:
        return NEIGHBOURS[name].received(values)
    _, backward, forward = _ARITHMETIC[name]
    assert backward is not None
    assert forward is not None
    wide, info = values.astype(np.float64), ml_dtypes.finfo(values.dtype)
    if name in ("add", "subtract"):
        # So few digits that the sum has them all.
        step = 2.0 ** (4 - int(info.nmant))
        given = np.round(np.clip(wide, -_NEAR, _NEAR) / step) * step
    else:
        given = backward(wide, constant)
        size = np.abs(given)
        given = np.where(
            (size < float(info.smallest_normal)) | (size > float(info.max)), 0.0, given
        )
    return forward(given, constant).astype(values.dtype)


def _constant_before(
    name: str, operand: str, number: str, kind: ElementType, values: np.ndarray
) -> np.ndarray | None:
    """The constant of a layer before another one; None where its values are made in its own way."""
    neighbour = NEIGHBOURS[name]
    if neighbour.usual is None or (neighbour.fed is not None and not (operand or number)):
        return None
    constant = constant_of(name, operand, number, kind, values.shape)
    assert constant is not None
    return constant.array().astype(np.float64)


def layers_behind(
    name: str, kind: ElementType, shape: tuple[int, ...], operand: str = "", number: str = ""
) -> list[Written]:
    """The layers behind an output, none where the neighbour does not take its type."""
    neighbour = NEIGHBOURS[name]
    if kind not in neighbour.types:
        return []
    return _written(name, kind, shape, operand, number)


def layers_before(name: str, tensor: Tensor, operand: str = "", number: str = "") -> list[Written]:
    """The layers between the Parameter and the layer that takes ``tensor``."""
    kind = tensor.element_type
    if name == "reshape":
        return [_reshaped(tensor.shape, kind)]
    if name == "slice":
        return _sliced(1, -1, 0)(kind, tensor.shape)
    if name == "squeeze":
        return [Written("Squeeze", "opset1", kind, (None, Tensor(i64, (1,), (0,))))]
    return _written(name, kind, tensor.shape, operand, number)


def _written(
    name: str, kind: ElementType, shape: tuple[int, ...], operand: str, number: str
) -> list[Written]:
    if NEIGHBOURS[name].usual is None or not (operand or number):
        return NEIGHBOURS[name].layers(kind, shape)
    constant = constant_behind(name, operand, number, kind, shape)
    return [Written(_ARITHMETIC[name][0], "opset1", kind, (None, constant))]
