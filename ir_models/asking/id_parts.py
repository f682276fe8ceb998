"""The parts of a case id as plain data, without the declaration of its operation: the one reader of ids.

``ir_models.parse`` builds the case that an id names. This is for programs that have only ids, and hundreds of thousands
of them, such as the reports of a run. It imports nothing but the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

OF_NEIGHBOURS = ("before", "behind", "middle", "operand", "number", "also", "twice")
"""The factors of which layers stand around the one that is asked, and how they are joined to it."""

FACTORS = (
    "values", "data", "index", "shape", "memory", "requests", "state", "ir", "ports", "names", "attributes",
    "booleans", "layers", "weights", "constant", "resize", *OF_NEIGHBOURS,
)  # fmt: skip
"""The factors of how a case is asked, in the order of an id; ``ir_models.asking.how`` has their levels."""

GRAPHS = "graphs"
"""The purpose of graphs, which have the name of a pattern where layers have their operation."""

AS_TEXT = "Graph"
"""The name of graphs that are of no pattern."""

ABSENT = "-"
"""Stands for an input that is left out, for no data, and for no parameters."""

MODEL = "model"
"""The purpose of the layers of a user's model."""

# What stands between brackets is the shape; a name of an element type has no comma.
_TENSOR = re.compile(r"-(?=,|$)|([^,\[]+)\[([^\]]*)\]")
# A value may hold either separator; behind one that separates stands a name.
_BETWEEN_PAIRS = re.compile(r"[,;](?=[\w.]+=)")
_TYPED = re.compile(r"([a-z]\w*):(.*)", re.DOTALL)
_FACTOR = rf"(?:{'|'.join(FACTORS)})=[^,;=/]+"
# An id has commas there; whoever writes one by hand may write what stands between parameters.
_HOW = re.compile(rf"{_FACTOR}(?:[,;]{_FACTOR})*")


@dataclass(frozen=True)
class DataPart:
    """A data tensor: the name of its element type, and its shape."""

    element_type: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.element_type}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class IdParts:
    """What each segment of an id says.

    ``tensors`` are the data inputs by their places, None for one that is left out. ``parameters`` are index inputs and
    attributes as text. ``how`` has the level of each factor that is not usual.
    """

    operation: str
    purpose: str
    tensors: tuple[DataPart | None, ...]
    parameters: dict[str, str]
    how: dict[str, str]

    @cached_property
    def data(self) -> tuple[DataPart, ...]:
        """The data tensors that are there."""
        return tuple(each for each in self.tensors if each is not None)

    @property
    def inputs(self) -> list[str]:
        """The data inputs as text: ``f32[2,3]``, and ``-`` for one that is left out."""
        return [ABSENT if each is None else str(each) for each in self.tensors]

    @property
    def index_types(self) -> tuple[str, ...]:
        """The element types of index inputs, where they are not the usual ones."""
        found = (typed(value)[0] for value in self.parameters.values())
        return tuple(kind for kind in found if kind)


def segments(text: str) -> tuple[list[str], str]:
    """Operation, purpose, data and parameters of an id as text, and how it is asked.

    Raises ValueError for a text with fewer than three segments.
    """
    operation, purpose, data, *rest = text.split("/")
    # A string value may contain a slash; how a case is asked has none.
    how = rest.pop() if len(rest) > 1 and _HOW.fullmatch(rest[-1]) else ""
    return [operation, purpose, data, "/".join(rest)], how


def is_of_graph(text: str) -> bool:
    """Whether an id is that of a graph."""
    return f"/{GRAPHS}/" in text


def split_id(text: str) -> IdParts:
    """The parts of a case id. Raises ValueError for a text with fewer than three segments."""
    return parts(*segments(text))


def parts(what: Sequence[str], how: str) -> IdParts:
    """The parts of the ``segments`` of an id."""
    operation, purpose, data, parameters = what
    is_text = purpose == GRAPHS and "return " in parameters
    named = {"graph": parameters} if is_text else pairs(parameters)
    return IdParts(operation, purpose, tensors(data), named, pairs(how))


def model_of(case_id: str) -> str:
    """The name of the model whose layer a case is, "" for a case of the corpus."""
    parts = split_id(case_id)
    return parts.parameters.get("model", "") if parts.purpose == MODEL else ""


@lru_cache(maxsize=1 << 14)  # ids are many, the shapes in them few
def tensors(text: str) -> tuple[DataPart | None, ...]:
    """``f32[2,3],-,i64[4]`` as tensors by their places; none for ``-`` alone."""
    if text == ABSENT:
        return ()
    return tuple(
        DataPart(match[1], tuple(int(d) for d in match[2].split(",") if d)) if match[1] else None
        for match in _TENSOR.finditer(text)
    )


def split_pairs(text: str) -> list[str]:
    """``a=1,b=2`` or ``a=1,2;b=3`` as the texts of its pairs; none for no parameters."""
    return [] if text in ("", ABSENT) else _BETWEEN_PAIRS.split(text)


def pairs(text: str) -> dict[str, str]:
    """``a=1,b=2`` or ``a=1,2;b=3`` as a dictionary; what is no pair is left out."""
    parts = (part.partition("=") for part in split_pairs(text))
    return {name: value for name, equals, value in parts if equals}


def typed(value: str) -> tuple[str, str]:
    """The element type that stands before a value, empty where it is the usual one, and the value itself."""
    found = _TYPED.fullmatch(value)
    return (found[1], found[2]) if found else ("", value)
