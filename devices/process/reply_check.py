"""Checks that a reply is one that can be judged: its parts are there. The protocol has checked their types.

Whether its values, shapes and element types are right is for ``devices.engine.verdicts.judging``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from devices.process.protocol import (
    Compiled,
    ProtocolError,
    Question,
    Reply,
    TensorData,
)

# Characters of a name, such as a kernel's, and of a message.
LONGEST_NAME, LONGEST_MESSAGE = 200, 20_000
_MOST_DEVICES, _MOST_FACTS = 100, 1000
_STAGES = ("done", "read", "compile", "infer", "fetch")


def check_reply(question: Question, reply: Reply) -> Reply:
    """The reply. Raises ProtocolError when it cannot be the answer to the question."""
    _expect(reply.stage in _STAGES, f"stage {reply.stage!r}")
    _expect(all(0 <= s < math.inf for s in reply.seconds.values()), "seconds out of range")
    _shorten(reply)
    if reply.refused:
        return reply
    count = len(question.results)
    _expect_count(reply.inferred, count, "inferred shapes")
    reply.inferred = [
        (shortened(kind), shortened(shape, LONGEST_MESSAGE)) for kind, shape in reply.inferred
    ]
    if reply.compiled is not None:
        _shorten_compiled(reply.compiled)
        return reply
    _expect_count(reply.outputs, len(question.feeds), "inferences")
    for outputs in reply.outputs:
        _expect_count(outputs, count + len(question.queried), "outputs of an inference")
        for tensor in outputs:
            _check_tensor(tensor)
    return reply


def _shorten(reply: Reply) -> None:
    """Cut every text of the reply to a length that a results file can hold."""
    reply.error = shortened(reply.error, LONGEST_MESSAGE)
    reply.devices = [shortened(name) for name in reply.devices[:_MOST_DEVICES]]
    for kernel in (*reply.kernels.values(), *(node.kernel for node in reply.nodes)):
        kernel.layer_type = shortened(kernel.layer_type)
        kernel.primitive = shortened(kernel.primitive)
        kernel.precision = shortened(kernel.precision)


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """The text if it has at most so many characters, else its beginning and how long it was."""
    if len(text) <= longest:
        return text
    return f"{text[: longest - 40]} ... ({len(text):,} characters)"


def shortened_facts(facts: Any) -> Any:
    """What a device says about itself, every text of it shortened, and every list and table."""
    if isinstance(facts, str):
        return shortened(facts, LONGEST_MESSAGE)
    if isinstance(facts, dict):
        pairs = list(facts.items())[:_MOST_FACTS]
        return {shortened_facts(key): shortened_facts(value) for key, value in pairs}
    if isinstance(facts, (list, tuple)):
        return [shortened_facts(value) for value in facts[:_MOST_FACTS]]
    return facts


def _shorten_compiled(compiled: Compiled) -> None:
    """How many ports there are is for ``devices.engine.verdicts.compiling``: a compiled model may have lost one."""
    for ports in (
        compiled.model_inputs,
        compiled.model_outputs,
        compiled.inputs,
        compiled.outputs,
    ):
        for port in ports:
            port.element_type = shortened(port.element_type)
            port.shape = shortened(port.shape, LONGEST_MESSAGE)
            port.name = shortened(port.name, LONGEST_MESSAGE)
    compiled.blobs = [shortened(each, LONGEST_MESSAGE) for each in compiled.blobs]


def _check_tensor(tensor: TensorData) -> None:
    tensor.element_type = shortened(tensor.element_type)
    _expect(all(size >= 0 for size in tensor.shape), f"a tensor of shape {tensor.shape!r}")
    if tensor.element_type == "string":
        is_text = isinstance(tensor.data, list) and all(isinstance(e, str) for e in tensor.data)
        _expect(is_text, "a tensor of strings without strings")
        return
    kind = type(tensor.data).__name__
    _expect(isinstance(tensor.data, np.ndarray), f"a tensor whose data are {kind}")


def _expect_count(values: list[Any], count: int, what: str) -> None:
    _expect(len(values) == count, f"{len(values)} {what}, should be {count}")


def _expect(condition: bool, found: str) -> None:
    if not condition:
        raise ProtocolError(found)
