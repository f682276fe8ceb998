"""Asks a device about one case in a model of its own. This verdict is the one that counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from msgspec import structs

from devices.engine import packs
from devices.engine.confirming import ConfirmedReply, Confirming, KilledError, ended_child
from devices.engine.prepared import PreparedCase
from devices.engine.questions import question_for
from devices.engine.session import Session
from devices.engine.verdicts.digests import varying
from devices.engine.verdicts.invalid import judge_invalid
from devices.engine.verdicts.judging import (
    answer_digest,
    answer_that_is_settled,
    count_wrong_in_any,
    determined,
    judge_reply,
    same_outputs,
)
from devices.engine.verdicts.known import Known
from devices.engine.verdicts.verdict import (
    Evidence,
    Verdict,
    error_verdict,
    not_in_release,
    refused,
)
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.messages import one_line
from devices.process.opening import NotOpenedError
from devices.process.protocol import Question, Reply
from ir_models import Case
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from reports.results.records import VARIES

_DEPENDS_ON_MEMORY = (
    "the answer depends on what new memory of the process holds: "
    "an output that is not written, or a read beyond the data"
)


class SingleCases:
    """Cases, each alone. ``seed`` is that of the data.

    What is ``known`` of a case saves confirming its departure, but for the share ``audit``: see ``Confirming``. With
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
        self._confirming = Confirming(session, known, audit)

    def question(self, prepared: PreparedCase) -> Question:
        """The question about a case alone."""
        return question_for([prepared])

    def verdict(self, prepared: PreparedCase) -> Verdict:
        """The verdict on the case. All inferences of a valid one run twice: different outputs make a FLAKE.

        The second time is in the same request; that of an operation that keeps state is in a model compiled anew,
        because only its first inference is determined. A death or a hang is confirmed by asking again. An exception of
        the suite itself is an ERROR.
        """
        return guarded(prepared.case, lambda: self._verdict(prepared))

    def _verdict(self, prepared: PreparedCase) -> Verdict:
        case = prepared.case
        question = self.question(prepared)
        evidence = evidence_for(prepared, question)
        runs_twice = twice_in(case, question)
        asked = twice(question) if runs_twice == "request" else question
        is_fragile = not case.is_invalid and bool(packs.fragile_type(case.id))
        try:
            answers = [self._confirming.ask(case, asked, is_fragile)]
            if runs_twice == "model" and not answers[0].reply.refused:
                answers.append(self._confirming.ask(case, asked, is_fragile))
        except (ChildDiedError, ChildHungError, KilledError) as error:
            return replace(ended_child(case, error), evidence=evidence)
        verdict = self._judged(prepared, question, [each.reply for each in answers], evidence)
        for each in answers:
            _note_retries(verdict, each, evidence)
        return verdict

    def _judged(
        self,
        prepared: PreparedCase,
        question: Question,
        replies: Sequence[Reply],
        evidence: Evidence,
    ) -> Verdict:
        """The verdict on a reply, and on that of a second model if there is one."""
        evidence.reply = replies[0]
        if prepared.case.is_invalid:
            verdict = judge_invalid(prepared.case, replies[0], self.session.release)
        elif replies[0].refused:
            verdict = self._refusal(prepared.case, replies[0])
        elif replies[-1].refused:
            refusal = self._refusal(prepared.case, replies[-1])
            detail = f"computed once; refused when run again: {refusal.detail}"
            facts = structs.replace(refusal.facts, kind="two answers")
            verdict = Verdict(prepared.case, Outcome.FLAKE, detail, facts)
        else:
            first, second = replies if len(replies) > 1 else split_runs(replies[0], question)
            verdict = self._judged_outputs(prepared, question, first, second)
            if not question.requests:
                evidence.reply = first
        verdict.seconds = sum(replies[0].seconds.values())
        is_kept = self._keeps_evidence or not verdict.shows_nothing_wrong
        verdict.evidence = evidence if is_kept else None
        return verdict

    def _judged_outputs(
        self, prepared: PreparedCase, question: Question, first: Reply, second: Reply
    ) -> Verdict:
        verdict = self.judge(prepared, first)
        if not question.requests:
            self.compare_runs(prepared, first, second, verdict)
        if verdict.is_of_outputs and not self.known.matches_baseline(verdict):
            self._compare_memory(prepared, question, first, verdict)
            prepared.add_clues(verdict, first)
        return verdict

    def _compare_memory(
        self, prepared: PreparedCase, question: Question, first: Reply, verdict: Verdict
    ) -> None:
        """Mark the digest of a wrong answer as varying if a process gives another one whose new memory is another.

        Behind the mark stands the digest of what does not vary.

        What a kernel reads that nobody wrote is mostly the same in each process on one machine, and not on the next.
        An element counts as wrong that is so in one of the answers: of few bits one may be right by chance, and not in
        two memories that differ in every bit.
        """
        if not verdict.digest:
            return
        has_varied = VARIES in verdict.digest
        replies = [first]
        for other in self.session.in_other_memories:
            other.begin()
            other.end = self.session.end
            reply: Reply | None = None
            try:
                reply = other.ask(question)
            except (ChildHungError, NotOpenedError):
                break
            except ChildDiedError as error:
                is_alike = error.is_killed
            else:
                is_alike = not reply.refused and answer_digest(prepared, reply) == verdict.digest
            if is_alike and VARIES not in verdict.digest:
                break
            verdict.digest = varying(verdict.digest)
            if reply is not None and not reply.refused:
                replies.append(reply)
        if VARIES in verdict.digest:
            count_wrong_in_any(prepared, verdict, replies)
            if len(replies) == 1 + len(self.session.in_other_memories) == 3:
                verdict.digest += answer_that_is_settled(prepared, *replies[1:])
            if not has_varied:
                verdict.detail += f"; {_DEPENDS_ON_MEMORY}"

    def _refusal(self, case: Case, reply: Reply) -> Verdict:
        if reply.stage == "fetch":
            message = one_line(reply.error) or "empty message"
            return Verdict(case, Outcome.ERROR, f"the outputs cannot be read: {message}")
        return not_in_release(case, reply, self.session.release) or refused(case, reply)

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


def twice_in(case: Case, question: Question) -> Literal["", "request", "model"]:
    """Where all inferences of a case run a second time: in the same request, or in a model compiled anew."""
    if question.requests or case.is_invalid:
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


def guarded(case: Case, verdict: Callable[[], Verdict]) -> Verdict:
    """The verdict on a case; ERROR for a device that opened before, and for an exception of the suite itself."""
    try:
        return verdict()
    except NotOpenedError as error:
        return not_opened(case, error)
    except Exception as error:
        return error_verdict(case, "the suite fails", error)


def not_opened(case: Case, error: NotOpenedError) -> Verdict:
    """ERROR for a device that opened before."""
    return Verdict(case, Outcome.ERROR, f"the device no longer opens: {error}")


def _note_retries(verdict: Verdict, answer: ConfirmedReply, evidence: Evidence) -> None:
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
