"""How a case can end, how bad each end is, and what the gate makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any


class Outcome(str, Enum):
    """How a case ended. The members stand in order, from good to bad (see `badness`)."""

    PASS = "PASS"
    """The answer is right: value, shape and type; an invalid layer was refused."""
    QUALITY = "QUALITY"
    """Outside the quality bound yet within the gate's, or different where the page is silent."""
    FOLDED = "FOLDED"
    """The answer is right, but the device never executed the layer."""
    REFUSED = "REFUSED"
    """A clean exception: on a valid layer a gap, on an invalid one the right answer."""
    ACCEPTED_INVALID = "ACCEPTED_INVALID"
    """An invalid layer was read, compiled and inferred without a word."""
    FAIL = "FAIL"
    """A wrong value, shape or type."""
    FLAKE = "FLAKE"
    """Two answers for one case: not even the wrong one can be relied on."""
    TIMEOUT = "TIMEOUT"
    """No answer within the limit of the case."""
    CRASH = "CRASH"
    """The process died."""
    ABSENT = "ABSENT"
    """The device is not there."""
    ERROR = "ERROR"
    """The suite itself went wrong."""

    def __str__(self) -> str:
        return self.value

    @property
    def badness(self) -> int:
        """Place in the order from good (0) to bad.

        A right answer beats a refusal, which the user at least hears of; a refusal beats a silent
        wrong answer; a wrong answer beats an unreliable one; any answer beats none, and a hang
        beats a crash, which takes the user's process with it. ABSENT and ERROR say nothing about
        the device and stand last, so that they are never an improvement on anything.
        """
        return _BADNESS[self]


_BADNESS = {outcome: place for place, outcome in enumerate(Outcome)}


class Gate(str, Enum):
    """What the gate makes of an outcome, the expectations considered."""

    PASS = "pass"
    """PASS, or the outcome that the case's purpose wants."""
    QUALITY = "quality"
    """Counted and compared between runs, never red."""
    DEPARTURE = "departure"
    """Red: neither right nor expected."""
    EXPECTED = "expected"
    """Not right, but an expectation covers it."""
    IMPROVED = "improved"
    """Better than expected; red only under ``--strict``."""
    SKIPPED = "skipped"
    """The device is not there, and the user allowed that."""

    def __str__(self) -> str:
        return self.value


def wanted_of(record: Mapping[str, Any]) -> Outcome:
    """Return the outcome that a record's case asks for, PASS for most.

    A record may say it (`wanted`). If it does not, an outcome that the gate took for a pass is the
    one; otherwise an invalid layer asks for a refusal.
    """
    if record.get("wanted"):
        return Outcome(record["wanted"])
    if record["gate"] == Gate.PASS:
        return Outcome(record["outcome"])
    return Outcome.REFUSED if record["purpose"].startswith("invalid") else Outcome.PASS


def conforms(record: Mapping[str, Any]) -> bool:
    """Tell whether the device did what the record's case asks for, within the gate's bound."""
    return record["outcome"] in (wanted_of(record), Outcome.PASS, Outcome.QUALITY)


def improves(new: Outcome, old: Outcome, wanted: Outcome = Outcome.PASS) -> bool:
    """Tell whether `new` is better than `old` for a case that asks for `wanted`."""
    return _distance(new, wanted) < _distance(old, wanted)


def _distance(outcome: Outcome, wanted: Outcome) -> int:
    """How far from what was asked for, as a place in the order; 0 is exactly that."""
    return 0 if outcome == wanted else outcome.badness
