"""Readings: what a page leaves open, what the suite takes it to mean, and why.

A page may be silent, contradict itself, allow several meanings, or print what its own formula denies. Its declaration
then holds a ``Reading`` as data: the document ``docs/specification.md`` is made of them, and a device that
reads the page otherwise departs in a cause of the class ``open``.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Literal, cast, get_args

Kind = Literal["silence", "contradiction", "ambiguity", "slip"]

KINDS: dict[str, str] = {
    "contradiction": "two sentences of the page exclude each other",
    "silence": "the page does not say it",
    "ambiguity": "the page's words have several meanings",
    "slip": "a printed name, number or reference is wrong, and the page shows what it should be",
}


@dataclass(frozen=True)
class Reading:
    """One choice that a page leaves to its reader.

    ``words`` are the page's, or what it is silent about. ``choice`` is what cases and references follow, ``why`` the
    reason for it. ``admits``: other answers that the page allows as well; a device that gives one departs, in a root
    cause of the class ``open``. Where a reference admits them without a departure, ``choice`` says so.
    """

    words: str
    choice: str
    why: str
    kind: Kind = "ambiguity"
    admits: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"a reading is one of {', '.join(KINDS)}, got {self.kind!r}")
        if not (self.words and self.choice and self.why):
            raise ValueError("a reading has the page's words, the choice and the reason")


def readings(text: str) -> list[Reading]:
    """Readings as a text: a line ``KIND: the page's words`` for each; indented under it the choice, then the reason.

    Where a device may do something else as well, a third line ``admits: ...`` says so. A line that is indented more
    continues the one above. Raises ValueError for other texts.
    """
    joined = re.sub(r"\n {8,}", " ", textwrap.dedent(text).strip("\n"))
    found: list[Reading] = []
    for block in re.split(r"\n(?=\S)", joined):
        head, *said = (line.strip() for line in block.splitlines() if line.strip())
        kind, _, words = head.partition(": ")
        admits = (
            said.pop().removeprefix("admits: ")
            if said[2:3] and said[-1].startswith("admits: ")
            else ""
        )
        if len(said) != 2:
            raise ValueError(f"{head!r} is not followed by a choice, a reason and what it admits")
        found.append(Reading(words, said[0], said[1], cast(Kind, kind), admits))
    return found


# Of every page.
GENERAL: tuple[Reading, ...] = (
    Reading(
        "a rule such as 'must be', 'should be' or 'shouldn't be', a range of values, 'Required: yes'",
        "A layer that breaks it is invalid: a device must refuse it with an exception, at reading, compiling or "
        "inference.",
        "What a page requires of a model has a meaning only if a model without it is no model; 'should' is used where "
        "other pages have 'must'.",
        "silence",
        "No page promises an exception: a device that takes such a layer and goes on in an orderly way departs in a "
        "cause of the class open, a crash or foreign memory is a defect.",
    ),
    Reading(
        "numbers such as axes, lengths or tokens of a numeric type",
        "They are integers written in that type: 2.0 is the length 2, and 2.5 is invalid.",
        "A position between two elements has no meaning.",
    ),
    Reading(
        "a type variable that several inputs name",
        "They have one element type.",
        "That is what naming a type means.",
        admits="Inputs of different types that each are in the list.",
    ),
    Reading(
        "results of integers that their type cannot hold",
        "They are not judged.",
        "Few pages say that integers wrap, none that they saturate.",
        "silence",
    ),
    Reading(
        "NaN in a comparison, a maximum or an order",
        "Elements that it decides are not judged.",
        "The pages define these for numbers alone.",
        "silence",
    ),
    Reading(
        "quotients, means and roots of integers that are no integers",
        "Both neighbours are right, unless the page names a rounding.",
        "The formulas are those of real numbers.",
        "silence",
    ),
    Reading(
        "dimensions of 0",
        "They are dimensions as any other: an output without elements has the shape that the formula gives.",
        "The pages call shapes arbitrary.",
        "silence",
    ),
    Reading(
        "versions of the IR",
        "What a page says holds for a layer in a model of every version from 10 on.",
        "Operations are versioned apart from the IR (the page on operation sets).",
        "silence",
        "Of version 10, outputs of a model in the types that the interface of its time had.",
    ),
    Reading(
        "the ids of ports",
        "Any different numbers, or those that the page prints; inputs are told apart by their order.",
        "The pages print ids from 0 on, from 1 on, and the same one for an input and an output.",
        "silence",
    ),
)
