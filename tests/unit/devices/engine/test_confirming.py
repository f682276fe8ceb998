"""What may be the damage of earlier cases is asked again in a fresh process, however well its words are known."""

from dataclasses import dataclass

import pytest

import ir_models
from devices.engine.confirming import Confirming
from devices.engine.verdicts.known import NothingKnown
from devices.process.protocol import Question, Reply

CASE = ir_models.parse("Abs-1/plain/f32[2,3,5,4]")
QUESTION = Question("<net/>", b"", [], [], [])


@dataclass
class Session:
    """A session whose child process replies in turn; a fresh one follows where it is discarded."""

    replies: list
    is_fresh: bool = True

    def ask(self, question, patience=1.0):
        return self.replies.pop(0)

    def discard(self):
        self.is_fresh = True


@pytest.mark.parametrize(
    "refusal",
    [Reply(stage="fetch", error="no host pointer"), Reply(stage="infer", error="bad_alloc")],
)
def test_a_refusal_that_may_be_damage_is_believed_of_a_fresh_process_alone(refusal):
    session = Session([refusal, refusal, Reply(outputs=[[]])])
    confirming = Confirming(session, NothingKnown(), 0.0)
    assert confirming.ask(CASE, QUESTION).reply is refusal
    session.is_fresh = False
    assert not confirming.ask(CASE, QUESTION).reply.refused
    assert session.is_fresh
