"""How a case can end, how bad each end is, and what the gate decides of it."""

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
    """The process died, or what it sent was no answer."""
    ABSENT = "ABSENT"
    """The device is not there."""
    ERROR = "ERROR"
    """The suite itself failed."""

    def __str__(self) -> str:
        return self.value

    @property
    def says_nothing(self) -> bool:
        """Whether it says nothing about the device: such a case stands in no baseline."""
        return self in (Outcome.ABSENT, Outcome.ERROR)

    @property
    def badness(self) -> int:
        """Rank from good (0) to bad, in which reports list outcomes; what is an improvement the gate decides.

        A correct answer is better than a layer that is only known to compile, and that is better than a refusal, which
        the user sees; a refusal is better than a wrong answer, which the user does not see; a wrong answer is better
        than a nondeterministic one; a hang is better than a crash, which ends the user's process. ABSENT and ERROR say
        nothing about the device and are last.
        """
        return _BADNESS[self]


_BADNESS = {outcome: rank for rank, outcome in enumerate(Outcome)}

ENDS = frozenset({Outcome.CRASH, Outcome.TIMEOUT})
"""Outcomes that end the child process, or may damage it."""


class Gate(str, Enum):
    """What the gate decides of a case, by its baseline and the known causes: see ``reports.gate.decision``."""

    PASS = "pass"
    """PASS, or the outcome that the case requires."""
    QUALITY = "quality"
    """Counted and compared between runs, never red."""
    COMPILED = "compiled"
    """Neither a pass nor red: the layer was compiled, its values were not checked."""
    KNOWN = "known"
    """Departs as the baseline says."""
    REWORDED = "reworded"
    """Refused as another release refused it, in other words."""
    NEW_CASE = "new case"
    """Departs in a case that no baseline asked, or asked with other kernels, as a narrow cause says.

    Red under an option.
    """
    EXPLAINED = "explained"
    """A departure that a part of the case explains (see ``reports.results.explained.explanations``).

    It is as good as that part, which is red itself unless it is known.
    """
    ADDED = "added"
    """In reports: a case that the run added to find which part of a departure fails.

    The departure counts, and this case does not (see ``reports.results.explained.explanations.counted``).
    """
    IMPROVED = "improved"
    """Better than the baseline says; red under an option."""
    NOT_CLAIMED = "not claimed"
    """Refused cleanly, and outside what the device claims to run (``--claims``)."""
    SKIPPED = "skipped"
    """The device is not there, and the user allowed that."""
    WORSE = "worse"
    """Red: departs otherwise than the baseline says, or more."""
    BROKEN = "broken"
    """Red: departs, and conformed in the run of the baseline, which is of the same release."""
    REGRESSED = "regressed"
    """Red: departs, and conformed in another release, whatever cause names it."""
    NEW = "new"
    """Red: departs in a case that no baseline asked, and no narrow cause names it."""
    NO_VERDICT = "no verdict"
    """Red: ERROR or ABSENT, which say nothing about the device, whatever the baseline has."""

    def __str__(self) -> str:
        return self.value

    @property
    def is_red(self) -> bool:
        """Whether a case of this gate fails the run, whatever the options are."""
        return self in RED

    def is_red_if(self, strict: bool) -> bool:
        """Tell whether a case of this gate fails a run that is ``strict`` or not."""
        return self.is_red or (strict and self in (Gate.IMPROVED, Gate.NEW_CASE))

    @property
    def has_cause(self) -> bool:
        """Whether it is a departure that is counted under a known cause."""
        return self in (Gate.KNOWN, Gate.REWORDED, Gate.NEW_CASE)


RED = (Gate.REGRESSED, Gate.BROKEN, Gate.WORSE, Gate.NEW, Gate.NO_VERDICT)
"""Gates that fail a run, the most telling first."""
