"""How a layer is asked: with which values, what is constant, what is unknown, in what memory, how IR is written.

Each field of ``How`` is one factor; its default is the usual way and does not show in a case's id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from ir_models.asking.neighbours import BEFORE_ALONE, NEIGHBOURS, may_stand_before
from ir_models.asking.operands import MOST_AXES, NUMBERS, SHAPES
from ir_models.asking.sums import SETS
from ir_models.asking.turns import STATES, TURNS, Turn

HOWS: dict[str, dict[str, str]] = {
    "values": {
        "special": "NaN, infinities, zeros, subnormals, the largest and smallest numbers",
        "ends": "values at the type's ends",
        "large": "64-bit numbers that no 32-bit type holds",
        "sweep": "every finite number of f16 or bf16; those of f32 that are hard to compute with",
        "zeros": "zero for every number of what is constant",
        "flips": "numbers where a conversion goes wrong: negative, multiples of 256, fractions, out of range",
        **{name: f"sums of many terms: {about}" for name, (about, _) in SETS.items()},
    },
    "data": {
        "constant": "every input a constant",
        "first": "the first data input given at run time, every other one a constant",
        "runtime": "data whose value the layer states given at run time, not as a constant",
    },
    "index": {
        "parameters": "index inputs given at run time",
        "computed": "index inputs given at run time through a small subgraph",
    },
    "shape": {
        "dims": "every dimension unknown; three inferences",
        "bounds": "dimensions unknown within bounds; three inferences",
        "rank": "rank unknown; three inferences",
        **{
            f"axis-{axis}": f"dimension {axis} of the first data input unknown"
            for axis in range(MOST_AXES)
        },
    },
    "memory": {
        "strided": "input tensors with gaps",
        "offset": "input tensors that begin inside a larger one",
        "foreign": "input tensors over memory of the caller",
    },
    "requests": {
        "again": "one request used twice with other data",
        "two": "two requests at once",
    },
    # Of a layer that reads or sets a variable, which is asked in one of these ways always.
    "state": dict(STATES),
    "ir": {"10": "IR of version 10"},
    "ports": {"page": "port ids as the page's example prints them"},
    "names": {
        "spaces": "names with spaces",
        "quotes": "names with quotes and markup",
        "unicode": "names that are not ASCII",
        "long": "names of a thousand characters",
    },
    "attributes": {"reversed": "attributes in reversed order"},
    "booleans": {"digits": "boolean attributes as 0 and 1"},
    "layers": {"reversed": "layers in reversed order"},
    "weights": {"shared": "constants that share their bytes"},
    # The levels are the names of the layer's data inputs.
    "constant": {},
    "resize": {
        "zero": "a dimension is 0 in the second inference",
        "one": "a dimension is 1 in the second inference",
    },
    "before": {
        name: f"{each.about} before the first data input"
        for name, each in NEIGHBOURS.items()
        if may_stand_before(name)
    },
    "behind": {
        name: f"{each.about} behind each output"
        for name, each in NEIGHBOURS.items()
        if name not in BEFORE_ALONE
    },
    "middle": {"result": "the outputs in front of the layers behind them are results as well"},
    "operand": {name: f"the constant of these layers is {about}" for name, about in SHAPES.items()},
    "number": {name: f"the constant of these layers is {about}" for name, about in NUMBERS.items()},
    "also": {
        "input": "another layer reads what the first data input receives",
        "output": "another layer reads each output",
        "both": "other layers read what the first data input receives, and each output",
    },
    "twice": {
        "plain": "one tensor at the first two data inputs",
        "converted": "one tensor at the first two data inputs, at the second by way of a wider type",
    },
}


@dataclass(frozen=True, eq=False)
class How:
    """The factors of ``HOWS``, each with one of its levels or empty."""

    values: str = ""
    data: str = ""
    index: str = ""
    shape: str = ""
    memory: str = ""
    requests: str = ""
    state: str = ""
    ir: str = ""
    ports: str = ""
    names: str = ""
    attributes: str = ""
    booleans: str = ""
    layers: str = ""
    weights: str = ""
    constant: str = ""
    resize: str = ""
    before: str = ""
    behind: str = ""
    middle: str = ""
    operand: str = ""
    number: str = ""
    also: str = ""
    twice: str = ""

    @property
    def inferences(self) -> int:
        """How often the compiled model is inferred with data of its own."""
        if self.state:
            return len(TURNS[self.state])
        if self.shape:
            return 3
        return 2 if self.requests else 1

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What is done to the state around each inference; none where nothing is."""
        return TURNS[self.state] if self.state else ()

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """(factor, level) of everything that is not usual."""
        for factor in self.__match_args__:
            level = getattr(self, factor)
            if level:
                yield factor, level

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return ",".join(f"{factor}={level}" for factor, level in self.pairs)

    # The text says all, and is made once; there are more than twenty fields.
    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, How) and self._text == other._text)

    def __hash__(self) -> int:
        return hash(self._text)


USUAL = How()


@cache
def way(**levels: str) -> How:
    """The way of asking that differs from the usual one in these factors, made once: layers have many in common."""
    return How(**levels)


WHOLE_SHAPES = ("dims", "bounds", "rank")
"""The levels of shape that leave every dimension unknown."""


def levels(factor: str) -> tuple[str, ...]:
    """The levels of a factor, without the usual one."""
    return tuple(HOWS[factor])
