"""Parameters of a layer as text, in the notation of case ids: ``"data=u8[2,4,3]; axes=1,2; mode=floor; exclusive=-"``.

| text | what it is |
|---|---|
| ``data=[2,4,3]`` | a shape, in the usual type; ``data=u8[2,4,3]`` in this type |
| ``data=u8`` | this type, in the shape that there is |
| ``indices=i64:[[0,-2],[1,0]]`` | a value that the layer states |
| ``axes=1,2`` and ``axes=i32:1,2`` | the value of an index input, in the usual type and in this one |
| ``axes=(3)`` | a number where the page has a list |
| ``axis=3`` | a number: of an index input that may be a scalar, or an attribute |
| ``data=[2,3],[4,3]`` | several tensors, for an input that repeats |
| ``axes=-`` | left out |

| ``axis=0|2`` | in the changes of a variant: one value, then the other, in every combination with other names |

Of a name that stands twice the last value counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ir_models.vocabulary.element_types import ELEMENT_TYPES, Tensor, element_type, string
from ir_models.vocabulary.page import Attribute, Input

_TENSOR = re.compile(r"(\w*)\[([\d,]*)\]")


def read(
    text: str, inputs: Mapping[str, Input], attributes: Mapping[str, Attribute]
) -> dict[str, Any]:
    """The parameters that a text names, as ``Operation.layer`` and ``Layer.changed`` take them. Raises ValueError."""
    found: dict[str, Any] = {}
    for part in text.split(";"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or (name not in inputs and name not in attributes):
            names = ", ".join([*inputs, *attributes])
            raise ValueError(f"{part.strip()!r} is not NAME=VALUE with one of {names or 'none'}")
        try:
            found[name] = _read_one(inputs.get(name), attributes.get(name), value)
        except ValueError as error:
            told = str(error)
            raise ValueError(told if told.startswith(name) else f"{name}: {told}") from None
    return found


def _read_one(declared: Input | None, attribute: Attribute | None, text: str) -> Any:
    if text == "-":
        return None
    if attribute is not None:
        return attribute.parse(text)
    assert declared is not None
    if text in ELEMENT_TYPES:
        return ELEMENT_TYPES[text]
    return read_index(declared, text) if declared.index else _read_data(declared, text)


def _read_data(declared: Input, text: str) -> Any:
    kind, colon, value = text.partition(":")
    if colon:
        return _stated(kind, read_value(declared, value, _item(kind)))
    text = text.replace(" ", "")
    tensors = []
    for name, dims in _TENSOR.findall(text):
        shape = tuple(int(d) for d in dims.split(",") if d)
        tensors.append(Tensor(element_type(name) if name else declared.types.default, shape))
    if _TENSOR.sub("", text).strip(", ") or not tensors:
        raise ValueError(f"{declared.name}={text!r} is not a shape such as [2,3] or f32[2,3]")
    if len(tensors) > 1 and not declared.many:
        raise ValueError(f"{declared.name} takes one tensor, got {text!r}")
    return tuple(tensors) if declared.many else tensors[0]


def read_index(declared: Input, text: str) -> Tensor:
    """The value of an index input, ``1,2``, ``i32:1,2``, ``3`` or ``[[1,2],[3,4]]``. Raises ValueError."""
    kind, colon, value = text.partition(":")
    if not colon:
        kind, value = declared.types.usual_index.name, text
    return _stated(kind, read_value(declared, value, _item(kind)))


def _item(kind: str) -> Callable[[str], Any]:
    return str if kind == string.name else read_number


def _stated(kind: str, value: Any) -> Tensor:
    tensor = Tensor(element_type(kind), np.shape(value), value)
    if not tensor.fits(tensor.element_type):
        raise ValueError(f"{kind} does not hold each of {value}")
    return tensor


def read_value(declared: Input, text: str, read_item: Callable[[str], Any]) -> Any:
    """Nested tuples of items from ``[[1,2],[3,4]]``; the brackets of one list may be left out. Raises ValueError."""
    if declared.is_list and text.startswith("(") and text.endswith(")"):
        return read_item(text[1:-1])
    if declared.is_list and not text.startswith("["):
        return tuple(read_item(item) for item in text.split(",") if item)
    if not text.startswith("["):
        return read_item(text)
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[\[\]]|[^\[\],]+", text):
        if token == "[":
            stack.append([])
        elif token == "]":
            if len(stack) < 2:
                raise ValueError(f"unbalanced brackets in {text!r}")
            done = tuple(stack.pop())
            stack[-1].append(done)
        elif token.strip():
            stack[-1].append(read_item(token.strip()))
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError(f"unbalanced brackets in {text!r}")
    return stack[0][0]


def read_number(text: str) -> int | float | bool:
    """A number or a truth value. Raises ValueError."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            hint = f"; a list has brackets: [{text}]" if "," in text else ""
            raise ValueError(f"{text!r} is not a number{hint}") from None
        # One object for every NaN: Python then holds equal lists for equal, and so equal layers.
        return math.nan if math.isnan(number) else number
