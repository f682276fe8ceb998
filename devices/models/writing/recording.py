"""From a survey to its record: positions in place of names, known causes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from devices.models.findings import Finding, Survey
from devices.models.judging import Judged
from devices.process.protocol import Kernel
from ir_models.asking.id_parts import MODEL
from ir_models.graphs import AskedGraph, Fed, Step
from ir_models.graphs.evaluation import explicit
from ir_models.models import Model
from reports.gate.baseline import Run
from reports.gate.causes import Cause, Causes
from reports.gate.severity import kind_of
from reports.results.explained.factors import tensors_of
from reports.results.facts_of_departures import Facts
from reports.results.model_run import LayerRecord, ModelRun, ResultRecord, VerdictRecord
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import printable

WHOLE = "Model"
"""Stands for the operation in the id of a model as a whole."""
_LARGEST = 1e308
# Elements of a constant that stand in the text of a graph.
_STATED = 100


def run_of(
    model: Model,
    survey: Survey,
    path: str,
    device: str,
    profile: str,
    facts: Mapping[str, Any],
    feeds: list[dict[str, np.ndarray]],
    causes: Causes,
) -> ModelRun:
    """The record of a survey. ``facts`` are what the device says of itself."""
    place = {name: number for number, name in enumerate(survey.order)}
    run = ModelRun(
        model=path,
        device=device,
        profile=profile,
        openvino=str(facts.get("openvino", "")),
        full_name=str(facts.get("full_name", "")),
        isa=str(facts.get("isa", "")),
        inputs=[
            f"{model.sources[name].title}: {model.types[name]}[{','.join(map(str, array.shape))}]"
            for name, array in feeds[0].items()
        ],
        samples=len(feeds),
        whole=survey.whole.outcome,
        whole_detail=survey.whole.detail,
        whole_facts=survey.whole.facts,
        results=[
            ResultRecord(
                title=each.title,
                error=_finite(each.error),
                scale=_finite(each.scale),
                read_error=None if each.read_error is None else _finite(each.read_error),
                same_bits=each.same_bits,
                choice=each.choice,
                detail=each.detail,
            )
            for each in survey.results
        ],
        notes=survey.notes,
        seconds=survey.seconds,
        questions=survey.asked,
        read=survey.read,
    )
    run.layers += [_layer(model, survey.findings[name], place) for name in survey.order]
    _name_causes(model, survey, run, causes)
    return run


def _name_causes(model: Model, survey: Survey, run: ModelRun, causes: Causes) -> None:
    """Note the known cause of each layer that departs; a group has that of the layer which explains it."""
    of_run = Run(run.device, run.profile, run.openvino, full_name=run.full_name, isa=run.isa)
    ids = case_ids(model, run.model)
    for layer in run.layers:
        if layer.departs:
            cause = causes.name(_record(model, layer, run, ids[layer.name]), of_run)
            worst = survey.findings[layer.name].worst
            if cause is not None and worst is not None:
                layer.cause, layer.cause_title = cause.id, cause.title
                layer.cause_history = _history(cause, run.device, worst)
    titles = {layer.name: layer for layer in run.layers}
    for layer in run.layers:
        if layer.by is not None:
            by = survey.findings[run.layers[layer.by].name]
            known = titles[by.alike or by.name]
            layer.cause, layer.cause_title = known.cause, known.cause_title
            layer.cause_history = known.cause_history


def _history(cause: Cause, device: str, worst: Judged) -> str:
    """The class of a cause, how bad the departure is, and from and to which releases it was seen on a device."""
    since, fixed = cause.since_on(device), cause.fixed_on(device)
    error = worst.comparison.relative_error if worst.comparison else None
    bad = kind_of(worst.outcome, worst.facts, error)
    known = [
        cause.cause_class,
        bad,
        f"since {since}" if since else "",
        f"fixed in {fixed}" if fixed else "",
    ]
    return ", ".join(filter(None, known))


def _judged_together(model: Model, layer: LayerRecord, run: ModelRun) -> str:
    """The text of the graph of the layers that were judged with one; "" for one judged alone, or without a text."""
    if len(layer.members) < 2 or layer.worst is not layer.in_place:
        return ""
    own = {run.layers[place].name: run.layers[place] for place in layer.members}
    fed: dict[str, Fed] = {}
    steps = []
    for node in model.graph.nodes:
        if node.name not in own:
            continue
        operation = model.sources[node.name].operation
        if operation is None or operation.bodies:
            return ""
        given = [value for value in node.inputs if value]
        for value, tensor in zip(given, tensors_of(own[node.name].shapes.split()), strict=False):
            if value.partition(":")[0] not in own and tensor is not None:
                fed[value.replace(":", "_")] = _fed(model, value, tensor.shape)
        inputs = tuple(
            value if value.partition(":")[0] in own else value.replace(":", "_")
            for value in node.inputs
        )
        steps.append(Step(node.name, node.operation, inputs, node.attributes))
    return AskedGraph(fed, tuple(steps), (layer.name,)).text


def _fed(model: Model, value: str, shape: tuple[int, ...]) -> Fed:
    constant = model.graph.constants.get(value)
    if constant is None:
        return Fed(model.types[value], shape)
    is_stated = constant.size <= _STATED and constant.element_type.kind != "string"
    return Fed(model.types[value], shape, explicit(constant.array()) if is_stated else "~", True)


def _layer(model: Model, finding: Finding, place: Mapping[str, int]) -> LayerRecord:
    source = model.sources[finding.name]
    attributes = source.attributes
    for number, value in enumerate(source.inputs):
        tensor = model.graph.constants.get(value)
        if tensor is not None and tensor.size <= 16 and tensor.element_type.kind != "string":
            attributes[f"input {number}"] = str(tensor.array().tolist())
    effect = finding.effect
    return LayerRecord(
        name=finding.name,
        title=source.title,
        known_as=model.known_as(finding.name),
        operation=source.label,
        inputs=[place.get(value.partition(":")[0], -1) for value in source.inputs],
        shapes=finding.shapes,
        attributes=attributes,
        in_place=_verdict(finding.in_place, finding.kernel),
        alone=_verdict(finding.alone, finding.alone_kernel),
        alike=model.sources[finding.alike].title if finding.alike else "",
        members=[place[name] for name in finding.members],
        by=place[finding.by] if finding.by else None,
        is_constant=finding.is_constant,
        unjudged=finding.unjudged,
        note="; ".join(filter(None, (source.note, finding.note))),
        effect=None if effect is None else _finite(effect),
        is_slight=finding.is_slight,
        changes_choice=finding.changes_choice,
    )


def _verdict(judged: Judged | None, kernel: Kernel | None) -> VerdictRecord | None:
    if judged is None:
        return None
    compared = judged.comparison
    fraction = compared.fraction if compared else None
    return VerdictRecord(
        outcome=judged.outcome,
        detail=judged.detail,
        facts=judged.facts,
        wrong=compared.wrong if compared else 0,
        elements=compared.of if compared else 0,
        fraction=None if fraction is None else _finite(fraction),
        kernel=kernel.name if kernel else "",
        precision=kernel.precision if kernel else "",
        numbers=judged.numbers,
        histogram=list(judged.histogram),
    )


def case_ids(model: Model, name: str) -> dict[str, str]:
    """The ids of the cases that a model is: of the whole, by "", and of each layer, by its name in the graph.

    A layer is named by its title, and by its number in the file as well where the title stands for several.
    """
    titles = [source.title for source in model.sources.values()]
    found = {"": f"{WHOLE}/{MODEL}/-/model={printable(name)}"}
    for node in model.graph.nodes:
        source = model.sources[node.name]
        is_unique = titles.count(source.title) == 1
        title = source.title if is_unique else f"{source.title} #{node.name.removeprefix('n')}"
        found[node.name] = (
            f"{source.label}/{MODEL}/-/model={printable(name)};layer={printable(title)}"
        )
    return found


def case_records(model: Model, run: ModelRun, ids: Mapping[str, str]) -> Iterator[CaseRecord]:
    """What a survey says of each case of ``case_ids``, by ``ids``.

    A layer that was judged with others has their verdict where they conform. Otherwise it counts as compiled, as does
    one that was not judged: nothing is known of its values alone.
    """
    yield _record_of_whole(model, run, ids[""])
    groups = {number: layer for layer in run.layers for number in layer.members}
    by_title = {layer.title: layer for layer in run.layers if layer.alone is not None}
    for number, layer in enumerate(run.layers):
        record = _record(model, layer, run, ids[layer.name])
        group, like = groups.get(number), by_title.get(layer.alike)
        if layer.worst is None and layer.is_constant:
            record = replace(record, outcome=Outcome.FOLDED, expected_outcome=Outcome.FOLDED)
        elif layer.worst is None and like is not None and like.alone is not None:
            detail = f"like {like.title!r}: {like.alone.detail or 'judged there'}"
            record = replace(
                record, outcome=like.alone.outcome, facts=like.alone.facts, detail=detail
            )
        elif layer.worst is None and group is not None and group.in_place is not None:
            outcome = Outcome.COMPILED if group.departs else Outcome.PASS
            record = replace(record, outcome=outcome, detail=f"judged with {group.title!r}")
        yield record


def _record_of_whole(model: Model, run: ModelRun, case: str) -> CaseRecord:
    """The model as a whole: whether it runs, and gives results of the right shapes that no departing layer changes.

    Where it departs as layers do that were judged together, a cause of theirs names it too.
    """
    outcome, detail = run.whole, run.whole_detail
    facts = run.whole_facts
    for place, result in enumerate(run.results):
        if result.detail and outcome is Outcome.PASS:
            outcome, detail = Outcome.FAIL, f"{result.title}: {result.detail}"
            facts = Facts(kind="shape", output=place)
    culprits = run.culprits()
    if culprits and outcome is Outcome.PASS:
        effect = culprits[0].effect
        moved = (
            "may move the results"
            if effect is None
            else f"moves the results by {effect:.2g} of their largest value"
        )
        outcome, facts = Outcome.FAIL, Facts(kind="value")
        detail = f"{culprits[0].operation} {culprits[0].title!r} {moved}"
    alike = (
        each
        for each in run.layers
        if each.departs and each.worst and each.worst.facts.kind == facts.kind
    )
    graphs = filter(None, (_judged_together(model, each, run) for each in alike if facts.kind))
    return CaseRecord(
        case=case,
        operation=WHOLE,
        purpose=MODEL,
        device=run.device,
        profile=run.profile,
        outcome=outcome,
        facts=facts,
        detail=detail,
        seconds=round(run.seconds, 3),
        kernel="",
        precision="",
        gate=Gate.NEW,
        graph=next(graphs, ""),
    )


def _record(model: Model, layer: LayerRecord, run: ModelRun, case: str) -> CaseRecord:
    """A layer as a case of its operation, which causes are selected by."""
    verdict = layer.worst or VerdictRecord(
        outcome=Outcome.COMPILED, detail=layer.unjudged or "not judged"
    )
    source = model.sources[layer.name]
    operation = source.operation
    inputs, parameters = [], {}
    declared = list(operation.inputs) if operation else []
    for number, text in enumerate(layer.shapes.split()):
        name = declared[min(number, len(declared) - 1)] if declared else None
        stated = layer.attributes.get(f"input {number}")
        if name is not None and name.index:
            if stated is not None:
                parameters[name.name] = stated.strip("[]").replace(" ", "")
        else:
            inputs.append(text)
    if operation is not None:
        written = {a.ir_name or a.name: a for a in operation.attributes}
        parameters |= {
            written[key].name: text for key, text in source.attributes.items() if key in written
        }
    # How the model asks it: shapes that are not known, values that cases of special values have.
    dynamic = any(-1 in (source.dimensions(0) or ()) for _ in source.outputs)
    how = {"shape": "dims"} if dynamic and layer.worst is layer.in_place else {}
    if verdict.numbers:
        how["values"] = verdict.numbers
    return CaseRecord(
        case=case,
        operation=layer.operation,
        category=operation.category if operation else "",
        purpose=MODEL,
        how=how,
        inputs=inputs,
        parameters=parameters,
        device=run.device,
        profile=run.profile,
        outcome=verdict.outcome,
        facts=verdict.facts,
        detail=verdict.detail,
        seconds=0.0,
        kernel=verdict.kernel,
        precision=verdict.precision,
        fraction=verdict.fraction,
        wrong=verdict.wrong if verdict.elements else None,
        elements=verdict.elements or None,
        gate=Gate.NEW,
        graph=_judged_together(model, layer, run) if layer.departs else "",
    )


def _finite(number: float) -> float:
    """A number that JSON can hold."""
    return min(max(float(number), -_LARGEST), _LARGEST) if not math.isnan(number) else _LARGEST
