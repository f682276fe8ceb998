"""Asks a device about one case, and confirms by asking again a death, a hang, and a refusal that may come from an
earlier case.

Earlier cases may have damaged the child process in which a case fails, somebody may have killed or stopped it, and a
busy machine may take long. So nobody is blamed for what does not happen again in a fresh child process.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from devices.engine import packs
from devices.engine.session import Session
from devices.engine.verdicts.known import Known
from devices.engine.verdicts.verdict import Verdict, of_ended, refused
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.messages import may_be_damage
from devices.process.opening import PAUSES
from devices.process.protocol import Question, Reply
from ir_models import Case
from reports.results.outcomes import ENDS, Outcome

# How much longer than the first time a device may take that did not answer in time.
PATIENCE = 3.0

Ended = ChildDiedError | ChildHungError


class KilledError(Exception):
    """The child process was killed from outside again and again: nothing is known about the case."""


@dataclass
class ConfirmedReply:
    """A reply, and what happened when the same question was asked before.

    ``is_flake``: a fresh child process died of the question, which is not explained by other cases, by the machine's
    load or by a kill from outside.
    """

    reply: Reply
    before: str = ""
    is_flake: bool = False


class Confirming:
    """Asks about cases in one session.

    A case whose death or hang is ``known`` runs once, in a fresh child process, but for the share ``audit``.
    """

    def __init__(self, session: Session, known: Known, audit: float) -> None:
        self._session, self._known, self._audit = session, known, audit
        # The kinds of refusals of valid layers that were known, or seen in a fresh child process.
        self._refusals: set[tuple[str, str, str]] = set()
        # The operations and stages of hangs that were confirmed: another one takes the time limit once.
        self._hangs: set[tuple[str, str]] = set()

    def ask(self, case: Case, question: Question, retire: bool = False) -> ConfirmedReply:
        """The answer to a question about the case. With ``retire`` the child is ended after it, and must end cleanly.

        Raises ChildDiedError or ChildHungError when asking again ends likewise; KilledError; NotOpenedError.
        """
        told = self._known.known_outcomes(case)
        if not told & ENDS:
            return self._ask(case, question, retire)
        if Outcome.REFUSED in told:
            # What may as well be refused mostly is, and a refusal needs no child process of its own.
            answer = self._ask(case, question, retire)
            if not answer.reply.refused or may_be_damage(answer.reply.error):
                self._session.discard()
            return answer
        # In a child process of its own nothing else explains a death, and no other case is damaged.
        self._freshen()
        try:
            return self._ask(case, question, retire)
        finally:
            self._session.discard()

    def _ask(self, case: Case, question: Question, retire: bool) -> ConfirmedReply:
        if any(name == case.operation.name for name, _ in self._hangs):
            # A fresh child process shows a hang like a confirmed one the first time.
            self._freshen()
        kills: list[ChildDiedError] = []
        ends: list[Ended] = []
        in_fresh: list[Ended] = []
        while True:
            is_fresh = self._session.is_fresh
            patience = PATIENCE if any(isinstance(end, ChildHungError) for end in ends) else 1.0
            try:
                reply = self._session.ask(question, patience=patience)
                if reply.refused and not is_fresh and not self._is_believed(case, reply):
                    self._session.discard()
                    continue
                if retire and not reply.refused:
                    self._session.retire(patience)
            except (ChildDiedError, ChildHungError) as error:
                # Whatever ended, the next question is for a fresh child process.
                if isinstance(error, ChildDiedError) and error.is_killed:
                    if len(kills) == len(PAUSES):
                        why = "by another process, or for lack of memory"
                        text = f"{len(kills) + 1} child processes in a row were killed {why}"
                        raise KilledError(f"{text}: {error}") from None
                    time.sleep(PAUSES[len(kills)])
                    kills.append(error)
                    continue
                if any(_agree(error, end) for end in ends) or (is_fresh and in_fresh):
                    if isinstance(error, ChildHungError):
                        self._hangs.add(_place(case, error))
                    raise
                if is_fresh and self._is_certain(case, error):
                    raise
                ends.append(error)
                if is_fresh:
                    in_fresh.append(error)
                continue
            if reply.refused and not case.is_invalid:
                self._refusals.add(_kind(refused(case, reply)))
            hangs = [e for e in ends if isinstance(e, ChildHungError) and e not in in_fresh]
            return ConfirmedReply(
                reply,
                "; ".join(str(error) for error in [*in_fresh, *hangs, *kills[-1:]]),
                any(not isinstance(error, ChildHungError) for error in in_fresh),
            )

    def _freshen(self) -> None:
        """Have the next question answered by a fresh child process."""
        if not self._session.is_fresh:
            self._session.discard()

    def _is_certain(self, case: Case, error: Ended) -> bool:
        """Whether a death or a hang of a fresh child process needs no confirmation."""
        if packs.chosen(case.id, self._audit, "audit"):
            return False
        if isinstance(error, ChildHungError) and _place(case, error) in self._hangs:
            error.is_believed = True
            return True
        return self._known.matches_baseline(ended_child(case, error))

    def _is_believed(self, case: Case, reply: Reply) -> bool:
        """Whether no earlier case explains a refusal."""
        # Outputs that cannot be read may be damage of earlier cases, too.
        if reply.stage == "fetch" or may_be_damage(reply.error):
            return False
        # An invalid layer is to be refused, in whatever words: they tell nothing of valid ones.
        if case.is_invalid:
            return True
        refusal = refused(case, reply)
        return _kind(refusal) in self._refusals or self._known.matches_baseline(refusal)


def ended_child(case: Case, error: Ended | KilledError) -> Verdict:
    """CRASH for a child that died of a case, TIMEOUT for one that hung, ERROR for one that was killed from outside."""
    if isinstance(error, KilledError):
        return Verdict(case, Outcome.ERROR, str(error))
    outcome, facts = of_ended(error)
    detail = str(error)
    if isinstance(error, ChildHungError) and error.is_believed:
        detail += ", run once: another layer of the operation hung there twice"
    return Verdict(case, outcome, detail, facts, error.seconds)


def _agree(one: Ended, other: Ended) -> bool:
    """Whether two child processes ended alike."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ChildDiedError) and isinstance(other, ChildDiedError):
        return (one.status, one.stage) == (other.status, other.stage)
    return True


def _place(case: Case, hang: ChildHungError) -> tuple[str, str]:
    """What hangs of one kind have in common: the operation and the stage."""
    return case.operation.name, hang.stage


def _kind(refusal: Verdict) -> tuple[str, str, str]:
    """What refusals of one kind have in common: the operation, the stage, and the class of the message."""
    facts = refusal.facts
    return refusal.case.operation.name, facts.stage, facts.message
