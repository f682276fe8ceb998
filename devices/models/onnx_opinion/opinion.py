"""Asks ONNX's reference evaluator, in a process of its own, about a model that was surveyed."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from devices.models.findings import Survey
from devices.models.large_layers import as_wide
from devices.models.opening import ModelError
from ir_models.models import Model
from reports.results.model_run import OnnxNode, OnnxOpinion, OnnxResult

_ROOT = Path(__file__).parents[3]
_LARGEST = 1e308
# Elements of a constant that is compared: larger ones are weights.
_MOST_CONSTANT = 2**16


def check(path: Path) -> None:
    """Raise ModelError where there can be no opinion of ONNX's evaluator."""
    if path.suffix != ".onnx":
        raise ModelError(f"--onnx: {path} is not ONNX")
    if importlib.util.find_spec("onnx") is None:
        raise ModelError("--onnx needs the package onnx: pip install onnx")


def tensors_of(model: Model) -> dict[str, str]:
    """The values of the graph by the names that their tensors have in the file that was converted."""
    found: dict[str, str] = {}
    for source in model.sources.values():
        for value, port in zip(source.outputs, source.element.iterfind("output/port"), strict=True):
            for name in _split(port.get("names", "")):
                found.setdefault(name, value)
    return found


def _split(names: str) -> list[str]:
    """The names of a port: a comma of a name has a backslash before it."""
    parts = names.replace("\\,", "\0").split(",")
    return [part.replace("\0", ",") for part in parts if part]


def ask(path: Path, model: Model, survey: Survey, seconds: float) -> OnnxOpinion:
    """The opinion on a model, of the first sample: what is known when the time is over."""
    tensors = tensors_of(model)
    constants = model.graph.constants
    values = {
        name: as_wide(np.asarray(survey.truth[value]))
        for name, value in tensors.items()
        if value in survey.truth
        and survey.truth[value].dtype != object
        and (value not in constants or survey.truth[value].size <= _MOST_CONSTANT)
    }
    inputs = {each.name for each in model.graph.parameters}
    actual = survey.whole.values[0] if survey.whole.values else {}
    results = {
        name: actual[value].values()
        for name, value in tensors.items()
        if value in actual and name in values
    }
    opinion = OnnxOpinion()
    with tempfile.TemporaryDirectory(prefix="conformance-onnx-") as directory:
        folder = Path(directory)
        request = {
            "model": str(path.resolve()),
            "values": _stored(values, folder, "value"),
            "results": _stored(results, folder, "result"),
            "types": {name: model.types[tensors[name]].name for name in values},
            "inputs": [name for name in values if tensors[name] in inputs],
        }
        (folder / "request.json").write_text(json.dumps(request), "utf-8")
        _read(folder / "request.json", seconds, opinion, model, tensors)
    return opinion


def _stored(arrays: Mapping[str, np.ndarray], folder: Path, kind: str) -> dict[str, str]:
    found = {}
    for number, (name, array) in enumerate(arrays.items()):
        found[name] = f"{kind}{number}.npy"
        np.save(folder / found[name], array)
    return found


def _read(
    request: Path, seconds: float, opinion: OnnxOpinion, model: Model, tensors: Mapping[str, str]
) -> None:
    """Run the evaluator for so long at most, and note what it says."""
    command = [sys.executable, "-m", "devices.models.onnx_opinion", str(request)]
    with (
        (request.parent / "errors").open("w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            command,
            cwd=_ROOT,
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.endswith("\n"):
                    _note(json.loads(line), opinion, model, tensors)
            code = process.wait()
        finally:
            is_over = not timer.is_alive()
            timer.cancel()
            process.kill()
        errors.seek(0)
        said = [line.strip() for line in errors if line.strip()]
    if code and is_over:
        opinion.failure = f"it did not end within {seconds:g} s"
    elif code:
        opinion.failure = said[-1][:200] if said else f"it ended with exit status {code}"


def _note(
    found: dict[str, Any], opinion: OnnxOpinion, model: Model, tensors: Mapping[str, str]
) -> None:
    """Add what the evaluator says of a node, a result or itself."""
    if "version" in found:
        opinion.version, opinion.nodes = found["version"], found["nodes"]
    elif "result" in found:
        if "scale" in found:
            errors = {k: _finite(found[k]) for k in ("read", "device", "scale") if k in found}
            opinion.results.append(OnnxResult(title=found["result"], **errors))
    elif "unevaluated" in found:
        why = f"{found['type']}: {found['unevaluated']}"
        opinion.unevaluated[why] = opinion.unevaluated.get(why, 0) + 1
    else:
        opinion.evaluated += 1
        opinion.compared += bool(found["compared"])
        if "detail" in found:
            layers = _layers(model, tensors, found["tensor"], found["inputs"])
            opinion.differing.append(
                OnnxNode(
                    title=found["node"],
                    operation=found["type"],
                    detail=found["detail"],
                    error=_finite(found["error"]),
                    scale=_finite(found["scale"]),
                    layers=layers,
                )
            )


def _layers(
    model: Model, tensors: Mapping[str, str], tensor: str, inputs: Sequence[str]
) -> list[str]:
    """The layers that a node was read as: those between its inputs and a tensor that it gives."""
    ends = {tensors[name] for name in inputs if name in tensors}
    pending, found = [tensors[tensor]], set()
    while pending:
        value = pending.pop()
        name = value.partition(":")[0]
        if value in ends or name in found or name not in model.nodes:
            continue
        found.add(name)
        pending += model.nodes[name].inputs
    labels = Counter(model.sources[n.name].label for n in model.graph.nodes if n.name in found)
    return [f"{label} x {count}" if count > 1 else label for label, count in labels.items()]


def _finite(number: float) -> float:
    return _LARGEST if math.isnan(number) else min(number, _LARGEST)
