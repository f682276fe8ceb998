"""What a record says of a departure, as data. Texts are made from facts, and no text is read back.

`Facts` says where a device departed and in which way. How much is wrong is an `Extent`, which `extent` makes of
the numbers of a record.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal, NamedTuple

import msgspec

from reports.results.outcomes import ENDS, Outcome

Stage = Literal["", "open", "read", "compile", "infer", "fetch", "release"]
"""Where a device refused, died or hung."""

Kind = Literal[
    "",
    "value",
    "not finite",
    "distribution",
    "shape",
    "type",
    "bytes",
    "shape at reading",
    "type at reading",
    "rank at reading",
    "outputs",
    "inputs",
    "message",
    "empty message",
    "signal",
    "timeout",
    "accepted",
    "damage",
    "two answers",
    "only in a pack",
    "not repeated",
]
"""In which way a device departed. ``not finite`` is a value that is NaN or infinite and should not be; ``bytes`` are no
values of the type; ``outputs`` is their number; ``inputs`` are those of a compiled model; ``damage`` is what an invalid
layer does to later ones."""


# A record's numbers from here on stand for infinity, which JSON has not.
_INFINITE = 1e300


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a case departed. What does not apply has its default."""

    stage: Stage = ""
    inference: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of the inference from 1; 0 where the case has one alone."""
    output: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Output index."""
    kind: Kind = ""
    signal: str = ""
    """Signal or exit status of a process that died; "malformed answer" of one that was ended for that."""
    message: str = ""
    """Class of the device's message: see `message_class`."""
    rule: str = ""
    """Id of the rule of the page that an invalid layer breaks."""
    computed_as: str = ""
    """What a wrong answer is right for: inputs that were narrowed first, such as "f64 as f32"."""

    @property
    def is_at_reading(self) -> bool:
        """Whether it is what reading a model does, which is core's, whatever device the model is for."""
        return self.stage == "read" or self.kind.endswith("at reading")


def is_unsafe(outcome: Outcome, facts: Facts) -> bool:
    """Tell whether the process dies, hangs, or its memory is damaged."""
    return outcome in ENDS or facts.kind in ("damage", "bytes")


# The node that OpenVINO validates, with its inputs, which are other ones in each model.
_NODE = re.compile(r"While validating node '[^']*'(?: with friendly_name '[^']*')?")
_TOKEN = re.compile(r"[\w:.+/\\-]+")
_LONGEST = 160


def message_class(text: str) -> str:
    """Return what messages of one kind have in common: the words without numbers, names of nodes and folders.

    At most 160 characters.
    """
    words: list[str] = []
    length = 0
    for token in _TOKEN.findall(_NODE.sub("", text)):
        word = re.split(r"[/\\]", token)[-1].strip(".:-+")
        if not word or any(character.isdigit() for character in word):
            continue
        length += len(word) + 1
        if length > _LONGEST:
            break
        words.append(word)
    return " ".join(words)


LARGEST = 1e300
"""A fraction from here on says only that no error is allowed."""

MOST = 0.7
"""From this share of wrong elements on, a bit-exact output can hardly get worse: what it is must stay the same."""


class Extent(NamedTuple):
    """How wrong a failure is: share of wrong elements (0 to 1), largest error as a fraction of the bound.

    ``fraction`` is None where no error is allowed. ``values`` are the first wrong element of a bit-exact output,
    ``2,0=-128``, as each of the runs had it.
    """

    share: float
    fraction: float | None
    values: tuple[str, ...] = ()

    def is_exceeded_by(self, other: Extent) -> bool:
        """Tell whether another failure of the case is clearly worse, and not by chance."""
        if self.has_fewer_than(other):
            return True
        if self.fraction is None or other.fraction is None:
            # Where fewer are wrong now, the first of them is another one.
            changed = self.values and other.values and not set(self.values) & set(other.values)
            return self.fraction is not None or bool(changed)
        return other.fraction > self.fraction * 10 + 10

    def has_fewer_than(self, other: Extent) -> bool:
        """Tell whether clearly fewer elements are wrong than in another failure of the case."""
        return other.share > self.share * 1.25 + 0.05

    def joined(self, other: Extent) -> Extent:
        """Return the worse of both, with the values of both."""
        fraction = (
            None
            if self.fraction is None or other.fraction is None
            else max(self.fraction, other.fraction)
        )
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        return Extent(max(self.share, other.share), fraction, values)

    def __str__(self) -> str:
        errors = "" if self.fraction is None else f", {times_the_bound(self.fraction)}"
        element, _, value = self.values[0].partition("=") if self.values else ("", "", "")
        shown = f", [{element}] is {value}" if self.values else ""
        return f"{self.share:.0%} of the elements{errors}{shown}"


def times_the_bound(fraction: float) -> str:
    """An error as a multiple of the allowed one, in words; the largest numbers stand for infinity."""
    return f"{fraction:.3g} times the bound" if fraction < _INFINITE else "exact values expected"


def extent(
    wrong: int | None, elements: int | None, fraction: float | None, first: str = ""
) -> Extent | None:
    """Return how wrong a failure is; None where no elements were compared.

    ``first`` is the first wrong element and its value, ``2,0=-128``.
    """
    if wrong is None or not elements:
        return None
    share = wrong / elements
    if fraction is not None and math.isfinite(fraction) and fraction < LARGEST:
        return Extent(share, fraction)
    # A baseline's line has several values with a bar between them.
    is_shown = first and share >= MOST and first.isprintable() and "|" not in first
    return Extent(share, None, (first,) if is_shown else ())
