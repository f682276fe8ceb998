"""Asks a device about invalid layers, which it must refuse with a message, without damage to later cases."""

from __future__ import annotations

from collections.abc import Sequence

from devices.child_handle import ChildDiedError, ChildHungError
from devices.messages import is_not_in_release, one_line
from devices.questions import PreparedCase, prepare, question_for
from devices.session import Session
from devices.single import SingleCases, ended_child, not_in_release
from devices.verdict import Evidence, Verdict
from ir_models import Case, cases
from reports.outcomes import Outcome


class InvalidCases:
    """Invalid cases, each in a model of its own, and several in one child process.

    The plain layer of the operation (the canary) must still pass in the same process after them.
    """

    def __init__(self, session: Session, single: SingleCases, seed: int) -> None:
        self._session, self._single, self._seed = session, single, seed

    def verdicts(self, pack: Sequence[PreparedCase]) -> list[Verdict]:
        """The verdicts on the cases, in order."""
        child = self._session.open()
        verdicts = [self._verdict(prepared) for prepared in pack]
        if len(pack) == 1:
            return [self._with_canary(pack[0].case, verdicts[0])]
        # If the child was replaced, one of the cases damaged it, perhaps not the one in which it died.
        if self._session.has(child) and self._canary_passes(pack[-1].case):
            return verdicts
        return [verdict for prepared in pack for verdict in self.verdicts([prepared])]

    def _verdict(self, prepared: PreparedCase) -> Verdict:
        case = prepared.case
        question = question_for([prepared], self._seed)
        evidence = Evidence(question, [], None)
        try:
            reply = self._session.ask_with_retry(question)
        except (ChildDiedError, ChildHungError) as error:
            return ended_child(case, error, evidence)
        evidence.reply = reply
        seconds = sum(reply.seconds.values())
        rule = case.broken_rule
        broken = f"broken rule: {rule.text}" if rule else "broken rule unknown"
        if not reply.refused:
            shapes = ", ".join(str(list(t.shape)) for t in reply.outputs[0])
            detail = f"{broken}; the device computed {shapes}"
            return Verdict(case, Outcome.ACCEPTED_INVALID, detail, seconds, evidence=evidence)
        message = one_line(reply.error)
        if is_not_in_release(reply.stage, reply.error):
            return not_in_release(case, message)
        if not any(character.isalpha() for character in message):
            detail = f"{broken}; refused at {reply.stage} with an empty message"
            return Verdict(case, Outcome.FAIL, detail, seconds, evidence=evidence)
        return Verdict(case, Outcome.PASS, f"refused at {reply.stage}: {message}", seconds)

    def _with_canary(self, case: Case, verdict: Verdict) -> Verdict:
        if verdict.outcome is Outcome.PASS and not self._canary_passes(case):
            verdict.outcome = Outcome.FAIL
            verdict.detail += "; after it, the plain layer no longer passes in the same process"
        return verdict

    def _canary_passes(self, case: Case) -> bool:
        """Whether the plain layer passes in this process, or does not pass in a new one either."""
        for plain in cases(case.operation, ["plain"]):
            prepared = prepare(plain, self._seed)
            try:
                reply = self._session.ask(self._single.question(prepared))
                passes = (
                    not reply.refused
                    and self._single.judge(prepared, reply).outcome is Outcome.PASS
                )
            except (ChildDiedError, ChildHungError):
                passes = False
            if not passes:
                self._session.discard()
                return self._single.verdict(prepared).outcome is not Outcome.PASS
        return True
