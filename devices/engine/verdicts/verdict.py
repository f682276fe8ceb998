"""The verdict on a case, and the evidence for it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast, get_args

from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.messages import one_line
from devices.process.protocol import ExecutedNode, Kernel, Question, Reply
from ir_models import Case
from reference import Comparison, Expected
from reports.results.facts_of_departures import Facts, Stage, message_class
from reports.results.outcomes import Outcome
from reports.results.releases import is_not_in_release


@dataclass
class Evidence:
    """The content of a failure folder: the question, the expected outputs by inference, the device's reply.

    ``expect`` gives the expected outputs, which are needed only where a folder is written. ``pack`` are all cases of
    the question where the case departs only together with them. ``shapes`` are those of the layer's own outputs.
    """

    question: Question
    expect: Callable[[], list[list[Expected]]]
    reply: Reply | None
    pack: list[Case] = field(default_factory=list)
    shapes: list[tuple[int, ...]] | None = None

    @property
    def size(self) -> int:
        """The bytes of the question and the reply, strings excepted: its folder takes more."""
        outputs = self.reply.outputs if self.reply is not None else []
        tensors = [tensor.data for each in outputs for tensor in each]
        return self.question.size + sum(getattr(data, "nbytes", 0) for data in tensors)

    @property
    def expected(self) -> list[list[Expected]]:
        """The expected outputs by inference; none for an invalid layer."""
        return self.expect()


@dataclass
class Verdict:
    """The outcome of one case, with what a person needs to check it.

    ``facts`` say how it departed, ``detail`` the same in words with values. ``seconds`` were spent inside OpenVINO.
    ``pack`` is the number of cases in the model. ``output_index`` is the output that ``comparison`` is about.
    ``not_in_release``: this release of OpenVINO does not have the operation or an element type, so an absent layer is
    not the device's fault. ``not_asked``: this machine has too little memory. ``outputs_are_empty``: no output can have
    an element, whatever the inputs hold, as the shapes tell that are inferred at reading. ``traceback`` is that of an
    ERROR. ``digest`` is that of a wrong answer (see ``devices.engine.verdicts.digests``). ``nodes`` are those that the
    device executed, where it was asked for them. ``clues`` and ``right_with`` are what a wrong answer tells of its
    cause, where it is not known (see ``devices.engine.verdicts.clues``).
    """

    case: Case
    outcome: Outcome
    detail: str = ""
    facts: Facts = field(default_factory=Facts)
    seconds: float = 0.0
    kernel: Kernel | None = None
    pack: int = 1
    comparison: Comparison | None = None
    output_index: int = 0
    not_in_release: bool = False
    not_asked: bool = False
    outputs_are_empty: bool = False
    traceback: str = ""
    digest: str = ""
    clues: dict[str, str] = field(default_factory=dict)
    right_with: list[str] = field(default_factory=list)
    nodes: list[ExecutedNode] = field(default_factory=list, repr=False)
    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def is_of_outputs(self) -> bool:
        """Whether outputs are wrong, in their values or their shape."""
        return self.outcome is Outcome.FAIL and self.facts.kind in ("value", "not finite", "shape")

    @property
    def expected_outcome(self) -> Outcome:
        """FOLDED if all outputs are constant, else PASS."""
        is_constant = self.case.gives_constants or self.outputs_are_empty
        return Outcome.FOLDED if is_constant else Outcome.PASS

    @property
    def shows_nothing_wrong(self) -> bool:
        """Whether it is as expected, as far as it was asked: a layer may have been compiled, and not inferred."""
        return self.outcome in (Outcome.PASS, Outcome.COMPILED, self.expected_outcome)

    @property
    def conforms(self) -> bool:
        """Whether it shows nothing wrong, or only values outside the quality bound."""
        return self.shows_nothing_wrong or self.outcome is Outcome.QUALITY

    @property
    def departs(self) -> bool:
        """Whether a valid case alone departs; an error of the suite is no departure of the device."""
        has_two_answers = self.outcome is Outcome.FLAKE and self.facts.kind == "two answers"
        return has_two_answers or self.outcome in _DEPARTURES

    @property
    def way(self) -> tuple[str, ...]:
        """In which way it departs: what stays when the case is shrunk."""
        facts, compared = self.facts, self.comparison
        error = compared.relative_error if compared is not None else None
        size = "slightly" if error is not None and error < _SLIGHT else ""
        found = (str(self.outcome), facts.stage, facts.kind, facts.signal, facts.message, size)
        return (*found, "second inference") if facts.inference > 1 else found


_DEPARTURES = (Outcome.FAIL, Outcome.REFUSED, Outcome.CRASH, Outcome.TIMEOUT)
# The relative error of values that are slightly wrong.
_SLIGHT = 1e-3


def stage_of(name: str) -> Stage:
    """The stage of a name that a child process sent; "" for any other."""
    return cast(Stage, name) if name in get_args(Stage) else ""


def of_ended(error: ChildDiedError | ChildHungError) -> tuple[Outcome, Facts]:
    """CRASH for a child process that died, TIMEOUT for one that hung."""
    stage = stage_of(error.stage)
    if isinstance(error, ChildHungError):
        return Outcome.TIMEOUT, Facts(stage=stage, kind="timeout")
    message = message_class(error.last_line)
    return Outcome.CRASH, Facts(stage=stage, kind="signal", signal=error.status, message=message)


def of_refusal(reply: Reply) -> tuple[str, Facts]:
    """How a device refused: in words, and as facts."""
    message = one_line(reply.error) or "empty message"
    facts = Facts(stage=stage_of(reply.stage), kind="message", message=message_class(message))
    return f"at {reply.stage}: {message}", facts


def refused(case: Case, reply: Reply) -> Verdict:
    """REFUSED for a case that a device refused."""
    return Verdict(case, Outcome.REFUSED, *of_refusal(reply))


def not_in_release(case: Case, reply: Reply, release: str) -> Verdict | None:
    """ABSENT for a layer that this release of OpenVINO does not have; None for another refusal."""
    if not is_not_in_release(reply.stage, reply.error, release):
        return None
    message = one_line(reply.error)
    lacks = re.search(r"type object '[\w.]+\.Type' has no attribute '(\w+)'", message)
    why = f"it has no type {lacks[1]}" if lacks else message
    detail = f"this release of OpenVINO is older than the layer: {why}"
    return Verdict(case, Outcome.ABSENT, detail, not_in_release=True)


# Characters of a traceback that are kept, the last ones.
_LONGEST_TRACEBACK = 4000


def error_verdict(case: Case, what: str, error: BaseException) -> Verdict:
    """ERROR with the traceback, for an exception of the suite itself. ``what`` was being done."""
    trace = "".join(traceback.format_exception(error))[-_LONGEST_TRACEBACK:]
    message = one_line(str(error))
    detail = f"{what}: {type(error).__name__}" + (f": {message}" if message else "")
    return Verdict(case, Outcome.ERROR, detail, traceback=trace)
