"""Asks a device about one case in a model of its own. This verdict is the one that counts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from msgspec import structs

from devices.engine import packs
from devices.engine.confirming import ConfirmedReply, Ended, KilledError, ask_confirmed
from devices.engine.prepared import PreparedCase
from devices.engine.questions import question_for
from devices.engine.session import Session
from devices.engine.verdicts.digests import varying
from devices.engine.verdicts.judging import (
    answer_digest,
    count_wrong_in_either,
    determined,
    judge_reply,
    same_outputs,
)
from devices.engine.verdicts.known import Known
from devices.engine.verdicts.verdict import Evidence, Verdict, error_verdict, of_ended, of_refusal
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.messages import may_be_damage, one_line
from devices.process.opening import NotOpenedError
from devices.process.protocol import Question, Reply
from ir_models import Case
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import ENDS, Outcome
from reports.results.records import VARIES
from reports.results.releases import is_not_in_release

_DEPENDS_ON_MEMORY = (
    "the answer depends on what new memory of the process holds: "
    "an output that is not written, or a read beyond the data"
)


class SingleCases:
    """Cases, each alone. ``seed`` is that of the data.

    A case whose death or hang is ``known`` runs once, in a fresh child process, but for the share ``audit``. With
    ``keeps_evidence`` also a verdict that shows nothing wrong has the reply.
    """

    def __init__(
        self,
        session: Session,
        seed: int,
        audit: float,
        known: Known,
        keeps_evidence: bool = False,
    ) -> None:
        self.session, self.seed, self._keeps_evidence = session, seed, keeps_evidence
        self.audit, self.known = audit, known
        # The kinds of refusals of valid layers that were known, or seen in a fresh child process.
        self._confirmed: set[tuple[str, str, str]] = set()
        # The operations and stages of hangs that were confirmed: another one takes the time limit once.
        self._hangs: set[tuple[str, str]] = set()

    def question(self, prepared: PreparedCase) -> Question:
        """The question about a case alone."""
        return question_for([prepared])

    def verdict(self, prepared: PreparedCase) -> Verdict:
        """The verdict on the case. All its inferences run twice: different outputs make a FLAKE.

        The second time is in the same request; that of an operation that keeps state is in a model compiled anew,
        because only its first inference is determined. A death or a hang is confirmed by asking again. An exception of
        the suite itself is an ERROR.
        """
        try:
            return self._verdict(prepared)
        except NotOpenedError as error:
            return not_opened(prepared.case, error)
        except Exception as error:
            return error_verdict(prepared.case, "the suite fails", error)

    def _verdict(self, prepared: PreparedCase) -> Verdict:
        case = prepared.case
        question = self.question(prepared)
        evidence = evidence_for(prepared, question)
        compiles_twice = twice_in(case, question) == "model"
        asked = question if compiles_twice else twice(question)
        again: ConfirmedReply | None = None
        try:
            is_fragile = bool(packs.fragile_type(case.id))
            answer = self.ask(case, asked, retire=is_fragile)
            if compiles_twice and not answer.reply.refused:
                again = self.ask(case, asked, retire=is_fragile)
        except (ChildDiedError, ChildHungError, KilledError) as error:
            return ended_child(case, error, evidence)
        verdict = self._judged(
            prepared, question, answer.reply, again.reply if again else None, evidence
        )
        for each in filter(None, (answer, again)):
            tell_earlier(verdict, each, evidence)
        return verdict

    def ask(self, case: Case, question: Question, retire: bool = False) -> ConfirmedReply:
        """The answer to a question about the case. Raises what ``ask_confirmed`` raises."""
        evidence = Evidence(question, list, None)
        as_known: list[Ended] = []

        def is_as_known(error: Ended) -> bool:
            if packs.chosen(case.id, self.audit, "audit"):
                return False
            if isinstance(error, ChildHungError) and _place(case, error) in self._hangs:
                error.is_believed = True
                return True
            if self.known.is_as_known(ended_child(case, error, evidence)):
                as_known.append(error)
                return True
            return False

        def is_believed(reply: Reply) -> bool:
            if may_be_damage(reply.error):
                return False
            # An invalid layer is to be refused, in whatever words: they tell nothing of valid ones.
            if case.is_invalid:
                return True
            refusal = _refused(case, reply)
            return _kind(refusal) in self._confirmed or self.known.is_as_known(refusal)

        def ask() -> ConfirmedReply:
            # A fresh child process shows a hang like a confirmed one the first time.
            is_suspect = any(name == case.operation.name for name, _ in self._hangs)
            if is_suspect and not self.session.is_fresh:
                self.session.discard()
            try:
                answer = ask_confirmed(self.session, question, retire, is_as_known, is_believed)
            except ChildHungError as error:
                if error not in as_known:
                    self._hangs.add(_place(case, error))
                raise
            if answer.reply.refused and not case.is_invalid:
                self._confirmed.add(_kind(_refused(case, answer.reply)))
            return answer

        told = self.known.foretold(case)
        if not told & ENDS:
            return ask()
        if Outcome.REFUSED in told:
            # What may as well be refused mostly is, and a refusal needs no child process of its own.
            answer = ask()
            if not answer.reply.refused or may_be_damage(answer.reply.error):
                self.session.discard()
            return answer
        # In a child process of its own nothing else explains a death, and no other case is damaged.
        if not self.session.is_fresh:
            self.session.discard()
        try:
            return ask()
        finally:
            self.session.discard()

    def _judged(
        self,
        prepared: PreparedCase,
        question: Question,
        reply: Reply,
        again: Reply | None,
        evidence: Evidence,
    ) -> Verdict:
        """The verdict on a reply, and on that of a second model if there is one."""
        case = prepared.case
        evidence.reply = reply
        seconds = sum(reply.seconds.values())
        if reply.refused:
            return replace(self._refusal(case, reply), seconds=seconds, evidence=evidence)
        if again is not None and again.refused:
            refusal = self._refusal(case, again)
            detail = f"computed once; refused when run again: {refusal.detail}"
            facts = structs.replace(refusal.facts, kind="two answers")
            return Verdict(case, Outcome.FLAKE, detail, facts, seconds, evidence=evidence)
        if again is not None:
            first, second = reply, again
        else:
            first, second = split_runs(reply, question)
        verdict = self.judge(prepared, first)
        verdict.seconds, verdict.evidence = seconds, evidence
        if not question.requests:
            self.compare_runs(prepared, first, second, verdict)
            evidence.reply = first
        if verdict.is_of_outputs and not self.known.is_as_known(verdict):
            self._compare_memory(prepared, question, verdict)
            prepared.add_clues(verdict, first)
        if verdict.shows_nothing_wrong and not self._keeps_evidence:
            verdict.evidence = None
        return verdict

    def _compare_memory(self, prepared: PreparedCase, question: Question, verdict: Verdict) -> None:
        """Mark the digest of a wrong answer as varying if a process gives another one whose new memory is another.

        What a kernel reads that nobody wrote is mostly the same in each process on one machine, and not on the next.
        An element counts as wrong that is so in one of the two answers: of few bits one may be right by chance.
        """
        if not verdict.digest or verdict.digest.endswith(VARIES):
            return
        other = self.session.in_other_memory
        other.begin()
        other.end = self.session.end
        reply: Reply | None = None
        try:
            reply = other.ask(question)
        except ChildHungError:
            return
        except ChildDiedError as error:
            is_alike = error.is_killed
        except NotOpenedError:
            return
        else:
            is_alike = not reply.refused and answer_digest(prepared, reply) == verdict.digest
        if is_alike:
            return
        verdict.digest = varying(verdict.digest)
        verdict.detail += f"; {_DEPENDS_ON_MEMORY}"
        first = verdict.evidence.reply if verdict.evidence else None
        if first is not None and reply is not None and not reply.refused:
            count_wrong_in_either(prepared, verdict, first, reply)

    def _refusal(self, case: Case, reply: Reply) -> Verdict:
        message = one_line(reply.error) or "empty message"
        if reply.stage == "fetch":
            return Verdict(case, Outcome.ERROR, f"the outputs cannot be read: {message}")
        if is_not_in_release(reply.stage, reply.error, self.session.release):
            return not_in_release(case, message)
        return _refused(case, reply)

    def judge(self, prepared: PreparedCase, reply: Reply) -> Verdict:
        """The verdict on a reply with outputs."""
        session = self.session
        device, precision = session.device, session.inference_precision
        verdict = judge_reply(prepared, reply, device, precision)
        verdict.nodes = reply.nodes
        return verdict

    def compare_runs(
        self, prepared: PreparedCase, first: Reply, second: Reply, verdict: Verdict
    ) -> None:
        """Make the verdict on the first run a FLAKE if the second one gave other outputs.

        Where several inferences are for what a device keeps from one to the next, that is the failure.
        """
        if verdict.digest and verdict.digest != answer_digest(prepared, second):
            verdict.digest = varying(verdict.digest)
        if prepared.judges_what_is_kept and verdict.outcome is Outcome.FAIL:
            return
        found = verdict.detail
        pairs = determined(prepared.case, [*zip(first.outputs, second.outputs, strict=True)])
        for number, (one, two) in enumerate(pairs):
            if same_outputs(one, two):
                continue
            again = self.judge(prepared, second)
            is_random = all(output.is_random for output in prepared.expected[number])
            if is_random and again.outcome is verdict.outcome is Outcome.PASS:
                continue
            verdict.outcome = Outcome.FLAKE
            verdict.facts = Facts(kind="two answers", inference=number + 1)
            wrong = again.detail or found
            verdict.detail = f"inference {number + 1} gave two answers for the same data"
            verdict.detail += f"; {wrong}" if wrong else ""


def _refused(case: Case, reply: Reply) -> Verdict:
    return Verdict(case, Outcome.REFUSED, *of_refusal(reply))


def _place(case: Case, hang: ChildHungError) -> tuple[str, str]:
    """What hangs of one kind have in common: the operation and the stage."""
    return case.operation.name, hang.stage


def _kind(refusal: Verdict) -> tuple[str, str, str]:
    """What refusals of one kind have in common: the operation, the stage, and the class of the message."""
    facts = refusal.facts
    return refusal.case.operation.name, facts.stage, facts.message


def twice_in(case: Case, question: Question) -> Literal["", "request", "model"]:
    """Where all inferences of a case run a second time: in the same request, or in a model compiled anew."""
    if question.requests:
        return ""
    return "model" if case.operation.keeps_state else "request"


def twice(question: Question) -> Question:
    """The question with all its inferences a second time; as it is with two requests at once, or turns of a state."""
    if question.requests or question.turns:
        return question
    return replace(question, feeds=question.feeds * 2)


def split_runs(reply: Reply, question: Question) -> tuple[Reply, Reply]:
    """The first and the second run of the inferences of a question; the second has no outputs if they ran once."""
    inferences = len(question.feeds)
    return (
        replace(reply, outputs=reply.outputs[:inferences]),
        replace(reply, outputs=reply.outputs[inferences:]),
    )


def evidence_for(
    prepared: PreparedCase, question: Question, reply: Reply | None = None
) -> Evidence:
    """The evidence for a verdict on one case."""
    return Evidence(question, lambda: prepared.expected, reply, shapes=prepared.layer_shapes)


def ended_child(case: Case, error: Ended | KilledError, evidence: Evidence) -> Verdict:
    """CRASH for a child that died of a case, TIMEOUT for one that hung, ERROR for one that was killed from outside."""
    if isinstance(error, KilledError):
        return Verdict(case, Outcome.ERROR, str(error), evidence=evidence)
    outcome, facts = of_ended(error)
    detail = str(error)
    if isinstance(error, ChildHungError) and error.is_believed:
        detail += ", run once: another layer of the operation hung there twice"
    return Verdict(case, outcome, detail, facts, error.seconds, evidence=evidence)


def not_opened(case: Case, error: NotOpenedError) -> Verdict:
    """ERROR for a device that opened before."""
    return Verdict(case, Outcome.ERROR, f"the device no longer opens: {error}")


def tell_earlier(verdict: Verdict, answer: ConfirmedReply, evidence: Evidence) -> None:
    """Add to a verdict what happened before the answer that it is about: a FLAKE if that blames the device."""
    if not answer.before:
        return
    if answer.is_flake:
        found = f"{verdict.outcome}: {verdict.detail}" if verdict.detail else str(verdict.outcome)
        verdict.facts = Facts(kind="not repeated")
        verdict.detail = f"{answer.before}; not repeated when run again: {found}"
        verdict.outcome = Outcome.FLAKE
        verdict.evidence = evidence
    else:
        told = f"run again after: {answer.before}"
        verdict.detail = f"{verdict.detail}; {told}" if verdict.detail else told


def not_in_release(case: Case, message: str) -> Verdict:
    """ABSENT for a layer that this release of OpenVINO does not have."""
    lacks = re.search(r"type object '[\w.]+\.Type' has no attribute '(\w+)'", message)
    why = f"it has no type {lacks[1]}" if lacks else message
    detail = f"this release of OpenVINO is older than the layer: {why}"
    return Verdict(case, Outcome.ABSENT, detail, not_in_release=True)
