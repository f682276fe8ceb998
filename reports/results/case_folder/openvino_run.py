"""A case folder's model run on a device, in this process. The only module that loads openvino."""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from .manifest import Manifest
from .own_openvino import load
from .tensors import NUMPY_TYPES, StoredTensor, save

# Layers of a run-time model that compute nothing of the layer under test.
PLUMBING = {"Input", "Output", "Const", "Constant", "Parameter", "Result", "Reorder"}
VIRTUAL_DEVICES = {"AUTO", "MULTI", "HETERO", "BATCH", "CORE"}


class CannotRunError(Exception):
    """The case cannot run on this machine; the message says what is missing."""


class _Report:
    """What is known so far, with the current stage. It is in report.json before each one, which may be the last."""

    def __init__(self, out: Path, openvino: str) -> None:
        self.out = out
        self.facts: dict[str, Any] = {"openvino": openvino, "notes": [], "inferences": []}

    def stage(self, name: str) -> None:
        """Write the file, with the name of what comes next."""
        self.facts["stage"] = name
        (self.out / "report.json").write_text(json.dumps(self.facts), encoding="utf-8")

    def save(
        self, answers: Iterator[list[Any]], name: str, results: list[int], inferences: int
    ) -> None:
        """Save the outputs of each inference."""
        self.stage("running inference 0")
        for number, outputs in enumerate(answers):
            entries = []
            # Behind the results are variables, in the order of the case.
            ordered = [*(outputs[k] for k in results), *outputs[len(results) :]]
            for k, tensor in enumerate(ordered):
                stored = stored_tensor(tensor, f"{name}_{number}_{k}")
                entries.append(asdict(save(self.out, stored.name, stored)))
            self.facts[name].append(entries)
            self.stage(f"running inference {(number + 1) % inferences}")


def run(case: Manifest, folder: Path, device: str, out: Path, omit_unknown: bool = False) -> None:
    """Run the case and write a report to ``out`` (report.json and the output tensors).

    ``omit_unknown``: settings that the device does not have are omitted. Raises CannotRunError.
    """
    try:
        load()
        import openvino as ov
    except ImportError as error:
        raise CannotRunError(
            f"openvino cannot be imported ({error}); pip install openvino"
        ) from error

    report = _Report(out, ov.__version__)
    report.stage("starting")
    files = model_of(folder)
    core = ov.Core()
    for line in os.environ.get("CONFORMANCE_PLUGINS", "").splitlines():
        name, _, library = line.partition("=")
        core.register_plugin(library, name)
    if case.compile_only and device != case.device:
        raise CannotRunError(
            f"this folder is of a compiler for {case.device}: another device cannot reproduce it"
        )
    settings = settings_for(ov, core, case, device, report.facts["notes"], omit_unknown)
    if device != "CORE":
        report.facts["full_name"] = property_of(core.get_property, device, "FULL_DEVICE_NAME")
    # Each with what must live as long as the tensor does.
    held = [
        [tensor_for(ov, entry.load(folder), case.memory) for entry in one.inputs]
        for one in case.inferences
    ]
    states = [
        [tensor_for(ov, entry.load(folder), "") for entry in one.states] for one in case.inferences
    ]
    inferences = [[tensor for tensor, _ in inputs] for inputs in held]
    try:
        _run(ov, core, case, device, settings, files, inferences, states, report)
    except CannotRunError:
        raise
    except Exception as error:  # an exception of any type is a clean refusal
        report.facts["exception"] = f"{type(error).__name__}: {error}"
        report.stage(report.facts["stage"])
        return
    report.stage("ending")


def _run(
    ov: Any,
    core: Any,
    case: Manifest,
    device: str,
    settings: dict[str, Any],
    files: tuple[bytes, bytes],
    inferences: list[list[Any]],
    states: list[list[tuple[Any, Any]]],
    report: _Report,
) -> None:
    """Read, compile and infer the model, twice if the case is run so."""
    facts = report.facts
    for name in ("inferences", "again") if case.twice == "model" else ("inferences",):
        facts[name] = []
        report.stage("reading the model")
        # As the suite reads it: of a file with weights, OpenVINO reads these later.
        model = core.read_model(*files)
        for inputs in inferences:
            if len(inputs) != len(model.inputs):
                raise CannotRunError(
                    f"model has {len(model.inputs)} inputs, manifest.json {len(inputs)}"
                )
        order, results = orders_of(model, case)
        facts["inferred"] = [inferred_ports(model)[k] for k in results]
        # Twice in one request: the answers of the second time are the last ones.
        asked = [[inputs[k] for k in order] for inputs in inferences]
        asked = asked * 2 if case.twice == "request" else asked
        if device == "CORE":
            answers = evaluated(ov, model, asked, bool(case.turns))
            report.save(answers, name, results, len(inferences))
            continue
        report.stage("compiling")
        compiled = core.compile_model(model, device, settings)
        if case.compile_only:
            facts["compiled"] = [ported(port) for port in compiled.outputs]
            if case.twice:
                again = core.compile_model(model, device, settings)
                facts["blobs"] = [exported(each) for each in (compiled, again)]
            return
        answers = answers_of(compiled, case, asked, states)
        report.save(answers, name, results, len(inferences))
        facts["executed_by"] = property_of(compiled.get_property, "EXECUTION_DEVICES")
        facts["layers"] = executed_layers(compiled)
        facts["folded"] = is_folded(compiled, case.layers)
    if case.twice == "request":
        facts["again"] = facts["inferences"][len(inferences) :]
        del facts["inferences"][len(inferences) :]


def settings_for(
    ov: Any, core: Any, case: Manifest, device: str, notes: list[str], omit_unknown: bool
) -> dict[str, str]:
    """Return the settings for a device, and add notes on what they lack. Raises CannotRunError if it is not there."""
    settings = dict(case.settings)
    if case.compile_only:
        notes += require_compiler(core, device, settings, Path(ov.__file__).parent / "libs")
    else:
        require_device(core, device)
    if omit_unknown and device != "CORE":
        known = property_of(core.get_property, device, "SUPPORTED_PROPERTIES") or {}
        for key in [key for key in settings if known and key not in known]:
            notes.append(f"{device} has no setting {key}: omitted")
            del settings[key]
    return settings


def orders_of(model: Any, case: Manifest) -> tuple[list[int], list[int]]:
    """Return which input of the case each Parameter of the model is, and which Result each output of the case is.

    A model may have them in another order than the case. What is not known by name has the case's order.
    """
    one = case.inferences[0]
    names = [entry.name for entry in one.inputs]
    parameters = [node.get_friendly_name() for node in model.get_parameters()]
    order = [*range(len(parameters))]
    if sorted(names) == sorted(parameters):
        order = [names.index(name) for name in parameters]
    found = [node.get_friendly_name() for node in model.get_results()]
    wanted = [entry.name for entry in one.expected][: len(found)]
    results = [*range(len(found))]
    if sorted(wanted) == sorted(found):
        results = [found.index(name) for name in wanted]
    return order, results


def answers_of(
    compiled: Any, case: Manifest, inferences: list[list[Any]], states: list[list[tuple[Any, Any]]]
) -> Iterator[list[Any]]:
    """Yield the outputs of each inference of a compiled model, which are valid until the next one."""
    if case.turns:
        yield from in_turns(compiled, case, inferences, states)
    elif case.requests == "two":
        running = []
        for inputs in inferences:
            running.append(compiled.create_infer_request())
            for k, tensor in enumerate(inputs):
                running[-1].set_input_tensor(k, tensor)
        for request in running:
            request.start_async()
        for request in running:
            request.wait()
            yield [request.get_output_tensor(k) for k in range(len(compiled.outputs))]
    else:
        request = compiled.create_infer_request()
        for inputs in inferences:
            for k, tensor in enumerate(inputs):
                request.set_input_tensor(k, tensor)
            request.infer()
            yield [request.get_output_tensor(k) for k in range(len(compiled.outputs))]


def evaluated(
    ov: Any, model: Any, inferences: list[list[Any]], has_states: bool
) -> Iterator[list[Any]]:
    """Yield the outputs of each inference by OpenVINO's core, without any plugin."""
    if has_states:
        raise RuntimeError("evaluate has no request that keeps variables")
    for inputs in inferences:
        outputs = []
        for result in model.get_results():
            port = result.input(0)
            partial = port.get_partial_shape()
            shape = partial.to_shape() if partial.is_static else ov.Shape([0])
            outputs.append(ov.Tensor(port.get_element_type(), shape))
        if not model.evaluate(outputs, inputs):
            raise RuntimeError("evaluate returned False: no core implementation")
        yield outputs


def inferred_ports(model: Any) -> list[list[str]]:
    """Return the element type and the partial shape that OpenVINO infers of each output when it reads a model."""
    return [ported(result.input(0)) for result in model.get_results()]


def model_of(folder: Path) -> tuple[bytes, bytes]:
    """Return the model's XML and weights. Raises OSError if a file is gone, CannotRunError if the XML is damaged."""
    xml = (folder / "model.xml").read_bytes()
    try:
        ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise CannotRunError(f"model.xml is damaged: {error}") from None
    return xml, (folder / "model.bin").read_bytes()


def in_turns(
    compiled: Any, case: Manifest, inferences: list[list[Any]], states: list[list[tuple[Any, Any]]]
) -> Iterator[list[Any]]:
    """Yield the outputs of each inference of a model with variables: see `Manifest.turns`.

    ``inferences`` are the inputs, ``states`` the values of `InferenceFiles.states`.
    """
    requests: dict[int, Any] = {}
    started: list[Any] = []
    for turn, one, inputs, values in zip(  # noqa: B905 - Python 3.8
        case.turns, case.inferences, inferences, states
    ):
        if turn["request"] not in requests:
            requests[turn["request"]] = compiled.create_infer_request()
        request = requests[turn["request"]]
        names = [entry.name for entry in one.states]
        given = dict(zip(names, (tensor for tensor, _ in values)))  # noqa: B905 - Python 3.8
        if turn["before"] == "reset":
            request.reset_state()
        for state in request.query_state():
            if turn["before"] == "reset-one":
                state.reset()
            elif turn["before"] == "set":
                state.state = given[state.name]
        for k, tensor in enumerate(inputs):
            request.set_input_tensor(k, tensor)
        started.append(request)
        if turn["at_once"]:
            continue
        for each in started:
            each.start_async()
        for each in started:
            each.wait()
        for each in started:
            outputs = [each.get_output_tensor(k) for k in range(len(compiled.outputs))]
            if case.queried:
                found = {state.name: state.state for state in each.query_state()}
                outputs += [found[name] for name in case.queried]
            yield outputs
        started.clear()


def require_device(core: Any, device: str) -> None:
    """Raise CannotRun unless every device that ``device`` names is there."""
    base, _, under = device.partition(":")
    present = {name.split(".")[0] for name in core.available_devices}
    for name in [base, *under.split(",")]:
        name = name.strip().lstrip("-").split("(")[0].split(".")[0]
        if name and name not in present | VIRTUAL_DEVICES:
            raise CannotRunError(
                f"device {name} is not present; present are: {', '.join(sorted(present))}"
            )


def require_compiler(
    core: Any, device: str, settings: dict[str, str], libraries: Path
) -> list[str]:
    """Return notes on which compiler compiles for a device, which need not be there.

    Where OpenVINO's own is missing, that of the device's driver does. Raises CannotRunError where there is neither.
    """
    if any(libraries.glob(f"*{device.lower()}_compiler*")):
        return []
    is_there = device in {name.split(".")[0] for name in core.available_devices}
    if not is_there:
        raise CannotRunError(
            f"there is no {device}, and this OpenVINO has no compiler for one: that for Windows has, on any machine"
        )
    if settings.pop("NPU_COMPILER_TYPE", None):
        return ["this OpenVINO has no compiler of its own: that of the driver compiles"]
    return []


def ported(port: Any) -> list[str]:
    """Return the element type and the partial shape of a port."""
    return [port.get_element_type().get_type_name(), str(port.get_partial_shape())]


def exported(compiled: Any) -> str:
    """Return the size and the hash of what a compiled model is exported as."""
    stream = io.BytesIO()
    compiled.export_model(stream)
    blob = stream.getvalue()
    return f"{len(blob)} bytes, sha256 {hashlib.sha256(blob).hexdigest()[:16]}"


def property_of(get: Any, *key: str) -> Any:
    """Return a property as a text or a list of texts, None if the device does not have it."""
    try:
        value = get(*key)
    except Exception:  # devices raise different exceptions for an unknown property
        return None
    return value if isinstance(value, str) else [str(item) for item in value]


def executed_layers(compiled: Any) -> list[str]:
    """Return ``type (kernel)`` of each layer that computes, from the run-time model."""
    return [f"{kind} ({kernel})" for _, kind, kernel in executed(compiled) if kind not in PLUMBING]


def is_folded(compiled: Any, layers: list[str]) -> bool:
    """Tell whether a layer under test is nothing but a constant in the run-time model."""
    kinds: dict[str, set[str]] = {name: set() for name in layers}
    for names, kind, _ in executed(compiled):
        for name in names:
            # A node that a plugin makes of a layer is called y.1 or y/y.
            base = name if name in kinds else re.sub(r"(\.\d+)+$", "", name.partition("/")[0])
            if base in kinds and kind != "Reorder":
                kinds[base].add(kind.lower())
    return any(found and found <= {"const", "constant"} for found in kinds.values())


def executed(compiled: Any) -> list[tuple[set[str], str, str]]:
    """Return the names, the type and the kernel of each node of the run-time model; none if a device has no such."""
    try:
        nodes = compiled.get_runtime_model().get_ordered_ops()
    except Exception:  # a device may have no run-time model
        return []
    found = []
    for node in nodes:
        info = node.get_rt_info()
        kind, kernel, layers = (
            str(getattr(info[key], "value", info[key])) if key in info else "?"
            for key in ("layerType", "primitiveType", "originalLayersNames")
        )
        found.append(({node.get_friendly_name(), *layers.split(",")}, kind, kernel))
    return found


def tensor_for(ov: Any, stored: StoredTensor, memory: str) -> tuple[Any, Any]:
    """Return an OpenVINO tensor with the stored values, and what must live as long as it does."""
    element_type, raw = stored.element_type, stored.raw
    if element_type == "string":
        return ov.Tensor(np.asarray(raw, dtype=np.str_)), None
    if memory and element_type in NUMPY_TYPES and raw.size:
        return placed(ov, raw, memory)
    kind = getattr(ov.Type, element_type, None)
    if kind is None:
        raise CannotRunError(f"OpenVINO {ov.__version__} has no element type {element_type}")
    tensor = ov.Tensor(kind, ov.Shape(list(stored.shape)))
    data = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
    if tensor.byte_size != data.size:
        raise CannotRunError(
            f"{stored.name}: {data.size} bytes, OpenVINO expects {tensor.byte_size}"
        )
    if data.size:
        tensor.data.reshape(-1).view(np.uint8)[:] = data
    return tensor, None


def placed(ov: Any, values: np.ndarray, memory: str) -> tuple[Any, Any]:
    """Return a tensor in unusual memory, and what must live as long as it does.

    ``offset`` is one element after an aligned address, ``foreign`` is mapped outside the heap,
    ``strided`` is a window into a tensor that is larger in every dimension.
    """
    if memory == "offset":
        buffer: Any = np.empty(values.size + 1, values.dtype)
        array = buffer[1:].reshape(values.shape)
    elif memory == "foreign":
        buffer = mmap.mmap(-1, values.nbytes)
        array = np.frombuffer(buffer, values.dtype, values.size).reshape(values.shape)
    elif memory == "strided" and values.ndim:
        sizes = [d + 2 for d in values.shape]
        buffer = np.full(sizes, values.reshape(-1)[-1], values.dtype)
        buffer[tuple(slice(1, d + 1) for d in values.shape)] = values
        whole = ov.Tensor(buffer, shared_memory=True)
        # Releases before 2024.2 have it there only.
        coordinate: Any = getattr(ov, "Coordinate", None) or ov.runtime.Coordinate
        begin, end = [1] * values.ndim, [d + 1 for d in values.shape]
        return ov.Tensor(whole, coordinate(begin), coordinate(end)), (whole, buffer)
    else:
        return ov.Tensor(values.copy(), shared_memory=False), None
    array[...] = values
    return ov.Tensor(array, shared_memory=True), (array, buffer)


def stored_tensor(tensor: Any, name: str) -> StoredTensor:
    """Return a copy of an OpenVINO tensor."""
    element_type = tensor.element_type.get_type_name()
    if element_type == "string":
        raw = np.array(tensor.str_data, dtype=object)
    elif element_type in NUMPY_TYPES:
        raw = np.array(tensor.data)
    else:
        raw = np.array(tensor.data).reshape(-1).view(np.uint8)
    return StoredTensor(name, element_type, tuple(tensor.shape), raw)
