"""Checks that a reply is one that can be judged: its parts are there and have the types that the protocol states.

Whether its values, shapes and element types are right is for ``devices.engine.verdicts.judging``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from devices.process.protocol import (
    Compiled,
    ExecutedNode,
    Kernel,
    Port,
    ProtocolError,
    Question,
    Reply,
    TensorData,
)

# Characters of a name, such as a kernel's, and of a message.
LONGEST_NAME, LONGEST_MESSAGE = 200, 20_000
_MOST_DEVICES, _MOST_FACTS = 100, 1000
_STAGES = ("done", "read", "compile", "infer", "fetch")


def check_reply(question: Question, reply: Any) -> Reply:
    """The reply. Raises ProtocolError when it cannot be the answer to the question."""
    if not isinstance(reply, Reply):
        raise ProtocolError(f"a {type(reply).__name__} instead of a reply")
    _expect(reply.stage in _STAGES, f"stage {reply.stage!r}")
    _expect(isinstance(reply.error, str), "an error that is no text")
    _expect(_is_dict(reply.seconds, float, int), "seconds that are no numbers")
    _expect(all(0 <= s < math.inf for s in reply.seconds.values()), "seconds out of range")
    _expect(_is_list(reply.devices, str), "devices that are no names")
    _expect(_is_dict(reply.kernels, Kernel), "kernels that are none")
    for kernel in reply.kernels.values():
        fields = (kernel.layer_type, kernel.primitive, kernel.precision)
        _expect(_is_list([*fields], str), "a kernel whose names are no text")
    _expect(_is_list(reply.nodes, ExecutedNode), "executed nodes that are none")
    _shorten(reply)
    if reply.refused:
        return reply
    count = len(question.results)
    _expect_count(reply.inferred, count, "inferred shapes")
    for each in reply.inferred:
        is_pair = isinstance(each, tuple) and len(each) == 2
        _expect(is_pair and _is_list([*each], str), "an inferred shape that is no text")
    reply.inferred = [
        (shortened(kind), shortened(shape, LONGEST_MESSAGE)) for kind, shape in reply.inferred
    ]
    if reply.compiled is not None:
        _check_compiled(reply.compiled)
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


def _check_compiled(compiled: Any) -> None:
    """How many ports there are is for ``devices.engine.verdicts.compiling``: a compiled model may have lost one."""
    _expect(isinstance(compiled, Compiled), "a compiled model that is none")
    for ports in (
        compiled.model_inputs,
        compiled.model_outputs,
        compiled.inputs,
        compiled.outputs,
    ):
        _expect(_is_list(ports, Port), "ports that are none")
        for port in ports:
            fields = (port.element_type, port.shape, port.name)
            _expect(_is_list([*fields], str), "a port that is no text")
            port.element_type = shortened(port.element_type)
            port.shape = shortened(port.shape, LONGEST_MESSAGE)
            port.name = shortened(port.name, LONGEST_MESSAGE)
    _expect(_is_list(compiled.blobs, str), "blobs that are no text")
    compiled.blobs = [shortened(each, LONGEST_MESSAGE) for each in compiled.blobs]


def _check_tensor(tensor: Any) -> None:
    _expect(isinstance(tensor, TensorData), f"a {type(tensor).__name__} instead of a tensor")
    _expect(isinstance(tensor.element_type, str), "an element type that is no text")
    tensor.element_type = shortened(tensor.element_type)
    is_shape = isinstance(tensor.shape, tuple) and all(
        isinstance(size, int) and size >= 0 for size in tensor.shape
    )
    _expect(is_shape, f"a tensor of shape {tensor.shape!r}")
    data = tensor.data
    if tensor.element_type == "string":
        _expect(_is_list(data, str), "a tensor of strings without strings")
        return
    is_bytes = isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.ndim == 1
    _expect(is_bytes, f"a tensor whose data are {getattr(data, 'dtype', type(data).__name__)}")


def _is_list(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(each, kind) for each in values)


def _is_dict(values: Any, *kinds: type) -> bool:
    return isinstance(values, dict) and all(
        isinstance(key, str) and isinstance(each, kinds) for key, each in values.items()
    )


def _expect_count(values: Any, count: int, what: str) -> None:
    _expect(isinstance(values, list), f"{what} that are no list")
    _expect(len(values) == count, f"{len(values)} {what}, should be {count}")


def _expect(condition: bool, found: str) -> None:
    if not condition:
        raise ProtocolError(found)
