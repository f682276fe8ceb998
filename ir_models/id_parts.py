"""The parts of a case id as plain data, without the declaration of its operation.

``ir_models.parse`` builds the case that an id names. This is for programs that have only ids, and thousands of them,
such as the scheduler of several processes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ir_models.case import FORM_VALUES

_TENSOR = re.compile(r"([^,\[\-][^,\[]*)\[([^\]]*)\]")
_PAIR = re.compile(r"[,;](?=\w+=)")
_INDEX = FORM_VALUES["feed"]
_HOW = {*FORM_VALUES, *_INDEX} - {"feed"}


@dataclass(frozen=True)
class DataPart:
    """A data tensor: the name of its element type, and its shape."""

    element_type: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class IdParts:
    """What each segment of an id says.

    ``data`` leaves out inputs that are absent. ``parameters`` are index inputs and attributes as text. ``how`` is how
    the layer is asked, by axis; how index inputs are given is not in it, but ``index_types`` has their element types.
    """

    operation: str
    purpose: str
    data: tuple[DataPart, ...]
    parameters: dict[str, str]
    how: dict[str, str]
    index_types: tuple[str, ...]


def split_id(text: str) -> IdParts:
    """The parts of a case id. Raises ValueError for a text with fewer than three segments."""
    operation, purpose, data, *rest = text.split("/")
    # A string value may contain a slash; the last segment never does.
    how = _pairs(rest.pop()) if len(rest) > 1 and _is_how(rest[-1]) else {}
    types = [name for index in _INDEX for name in how.pop(index, "none").split(",")]
    return IdParts(
        operation,
        purpose,
        tuple(
            DataPart(match[1], tuple(int(d) for d in match[2].split(",") if d))
            for match in _TENSOR.finditer(data)
        ),
        _pairs("/".join(rest)),
        how,
        tuple(name for name in types if name != "none"),
    )


def _is_how(segment: str) -> bool:
    return all(part.partition("=")[0] in _HOW for part in _PAIR.split(segment))


def _pairs(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in _PAIR.split(text))
    return {name: value for name, equals, value in pairs if equals}
