"""A device that crashes, hangs, refuses and lies on purpose: ``--device PYTHON:tests.unit.devices.faulty``.

It parses the IR and computes the right answers with ``reference``. Settings steer it:

FAULT=NAME    what goes wrong: a key of one of the tables below
MATCH=TEXT    only layers whose description (see ``Layer``) holds this text; default every layer
STAGE=NAME    where it dies, hangs or refuses: read, compile or infer (default)
LOG=FILE      each layer that the device is asked about is written there, one in a line, before anything is done
DELAY=S       seconds that each question takes
BUSY=S        seconds of a core that each question takes
TELL=NAME     the variable of its environment that it gives as its driver
OPENS=N       the device opens N times (``LOG`` counts), and is absent from then on
TIMES=N       the fault happens the first N times only, and never again in any process (``LOG`` counts)
HALT=NAME     where it waits to be killed: open, read, compile, infer or release; ``LOG``.halted holds its process id
NTH=N         it waits the N-th time that any process gets there, and never again (default 1)
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import os
import re
import signal
import stat
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from msgspec.msgpack import Ext

from devices.process import protocol
from devices.process.backend import DeviceAbsentError, UnknownDeviceError
from devices.process.protocol import Kernel, Question, Reply, TensorData
from ir_models import ELEMENT_TYPES, Operation, select
from reference import answer

STAGES = ("read", "compile", "infer")
HALTS = ("open", *STAGES, "release")
_BY_PRECISION = {kind.precision: kind for kind in ELEMENT_TYPES.values()}
_PLUMBING = ("Parameter", "Const", "Convert", "Result")


@dataclass
class Layer:
    """A layer under test. ``description`` is like ``SpaceToDepth-1 f32[2x5x6] block_size=2 mode=depth_first``."""

    name: str
    description: str


def layers(xml: bytes) -> list[Layer]:
    """The layers under test in a model, in the pack's order."""
    found = [
        Layer(str(element.get("name")), _description(element))
        for element in etree.fromstring(xml).iter("layer")
        if element.get("type") not in _PLUMBING
    ]
    # The XML may have its layers in reverse.
    return sorted(found, key=lambda layer: _position(layer.name))


def _position(name: str) -> int:
    """The position in the pack that the name of a layer or a Result begins with; 0 for a case alone."""
    numbered = re.search(r"\bc(\d+)\.", name)
    return int(numbered[1]) if numbered else 0


def _description(element: etree._Element) -> str:
    ports = [
        f"{_BY_PRECISION[str(port.get('precision'))]}[{'x'.join(port.xpath('dim/text()'))}]"
        for port in element.iterfind("input/port")
    ]
    attributes = [f"{key}={value}" for key, value in _attributes(element).items()]
    return " ".join([_operation(element).name, *ports, *attributes])


def _attributes(element: etree._Element) -> dict[str, str]:
    data = element.find("data")
    return {} if data is None else {str(k): str(v) for k, v in data.attrib.items()}


def _operation(element: etree._Element) -> Operation:
    return next(o for o in select([str(element.get("type"))]) if o.opset == element.get("version"))


class Graph:
    """The model of a question, evaluated once for each feed. Raises ValueError or TypeError for an invalid layer."""

    def __init__(self, question: Question) -> None:
        root = etree.fromstring(question.xml)
        self._question = question
        self._elements = {str(e.get("id")): e for e in root.iter("layer")}
        self._sources = {
            (e.get("to-layer"), e.get("to-port")): (str(e.get("from-layer")), e.get("from-port"))
            for e in root.iter("edge")
        }

    def infer(self, feed: dict[str, TensorData]) -> dict[str, TensorData]:
        """The tensor of each Result by its name."""
        known: dict[str, list[np.ndarray]] = {}
        found = {}
        for element in self._elements.values():
            if element.get("type") == "Result":
                port = element.find("input/port")
                (value,) = self._inputs(element, feed, known)
                kind = _BY_PRECISION[port.get("precision")]
                tensor = TensorData.of(value.astype(kind.dtype, copy=False), kind.name)
                found[str(element.get("name"))] = tensor
        return found

    def _inputs(
        self, element: etree._Element, feed: dict[str, TensorData], known: dict[str, Any]
    ) -> list[np.ndarray]:
        arrays = []
        for port in element.iterfind("input/port"):
            layer, number = self._sources[element.get("id"), port.get("id")]
            if layer not in known:
                known[layer] = self._outputs(self._elements[layer], feed, known)
            ids = [p.get("id") for p in self._elements[layer].iterfind("output/port")]
            arrays.append(known[layer][ids.index(number)])
        return arrays

    def _outputs(
        self, element: etree._Element, feed: dict[str, TensorData], known: dict[str, Any]
    ) -> list[np.ndarray]:
        kind, attributes = element.get("type"), _attributes(element)
        if kind == "Parameter":
            return [feed[str(element.get("name"))].values()]
        if kind == "Const":
            start, size = int(attributes["offset"]), int(attributes["size"])
            content = np.frombuffer(self._question.weights, np.uint8, size, start)
            shape = tuple(int(d) for d in attributes["shape"].split(",") if d)
            return [ELEMENT_TYPES[attributes["element_type"]].unpack(content, shape)]
        inputs = self._inputs(element, feed, known)
        if kind == "Convert":
            return [inputs[0].astype(ELEMENT_TYPES[attributes["destination_type"]].dtype)]
        operation = _operation(element)
        _check_types(operation, element)
        given = {
            a.name: a.parse(attributes[a.name])
            for a in operation.attributes
            if a.name in attributes
        }
        return [each.value for each in answer(operation.name, inputs, given)]


def _check_types(operation: Operation, element: etree._Element) -> None:
    """References take whatever they can compute with; a device refuses what the page does not list."""
    ports = element.findall("input/port")
    for declared, port in zip(operation.inputs, ports, strict=False):
        kind = _BY_PRECISION[str(port.get("precision"))]
        if not declared.many and kind not in declared.types:
            raise ValueError(f"{declared.name} cannot be {kind}")


# --- faults -----------------------------------------------------------------------------------------------------------


def _segfault() -> None:
    ctypes.string_at(0)


def _abort_with_words() -> None:
    """End as the C library's heap check does, whose message has no new line."""
    os.write(2, b"free(): invalid pointer")
    os.abort()


def _never_return() -> None:
    while True:
        time.sleep(3600)


# The process dies or hangs at STAGE.
DEATHS: dict[str, Callable[[], Any]] = {
    "segfault": _segfault,
    "abort": os.abort,
    "abort_with_words": _abort_with_words,
    "exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": _never_return,
}

# What a refusal at STAGE says; the layer's name takes the place of {}.
REFUSALS = {
    "refuse": "Check 'kernel' failed at src/plugin.cpp:7:\n{} has no kernel on this device",
    "refuse_vaguely": "this model is not supported",
    "refuse_silently": "",
    "refuse_by_library": "map::at",
}


def _with_values(change: Callable[[np.ndarray], None]) -> Callable[[TensorData], TensorData]:
    def changed(tensor: TensorData) -> TensorData:
        values = tensor.values().copy()
        change(values.reshape(-1))
        return TensorData.of(values, tensor.element_type)

    return changed


def _last_element(values: np.ndarray) -> None:
    values[-1:] = values[-1:] + values.dtype.type(1)


def _one_step(values: np.ndarray) -> None:
    values[...] = np.nextafter(values, values.dtype.type(np.inf))


def _minus_zero(values: np.ndarray) -> None:
    values[(values == 0) & ~np.signbit(values)] = -0.0


def _nan_for_number(values: np.ndarray) -> None:
    values[np.flatnonzero(np.isfinite(values))[0]] = np.nan


def _number_for_nan(values: np.ndarray) -> None:
    values[np.isnan(values)] = 1


def _not_written(values: np.ndarray) -> None:
    """Leave the last element what new memory of the process holds."""
    values[-1:] = np.empty(2**16, values.dtype)[-1:]


def _not_written_and_wrong(values: np.ndarray) -> None:
    """Leave the last element what new memory of the process holds, and write another first one."""
    _not_written(values)
    values[0] += values.dtype.type(1)


def _bits_not_written(values: np.ndarray) -> None:
    """Leave in each element a bit that new memory of the process holds."""
    values[...] = np.unpackbits(np.empty(2**16, np.uint8))[: values.size]


def _freed_bits_not_written(values: np.ndarray) -> None:
    """Leave in each element a bit of memory that was written and freed, which the C library keeps for the thread."""
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    for fill in (0xFF, None):
        address = ctypes.c_void_p(library.malloc(128))
        if fill is not None:
            ctypes.memset(address, fill, 128)
        held = ctypes.string_at(address, 128)[64:]
        library.free(address)
    values[...] = np.unpackbits(np.frombuffer(held, np.uint8))[: values.size]


def _random_bytes(count: int) -> np.ndarray:
    """Other bytes each time, as memory that is not initialised has them."""
    return np.frombuffer(os.urandom(count), np.uint8)


# What an answer becomes.
LIES: dict[str, Callable[[TensorData], TensorData]] = {
    "wrong_element": _with_values(_last_element),
    "coarse": _with_values(_one_step),  # right for rounding operations, if not as exact as can be
    "minus_zero": _with_values(_minus_zero),
    "nan_for_number": _with_values(_nan_for_number),
    "number_for_nan": _with_values(_number_for_nan),
    "not_written": _with_values(_not_written),
    "not_written_and_wrong": _with_values(_not_written_and_wrong),
    "bits_not_written": _with_values(_bits_not_written),
    "freed_bits_not_written": _with_values(_freed_bits_not_written),
    "wrong_shape": lambda tensor: replace(tensor, shape=(*tensor.shape, 1)),
    "wrong_type": lambda tensor: replace(tensor, element_type="i32"),
    "bytes_missing": lambda tensor: replace(tensor, data=tensor.data[:-1]),
    "eight_megabytes": lambda tensor: replace(tensor, data=np.zeros(2**23, np.uint8)),
    "two_gigabytes": lambda tensor: replace(tensor, data=np.zeros(2**31, np.uint8)),
    "random_bytes_more": lambda tensor: replace(tensor, data=_random_bytes(8 * tensor.data.size)),
}


def _one_tensor(**changes: Any) -> Callable[[Reply], None]:
    def change(reply: Reply) -> None:
        reply.outputs[0][0] = replace(reply.outputs[0][0], **changes)

    return change


# What is done to a reply that the protocol does not allow.
MALFORMED: dict[str, Callable[[Reply], Any]] = {
    "output_missing": lambda reply: reply.outputs.__setitem__(0, []),
    "inference_missing": lambda reply: reply.outputs.pop(),
    "no_outputs": lambda reply: setattr(reply, "outputs", None),
    "no_tensor": lambda reply: reply.outputs[0].__setitem__(0, 7),
    "shape_of_text": _one_tensor(shape=("a", "b")),
    "negative_shape": _one_tensor(shape=(-1, 3)),
    "data_of_floats": _one_tensor(data=np.zeros(6, np.float32)),
    "no_data": _one_tensor(data=None),
    "kernel_of_text": lambda reply: setattr(reply, "kernels", {"a": "jit"}),
    "stage_of_its_own": lambda reply: setattr(reply, "stage", "somewhere"),
    "seconds_of_text": lambda reply: reply.seconds.update(read="long"),
    "inferred_missing": lambda reply: reply.inferred.clear(),
}


def _answer_pipes() -> Iterator[int]:
    """The descriptors of this process that are pipes to write to: the answers are sent through one of them."""
    for number in range(3, 64):
        with suppress(OSError):
            is_pipe = stat.S_ISFIFO(os.fstat(number).st_mode)
            if is_pipe and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                yield number


def _write(content: bytes) -> None:
    for number in _answer_pipes():
        os.write(number, content)


def _close_answers() -> None:
    for number in _answer_pipes():
        os.close(number)
    _never_return()


def _leave_a_heir() -> None:
    """End, but leave a process behind that holds all that this one had open."""
    if os.fork():
        os._exit(3)
    time.sleep(60)


NOTHING = ("quit", None)
# A reply with a tensor that does not follow it.
BEHIND = {"outputs": [[{"element_type": "f32", "shape": [1], "data": Ext(2, bytes(8))}]]}
# What is written to the pipe of the answers, or done with it, at STAGE.
ON_PIPE: dict[str, Callable[[], Any]] = {
    "garbage": lambda: _write(b"Warning: the cache is cold\n" * 3),
    "no_message": lambda: _write(b"".join([protocol.encoded(NOTHING)[0], b"??????????????"])),
    "other_message": lambda: _write(b"".join(protocol.encoded(("ping", "reply")))),
    "a_command": lambda: _write(b"".join(protocol.encoded(NOTHING))),
    "no_reply": lambda: _write(b"".join(protocol.encoded(("reply", 7)))),
    "no_tensor_behind": lambda: _write(b"".join(protocol.encoded(("reply", BEHIND)))),
    "endless": lambda: _write(struct.pack("<8sQQ", protocol.encoded(NOTHING)[0][:8], 2**62, 0)),
    "close_answers": _close_answers,
    "heir": _leave_a_heir,
}

# What is less simple, each told apart where it happens below.
OTHERS = (
    "wrong_when_odd",  # the last element is wrong in the first inference, the third, ...
    "goes_on",  # other elements in each inference of a model but the first
    "rolled_when_odd",  # the same elements in another order in the first inference, the third, ...
    "wrong_in_pack",  # right alone, wrong in a pack
    "spoils",  # wrong everywhere, and so is all that is in a pack with it
    "wrong_alone",  # right in a pack, wrong alone
    "wrong_otherwise",  # wrong everywhere, in a pack by other values than alone
    "infers_shape",  # a wrong shape inferred at reading
    "infers_type",
    "folded",
    "stranger",  # CPU executes
    "unreadable",  # the answer is there but cannot be fetched
    "chatter",  # the device's library prints on standard output
    "die_on_release",  # damage that kills the process when it ends
    "hang_on_release",
    "exit_on_release",
    "die_later",  # damage that kills the process in its next question
    "refuse_later",  # damage that makes the library throw in each later question of the process
    "read_nothing_later",  # damage that makes OpenVINO refuse each later model of the process
    "wrong_later",  # damage that makes all later answers of the process wrong
    "accept_invalid",
    "poison",  # after an invalid layer was refused, all answers of this process are wrong
    "poison_deadly",  # ... the process dies of the next question
)

# What a process says from then on.
_DAMAGES = {
    "refuse_later": "map::at",
    "read_nothing_later": "Unable to read the model. Please check if the model format is supported",
}

_ON_RELEASE = {
    "die_on_release": _segfault,
    "hang_on_release": _never_return,
    "exit_on_release": lambda: os._exit(3),
}

# The device does not open.
CLOSED = ("absent", "unknown", "open_segfault", "open_error")


class FaultyDevice:
    """Answers rightly but for its fault."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.fault = settings.get("FAULT", "")
        self.match = settings.get("MATCH", "")
        self.stage = settings.get("STAGE", "infer")
        self.delay = float(settings.get("DELAY", "0"))
        self.log = settings.get("LOG", "")
        self.settings = settings
        self.inferences = 0
        self.dying = self.poisoned = self.damaged = False

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Read, compile, infer."""
        asked = layers(question.xml)
        if self.log:
            _append(self.log, [layer.description for layer in asked])
        if self.fault == "chatter":
            os.write(1, b"plugin: compiled 1 layer\n" * 1000)
        time.sleep(self.delay)
        end = time.process_time() + float(self.settings.get("BUSY", "0"))
        while time.process_time() < end:
            pass
        if self.dying:
            _segfault()
        if self.damaged:
            return Reply(stage="read", error=_DAMAGES[self.fault], devices=["PYTHON"])
        struck = [layer for layer in asked if self.match in layer.description]
        reply = Reply(devices=["PYTHON"])
        honest: list[dict[str, TensorData]] = []
        for reply.stage in STAGES:
            stage(reply.stage)
            halt(self.settings, reply.stage)
            reply.seconds[reply.stage] = 0.001
            if struck and reply.stage == self.stage:
                if self.fault in DEATHS and _is_due(self.settings):
                    DEATHS[self.fault]()
                if self.fault in ON_PIPE and _is_due(self.settings):
                    ON_PIPE[self.fault]()
                if self.fault in REFUSALS:
                    reply.error = REFUSALS[self.fault].format(struck[0].name)
                    return reply
            if reply.stage == "read":
                try:
                    honest = [Graph(question).infer(feed) for feed in question.feeds]
                except (ValueError, TypeError) as error:
                    if not (struck and self.fault in ("accept_invalid", *DEATHS, *REFUSALS)):
                        self._poison(bool(struck))
                        reply.error = str(error)
                        return reply
                    honest = [_zeros(question)] * len(question.feeds)
                reply.inferred = list(self._inferred(question, honest[0]))
        if struck and self.fault == "unreadable":
            reply.stage, reply.error = "fetch", "no host pointer"
            return reply
        reply.stage = "done"
        reply.outputs = []
        for number, each in enumerate(honest):
            reply.outputs.append(self._answers(question, asked, each, number))
        reply.kernels = {
            layer.name: Kernel(self._layer_type(layer), "python_ref", "f32") for layer in asked
        }
        if struck and self.fault == "stranger":
            reply.devices = ["CPU"]
        if struck and self.fault in _ON_RELEASE:
            atexit.register(_ON_RELEASE[self.fault])
        self.dying = self.dying or bool(struck and self.fault == "die_later")
        self.damaged = self.damaged or bool(struck and self.fault in _DAMAGES)
        self.poisoned = self.poisoned or bool(struck and self.fault == "wrong_later")
        if struck and self.fault in MALFORMED:
            MALFORMED[self.fault](reply)
        return reply

    def _poison(self, struck: bool) -> None:
        self.poisoned = self.poisoned or (struck and self.fault == "poison")
        self.dying = self.dying or (struck and self.fault == "poison_deadly")

    def _strikes(self, layer: Layer, *faults: str) -> bool:
        return self.fault in faults and self.match in layer.description

    def _layer_type(self, layer: Layer) -> str:
        return "Const" if self._strikes(layer, "folded") else "Reference"

    def _inferred(
        self, question: Question, honest: dict[str, TensorData]
    ) -> Iterator[tuple[str, str]]:
        for layer, name in _owners(layers(question.xml), question.results):
            kind, shape = honest[name].element_type, list(honest[name].shape)
            if self._strikes(layer, "infers_shape"):
                shape = [*shape, 9]
            if self._strikes(layer, "infers_type"):
                kind = "u8"
            yield kind, f"[{','.join(map(str, shape))}]"

    def _answers(
        self,
        question: Question,
        asked: list[Layer],
        honest: dict[str, TensorData],
        number: int,
    ) -> list[TensorData]:
        """One inference's outputs, lies included."""
        self.inferences += 1
        outputs = []
        is_spoilt = any(self._strikes(layer, "spoils") for layer in asked)
        for layer, name in _owners(asked, question.results):
            tensor = honest[name]
            if self._strikes(layer, *LIES):
                tensor = LIES[self.fault](tensor)
            if self._strikes(layer, "rolled_when_odd") and self.inferences % 2:
                tensor = TensorData.of(np.roll(tensor.values(), 1), tensor.element_type)
            if self._strikes(layer, "goes_on"):
                tensor = TensorData.of(np.roll(tensor.values(), number), tensor.element_type)
            if self._strikes(layer, "wrong_otherwise"):
                values = tensor.values() + np.float32(len(asked))
                tensor = TensorData.of(values, tensor.element_type)
            if (
                self.poisoned
                or is_spoilt
                or (self._strikes(layer, "wrong_when_odd") and self.inferences % 2)
                or (self._strikes(layer, "wrong_in_pack") and len(asked) > 1)
                or (self._strikes(layer, "wrong_alone") and len(asked) == 1)
            ):
                tensor = LIES["wrong_element"](tensor)
            outputs.append(tensor)
        return outputs


def _zeros(question: Question) -> dict[str, TensorData]:
    return {name: TensorData.of(np.zeros((1, 2), np.float32), "f32") for name in question.results}


def _owners(asked: list[Layer], results: list[str]) -> Iterator[tuple[Layer, str]]:
    """(layer, result) for each result: both are numbered by the case's place in the pack."""
    for name in results:
        yield asked[_position(name)], name


def _append(path: str, lines: list[str]) -> None:
    # One write of a short text to a file opened for appending: two processes never mix their lines.
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


def open_device(settings: dict[str, str]) -> tuple[FaultyDevice, dict[str, Any]]:
    """The device, unless its fault is that it does not open."""
    device = FaultyDevice(settings)
    known = (*DEATHS, *REFUSALS, *LIES, *MALFORMED, *ON_PIPE, *OTHERS, *CLOSED)
    halt(settings, "open")
    if settings.get("HALT") == "release":
        atexit.register(halt, settings, "release")
    if device.fault == "open_error":
        raise RuntimeError("the driver's table is empty")
    if device.fault == "open_segfault" and _is_due(settings):
        _segfault()
    if device.fault == "absent" or _spent(settings):
        raise DeviceAbsentError("PYTHON is not on this machine")
    if device.fault == "unknown" or device.fault not in ("", *known):
        raise UnknownDeviceError(f"PYTHON: unknown fault {device.fault!r}")
    return device, {
        "openvino": "faulty",
        "full_name": "A device with a fault",
        "driver": os.environ.get(settings.get("TELL", ""), ""),
        "settings": {"FAULT": device.fault},
        "kernels": {},
    }


def _spent(settings: dict[str, str]) -> bool:
    """Whether the device has opened as often as it does; counts this time."""
    return "OPENS" in settings and _counted(settings, "opens") > int(settings["OPENS"])


def _is_due(settings: dict[str, str]) -> bool:
    """Whether the fault happens this time; counts it."""
    return "TIMES" not in settings or _counted(settings, "times") <= int(settings["TIMES"])


def halt(settings: dict[str, str], place: str) -> None:
    """Wait for somebody who kills this process, if this is the place and the time."""
    if settings.get("HALT") == place and _counted(settings, "halts") == int(settings.get("NTH", 1)):
        written = Path(settings["LOG"] + ".halting")
        written.write_text(str(os.getpid()))
        written.rename(settings["LOG"] + ".halted")
        time.sleep(60)


def _counted(settings: dict[str, str], what: str) -> int:
    """How often this happened in all processes, this time included."""
    counter = Path(f"{settings['LOG']}.{what}")
    with counter.open("a") as file:
        file.write("x")
    return counter.stat().st_size
