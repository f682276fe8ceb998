"""Which pass changes the answer of a model? A child process: it reads the models that OpenVINO wrote after each pass.

``python -m devices.places.passes FOLDER DIRECTORY`` prints the pass after which the model as core evaluates it gives
what the device gave, not what is expected; nothing if none changes the answer, or core departs without any pass. Of
operations that core does not know the shapes of results tell it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import openvino as ov

from devices.places.measuring import written
from reports.results.case_folder.manifest import InferenceFiles, Manifest, read
from reports.results.case_folder.openvino_run import evaluated, orders_of, tensor_for


def changing_pass(folder: Path, directory: Path) -> str:
    """Return the name that is printed."""
    case, core = read(folder), ov.Core()
    before = ""
    states, changes = [""], []
    for name, file in written(directory):
        text, model = file.read_text("utf-8"), file.name.partition("_")[0]
        if text == before:
            continue
        before = text
        states.append(_state(core, case, folder, file))
        if states[-2:] == ["conforms", "departs"]:
            changes.append((name, model))
        elif states[-2:] == ["departs", "conforms"]:
            return ""  # what core computes of the same model varies
    # Between two models, as of the reader and of the plugin, more happens than a pass.
    is_first = bool(changes) and _first_of(directory, changes[0][1]) == changes[0][0]
    return changes[0][0] if len(changes) == 1 and not is_first else ""


def _first_of(directory: Path, model: str) -> str:
    """The name of the first pass of a model."""
    own = (name for name, file in written(directory) if file.name.startswith(f"{model}_"))
    return next(own, "")


def _state(core: ov.Core, case: Manifest, folder: Path, file: Path) -> str:
    """Whether a model departs as the device does, conforms, or does not tell."""
    try:
        model = core.read_model(file, file.with_suffix(".bin"))
    except RuntimeError as error:
        is_unknown = "unsupported opset" in str(error)
        return "departs" if is_unknown and _has_other_shape(case, file) else ""
    if len(model.get_parameters()) != len(case.inferences[0].inputs):
        return ""  # the body of a loop
    try:
        order, results = orders_of(model, case)
        inputs = [
            [tensor_for(ov, entry.load(folder), "")[0] for entry in one.inputs]
            for one in case.inferences
        ]
        asked = [[tensors[k] for k in order] for tensors in inputs]
        verdicts = [
            _departs(one, [np.array(outputs[k].data) for k in results], folder)
            for one, outputs in zip(
                case.inferences, evaluated(ov, model, asked, False), strict=False
            )
        ]
    except (RuntimeError, ValueError, IndexError, TypeError):
        return ""
    if any(verdict is True for verdict in verdicts):
        return "departs"
    return "conforms" if any(verdict is False for verdict in verdicts) else ""


def _departs(one: InferenceFiles, found: list[np.ndarray], folder: Path) -> bool | None:
    """Whether outputs are nearer to what the device gave than to what is expected; None if both are alike."""
    departs: bool | None = None
    for values, right, wrong in zip(found, one.expected, one.actual, strict=False):
        expected, actual = (entry.load(folder) for entry in (right, wrong))
        if expected.shape != actual.shape:
            if values.shape in (expected.shape, actual.shape):
                departs = departs or values.shape == actual.shape
            continue
        if values.shape != expected.shape:
            continue
        with np.errstate(all="ignore"):
            answer, good, bad = (
                np.nan_to_num(each.astype(np.float64))
                for each in (values, expected.values(), actual.values())
            )
            apart = np.abs(good - bad).sum()
            if apart > 0:
                departs = departs or bool(np.abs(answer - bad).sum() < np.abs(answer - good).sum())
    return departs


def _has_other_shape(case: Manifest, file: Path) -> bool:
    """Whether a model that core cannot read says of a result a known shape which is not the expected one."""
    expected = {tuple(entry.shape) for one in case.inferences for entry in one.expected}
    if len(case.inferences[0].expected) != 1 or len(expected) != 1:
        return False
    for layer in ElementTree.parse(file).iterfind("layers/layer"):
        if layer.get("type") == "Result":
            shape = tuple(int(dim.text or -1) for dim in layer.iterfind("input/port/dim"))
            return -1 not in shape and {shape} != expected
    return False


if __name__ == "__main__":
    print(changing_pass(Path(sys.argv[1]), Path(sys.argv[2])))
