"""OpenVINO's devices. Only this module imports openvino, and only child processes and the fork server import it."""

from __future__ import annotations

import mmap
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import openvino as ov

from devices.backend import Backend, DeviceAbsentError, UnknownDeviceError
from devices.messages import one_line
from devices.protocol import Kernel, Question, Reply, TensorData

_Coordinate: Any = getattr(ov, "Coordinate", None)
if _Coordinate is None:  # releases before 2024.2
    from openvino.runtime import Coordinate

    _Coordinate = Coordinate

# The device name under which OpenVINO's core implementation of operations runs, without any plugin.
CORE = "CORE"

# The element types that NumPy has too.
_NUMPY_TYPES: dict[str, type[np.generic]] = {
    "boolean": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip

# Precisions in which a device may compute an f32 layer, the coarsest first.
_COARSE = ("bf16", "f16")
# Nodes that compute nothing, so that their precision does not matter.
_COMPUTE_NOTHING = ("Reorder", "Input", "Output", "Const")

# Devices that execute on other devices.
_VIRTUAL = ("AUTO", "MULTI", "HETERO", "BATCH")

_SETTINGS_READ_BACK = (
    "EXECUTION_DEVICES",
    "EXECUTION_MODE_HINT",
    "INFERENCE_PRECISION_HINT",
    "PERFORMANCE_HINT",
    "NUM_STREAMS",
    "INFERENCE_NUM_THREADS",
)

_PROBE = b"""<?xml version="1.0"?><net name="probe" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="2,3"/>
<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="y" type="Exp" version="opset1"><input><port id="0"><dim>2</dim><dim>3</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="2" name="z" type="Result" version="opset1"><input><port id="0"><dim>2</dim><dim>3</dim></port></input>
</layer></layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def open_device(device: str, settings: dict[str, str]) -> tuple[Backend, dict[str, Any]]:
    """A device of OpenVINO by its name, and what it reports about itself.

    Raises DeviceAbsentError or UnknownDeviceError.
    """
    core = ov.Core()
    facts: dict[str, Any] = {"openvino": ov.get_version(), "available": core.available_devices}
    if device == CORE:
        facts |= {"full_name": "OpenVINO core implementation, no plugin", "settings": {}}
        return CoreDevice(core), facts
    names = device_names(device)
    if set(names) & {"", *_VIRTUAL}:
        raise UnknownDeviceError(f"{device!r} does not say which device to test: AUTO:CPU does")
    missing = [
        n for n in names if n.partition(".")[0] in ("GPU", "NPU", "CPU") and not _has(core, n)
    ]
    if missing:
        have = ", ".join(core.available_devices) or "none"
        raise DeviceAbsentError(f"{', '.join(missing)} is not on this machine; available: {have}")
    try:
        compiled = core.compile_model(core.read_model(_PROBE, b""), device, settings)
    except Exception as error:
        raise UnknownDeviceError(f"{device} {settings or ''}: {one_line(str(error))}") from None
    facts["full_name"] = ", ".join(_property(core, n, "FULL_DEVICE_NAME") or n for n in names)
    facts["driver"] = ", ".join(filter(None, (_driver(core, n) for n in names)))
    facts["settings"] = {
        key: text for key in _SETTINGS_READ_BACK if (text := _compiled_property(compiled, key))
    }
    facts["kernels"] = {k: v.primitive for k, v in _kernels(compiled, ["y"]).items()}
    # AUTO may start on the CPU while another device compiles: read the executing devices after an inference.
    request = compiled.create_infer_request()
    request.set_input_tensor(0, ov.Tensor(np.zeros((2, 3), np.float32)))
    request.infer()
    executed = _execution_devices(compiled)
    unexpected = [
        d for d in executed if d.partition(".")[0] not in {n.partition(".")[0] for n in names}
    ]
    if unexpected:
        raise DeviceAbsentError(f"{device} was asked for, but {', '.join(unexpected)} executed")
    return PluginDevice(core, device, settings), facts


def device_names(device: str) -> list[str]:
    """The devices under AUTO, MULTI, HETERO or BATCH, or the device itself: ``BATCH:CPU(4)`` -> ``["CPU"]``."""
    name, colon, inner = device.partition(":")
    names = inner if colon else name
    return [re.sub(r"\(.*\)", "", name).lstrip("-").strip() for name in names.split(",")]


def _has(core: ov.Core, name: str) -> bool:
    kind, _, number = name.partition(".")
    return any(
        a == name or (not number and a.partition(".")[0] == kind) for a in core.available_devices
    )


def _property(core: ov.Core, device: str, key: str) -> str:
    try:
        return str(core.get_property(device, key))
    except Exception:  # devices differ in the properties that they have; a missing one is left out
        return ""


def _driver(core: ov.Core, device: str) -> str:
    return _property(core, device, "NPU_DRIVER_VERSION") or _property(
        core, device, "GPU_DRIVER_VERSION"
    )


def _compiled_property(compiled: ov.CompiledModel, key: str) -> str:
    try:
        value = compiled.get_property(key)
    except Exception:  # as above
        return ""
    if isinstance(value, ov.Type):
        return str(value.get_type_name())
    return str(getattr(value, "name", value))


def _execution_devices(compiled: ov.CompiledModel) -> list[str]:
    try:
        value = compiled.get_property("EXECUTION_DEVICES")
    except Exception:  # as above
        return []
    names = value if isinstance(value, (list, tuple)) else str(value).split()
    return [str(name).strip("()") for name in names]


class PluginDevice:
    """A device reached through its plugin."""

    def __init__(self, core: ov.Core, device: str, settings: dict[str, str]) -> None:
        self.core, self.device, self.settings = core, device, settings

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Read, compile, infer."""
        reply = Reply()
        try:
            with _timed(reply, stage, "read"):
                model = _read(self.core, question, reply)
            with _timed(reply, stage, "compile"):
                compiled = self.core.compile_model(model, self.device, self.settings)
            with _timed(reply, stage, "infer"):
                answers = list(_infer(model, compiled, question))
            reply.devices = _execution_devices(compiled)
            reply.kernels = _kernels(compiled, question.layers)
            with _timed(reply, stage, "fetch"):
                reply.outputs = [answer() for answer in answers]
        except Exception as error:  # any exception of the device is a refusal
            _refused(reply, error)
        return reply


class CoreDevice:
    """OpenVINO's own implementation of operations, run by ``ov.Model.evaluate``."""

    def __init__(self, core: ov.Core) -> None:
        self.core = core

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Read and evaluate."""
        reply = Reply(devices=[CORE])
        try:
            with _timed(reply, stage, "read"):
                model = _read(self.core, question, reply)
            names = [p.get_friendly_name() for p in model.get_parameters()]
            indices = _result_indices(model, question)
            with _timed(reply, stage, "infer"):
                for feed in question.feeds:
                    held = [_Input(feed[name], question.memory) for name in names]
                    results = [_empty(result) for result in model.get_results()]
                    if not model.evaluate(results, [each.tensor for each in held]):
                        raise RuntimeError("evaluate returned False: no core implementation")
                    reply.outputs.append([_fetch(results[index]) for index in indices])
        except Exception as error:  # any exception of the device is a refusal
            _refused(reply, error)
        return reply


@contextmanager
def _timed(reply: Reply, stage: Callable[[str], None], name: str) -> Iterator[None]:
    stage(name)
    reply.stage = name
    started = time.perf_counter()
    try:
        yield
    finally:
        reply.seconds[name] = time.perf_counter() - started
    reply.stage = "done"


def _refused(reply: Reply, error: Exception) -> None:
    if reply.stage == "done":
        reply.stage = "fetch"
    reply.error = str(error).strip()


def _read(core: ov.Core, question: Question, reply: Reply) -> ov.Model:
    model = core.read_model(question.xml, question.weights)
    inferred = {}
    for result in model.get_results():
        port = result.input(0)
        kind = port.get_element_type().get_type_name()
        inferred[result.get_friendly_name()] = (kind, str(port.get_partial_shape()))
    reply.inferred = [inferred[name] for name in question.results]
    return model


def _result_indices(model: ov.Model, question: Question) -> list[int]:
    indices = {r.get_friendly_name(): i for i, r in enumerate(model.get_results())}
    return [indices[name] for name in question.results]


def _infer(
    model: ov.Model, compiled: ov.CompiledModel, question: Question
) -> Iterator[Callable[[], list[TensorData]]]:
    """One inference for each feed; yields functions that return the outputs.

    One request runs them in turn, and its outputs are copied before the next inference. With two requests at once
    both run before the outputs of either are copied.
    """
    names = [p.get_friendly_name() for p in model.get_parameters()]
    indices = _result_indices(model, question)
    if question.requests == "two":
        running = []
        for feed in question.feeds:
            request = compiled.create_infer_request()
            held = _set_inputs(request, names, feed, question.memory)
            running.append((request, held))
        for request, _ in running:
            request.start_async()
        for request, held in running:
            request.wait()
            answers = [_fetch(request.get_output_tensor(index)) for index in indices]
            yield lambda answers=answers, held=held: answers  # type: ignore[misc]
        return
    request = compiled.create_infer_request()
    for feed in question.feeds:
        held = _set_inputs(request, names, feed, question.memory)
        request.infer()
        answers = [_fetch(request.get_output_tensor(index)) for index in indices]
        del held
        yield lambda answers=answers: answers  # type: ignore[misc]


def _set_inputs(
    request: ov.InferRequest, names: list[str], feed: dict[str, TensorData], memory: str
) -> list[_Input]:
    held = [_Input(feed[name], memory) for name in names]
    for index, each in enumerate(held):
        request.set_input_tensor(index, each.tensor)
    return held


class _Input:
    """An input tensor, and the memory that must live as long as it does."""

    def __init__(self, given: TensorData, memory: str) -> None:
        kind, shape = given.element_type, ov.Shape(list(given.shape))
        self.held: Any = given.data
        if kind == "string":
            strings = np.array(given.data, dtype=object).reshape(given.shape)
            self.tensor = ov.Tensor(ov.Type.string, shape)
            if strings.size:
                self.tensor.str_data = strings.astype(str)
            return
        if memory and kind in _NUMPY_TYPES and given.data.size:
            self.tensor, self.held = _in_memory(given, memory)
            return
        if kind in _NUMPY_TYPES and given.data.size:
            array = given.data.view(_NUMPY_TYPES[kind]).reshape(given.shape)
            # The tensor does not keep the array alive: self.held does.
            self.tensor = ov.Tensor(array, shared_memory=True)
            return
        self.tensor = ov.Tensor(getattr(ov.Type, kind), shape)
        if given.data.size:
            self.tensor.data.reshape(-1).view(np.uint8)[:] = given.data


def _in_memory(given: TensorData, memory: str) -> tuple[ov.Tensor, Any]:
    """The tensor in unusual memory: not aligned, strided, or mapped from outside the process's heap; and its owner."""
    dtype = np.dtype(_NUMPY_TYPES[given.element_type])
    values = given.data.view(dtype).reshape(given.shape)
    if memory == "offset":
        # One element past an aligned address.
        buffer = np.empty(values.size + 1, dtype)
        array = buffer[1:].reshape(given.shape)
        array[...] = values
        return ov.Tensor(array, shared_memory=True), buffer
    if memory == "foreign":
        mapped = mmap.mmap(-1, max(values.nbytes, 1))
        array = np.frombuffer(mapped, dtype, values.size).reshape(given.shape)
        array[...] = values
        return ov.Tensor(array, shared_memory=True), (array, mapped)
    # A region of a larger tensor: elements outside the region must not be read.
    if not given.shape:
        return ov.Tensor(values.copy(), shared_memory=False), None
    whole = np.full([d + 2 for d in given.shape], values.reshape(-1)[-1], dtype)
    whole[tuple(slice(1, d + 1) for d in given.shape)] = values
    outer = ov.Tensor(whole, shared_memory=True)
    begin = _Coordinate([1] * len(given.shape))
    end = _Coordinate([d + 1 for d in given.shape])
    return ov.Tensor(outer, begin, end), (outer, whole)


def _empty(result: ov.Node) -> ov.Tensor:
    port = result.input(0)
    partial = port.get_partial_shape()
    shape = partial.to_shape() if partial.is_static else ov.Shape([0])
    return ov.Tensor(port.get_element_type(), shape)


def _fetch(tensor: ov.Tensor) -> TensorData:
    kind = tensor.element_type.get_type_name()
    shape = tuple(int(d) for d in tensor.shape)
    if kind == "string":
        strings = tensor.str_data.reshape(-1) if 0 not in shape else []
        return TensorData(kind, shape, [str(string) for string in strings])
    if 0 in shape:
        return TensorData(kind, shape, np.empty(0, np.uint8))
    return TensorData(kind, shape, np.array(tensor.data, copy=True).reshape(-1).view(np.uint8))


def _kernels(compiled: ov.CompiledModel, layers: list[str]) -> dict[str, Kernel]:
    """The kernel that executed each layer, for devices that report it."""
    try:
        nodes = compiled.get_runtime_model().get_ops()
    except Exception:  # not every device has a run-time model
        return {}
    layer_names = set(layers)
    found: dict[str, Kernel] = {}
    ranks: dict[str, tuple[bool, bool, int]] = {}
    coarse: dict[str, str] = {}
    executed: dict[str, list[ov.Node]] = {}
    for node in nodes:
        info = node.get_rt_info()
        precision = _text(info, "runtimePrecision")
        if precision in _COARSE and _text(info, "layerType") not in _COMPUTE_NOTHING:
            coarse[node.get_friendly_name()] = precision
        names = {node.get_friendly_name(), *_text(info, "originalLayersNames").split(",")}
        for name in names:
            # A layer computed in another type than the model's is a node with a number between two conversions: y.1.
            # A layer between two changes of its shape is a node with a path: y/y.
            base = name if name in layer_names else re.sub(r"(\.\d+)+$", "", name.partition("/")[0])
            if base in layer_names:
                executed.setdefault(base, []).append(node)
                kernel = Kernel(_text(info, "layerType"), _text(info, "primitiveType"), precision)
                # Prefer the layer itself to numbered nodes, and both to nodes without a kernel (changes of shape).
                is_nothing = kernel.primitive.startswith("unknown")
                rank = (kernel.layer_type == "Reorder", is_nothing, len(name))
                if base not in found or rank < ranks[base]:
                    found[base], ranks[base] = kernel, rank
    if coarse:
        for name, kernel in found.items():
            kernel.precision = _coarsest(executed[name], coarse, kernel.precision)
    return found


def _coarsest(nodes: list[ov.Node], coarse: dict[str, str], own: str) -> str:
    """The coarsest precision that a layer was computed in.

    A device may split a layer into several nodes, of which only the last has the layer's name: all nodes before it
    count.
    """
    precisions = {own}
    seen = {node.get_friendly_name() for node in nodes}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        precisions.add(coarse.get(node.get_friendly_name(), own))
        for index in range(node.get_input_size()):
            before = node.input_value(index).get_node()
            if before.get_friendly_name() not in seen:
                seen.add(before.get_friendly_name())
                waiting.append(before)
    return next((each for each in _COARSE if each in precisions), own)


def _text(info: Any, key: str) -> str:
    try:
        value = info[key]
    except KeyError:
        return ""
    return str(value.astype(str)) if hasattr(value, "astype") else str(value)
