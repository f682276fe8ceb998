"""The attributes of a layer in IR as values of the page's attributes.

Real IR is written by many hands. What OpenVINO reads is read here: enumerations in any case, blanks in lists, numbers
in any notation, and a value that stands for none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType
from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.page import Attribute

# Attributes of which a number means the same as none.
_NONE = {"clip": (0.0, math.inf)}
# Names of element types that older IR has beside the usual ones.
_TYPES = {"bool": "boolean", "undefined": "dynamic"}


def read(operation: Operation, texts: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The attributes by the page's names, and the texts of those that the page does not have.

    Raises ValueError for a text that is not a value of its attribute.
    """
    known = {a.ir_name or a.name: a for a in operation.attributes if a.is_written}
    known |= {a.name: a for a in operation.attributes if a.is_written and a.name not in known}
    found: dict[str, Any] = {}
    others: dict[str, str] = {}
    for name, text in texts.items():
        attribute = known.get(name)
        if attribute is None:
            others[name] = text
            continue
        value = parse(attribute, text)
        if value not in _NONE.get(attribute.name, ()):
            found[attribute.name] = value
    return found, others


def parse(attribute: Attribute, text: str) -> Any:
    """The value of one attribute. Raises ValueError."""
    text = text.strip()
    kind = attribute.type
    try:
        if attribute.is_enumeration:
            return _option(attribute, text)
        if kind is bool:
            return _boolean(text)
        if kind is ElementType:
            name = text.lower()
            return ELEMENT_TYPES.get(_TYPES.get(name, name), text)
        if kind is list:
            return tuple(_whole(item) for item in _items(text))
        if get_origin(kind) is list:
            (item_kind,) = get_args(kind)
            convert = _whole if item_kind is int else item_kind
            return tuple(convert(item) for item in _items(text))
        if kind is int:
            return _whole(text)
        return kind(text) if kind is float else text
    except ValueError:
        raise ValueError(f"{attribute.name} is {text!r}") from None


def _items(text: str) -> list[str]:
    """The items of a list, separated by commas or blanks, with or without brackets."""
    return [item for item in re.split(r"[,\s]+", text.strip("[](){} ")) if item]


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


def _boolean(text: str) -> bool:
    values = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in values:
        raise ValueError(text)
    return values[text.lower()]


def _option(attribute: Attribute, text: str) -> str:
    """The option that a text names in any case; the text itself where it names none."""
    same = (each for each in attribute.type if str(each).lower() == text.lower())
    return str(next(same, text))
