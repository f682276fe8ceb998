"""Folders of finds: the smallest graph with what feeds it, a script that shows the departure, and what conforms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from devices.engine.case_files import exact_of, in_type, stored
from devices.process.forking.fork_client import child_environment
from devices.process.protocol import TensorData
from devices.search.asking import Answer
from devices.search.attribution import Attribution
from devices.search.shrinking import Shrunk
from devices.targets.profiles import Profile
from ir_models.graphs import Evaluated
from ir_models.graphs import write as write_model
from reports.results.case_folder import writing
from reports.results.case_folder.writing import CaseFiles, Inference
from reports.results.shared.text import listing

TEXT = "graph.txt"


def write(
    folder: Path,
    shrunk: Shrunk,
    by: Attribution,
    device: str,
    profile: Profile,
    asked: str = "",
    of_releases: Sequence[str] = (),
) -> None:
    """Write the folder of a find; ``asked`` is the id of the graph that it was shrunk from. Raises OSError.

    ``of_releases`` are lines about other builds.
    """
    answer = shrunk.answer
    graph = answer.graph
    model = write_model([graph])
    kinds = [graph.tensors[value].element_type.name for value in graph.graph.results]
    names = list(model.results)
    inferences = [_inference(answer, graph, names, model.parameters, kinds)]
    if answer.first is not None:
        first = _inference(answer.first, graph, names, model.parameters, kinds)
        inferences = [first, _inference(answer, graph.again, names, model.parameters, kinds)]
    content = CaseFiles(
        case=graph.graph.text,
        model_xml=model.xml,
        model_bin=model.weights,
        inferences=inferences,
        device=device,
        settings=profile.for_device(device),
        environment=child_environment(profile.environment),
        result={
            "outcome": str(answer.outcome),
            "detail": answer.detail,
            "device": device,
            "profile": profile.name,
        },
    )
    writing.write(folder, content)
    (folder / TEXT).write_text(
        "\n".join([*lines(shrunk, by, asked), *of_releases]) + "\n", encoding="utf-8"
    )


def _inference(
    answer: Answer,
    graph: Evaluated,
    names: Sequence[str],
    parameters: Mapping[str, tuple[int, str]],
    kinds: Sequence[str],
) -> Inference:
    return Inference(
        inputs=[
            stored(name, TensorData.of(graph.arrays[value], graph.tensors[value].element_type.name))
            for name, (_, value) in parameters.items()
        ],
        expected=[
            stored(name, TensorData.of(in_type(each.value, kind), kind))
            for name, each, kind in zip(names, answer.expected, kinds, strict=False)
        ],
        allowed=[each.allowed_errors() for each in answer.expected],
        exact=[exact_of(each, kind) for each, kind in zip(answer.expected, kinds, strict=False)],
        actual=[stored(name, each) for name, each in zip(names, answer.actual, strict=False)],
    )


def lines(shrunk: Shrunk, by: Attribution, asked: str = "") -> list[str]:
    """What a find says to a reader."""
    answer = shrunk.answer
    found = [*answer.graph.graph.text.split("; "), "", f"{answer.outcome}: {answer.detail}"]
    if by.is_graph:
        which = "each layer" if not by.unasked else "each other layer"
        unasked = f"{listing(list(by.unasked))} cannot be asked alone; " if by.unasked else ""
        found.append(f"{unasked}{which} conforms alone; {by.everywhere}")
    else:
        found.append(f"{by.layer} departs alone")
    if shrunk.conforms:
        found += ["", "It conforms when"]
        found += [f"  {each.what}: {each.graph.text}" for each in shrunk.conforms]
    if not shrunk.is_done:
        found += [
            "",
            "The time was over before it was the smallest: `python -m devices shrink` goes on.",
        ]
    if asked:
        found += ["", f"shrunk from {asked}"]
    return found
