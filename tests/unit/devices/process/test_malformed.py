"""Malformed replies, garbage on the pipe of the answers, and processes that outlive the child."""

from __future__ import annotations

import io
import os
import signal
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from devices import ChildDiedError, ChildHungError, parse_profile
from devices.engine.session import Session
from devices.models.part_runner import PartRunner
from devices.process import protocol
from devices.process.protocol import Question, Reply, TensorData
from devices.process.resources import memory, storage
from devices.search.graph_runner import GraphRunner
from ir_models import ELEMENT_TYPES
from ir_models.graphs import evaluate, read, write
from ir_models.models import Model, Part
from ir_models.writing import ir
from reports.results.outcomes import Outcome
from tests.unit.conformance.running import wait_until
from tests.unit.devices.engine.test_faults import CULPRIT, DEVICE, PACK, assert_others_pass, judge
from tests.unit.devices.process.test_process import CASE, child, question


@pytest.mark.parametrize(
    "fault, detail",
    [
        ("output_missing", "0 outputs of an inference, should be 1"),
        ("inference_missing", "1 inferences, should be 2"),
        ("no_outputs", "not a message of the protocol: Expected `array`, got `None`"),
        ("no_tensor", "not a message of the protocol: Expected `object`, got `int`"),
        ("shape_of_text", "not a message of the protocol: Expected `int`, got `str`"),
        ("negative_shape", "a tensor of shape (-1, 3)"),
        ("no_data", "a tensor whose data are NoneType"),
        ("kernel_of_text", "not a message of the protocol: Expected `object`, got `str`"),
        ("stage_of_its_own", "stage 'somewhere'"),
        ("seconds_of_text", "not a message of the protocol: Expected `float`, got `str`"),
        ("inferred_missing", "0 inferred shapes, should be 1"),
        ("garbage", "not a message of the protocol: it begins with b'Warning:'"),
        ("no_message", "not a message of the protocol: Expected `array`, got `int`"),
        ("other_message", "a message of the kind 'ping'"),
        ("a_command", "a message of the kind 'quit'"),
        ("no_reply", "not a message of the protocol: Expected `object`, got `int`"),
        ("no_tensor_behind", "not a message of the protocol: list index out of range"),
        ("endless", "not a message of the protocol: it begins with b'devices\\n'"),
        ("close_answers", "it closed the pipe, and runs on"),
    ],
)
def test_what_is_no_reply_is_a_crash_of_its_case_alone(fault: str, detail: str) -> None:
    verdicts = judge(fault)
    verdict = verdicts[CULPRIT]
    assert verdict.outcome is Outcome.CRASH
    assert verdict.detail.startswith(f"malformed answer in infer: {detail}"), verdict.detail
    assert "\n" not in verdict.detail
    assert (verdict.facts.kind, verdict.facts.signal) == ("signal", "malformed answer")
    assert_others_pass(verdicts, CULPRIT)


def test_what_no_message_may_hold_is_not_sent() -> None:
    """Nor is an object that runs code where it is read: the child ends with the words of the exception."""
    verdict = judge("data_of_floats")[CULPRIT]
    assert verdict.outcome is Outcome.CRASH
    assert verdict.detail.startswith("exit status 1 in ")
    assert verdict.detail.endswith("a message holds float32 where bytes of a tensor should be")


def test_a_malformed_answer_has_one_outcome_for_layers_graphs_and_models() -> None:
    graph = evaluate(read("x=f32[2,3]; y=ReLU-1(x); return y"))
    written = write([graph])
    parameters = {name: value for name, (_, value) in written.parameters.items()}
    layers = {name: step for name, (_, step) in written.layers.items()}
    results = dict.fromkeys(written.results, "y")
    part = Part(written.xml, written.weights, parameters, results, layers)
    with closing(Session(DEVICE, parse_profile("FAULT=garbage"), 2.0)) as session:
        (of_graph,) = GraphRunner(session).ask([graph])
        whole = cast(Model, SimpleNamespace(types={"x": ELEMENT_TYPES["f32"]}))
        of_model = PartRunner(whole, session).ask_part(part, [graph.arrays], {})
    found = [of_graph, of_model, judge("garbage", match="")[CULPRIT]]
    assert [each.outcome for each in found] == [Outcome.CRASH] * 3
    assert len({each.detail for each in found}) == len({each.facts for each in found}) == 1


def test_an_answer_that_does_not_fit_is_not_read() -> None:
    """Its tensor, or of a long message its content, is not there: reading on would raise EOFError."""
    received = protocol.receive(io.BytesIO(b"".join(protocol.encoded(("stage", "read")))), 100)
    assert received == ("stage", "read")
    large = TensorData("u8", (8 * 10**7,), np.zeros(8 * 10**7, np.uint8))
    for answer, missing in ((Reply(outputs=[[large]]), -1), (Reply(error="e" * 8 * 10**7), 1)):
        parts = protocol.encoded(("reply", answer))[:missing]
        with pytest.raises(
            MemoryError, match=r"an answer of 0\.1 GB; this process takes at most 0"
        ):
            protocol.receive(io.BytesIO(b"".join(parts)), 10**6)


def test_an_answer_that_does_not_fit_says_nothing_of_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The child could send it, and the suite cannot take it: as where the child has no memory for it."""
    monkeypatch.setattr(memory, "total", lambda: 2 * 10**6)
    verdicts = judge("eight_megabytes")
    assert verdicts[CULPRIT].outcome is Outcome.ERROR
    assert verdicts[CULPRIT].detail.startswith("the outputs cannot be read: an answer of 0.0 GB")
    assert_others_pass(verdicts, CULPRIT)


def test_large_tensors_are_not_copied_and_come_back() -> None:
    """Messages with a file's memory as well, and those that hold too little for a file."""
    state = np.random.RandomState(0)
    tensors = [state.randint(0, 256, size).astype(np.uint8) for size in (0, 10, 10**5, 3 * 10**6)]
    sent = [TensorData("u8", each.shape, each) for each in tensors]
    parts = protocol.encoded(("reply", Reply(outputs=[sent])))
    assert sum(isinstance(part, memoryview) for part in parts) == 2
    kind, reply = protocol.receive(io.BytesIO(b"".join(parts)))
    assert kind == "reply"
    found = [each.data for each in reply.outputs[0]]
    for one, other in zip(tensors, found, strict=True):
        np.testing.assert_array_equal(one, other)
    found[3][:] = 7
    storage.release()
    assert (found[3] == 7).all()


def test_garbage_that_is_not_repeated_is_a_flake(tmp_path: Path) -> None:
    verdict = judge("garbage", [CULPRIT], LOG=tmp_path / "log", TIMES=1)[CULPRIT]
    assert verdict.outcome is Outcome.FLAKE
    assert verdict.detail.endswith("; not repeated when run again: PASS")


# --- processes that hold the streams of the child ---------------------------------------------------------------------


def test_a_process_that_holds_the_streams_of_the_child_delays_nothing() -> None:
    device = child(FAULT="heir")
    started = time.monotonic()
    with pytest.raises(ChildDiedError, match=r"^exit status 3 in infer$"):
        device.ask(question(), 30)
    assert time.monotonic() - started < 10
    wait_until(lambda: not device._reader.is_alive(), 5)


def test_its_case_is_a_crash_and_the_others_pass() -> None:
    verdicts = judge("heir", PACK)
    assert verdicts[CULPRIT].outcome is Outcome.CRASH
    assert verdicts[CULPRIT].detail == "exit status 3 in infer"
    assert_others_pass(verdicts, CULPRIT)


def test_a_child_that_does_not_read_is_ended_within_the_limit() -> None:
    device = child()
    os.kill(device._process.pid, signal.SIGSTOP)
    model = ir.write([CASE])
    # More than a pipe holds.
    feed = {name: TensorData.of(np.zeros((1000, 1000), np.float32), "f32") for name in "abc"}
    large = Question(model.xml, model.weights, [feed], list(model.results), list(model.layers))
    started = time.monotonic()
    with pytest.raises(ChildHungError, match=r"^no answer in send within 0\.5 s$"):
        device.ask(large, 0.5)
    assert time.monotonic() - started < 10
