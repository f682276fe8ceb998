"""The protocol between the suite and the child process: messages of known types, each preceded by its length.

A message is a kind and a content in MessagePack; the kind says the type of the content. Reading a message makes nothing
but these types: bytes that a library writes to the pipe run no code in the suite. Large tensors follow their message as
they are, so that neither side has them twice. Neither side needs OpenVINO to read messages. A tensor is sent as the
bytes that OpenVINO holds. Only the suite converts these to values: the element types are not loaded in the child,
because every worker waits for its start.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec
import numpy as np

from devices.process.resources import storage

# What precedes a message: a mark, which tells it from what a library may write to the same pipe, its length, and how
# many tensors follow it, each preceded by its length.
_HEAD = struct.Struct("<8sQQ")
_LENGTH = struct.Struct("<Q")
_MARK = b"devices\n"
# Bytes of a tensor that follows its message.
_LARGE = 2**16
# Bytes that are read at once.
_PIECE = 2**22
# Bytes. A longer message is none.
LONGEST = 2**40


class ProtocolError(Exception):
    """What was received is not a message, or not one that can be an answer."""


@dataclass
class TensorData:
    """A tensor: the name of its element type, its shape, and its bytes (1-D uint8), or a flat list of str."""

    element_type: str
    shape: tuple[int, ...]
    data: Any

    @classmethod
    def of(cls, values: np.ndarray, element_type: str) -> TensorData:
        """The tensor of an array of values, in memory that a device may hold as its own: one that can be written."""
        from ir_models import ELEMENT_TYPES

        kind = ELEMENT_TYPES[element_type]
        if kind.kind == "string":
            return cls(element_type, values.shape, [str(item) for item in values.reshape(-1)])
        packed = kind.pack(values)
        return cls(element_type, values.shape, packed if packed.flags.writeable else packed.copy())

    @property
    def unreadable(self) -> str:
        """Why the bytes hold no values: how many there are of how many that the type and the shape need; else ""."""
        from ir_models import ELEMENT_TYPES

        if isinstance(self.data, list):
            return ""
        if self.element_type not in ELEMENT_TYPES:
            return f"has the type {self.element_type}, which is unknown"
        needed = ELEMENT_TYPES[self.element_type].byte_size(self.shape)
        if self.data.size == needed:
            return ""
        sizes = ",".join(map(str, self.shape))
        return f"has {self.data.size} bytes, {self.element_type}[{sizes}] should have {needed}"

    def values(self) -> np.ndarray:
        """An array of values. Raises ValueError when the bytes do not make such a tensor."""
        from ir_models import ELEMENT_TYPES

        if isinstance(self.data, list):
            array = np.empty(len(self.data), object)
            array[:] = self.data
            return array.reshape(self.shape)
        return ELEMENT_TYPES[self.element_type].unpack(self.data, self.shape)


COARSE = ("bf16", "f16")
"""Precisions in which a device may compute an f32 layer, the coarsest first."""


@dataclass
class Kernel:
    """Which layer type, kernel and precision of a device executed a layer, as the device names them."""

    layer_type: str
    primitive: str
    precision: str

    @property
    def name(self) -> str:
        """The kernel, or the layer type where the device names no kernel."""
        return self.layer_type if self.primitive.startswith("unknown") else self.primitive

    @property
    def is_constant(self) -> bool:
        """Whether the layer was folded to a constant before execution."""
        return self.layer_type.lower() in ("const", "constant")


@dataclass
class ExecutedNode:
    """A node of the graph that a device executed: its kernel, and the names of the layers that it was made of."""

    name: str
    kernel: Kernel
    layers: list[str]


@dataclass
class StateTurn:
    """What is done to the state around one inference: see ``ir_models.asking.turns``.

    ``states`` are the values that variables are given before it, by name.
    """

    request: int = 0
    before: str = ""
    at_once: bool = False
    states: dict[str, TensorData] = field(default_factory=dict)


@dataclass
class Question:
    """One model and its inputs. ``feeds`` maps Parameter names to tensors, one dict for each inference.

    ``results`` are the names of the model's Results, ``layers`` those of the layers under test, one for each case.
    ``memory`` and ``requests`` are those of ``ir_models.How``. ``turns`` has an item for each inference of a model with
    variables, and is empty for others; ``queried`` are the variables that are outputs of each inference, behind those
    of the model. ``executed``: the reply lists the nodes of the graph that the device executed.
    """

    xml: bytes
    weights: bytes
    feeds: list[dict[str, TensorData]]
    results: list[str]
    layers: list[str]
    memory: str = ""
    requests: str = ""
    turns: list[StateTurn] = field(default_factory=list)
    queried: list[str] = field(default_factory=list)
    executed: bool = False

    @property
    def size(self) -> int:
        """The bytes of the model and the inputs, strings excepted."""
        tensors = [tensor.data for feed in self.feeds for tensor in feed.values()]
        return (
            len(self.xml) + len(self.weights) + sum(getattr(data, "nbytes", 0) for data in tensors)
        )


@dataclass
class Port:
    """An input or an output of a model: element type, partial shape in OpenVINO's notation, a name or ""."""

    element_type: str
    shape: str
    name: str = ""


@dataclass
class Compiled:
    """What a device that only compiles tells of a model: the ports as read, and as compiled.

    ``blobs`` name what was exported each time that the model was compiled, which is twice.
    """

    model_inputs: list[Port] = field(default_factory=list)
    model_outputs: list[Port] = field(default_factory=list)
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    blobs: list[str] = field(default_factory=list)

    @property
    def is_as_asked(self) -> bool:
        """Whether the inputs are those of the model, there are as many outputs, and it is the same both times."""
        has_outputs = len(self.outputs) == len(self.model_outputs)
        return self.inputs == self.model_inputs and has_outputs and len({*self.blobs}) < 2


@dataclass
class Reply:
    """The device's answer to a question.

    ``stage`` is ``done``, or the stage at which the device refused: ``read``, ``compile`` or ``infer``; or ``fetch``
    when the outputs could not be read from the device's tensors. ``error`` is the message of the exception then, which
    may be empty. ``inferred`` is the (element type, partial shape) of each result after reading. ``outputs`` are by
    inference and result, then variable that is queried. ``seconds`` are spent inside OpenVINO, by stage. ``nodes`` are
    those of the executed graph, where they were asked for and the device tells them. ``compiled`` is there in place of
    outputs where the device only compiles.
    """

    stage: str = "done"
    error: str = ""
    inferred: list[tuple[str, str]] = field(default_factory=list)
    outputs: list[list[TensorData]] = field(default_factory=list)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    devices: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    nodes: list[ExecutedNode] = field(default_factory=list)
    compiled: Compiled | None = None

    @property
    def refused(self) -> bool:
        """Whether there are no outputs because the device threw an exception."""
        return self.stage != "done"


# The types of contents by the kind of a message: of those that the child process sends, and of those that it gets.
ANSWERS: dict[str, Any] = {
    "opened": dict[str, Any],
    "absent": str,
    "unknown": str,
    "stage": str,
    "reply": Reply,
}
COMMANDS: dict[str, Any] = {
    "open": tuple[str, dict[str, str], bool, int | None],
    "ask": Question,
    "quit": None,
}
# The extension types of MessagePack: the bytes of a tensor; and of one that follows the message its number.
_HERE, _BEHIND = 1, 2
_tensors = threading.local()


def _decoded_tensor(code: int, data: memoryview) -> np.ndarray:
    if code == _HERE:
        return np.frombuffer(bytearray(data), np.uint8)
    (number,) = _LENGTH.unpack(data)
    return np.frombuffer(_tensors.received[number], np.uint8)


_DECODERS = {
    kind: msgspec.msgpack.Decoder(content, ext_hook=_decoded_tensor)
    for kind, content in (ANSWERS | COMMANDS).items()
}
_MESSAGE = msgspec.msgpack.Decoder(tuple[str, msgspec.Raw])


def encoded(message: tuple[str, Any]) -> list[bytes | memoryview]:
    """The parts of a message as they are written. Large tensors are not copied: they must not change before.

    Raises TypeError for what no message may hold.
    """
    tensors: list[memoryview] = []

    def encode_other(found: Any) -> Any:
        if isinstance(found, np.generic):
            return found.item()
        if not isinstance(found, np.ndarray) or found.dtype != np.uint8 or found.ndim != 1:
            kind = getattr(found, "dtype", type(found).__name__)
            raise TypeError(f"a message holds {kind} where bytes of a tensor should be")
        if found.nbytes < _LARGE:
            return msgspec.msgpack.Ext(_HERE, found.tobytes())
        tensors.append(np.ascontiguousarray(found).data)
        return msgspec.msgpack.Ext(_BEHIND, _LENGTH.pack(len(tensors) - 1))

    content = msgspec.msgpack.encode(message, enc_hook=encode_other)
    parts: list[bytes | memoryview] = [_HEAD.pack(_MARK, len(content), len(tensors)), content]
    for each in tensors:
        parts += [_LENGTH.pack(each.nbytes), each]
    return parts


def write(stream: BinaryIO, parts: Sequence[bytes | memoryview]) -> None:
    """Write the parts of a message, of large tensors a piece at a time, so that none is in memory as a whole."""
    for part in parts:
        for first in range(0, len(part), _PIECE):
            stream.write(part[first : first + _PIECE])
            if len(part) > _PIECE:
                storage.release()
    stream.flush()


def send(stream: BinaryIO, message: tuple[str, Any]) -> None:
    """Write one message."""
    write(stream, encoded(message))


def receive(stream: BinaryIO, longest: int = LONGEST) -> tuple[str, Any]:
    """Read one message, of at most so many bytes: its kind and its content.

    Raises EOFError when the other side has closed the stream, ProtocolError for what is not a message, MemoryError for
    one that is too long.
    """
    mark, size, count = _HEAD.unpack(_read(stream, _HEAD.size))
    if mark != _MARK or size > LONGEST or count > LONGEST // _LARGE:
        raise ProtocolError(f"not a message of the protocol: it begins with {mark!r}")
    _require(size, longest)
    content, tensors = _read(stream, size), []
    for _ in range(count):
        (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
        size += length
        _require(size, longest)
        tensors.append(_filled(stream, length))
    _tensors.received = tensors
    try:
        kind, encoded_content = _MESSAGE.decode(content)
        if kind not in _DECODERS:
            raise ProtocolError(f"a message of the kind {kind!r}")
        return kind, _DECODERS[kind].decode(encoded_content)
    except (msgspec.MsgspecError, IndexError, struct.error, UnicodeDecodeError) as error:
        raise ProtocolError(f"not a message of the protocol: {error}") from None
    finally:
        _tensors.received = []


def _require(size: int, longest: int) -> None:
    if size > longest:
        raise MemoryError(
            f"an answer of {size / 1e9:.1f} GB; this process takes at most {longest / 1e9:.1f} GB"
        )


def _filled(stream: BinaryIO, size: int) -> Any:
    """A tensor's bytes."""
    found = storage.buffer(size)
    with memoryview(found) as view:
        filled = 0
        while filled < size:
            count = stream.readinto(view[filled : filled + _PIECE])  # type: ignore[attr-defined]
            if not count:
                raise EOFError("the other side closed the stream")
            filled += count
            if size > _PIECE:
                storage.release()
    return found


def _read(stream: BinaryIO, size: int) -> bytearray:
    content = bytearray()
    while len(content) < size:
        part = stream.read(min(size - len(content), _PIECE))
        if not part:
            raise EOFError("the other side closed the stream")
        content += part
    return content
