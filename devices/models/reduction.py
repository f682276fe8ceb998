"""Reduces a model that departs to its smallest part that still departs in the same way.

First layers, then sizes, then values. What feeds the part are the true tensors of the reference. A part departs in the
same way if the device refuses it in the same words or dies alike; or if the values of the same layer are wrong by at
least a quarter of what they are wrong by in the whole model. Each try is a question to a child process. What is kept
stands in a file after each step, from which an interrupted reduction goes on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from devices.engine.session import Session
from devices.engine.verdicts.judging import judge_output
from devices.models import judging
from devices.models.findings import PartEvidence, Survey, distance
from devices.models.groups import constant_nodes
from devices.models.judging import typed
from devices.models.part_runner import Arrays, PartAnswer, PartRunner
from devices.models.writing.folders import case_files
from devices.process.protocol import TensorData
from ir_models.models import Model
from ir_models.vocabulary.graph import type_name
from reference import Expected, Value
from reports.results.case_folder import writing
from reports.results.model_run import ModelRun
from reports.results.outcomes import Outcome
from reports.results.shared.files import write_text

_JOURNAL = "reduction.json"


@dataclass(frozen=True)
class ReductionTarget:
    """What must stay: outcome, stage and words; or the layer with wrong values, and how wrong, or of a wrong shape."""

    outcome: Outcome
    stage: str = ""
    words: str = ""
    layer: str = ""
    error: float = 0.0
    is_shape: bool = False


@dataclass
class Reduction:
    """Where a reduction stands. ``conforms`` is the nearest part that does not depart: one layer less.

    ``unread`` are results of the model that need not be read for the part to depart; without any of the layers
    ``needed`` it conforms.
    """

    nodes: list[str]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    conforms: list[str] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    tried: int = 0
    is_done: bool = False


def target_of(model: Model, survey: Survey, run: ModelRun) -> ReductionTarget | None:
    """What a survey leaves to be reduced; None where each layer that departs does so alone."""
    if survey.whole.failed:
        if any(layer.alone is not None and layer.departs for layer in run.layers):
            return None
        facts = survey.whole.facts
        return ReductionTarget(survey.whole.outcome, facts.stage, facts.message)
    for layer in run.ranked():
        finding = survey.findings[layer.name]
        is_alone = finding.alone is not None and finding.alone.outcome is Outcome.FAIL
        if finding.evidence is not None and not is_alone:
            errors = [
                distance(tensor.values(), finding.evidence.expected[value].value)[0]
                for value, tensor in finding.evidence.actual.items()
                if tensor.shape == finding.evidence.expected[value].value.shape
            ]
            return ReductionTarget(
                Outcome.FAIL,
                layer=layer.name,
                error=max(errors, default=np.inf),
                is_shape=finding.worst is not None and finding.worst.facts.kind == "shape",
            )
    return None


class Reducer:
    """Reduces one model on one device within some minutes."""

    def __init__(
        self,
        model: Model,
        session: Session,
        feed: Arrays,
        target: ReductionTarget,
        folder: Path,
        minutes: float,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.model, self.target, self.folder, self.report = model, target, folder, report
        self.asking = PartRunner(model, session)
        self.end = time.monotonic() + 60 * minutes
        self.constants = constant_nodes(model)
        self.layers = [n.name for n in model.graph.nodes if n.name not in self.constants]
        self.truth = _all_values(model, feed)
        self.read = {each.source for each in model.graph.results}
        self.state = Reduction(list(self.layers))

    def reduce(self) -> Reduction:
        """The smallest part that is found in time. Ctrl-C ends it; it goes on from there the next time."""
        if not self._resume():
            if not self._departs(self.layers):
                self.report("the whole does not depart on the reference's tensors")
                self.state.nodes = []
                return self.state
            self._grow() if self.target.layer else self._bisect()
        self._drop()
        self._smaller()
        self.state.is_done = time.monotonic() < self.end
        return self.state

    # --- layers ---------------------------------------------------------------------------------------------------

    def _grow(self) -> None:
        """The layers around the one that is wrong, up to the first distance at which it is."""
        near, far = {self.target.layer}, 1
        while len(near) < len(self.layers) and self._in_time():
            if self._departs(sorted(near, key=self.layers.index)):
                self._keep(sorted(near, key=self.layers.index))
                return
            for _ in range(far):
                near |= self._neighbours(near)
            far *= 2
        self._keep(self.layers)

    def _neighbours(self, nodes: set[str]) -> set[str]:
        known, found = set(self.layers), set()
        for name in nodes:
            source = self.model.sources[name]
            found |= {value.partition(":")[0] for value in source.inputs}
            found |= {
                reader for value in source.outputs for reader in self.model.readers.get(value, ())
            }
        return found & known

    def _bisect(self) -> None:
        """The shortest beginning of the model that fails, then its shortest end."""
        low, high = 0, len(self.layers)
        while high - low > 1 and self._in_time():
            middle = (low + high) // 2
            if self._departs(self.layers[:middle]):
                high = middle
            else:
                low = middle
        nodes = self.layers[:high]
        self._keep(nodes)
        low, high = 0, len(nodes)
        while high - low > 1 and self._in_time():
            middle = (low + high) // 2
            if self._departs(nodes[middle:]):
                low = middle
            else:
                high = middle
        self._keep(nodes[low:])

    def _drop(self) -> None:
        """Leave out layers, many at once and at last one by one, as long as the rest departs."""
        size = max(len(self.state.nodes) // 2, 1)
        while size and self._in_time():
            start, count = 0, len(self.state.nodes)
            while start < len(self.state.nodes) and self._in_time():
                rest = self.state.nodes[:start] + self.state.nodes[start + size :]
                if rest and (not self.target.layer or self.target.layer in rest):
                    if self._departs(rest):
                        self._keep(rest)
                        # What was needed beside a layer that is gone may not be.
                        self.state.needed.clear()
                        continue
                    if size == 1:
                        self.state.conforms = rest
                        self.state.needed.add(self.state.nodes[start])
                start += size
            if size > 1 or len(self.state.nodes) == count:
                size //= 2
        for value in self.results(self.state.nodes):
            before = self.state.unread
            self.state.unread = before | {value}
            is_needed = value in self.results(self.state.nodes)
            if is_needed or not self._in_time() or not self._departs(self.state.nodes):
                self.state.unread = before
        self._keep(self.state.nodes)

    # --- sizes and values -----------------------------------------------------------------------------------------

    def _smaller(self) -> None:
        """Halve dimensions of what feeds the part, and make values plain, as long as it departs."""
        arrays = self.state.arrays or self._fed(self.state.nodes)
        goes_on = True
        while goes_on and self._in_time():
            goes_on = False
            for size in sorted(
                {d for a in arrays.values() for d in a.shape if d > 1}, reverse=True
            ):
                smaller = {v: _cropped(a, size, (size + 1) // 2) for v, a in arrays.items()}
                if self._in_time() and self._departs(self.state.nodes, smaller):
                    arrays, goes_on = smaller, True
                    self._keep(self.state.nodes, arrays)
                    break
        for plain in (_ones, _coarse):
            changed = {value: plain(array) for value, array in arrays.items()}
            if self._in_time() and self._departs(self.state.nodes, changed):
                arrays = changed
                self._keep(self.state.nodes, arrays)
                break
        self.state.arrays = arrays

    # --- one try --------------------------------------------------------------------------------------------------

    def _in_time(self) -> bool:
        return time.monotonic() < self.end

    def _fed(self, nodes: Sequence[str]) -> dict[str, np.ndarray]:
        """The true tensors that feed these layers."""
        own, constants = set(nodes), self.model.graph.constants
        found = {}
        for name in nodes:
            for value in self.model.nodes[name].inputs:
                source = value.partition(":")[0]
                if source not in own and source not in constants and source not in self.constants:
                    found[value] = typed(self.truth[value], self.model.types[value])
        return found

    def with_constants(self, nodes: Sequence[str]) -> list[str]:
        """These layers, and those of constants alone that they read."""
        needed, pending = set(nodes), list(nodes)
        while pending:
            for value in self.model.nodes[pending.pop()].inputs:
                source = value.partition(":")[0]
                if source in self.constants and source not in needed:
                    needed.add(source)
                    pending.append(source)
        return [node.name for node in self.model.graph.nodes if node.name in needed]

    def results(self, nodes: Sequence[str]) -> list[str]:
        """What is read of a part: what the wrong layer gives, the results of the model, and all that nothing reads.

        Of layers that have no reference nothing is read beside a wrong layer: they would have no expected value.
        """
        own, wrong = set(nodes), self.target.layer
        first = self.model.sources[wrong].outputs if wrong else ()
        others = (
            value
            for name in nodes
            for value in self.model.sources[name].outputs
            if not set(self.model.readers.get(value, ())) & own
            or (value in self.read and value not in self.state.unread)
        )
        known = (v for v in others if not wrong or v in self.truth)
        return list(dict.fromkeys([*first, *known]))

    def _departs(
        self, nodes: Sequence[str], arrays: Mapping[str, np.ndarray] | None = None
    ) -> bool:
        fed = dict(arrays) if arrays is not None else self._fed(nodes)
        self.state.tried += 1
        self.report(f"reducing: {len(nodes)} layers, {self.state.tried} tries")
        try:
            expected = self.expected(nodes, fed) if self.target.layer else {}
        except Exception:  # the reference refuses such sizes
            return False
        own, results = self.with_constants(nodes), self.results(nodes)
        answer = self.asking.ask(own, results, [fed], self.model.given(fed))
        return self._is_the_same(answer, expected)

    def _is_the_same(self, answer: PartAnswer, expected: Mapping[str, np.ndarray]) -> bool:
        target = self.target
        if answer.outcome is not target.outcome:
            if target.outcome is not Outcome.FAIL or answer.failed:
                return False
            found = answer.values[0]
            for value, right in expected.items():
                actual = found[value].values()
                # A wrong shape is another departure than wrong values.
                has_shape = actual.shape == right.shape
                if target.is_shape and not has_shape:
                    return True
                if target.is_shape or not has_shape:
                    continue
                error, scale = distance(actual, right)
                if error >= target.error / 4 and error > 2.0**-21 * scale:
                    return True
            return False
        if target.outcome is Outcome.REFUSED:
            return answer.facts.message == target.words
        return answer.facts.stage == target.stage

    def expected(self, nodes: Sequence[str], fed: Arrays) -> dict[str, np.ndarray]:
        """What the layer that is wrong should give in a part, in float64."""
        values: dict[str, np.ndarray] = {**self.truth_of_constants(nodes), **fed}
        for name in self.with_constants(nodes):
            node, source = self.model.nodes[name], self.model.sources[name]
            if not node.operation:
                raise ValueError(f"{source.label} has no reference")
            inputs = [_value(values, self.model, value) for value in node.inputs]
            found = judging.outputs(node, inputs)
            values.update(zip(source.outputs, found, strict=False))
        return {value: values[value] for value in self.model.sources[self.target.layer].outputs}

    def truth_of_constants(self, nodes: Sequence[str]) -> dict[str, np.ndarray]:
        """The constants that a part reads."""
        constants = self.model.graph.constants
        names = {
            v
            for n in self.with_constants(nodes)
            for v in self.model.nodes[n].inputs
            if v in constants
        }
        return {name: constants[name].array() for name in names}

    # --- what is kept ---------------------------------------------------------------------------------------------

    def _keep(self, nodes: Sequence[str], arrays: Mapping[str, np.ndarray] | None = None) -> None:
        self.state.nodes, self.state.arrays = list(nodes), dict(arrays or {})
        kept = {
            "target": _text(self.target),
            "nodes": self.state.nodes,
            "unread": sorted(self.state.unread),
            "tried": self.state.tried,
        }
        write_text(self.folder / _JOURNAL, json.dumps(kept))

    def _resume(self) -> bool:
        """Go on from what an earlier run kept of the same target."""
        try:
            kept = json.loads((self.folder / _JOURNAL).read_text("utf-8"))
        except (OSError, ValueError):
            return False
        nodes = kept.get("nodes", [])
        if kept.get("target") != _text(self.target) or not set(nodes) <= set(self.layers):
            return False
        self.state.tried = kept.get("tried", 0)
        self.state.unread = set(kept.get("unread", ()))
        if not nodes or not self._departs(nodes):
            return False
        self.state.nodes = nodes
        return True


def write_reduction(reducer: Reducer, run: ModelRun) -> list[str]:
    """Write the reduced part and the nearest one that conforms as folders, and a text. Returns what to print."""
    state, model, target = reducer.state, reducer.model, reducer.target
    if not state.nodes:
        return [
            "the whole does not depart where the reference's tensors feed it: nothing to reduce"
        ]
    fed = state.arrays or reducer._fed(state.nodes)
    nodes = reducer.with_constants(state.nodes)
    results = reducer.results(state.nodes)
    answer = reducer.asking.ask(nodes, results, [fed], model.given(fed))
    expected = _bounds(reducer, state.nodes, fed) if target.layer else {}
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
        near = Reduction(state.conforms)
        _write_conforming(reducer, near, run)
    lines.append(f"script   {reducer.folder / 'smallest' / 'reproduce.py'}")
    lines.append(f"issue    python -m reports issue {reducer.folder / 'smallest'}")
    return lines


def _known_as(model: Model, name: str) -> str:
    known = model.known_as(name)
    return f" ({known})" if known else ""


def _write_conforming(reducer: Reducer, near: Reduction, run: ModelRun) -> None:
    """Write the nearest part that conforms, with the reference's tensors."""
    fed = reducer._fed(near.nodes)
    expected = _bounds(reducer, near.nodes, fed) if reducer.target.layer else {}
    evidence = PartEvidence(tuple(reducer.with_constants(near.nodes)), fed, expected, {})
    title = f"{len(near.nodes)} layers of {run.model}, which conform"
    profile = reducer.asking.session.profile
    writing.write(
        reducer.folder / "conforms",
        case_files(
            reducer.model, evidence, title, run.device, profile, {"outcome": "PASS", "detail": ""}
        ),
    )


def _bounds(reducer: Reducer, nodes: Sequence[str], fed: Arrays) -> dict[str, Expected]:
    """The expected values of a part with the bounds that its layers carry."""
    model = reducer.model
    values = {v: Value.exact(a, type_name(model.types[v])) for v, a in fed.items()}
    for name, array in reducer.truth_of_constants(nodes).items():
        values[name] = Value.exact(array, type_name(model.types[name]))
    for name in reducer.with_constants(nodes):
        node = model.nodes[name]
        found = judging.carried(node, [values[value] for value in node.inputs])
        values.update(zip(model.sources[name].outputs, found, strict=True))
    return {value: judging.as_expected(values[value]) for value in reducer.results(nodes)}


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


def _all_values(model: Model, feed: Arrays) -> dict[str, np.ndarray]:
    """All values of a model by the reference, rounded to their types; those that it cannot give are missing."""
    values: dict[str, np.ndarray] = dict(feed)
    for node in model.graph.nodes:
        inputs = []
        for value in node.inputs:
            found = (
                _value(values, model, value)
                if value in values or value in model.graph.constants
                else None
            )
            if found is None:
                break
            inputs.append(found)
        if len(inputs) < len(node.inputs) or not node.operation:
            continue
        try:
            outputs = judging.outputs(node, inputs)
        except Exception:  # what the reference refuses has no value
            continue
        for value, array in zip(model.sources[node.name].outputs, outputs, strict=False):
            values[value] = typed(array, model.types[value])
    return values


def _value(values: Mapping[str, np.ndarray], model: Model, value: str) -> np.ndarray:
    if value in values:
        return values[value]
    return model.graph.constants[value].array()


def _cropped(array: np.ndarray, size: int, smaller: int) -> np.ndarray:
    """The beginning of an array along each axis of a size."""
    places = tuple(slice(smaller if d == size else None) for d in array.shape)
    part: np.ndarray = array[places].copy()
    return part


def _ones(array: np.ndarray) -> np.ndarray:
    return np.ones_like(array)


def _coarse(array: np.ndarray) -> np.ndarray:
    """Reals as multiples of 1/8."""
    if array.dtype.kind != "f":
        return array
    coarse: np.ndarray = (np.round(array.astype(np.float64) * 8) / 8).astype(array.dtype)
    return coarse


def _text(target: ReductionTarget) -> str:
    return f"{target.outcome} {target.stage} {target.words} {target.layer}"
