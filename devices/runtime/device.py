"""OpenVINO's devices.

Only the modules of this package import openvino, and only child processes and the fork server import these.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import openvino as ov

from devices.process import own_build
from devices.process.backend import Backend, DeviceAbsentError, UnknownDeviceError
from devices.process.messages import one_line
from devices.process.protocol import Question, Reply, TensorData
from devices.runtime.kernels import executed_nodes, kernels
from devices.runtime.state import infer_in_turns
from devices.runtime.tensors import InputTensor, copied, set_inputs
from devices.targets.profiles import instruction_set
from reports.results.case_folder.openvino_run import evaluated

# The device name under which OpenVINO's core implementation of operations runs, without any plugin.
CORE = "CORE"

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


def open_device(
    device: str, settings: dict[str, str], is_known: bool
) -> tuple[Backend, dict[str, Any]]:
    """A device of OpenVINO by its name, and what it reports about itself.

    A device that ``is_known`` computed before with these settings: no model is compiled and run to see whether it does.
    Raises DeviceAbsentError or UnknownDeviceError.
    """
    core = ov.Core()
    registered = own_build.plugins()
    for name, library in registered:
        try:
            core.register_plugin(library, name)
        except Exception as error:
            raise UnknownDeviceError(f"--plugin {name}: {one_line(str(error))}") from None
    facts: dict[str, Any] = {"openvino": ov.get_version()}
    if is_known and device != CORE:
        # Which devices there are takes longer to find out than to open one: every plugin looks for its own.
        return PluginDevice(core, device, settings), facts
    facts["available"] = core.available_devices
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
        why = _why_no_npu(core) if "NPU" in missing else ""
        raise DeviceAbsentError(
            f"{', '.join(missing)} is not on this machine{why}; available: {have}"
        )
    try:
        compiled = core.compile_model(core.read_model(_PROBE, b""), device, settings)
    except Exception as error:
        said = one_line(str(error))
        if "is not registered" in said:
            have = ", ".join(core.available_devices) or "none"
            raise UnknownDeviceError(f"{device}: {said}; available: {have}") from None
        raise UnknownDeviceError(f"{device} {settings or ''}: {said}") from None
    facts["full_name"] = ", ".join(_property(core, n, "FULL_DEVICE_NAME") or n for n in names)
    facts["driver"] = ", ".join(filter(None, (_driver(core, n) for n in names)))
    facts["capabilities"] = sorted({c for n in names for c in _capabilities(core, n)})
    facts["settings"] = {
        key: text for key in _SETTINGS_READ_BACK if (text := _compiled_property(compiled, key))
    }
    facts["kernels"] = {k: v.primitive for k, v in kernels(compiled, ["y"], {}).items()}
    facts["isa"] = instruction_set(facts["kernels"])
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


def _why_no_npu(core: ov.Core) -> str:
    """What the NPU's plugin says of its devices where there are none."""
    try:
        core.get_property("NPU", "AVAILABLE_DEVICES")
    except Exception as error:  # the plugin, or what it needs, does not load
        return f": {one_line(str(error))}"
    return ": its plugin finds no device, which takes an NPU, its driver and the Level Zero loader"


def _property(core: ov.Core, device: str, key: str) -> str:
    try:
        return str(core.get_property(device, key))
    except Exception:  # devices differ in the properties that they have; a missing one is left out
        return ""


def _driver(core: ov.Core, device: str) -> str:
    return _property(core, device, "NPU_DRIVER_VERSION") or _property(
        core, device, "GPU_DRIVER_VERSION"
    )


def _capabilities(core: ov.Core, device: str) -> list[str]:
    """The types that the device has kernels for, and what else it is optimized for: FP16, BF16 ..."""
    try:
        return [str(name) for name in core.get_property(device, "OPTIMIZATION_CAPABILITIES")]
    except Exception:  # not every device has the property
        return []


def _compiled_property(compiled: ov.CompiledModel, key: str) -> str:
    try:
        value = compiled.get_property(key)
    except Exception:  # as above
        return ""
    if isinstance(value, ov.Type):
        return str(value.get_type_name())
    return str(getattr(value, "name", value))


def _execution_devices(compiled: ov.CompiledModel) -> list[str]:
    if own_build.plugins():
        # A plugin under a name of your own may report another.
        return []
    try:
        value = compiled.get_property("EXECUTION_DEVICES")
    except Exception:  # as above
        return []
    names = value if isinstance(value, (list, tuple)) else str(value).split()
    return [str(name).strip("()") for name in names]


def _types(model: ov.Model) -> dict[str, str]:
    return {op.get_friendly_name(): op.get_type_name() for op in model.get_ops()}


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
            reply.kernels = kernels(compiled, question.layers, _types(model))
            if question.executed:
                reply.nodes = executed_nodes(compiled)
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
                held = [
                    [InputTensor(feed[name], question.memory) for name in names]
                    for feed in question.feeds
                ]
                given = [[each.tensor for each in inputs] for inputs in held]
                for results in evaluated(ov, model, given, bool(question.turns)):
                    reply.outputs.append([copied(results[index]) for index in indices])
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
    # NumPy's words where a copy of an output does not fit; a device that finds no memory says std::bad_alloc.
    if reply.stage == "done" or str(error).startswith("Unable to allocate"):
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
    if question.turns:
        yield from infer_in_turns(compiled, question, names, indices)
        return
    if question.requests == "two":
        running = []
        for feed in question.feeds:
            request = compiled.create_infer_request()
            held = set_inputs(request, names, feed, question.memory)
            running.append((request, held))
        for request, _ in running:
            request.start_async()
        for request, held in running:
            request.wait()
            answers = [copied(request.get_output_tensor(index)) for index in indices]
            yield lambda answers=answers, held=held: answers  # type: ignore[misc]
        return
    request = compiled.create_infer_request()
    for feed in question.feeds:
        held = set_inputs(request, names, feed, question.memory)
        request.infer()
        answers = [copied(request.get_output_tensor(index)) for index in indices]
        del held
        yield lambda answers=answers: answers  # type: ignore[misc]
