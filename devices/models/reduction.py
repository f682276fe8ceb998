"""Reduces a model that departs to its smallest part that still departs in the same way.

First layers, then sizes, then values. What feeds the part are the true tensors of the reference. A part departs in the
same way if the device refuses it in the same words or dies alike; or if the values of the same layer are wrong by at
least a quarter of what they are wrong by in the whole model. Each try is a question to a child process. What is kept
stands in a file after each step, from which an interrupted reduction goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from devices.engine.session import Session
from devices.models import judging
from devices.models.findings import distance
from devices.models.groups import constant_nodes
from devices.models.judging import typed
from devices.models.part_runner import Arrays, PartAnswer, PartRunner
from devices.models.reduction_state import Reduction, ReductionTarget
from ir_models.models import Model
from reports.results.outcomes import Outcome


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
        self._shorten(lambda count: self.layers[:count])
        nodes = self.state.nodes
        self._shorten(lambda count: nodes[-count:])

    def _shorten(self, part: Callable[[int], list[str]]) -> None:
        """Keep the part with the fewest layers that departs, by halving their number."""
        low, high = 0, len(self.state.nodes)
        while high - low > 1 and self._in_time():
            middle = (low + high) // 2
            if self._departs(part(middle)):
                high = middle
            else:
                low = middle
        self._keep(part(high))

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
        arrays = self.state.arrays or self.fed(self.state.nodes)
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

    def fed(self, nodes: Sequence[str]) -> dict[str, np.ndarray]:
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
        fed = dict(arrays) if arrays is not None else self.fed(nodes)
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
        self.state.write(self.folder, self.target)

    def _resume(self) -> bool:
        """Go on from what an earlier run kept of the same target."""
        begun, kept = self.state, Reduction.read(self.folder, self.target)
        if kept is None or not set(kept.nodes) <= set(self.layers):
            return False
        self.state = kept
        if self._departs(kept.nodes):
            return True
        self.state = begun
        return False


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
