"""How a case can end, how bad each end is, and what the gate makes of it."""

from __future__ import annotations

from enum import Enum


class Outcome(str, Enum):
    """How a case ended. The members stand in order, from good to bad (see `badness`)."""

    PASS = "PASS"
    """Value, shape and type are as specified; an invalid layer was refused."""
    QUALITY = "QUALITY"
    """Outside the quality bound but within the gate's, or different where the page is silent."""
    FOLDED = "FOLDED"
    """The answer is as specified, but the device never executed the layer."""
    COMPILED = "COMPILED"
    """The layer was compiled, and its values were not checked: the device infers nothing. Never a pass."""
    REFUSED = "REFUSED"
    """A clean exception on a valid layer."""
    ACCEPTED_INVALID = "ACCEPTED_INVALID"
    """An invalid layer was read, compiled and inferred without an exception."""
    FAIL = "FAIL"
    """A wrong value, shape or type."""
    FLAKE = "FLAKE"
    """Nondeterministic: two different answers for one case."""
    TIMEOUT = "TIMEOUT"
    """No answer within the limit of the case."""
    CRASH = "CRASH"
    """The process died."""
    ABSENT = "ABSENT"
    """The device is not there."""
    ERROR = "ERROR"
    """The suite itself failed."""

    def __str__(self) -> str:
        return self.value

    @property
    def badness(self) -> int:
        """Rank from good (0) to bad.

        A correct answer is better than a layer of which nothing but that it compiles is known, and that is better than
        a refusal, which the user sees; a refusal is better than a
        wrong answer, which the user does not see; a wrong answer is better than a nondeterministic
        one; any answer is better than none, and a hang is better than a crash, which ends the
        user's process. ABSENT and ERROR say nothing about the device and are last, so that they
        are never an improvement.
        """
        return _BADNESS[self]


_BADNESS = {outcome: rank for rank, outcome in enumerate(Outcome)}


class Gate(str, Enum):
    """What the gate makes of an outcome, the expectations considered."""

    PASS = "pass"
    """PASS, or the outcome that the case requires."""
    QUALITY = "quality"
    """Counted and compared between runs, never red."""
    COMPILED = "compiled"
    """Neither a pass nor red: the layer was compiled, its values were not checked."""
    DEPARTURE = "departure"
    """Red: neither conforming nor expected."""
    EXPLAINED = "explained"
    """A departure that a part of the case explains (see ``reports.explaining``).

    It is as good as that part, which is red itself unless it is expected.
    """
    EXPECTED = "expected"
    """Not conforming, but an expectation covers it."""
    IMPROVED = "improved"
    """Better than expected; red only under ``--strict``."""
    SKIPPED = "skipped"
    """The device is not there, and the user allowed that."""

    def __str__(self) -> str:
        return self.value


def improves(new: Outcome, old: Outcome, required: Outcome = Outcome.PASS) -> bool:
    """Tell whether `new` is better than `old` for a case that requires `required`."""
    return _distance(new, required) < _distance(old, required)


def _distance(outcome: Outcome, required: Outcome) -> int:
    """How far from the required outcome, as a rank; 0 is the required one."""
    return 0 if outcome == required else outcome.badness
