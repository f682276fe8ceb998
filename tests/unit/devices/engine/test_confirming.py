"""What a child process replies is asked again in a fresh one where earlier cases may have damaged it."""

from dataclasses import dataclass, field

import pytest

from devices.engine.confirming import ask_confirmed
from devices.process.protocol import Question, Reply

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


def test_outputs_that_cannot_be_read_are_asked_for_in_a_fresh_process():
    session = Session([Reply(stage="fetch", error="bad_weak_ptr"), Reply(outputs=[[]])])
    assert not ask_confirmed(session, QUESTION).reply.refused
    assert (session.asked, session.discarded) == (2, 1)


def test_outputs_that_a_fresh_process_cannot_read_are_its_answer():
    session = Session([Reply(stage="fetch", error="bad_weak_ptr")], is_fresh=True)
    assert ask_confirmed(session, QUESTION).reply.stage == "fetch"
    assert session.asked == 1


@pytest.mark.parametrize("stage", ["read", "compile", "infer"])
def test_another_refusal_is_believed_unless_it_may_be_damage(stage):
    session = Session([Reply(stage=stage, error="not supported")])
    assert ask_confirmed(session, QUESTION).reply.error == "not supported"
    assert session.discarded == 0
