"""Asks a device about one case, and confirms by asking again a death, a hang, and a refusal that may come from an
earlier case.

Earlier cases may have damaged the child process in which a case fails, somebody may have killed or stopped it, and a
busy machine may take long. So nobody is blamed for what does not happen again in a fresh child process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from devices.engine.session import Session
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.opening import PAUSES
from devices.process.protocol import Question, Reply

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


def ask_confirmed(
    session: Session,
    question: Question,
    retire: bool = False,
    is_as_known: Callable[[Ended], bool] = lambda _: False,
    is_believed: Callable[[Reply], bool] = lambda _: True,
) -> ConfirmedReply:
    """Ask about one case. With ``retire`` the child is ended after it replied, and must end cleanly.

    A death or a hang of a fresh child process that ``is_as_known`` is not confirmed, nor is a refusal that
    ``is_believed``.

    Raises ChildDiedError or ChildHungError when asking again ends likewise; KilledError; NotOpenedError.
    """
    kills: list[ChildDiedError] = []
    ends: list[Ended] = []
    in_fresh: list[Ended] = []
    while True:
        is_fresh = session.is_fresh
        patience = PATIENCE if any(isinstance(end, ChildHungError) for end in ends) else 1.0
        try:
            reply = session.ask(question, patience=patience)
            # Outputs that cannot be read may be damage of earlier cases, too.
            is_doubted = reply.refused and (reply.stage == "fetch" or not is_believed(reply))
            if is_doubted and not is_fresh:
                session.discard()
                continue
            if retire and not reply.refused:
                session.retire(patience)
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
                raise
            if is_fresh and is_as_known(error):
                raise
            ends.append(error)
            if is_fresh:
                in_fresh.append(error)
            continue
        told = [
            *in_fresh,
            *(e for e in ends if isinstance(e, ChildHungError) and e not in in_fresh),
        ]
        return ConfirmedReply(
            reply,
            "; ".join(str(error) for error in [*told, *kills[-1:]]),
            any(not isinstance(error, ChildHungError) for error in in_fresh),
        )


def _agree(one: Ended, other: Ended) -> bool:
    """Whether two child processes ended alike."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ChildDiedError) and isinstance(other, ChildDiedError):
        return (one.status, one.stage) == (other.status, other.stage)
    return True
