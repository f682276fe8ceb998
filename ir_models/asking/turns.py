"""Runs of several inferences: which request runs each, and what is done to its state.

A layer that reads or sets a variable shows what it does over several inferences alone. A run begins with requests that
are new, so that no variable has a value.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """One inference of the request number ``request``.

    ``before`` it the request is reset (``reset``), each of its variables is reset by itself (``reset-one``), or each is
    given a value (``set``). ``queried``: the variables are read through the request behind it. ``at_once``: it runs at
    the same time as the next one.
    """

    request: int = 0
    before: str = ""
    queried: bool = False
    at_once: bool = False


STATES: dict[str, str] = {
    "kept": "one request, three inferences: each finds what the one before it left",
    "reset": "the request is reset before the third of four inferences",
    "reset-one": "each variable is reset by itself before the third of four inferences",
    "requests": "two requests in turn, two inferences each: each request has a state of its own",
    "at-once": "two requests at once, twice: each request has a state of its own",
    "set": "the state is set through the request before the first and the third of four inferences",
    "queried": "the state is queried through the request after each of two inferences",
}
_ONE, _OTHER = Turn(0), Turn(1)

TURNS: dict[str, tuple[Turn, ...]] = {
    "kept": (_ONE, _ONE, _ONE),
    "reset": (_ONE, _ONE, Turn(before="reset"), _ONE),
    "reset-one": (_ONE, _ONE, Turn(before="reset-one"), _ONE),
    "requests": (_ONE, _OTHER, _ONE, _OTHER),
    "at-once": (Turn(0, at_once=True), _OTHER, Turn(0, at_once=True), _OTHER),
    "set": (Turn(before="set"), _ONE, Turn(before="set"), _ONE),
    "queried": (Turn(queried=True), Turn(queried=True)),
}
