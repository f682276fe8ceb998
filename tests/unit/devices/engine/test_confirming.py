"""What a child process replies is asked again in a fresh one where earlier cases may have damaged it."""

from dataclasses import dataclass, field

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
    is_fresh: bool = False
    asked: int = 0
    discarded: int = 0
    others: list = field(default_factory=list)

    def ask(self, question, patience=1.0):
        self.asked += 1
        return self.replies.pop(0)

    def discard(self):
        self.discarded += 1
        self.is_fresh = True


def ask(session):
    return Confirming(session, NothingKnown(), 0.0).ask(CASE, QUESTION).reply


def test_outputs_that_cannot_be_read_are_asked_for_in_a_fresh_process():
    session = Session([Reply(stage="fetch", error="bad_weak_ptr"), Reply(outputs=[[]])])
    assert not ask(session).refused
    assert (session.asked, session.discarded) == (2, 1)


def test_outputs_that_a_fresh_process_cannot_read_are_its_answer():
    session = Session([Reply(stage="fetch", error="bad_weak_ptr")], is_fresh=True)
    assert ask(session).stage == "fetch"
    assert session.asked == 1


@pytest.mark.parametrize("stage", ["read", "compile", "infer"])
def test_another_refusal_is_believed_of_a_fresh_process_alone(stage):
    refusals = [Reply(stage=stage, error="not supported") for _ in range(3)]
    session = Session(refusals)
    confirming = Confirming(session, NothingKnown(), 0.0)
    for _ in range(2):
        assert confirming.ask(CASE, QUESTION).reply.error == "not supported"
        session.is_fresh = False
    # One of the same kind needs no fresh process of its own.
    assert (session.asked, session.discarded) == (3, 1)
