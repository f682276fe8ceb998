"""Failure folders of a model: a departing layer with what fed it, and a script that shows the departure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from devices.engine.case_files import stored
from devices.models.findings import Finding, PartEvidence, Survey
from devices.models.judging import typed
from devices.models.part_runner import PartRunner
from devices.models.writing.anonymous import anonymous
from devices.process.forking.fork_client import child_environment
from devices.targets.profiles import Profile
from ir_models.models import Model
from reference import Expected
from reports.results.case_folder import writing
from reports.results.case_folder.tensors import NUMPY_TYPES, StoredTensor
from reports.results.case_folder.writing import CaseFiles, Inference
from reports.results.model_run import LayerRecord, ModelRun

# Folders of a model, and bytes of one.
_MOST, _BYTES = 20, 2**27


def write_folders(
    model: Model,
    survey: Survey,
    run: ModelRun,
    root: Path,
    asking: PartRunner,
    is_anonymous: bool = False,
) -> None:
    """Write the folders of the departures in front, and note them in the run. Raises OSError.

    ``is_anonymous``: without names, weights and data; a part that then conforms has no folder. A group that conforms in
    a model of its own has none: its script would show nothing.
    """
    folders: dict[str, str] = {}
    for number, ranked in enumerate(run.ranked()[:_MOST]):
        # A layer that explains its group is shown alone.
        by = run.layers[ranked.by] if ranked.by is not None else ranked
        layer = by if by.departs else ranked
        if layer.name not in folders:
            name = f"{number:02d}-{re.sub(r'[^A-Za-z0-9_-]+', '_', layer.operation)}-{layer.name}"
            content = _content(model, survey, run, asking, layer, is_anonymous)
            folders[layer.name] = name if content is not None else ""
            if content is not None:
                writing.write(root / name, content)
        ranked.folder = folders[layer.name]


def _content(
    model: Model,
    survey: Survey,
    run: ModelRun,
    asking: PartRunner,
    layer: LayerRecord,
    is_anonymous: bool,
) -> CaseFiles | None:
    """The folder of a departing layer; None for one that shows nothing, or is too large."""
    finding, verdict = survey.findings[layer.name], layer.worst
    evidence = _evidence(finding)
    if evidence is None or verdict is None:
        return None
    if evidence is finding.evidence and not _departs(model, evidence, asking):
        return None
    result = {"outcome": str(verdict.outcome), "detail": verdict.detail, "title": layer.title}
    if layer.cause:
        result["cause"] = layer.cause
    title, shown = f"{layer.operation} {layer.title} of {run.model}", (model, evidence)
    if is_anonymous:
        bare = anonymous(model, evidence, asking.session)
        if bare is None:
            return None
        title, shown = f"{layer.operation} of a model", bare
        result |= {"detail": "random weights and data", "title": layer.operation}
    content = case_files(*shown, title, run.device, asking.session.profile, result)
    return content if content.size <= _BYTES else None


def _evidence(finding: Finding) -> PartEvidence | None:
    """What shows the departure: the layer alone where that departs, else the group with what the device fed to it."""
    worst = finding.worst
    if worst is not None and finding.alone is not None and finding.alone.outcome is worst.outcome:
        return finding.alone_evidence
    return finding.evidence


def _departs(model: Model, evidence: PartEvidence, asking: PartRunner) -> bool:
    """Whether a group departs in a model of its own."""
    arrays = evidence.arrays
    answer = asking.ask(evidence.nodes, list(evidence.expected), [arrays], model.given(arrays))
    return answer.departs_from(evidence.expected)


def case_files(
    model: Model,
    evidence: PartEvidence,
    title: str,
    device: str,
    profile: Profile,
    result: dict[str, Any],
) -> CaseFiles:
    """A folder's content: the layers with what feeds them, and what they should give."""
    values = evidence.expected or dict.fromkeys(model.sources[evidence.nodes[-1]].outputs)
    part = evidence.part(model, list(values), titles=True)
    return CaseFiles(
        case=title,
        model_xml=part.xml,
        model_bin=part.weights,
        inferences=[
            Inference(
                inputs=[
                    stored_value(name, model, value, evidence.arrays[value])
                    for name, value in part.parameters.items()
                ],
                expected=[
                    stored_value(name, model, value, expected.value)
                    for name, value in part.results.items()
                    if (expected := evidence.expected.get(value)) is not None
                ],
                allowed=[
                    each.allowed_errors()
                    for value in part.results.values()
                    if (each := evidence.expected.get(value)) is not None
                ],
                choice=[_is_choice(e) for e in evidence.expected.values()],
                together=[e.together is not None for e in evidence.expected.values()],
                actual=[
                    stored(name, evidence.actual[value])
                    for name, value in part.results.items()
                    if value in evidence.actual
                ],
            )
        ],
        device=device,
        settings=profile.for_device(device),
        environment=child_environment(profile.environment),
        result=result | {"operations": _operations(model, evidence.nodes)},
    )


def _operations(model: Model, nodes: Sequence[str]) -> list[str]:
    """The operations of some layers with their categories, which their pages are found by."""
    found = [model.sources[name].operation for name in nodes]
    return list(dict.fromkeys(f"{each.category}/{each.name}" for each in found if each))


def _is_choice(expected: Expected) -> bool:
    return expected.choose is not None


def stored_value(name: str, model: Model, value: str, array: np.ndarray) -> StoredTensor:
    """A value of the model as a folder has it."""
    kind = model.types[value]
    if kind.kind == "string":
        return StoredTensor(name, kind.name, array.shape, array)
    exact = typed(np.asarray(array), kind)
    raw = exact if kind.name in NUMPY_TYPES else kind.pack(exact)
    return StoredTensor(name, kind.name, array.shape, raw)
