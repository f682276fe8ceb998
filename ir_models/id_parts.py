"""The parts of a case id as plain data, without the declaration of its operation.

``ir_models.parse`` builds the case that an id names. This is for programs that have only ids, and thousands of them,
such as the scheduler of several processes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ir_models.how import HOWS

_TENSOR = re.compile(r"([^,\[\-][^,\[]*)\[([^\]]*)\]")
_INPUT = re.compile(r"[^,\[\]]+(?:\[[^\]]*\])?")
_PAIR = re.compile(r"[,;](?=\w+=)")
_INDEX_TYPE = re.compile(r"([a-z]\w*):")


ABSENT = "-"


@dataclass(frozen=True)
class DataPart:
    """A data tensor: the name of its element type, and its shape."""

    element_type: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class IdParts:
    """What each segment of an id says.

    ``data`` leaves out inputs that are absent; ``inputs`` are the texts of all, ``-`` for one that is. ``parameters``
    are index inputs and attributes as text. ``how`` has the level of each factor (see ``ir_models.how``) that is not
    usual.
    """

    operation: str
    purpose: str
    data: tuple[DataPart, ...]
    parameters: dict[str, str]
    how: dict[str, str]
    inputs: tuple[str, ...] = ()

    @property
    def index_types(self) -> tuple[str, ...]:
        """The element types of index inputs, where they are not the usual ones."""
        found = map(_INDEX_TYPE.match, self.parameters.values())
        return tuple(match[1] for match in found if match)


def segments(text: str) -> tuple[list[str], str]:
    """The first three segments of an id and its parameters, and the text of how it is asked."""
    operation, purpose, data, *rest = text.split("/")
    # A string value may contain a slash; the last segment never does.
    how = rest.pop() if len(rest) > 1 and _is_how(rest[-1]) else ""
    return [operation, purpose, data, "/".join(rest)], how


def split_id(text: str) -> IdParts:
    """The parts of a case id. Raises ValueError for a text with fewer than three segments."""
    (operation, purpose, data, parameters), how = segments(text)
    return IdParts(
        operation,
        purpose,
        tuple(
            DataPart(match[1], tuple(int(d) for d in match[2].split(",") if d))
            for match in _TENSOR.finditer(data)
        ),
        {} if parameters == ABSENT else pairs(parameters),
        pairs(how),
        tuple(match[0] for match in _INPUT.finditer(data)),
    )


def _is_how(segment: str) -> bool:
    return all(part.partition("=")[0] in HOWS for part in segment.split(","))


def pairs(text: str) -> dict[str, str]:
    """``a=1,b=2`` or ``a=1,2;b=3`` as a dictionary; what is no pair is left out."""
    parts = (part.partition("=") for part in _PAIR.split(text))
    return {name: value for name, equals, value in parts if equals}
