"""What a device says has a limit: every text of a reply that may get into a results file."""

from __future__ import annotations

import numpy as np

from devices.process.protocol import (
    Compiled,
    ExecutedNode,
    Kernel,
    Port,
    Question,
    Reply,
    TensorData,
    encoded,
)
from devices.process.reply_check import LONGEST_MESSAGE, LONGEST_NAME, check_reply

LONG = "k" * 10_000_000
QUESTION = Question(xml=b"", weights=b"", feeds=[{}], results=["result"], layers=["layer"])


def kernel() -> Kernel:
    return Kernel(LONG, LONG, LONG)


def size_of(reply: Reply) -> int:
    return sum(map(len, encoded(("reply", reply))))


def test_long_texts_of_an_answer_are_cut() -> None:
    reply = Reply(
        stage="done",
        devices=[LONG],
        kernels={"layer": kernel()},
        inferred=[(LONG, LONG)],
        outputs=[[TensorData(LONG, (1,), np.zeros(4, np.uint8))]],
        nodes=[ExecutedNode("node", kernel(), ["layer"])],
    )
    checked = check_reply(QUESTION, reply)
    assert size_of(checked) < 2 * LONGEST_MESSAGE
    ((kind, shape),) = checked.inferred
    assert len(kind) <= LONGEST_NAME
    assert len(shape) <= LONGEST_MESSAGE
    assert kind.startswith("kkk")
    assert kind.endswith("(10,000,000 characters)")


def test_long_texts_of_a_refusal_are_cut() -> None:
    reply = check_reply(QUESTION, Reply(stage="compile", error=LONG, kernels={"layer": kernel()}))
    assert size_of(reply) < 2 * LONGEST_MESSAGE


def test_long_texts_of_a_compiled_model_are_cut() -> None:
    port = Port(LONG, LONG, LONG)
    compiled = Compiled([port], [port], [port], [port], [LONG])
    reply = Reply(stage="done", inferred=[("f32", "[1]")], compiled=compiled)
    assert size_of(check_reply(QUESTION, reply)) < 10 * LONGEST_MESSAGE


def test_shapes_of_many_dimensions_are_kept() -> None:
    shape = f"[{','.join(['123456789'] * 100)}]"
    tensor = TensorData("f32", (1,), np.zeros(4, np.uint8))
    reply = Reply(stage="done", inferred=[("f32", shape)], outputs=[[tensor]])
    assert check_reply(QUESTION, reply).inferred == [("f32", shape)]
