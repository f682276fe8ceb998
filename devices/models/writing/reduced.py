"""Folders of a reduced model: its smallest part that departs, and the nearest one that conforms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from devices.engine.verdicts.judging import judge_output
from devices.models import judging
from devices.models.findings import PartEvidence
from devices.models.part_runner import Arrays
from devices.models.reduction import Reducer
from devices.models.writing.folders import case_files
from devices.process.protocol import TensorData
from ir_models.models import Model
from reference import Expected
from reports.results.case_folder import writing
from reports.results.model_run import ModelRun


def write_reduction(reducer: Reducer, run: ModelRun) -> list[str]:
    """Write the reduced part and the nearest one that conforms as folders, and a text. Returns what to print."""
    state, model, target = reducer.state, reducer.model, reducer.target
    if not state.nodes:
        return [
            "the whole does not depart where the reference's tensors feed it: nothing to reduce"
        ]
    fed = state.arrays or reducer.fed(state.nodes)
    nodes = reducer.with_constants(state.nodes)
    results = reducer.results(state.nodes)
    answer = reducer.asking.ask(nodes, results, [fed], model.given(fed))
    expected = _expected(reducer, state.nodes, fed) if target.layer else {}
    actual = answer.values[0] if not answer.failed else {}
    evidence = PartEvidence(tuple(nodes), fed, expected, actual)
    names = [f"{model.sources[name].label} {model.sources[name].title!r}" for name in state.nodes]
    outcome = {
        "outcome": str(target.outcome),
        "detail": answer.detail or _detail(reducer, state.nodes, expected, actual),
        "title": names[-1],
    }
    cause = next((each.cause for each in run.layers if each.name == target.layer), "")
    if cause:
        outcome["cause"] = cause
    content = case_files(
        model,
        evidence,
        f"{len(names)} layers of {run.model}",
        run.device,
        reducer.asking.session.profile,
        outcome,
    )
    writing.write(reducer.folder / "smallest", content)
    lines = [
        f"{len(names)} layers of {len(reducer.layers)} still depart in the same way, after {state.tried} tries"
        + ("" if state.is_done else "; the time was over: run it again, and it goes on from here"),
        *(
            f"    {title}{_known_as(model, name)}{', without which it conforms' if name in state.needed else ''}"
            for title, name in zip(names, state.nodes, strict=True)
        ),
    ]
    if state.conforms:
        left = set(state.nodes) - set(state.conforms)
        titles = ", ".join(model.title(name) for name in sorted(left, key=reducer.layers.index))
        lines.append(f"without {titles} it conforms: {reducer.folder / 'conforms'}")
        _write_conforming(reducer, state.conforms, run)
    lines.append(f"script   {reducer.folder / 'smallest' / 'reproduce.py'}")
    lines.append(f"issue    python -m reports issue {reducer.folder / 'smallest'}")
    return lines


def _known_as(model: Model, name: str) -> str:
    known = model.known_as(name)
    return f" ({known})" if known else ""


def _write_conforming(reducer: Reducer, nodes: Sequence[str], run: ModelRun) -> None:
    """Write the nearest part that conforms, with the reference's tensors."""
    fed = reducer.fed(nodes)
    expected = _expected(reducer, nodes, fed) if reducer.target.layer else {}
    evidence = PartEvidence(tuple(reducer.with_constants(nodes)), fed, expected, {})
    title = f"{len(nodes)} layers of {run.model}, which conform"
    profile = reducer.asking.session.profile
    writing.write(
        reducer.folder / "conforms",
        case_files(
            reducer.model, evidence, title, run.device, profile, {"outcome": "PASS", "detail": ""}
        ),
    )


def _expected(reducer: Reducer, nodes: Sequence[str], fed: Arrays) -> dict[str, Expected]:
    """The expected values of a part."""
    given = {**fed, **reducer.truth_of_constants(nodes)}
    layers = reducer.with_constants(nodes)
    return judging.expected_of_part(reducer.model, layers, given, reducer.results(nodes))


def _detail(
    reducer: Reducer,
    nodes: Sequence[str],
    expected: Mapping[str, Expected],
    actual: Mapping[str, TensorData],
) -> str:
    """What is wrong with the values of a part."""
    types = reducer.model.types
    verdicts = [judge_output(expected[v], actual[v], types[v].name) for v in reducer.results(nodes)]
    return max(verdicts, key=lambda each: each.outcome.badness).detail
