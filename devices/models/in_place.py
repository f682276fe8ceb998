"""Judges the layers of a model in place: on the values that the device itself fed to them."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from devices.models import judging, large_layers
from devices.models.effects import Effects
from devices.models.expecting import Expecting
from devices.models.findings import Finding, PartEvidence
from devices.models.judging import Judged
from devices.models.large_layers import Wanted, as_typed, with_rounding
from devices.models.reading import Reader
from devices.models.shared import Shared
from devices.process.protocol import TensorData
from ir_models.models import SHORT
from ir_models.vocabulary.graph import Node, type_name
from reference import Value
from reference.accuracy import is_float
from reports.results.outcomes import Outcome

# Failures that are asked again with few values read.
_CONFIRMED = 100


class InPlace:
    """Judges layers in the order of the model, for one sample.

    ``local`` has the values as the device has them, with bounds where they were not read: such a value is inside a
    group, which is judged at its last layer.
    """

    def __init__(
        self, shared: Shared, sample: int, reader: Reader, expecting: Expecting, effects: Effects
    ) -> None:
        self._s, self._model, self._sample = shared, shared.model, sample
        self._reader, self._expecting, self._effects = reader, expecting, effects
        self.local: dict[str, Value] = {}
        # For values inside a group: the layers of the group up to there, and what feeds them.
        self._inside: dict[str, tuple[str, ...]] = {}
        self._fed: dict[str, dict[str, np.ndarray]] = {}

    def judge(
        self, node: Node, finding: Finding, actual: Mapping[int, TensorData]
    ) -> Wanted | None:
        """Judge a layer, or say in ``finding`` why not. What is expected, where its inputs are exact and were read."""
        outputs = self._model.sources[node.name].outputs
        if not node.operation:
            finding.unjudged = self._model.sources[node.name].note or "no reference"
            self.keep(node, actual)
            return None
        missing = [value for value in node.inputs if value not in self.local]
        if missing:
            titles = ", ".join(self._model.title(value) for value in missing)
            finding.unjudged = f"its input has no value: {titles}"
            self.keep(node, actual)
            return None
        inputs = [self.local[value] for value in node.inputs]
        finding.note = _note(node, [each.array for each in inputs])
        finding.is_constant = node.name in self._s.constants
        precision = self._expecting.precision(node, finding.kernel)
        wanted = None
        before, fed = self._members(node), self._fed_to(node)
        try:
            is_exact = not any(
                large_layers.holds(each.bound, lambda bound: bound != 0) for each in inputs
            )
            is_plain = is_exact and not self._expecting.merges(node, precision)
            if is_plain and actual and not any(_is_wide(each) for each in inputs):
                wanted = self._expecting.of_layer(node, self.arrays(node), precision)
                self._judge(node, finding, wanted, actual, before, fed)
            else:
                values = self._expecting.carried(node, inputs, precision, is_inside=not actual)
                if actual:
                    group = self._wanted_of_group(node, values, fed)
                    self._judge(node, finding, group, actual, before, fed)
                else:
                    for value, each in zip(outputs, values, strict=True):
                        self.local[value] = self._settled(each, value)
                        self._inside[value] = (*before, node.name)
                        self._fed[value] = fed
        except Exception as error:  # of one reference; the other layers can be judged all the same
            finding.unjudged = f"the reference refuses: {str(error)[:200] or type(error).__name__}"
        self.keep(node, actual)
        return wanted

    def arrays(self, node: Node) -> list[np.ndarray]:
        """The inputs of a layer, as the device has them, in the types of the model."""
        return [as_typed(self.local[v].array, self._model.types[v]) for v in node.inputs]

    def keep(self, node: Node, actual: Mapping[int, TensorData]) -> None:
        """Go on with what the device gave."""
        for place, tensor in actual.items():
            value = self._model.sources[node.name].outputs[place]
            try:
                array = self._reader.array(value, tensor)
                self.local[value] = Value.exact(array, type_name(node.types[place]))
            except ValueError:
                self.local.pop(value, None)
            self._inside.pop(value, None)
            self._fed.pop(value, None)

    def keep_worse(self, finding: Finding, judged: Judged, members: tuple[str, ...] = ()) -> None:
        """Keep a verdict if it is worse than those on earlier samples. ``members`` are judged together."""
        before = finding.in_place
        if before is None or judged.outcome.badness > before.outcome.badness:
            finding.in_place, finding.sample = judged, self._sample
            finding.members = members if len(members) > 1 else ()

    def explain(self) -> None:
        """Find the layer that a departing group departs by: with what it gives alone the group conforms."""
        for finding in list(self._s.findings.values()):
            evidence, judged = finding.evidence, finding.in_place
            if evidence is None or judged is None or finding.by or len(evidence.nodes) < 2:
                continue
            fails = judged.outcome is Outcome.FAIL
            suspects = (each for each in evidence.nodes if fails and self._s.departs_alone(each))
            with suppress(Exception):  # of a reference, on wrong numbers
                finding.by = next((e for e in suspects if self._is_explained(evidence, e)), "")

    def _is_explained(self, evidence: PartEvidence, name: str) -> bool:
        """Whether a group conforms if what one layer in it gives is right."""
        model = self._model
        arrays = dict(evidence.arrays)
        for each in evidence.nodes[: evidence.nodes.index(name)]:
            node = model.nodes[each]
            found = large_layers.outputs(
                node, [self._array(arrays, value) for value in node.inputs]
            )
            for value, array in zip(model.sources[each].outputs, found, strict=True):
                arrays[value] = as_typed(array, model.types[value])
        node, outputs = model.nodes[name], model.sources[name].outputs
        constants = model.graph.constants
        fed = {v: arrays[v] for v in node.inputs if v not in constants}
        answer = self._s.asking.ask([name], outputs, [fed], model.given(fed))
        if answer.failed:
            return False

        local = {
            value: Value.exact(array, type_name(model.types[value]))
            for value, array in evidence.arrays.items()
        }
        given = {value: answer.values_of(value, 0) for value in outputs}
        wanted = self._expected_again(evidence.nodes, local, given)
        names = model.sources[evidence.nodes[-1]].outputs
        actual = {p: evidence.actual[v] for p, v in enumerate(names) if v in evidence.actual}
        return wanted.judge(actual).outcome is not Outcome.FAIL

    def _array(self, arrays: Mapping[str, np.ndarray], value: str) -> np.ndarray:
        constant = self._model.graph.constants.get(value)
        return arrays[value] if constant is None else constant.array()

    def forget(self, value: str, is_kept: bool) -> None:
        """Drop what is known of a value that nothing reads any more; unless it ``is_kept``, the value too."""
        if not is_kept:
            self.local.pop(value, None)
        self._inside.pop(value, None)
        self._fed.pop(value, None)

    def _judge(
        self,
        node: Node,
        finding: Finding,
        wanted: Wanted,
        actual: Mapping[int, TensorData],
        before: tuple[str, ...],
        fed: dict[str, np.ndarray],
    ) -> None:
        """Judge what was read of a layer. ``before`` are those before it whose values were not read, exact or not."""
        nodes = (*before, node.name)
        judged, wanted = self._rejudged(wanted, actual, nodes, fed)
        if finding.in_place is None or finding.in_place.outcome is not Outcome.FAIL:
            # Otherwise an earlier sample has shown it.
            judged = self._confirmed(judged, node, nodes, fed)
        if judged.outcome is Outcome.FAIL and len(nodes) == 1:
            judged = self._expecting.narrowed(judged, wanted, self.arrays(node), actual)
        members = tuple(name for name in nodes if name not in self._s.constants)
        self.keep_worse(finding, judged, members)
        if judged.outcome is Outcome.FAIL and self._effects.follows_more:
            names, expected = self._model.sources[node.name].outputs, wanted.expected(actual)
            finding.evidence = finding.evidence or PartEvidence(
                nodes,
                self._rounded(fed),
                {names[place]: expected[place] for place in actual},
                {names[place]: tensor for place, tensor in actual.items()},
            )
            self._effects.follow(node, expected, actual)

    def _rejudged(
        self,
        wanted: Wanted,
        actual: Mapping[int, TensorData],
        nodes: Sequence[str],
        fed: Mapping[str, np.ndarray],
    ) -> tuple[Judged, Wanted]:
        """The verdict on what was read, and what is expected: on what the device holds, or on that in its types.

        Nothing shows which of both a layer read: a device may convert a tensor for one reader and not for another.
        """
        judged = wanted.judge(actual)
        if judged.outcome is Outcome.FAIL and self._holds_more(fed):
            in_types = {
                value: Value.exact(array, type_name(self._model.types[value]))
                for value, array in self._rounded(fed).items()
            }
            other = self._expected_again(nodes, in_types)
            found = other.judge(actual)
            if found.outcome.badness < judged.outcome.badness:
                return found, other
        return judged, wanted

    def _wanted_of_group(
        self, node: Node, values: Sequence[Value], fed: Mapping[str, np.ndarray]
    ) -> Wanted:
        """What the outputs of the last layer of a group should be: rounded where it is kept in f32 until there."""
        is_rounded = self._holds_more(fed) or any(
            value in self._inside and self._reader.holds_more_behind(node) for value in node.inputs
        )
        return Wanted.of_values(node, [with_rounding(v) for v in values] if is_rounded else values)

    def _confirmed(
        self, judged: Judged, node: Node, nodes: tuple[str, ...], fed: Mapping[str, np.ndarray]
    ) -> Judged:
        """A failure, if the device also fails where no other values are read than those that show it.

        With many values read a device may give other ones: memory of a result that a layer computes in place, say.
        """
        if judged.outcome is not Outcome.FAIL:
            return judged
        values = (*fed, *self._model.sources[node.name].outputs)
        if self._s.confirmations >= _CONFIRMED and self._reader.is_of_one_run(values):
            return judged
        self._s.confirmations += 1
        answer = self._reader.again(node, fed)
        if answer.failed:
            return judged
        found = answer.values[-1]
        again_fed = {
            value: answer.values_of(value, -1) if value in found else array
            for value, array in fed.items()
        }
        local = {
            value: Value.exact(array, type_name(self._model.types[value]))
            for value, array in again_fed.items()
        }
        places = self._model.sources[node.name].outputs
        actual = {p: found[v] for p, v in enumerate(places) if v in found}
        again, _ = self._rejudged(self._expected_again(nodes, local), actual, nodes, again_fed)
        if again.outcome is not Outcome.FAIL:
            self._s.by_reading.append(node.name)
        return again

    def _expected_again(
        self,
        nodes: Sequence[str],
        local: dict[str, Value],
        given: Mapping[str, np.ndarray] = types.MappingProxyType({}),
    ) -> Wanted:
        """The expected outputs of the last of these layers for other values that feed them.

        Of a layer in a group whose outputs are ``given`` these go on, with twice its bound: in the group and alone.
        """
        fed = {value: each.array for value, each in local.items() if _is_wide(each)}
        constants = self._model.graph.constants
        for name in nodes:
            node = self._model.nodes[name]
            inputs = [
                local[v]
                if v in local
                else Value.exact(constants[v].array(), type_name(self._model.types[v]))
                for v in node.inputs
            ]
            precision = self._expecting.precision(node, self._s.findings[name].kernel)
            is_plain = len(nodes) == 1 and not self._expecting.merges(node, precision)
            if is_plain and not any(_is_wide(each) for each in inputs):
                return self._expecting.of_layer(node, [each.array for each in inputs], precision)
            is_inside = name != nodes[-1]
            outputs = self._model.sources[name].outputs
            values = [
                _with_array(each, given[value]) if value in given else each
                for value, each in zip(
                    outputs,
                    self._expecting.carried(node, inputs, precision, is_inside=is_inside),
                    strict=True,
                )
            ]
            for value, each in zip(outputs, values, strict=True):
                local[value] = self._settled(each, value)
        return self._wanted_of_group(node, values, fed)

    def _settled(self, value: Value, name: str) -> Value:
        """A value that was not read: exact where there is no device that could have another one."""
        if self._s.whole.failed or self._reader.is_empty:
            kind = self._model.types[name]
            return Value.exact(as_typed(value.array, kind), type_name(kind))
        if value.flush and value.bound is not None and is_float(value.array.dtype):
            # Inside a group what became zero goes on as an error of the next layer.
            return large_layers.with_flushed(value)
        return value

    def _members(self, node: Node) -> tuple[str, ...]:
        """The layers before a layer whose values were not read, in the order of the model."""
        found = {name for value in node.inputs for name in self._inside.get(value, ())}
        return tuple(sorted(found, key=self._s.places.__getitem__))

    def _fed_to(self, node: Node) -> dict[str, np.ndarray]:
        """What feeds a layer and those before it whose values were not read: exact values alone, no constants."""
        found: dict[str, np.ndarray] = {}
        for value in node.inputs:
            name = value.partition(":")[0]
            if value in self._inside:
                found |= self._fed[value]
            elif name not in self._model.graph.constants:
                array = self.local[value].array
                is_held = _is_wide(self.local[value])
                found[value] = array if is_held else as_typed(array, self._model.types[value])
        return found

    def _holds_more(self, fed: Mapping[str, np.ndarray]) -> bool:
        """Whether something that feeds a group has more bits than its type."""
        return any(array.dtype != self._model.types[value].dtype for value, array in fed.items())

    def _rounded(self, fed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What feeds a group in the types that the model has."""
        return {value: as_typed(array, self._model.types[value]) for value, array in fed.items()}


def _note(node: Node, arrays: Sequence[np.ndarray]) -> str:
    """What a person should know of how a layer is judged; "" for nothing."""
    ranks = judging.of_other_rank(node, arrays)
    ports = ", ".join(
        f"{arrays[place].ndim} of input {place}, not {rank}" for place, rank in ranks.items()
    )
    is_whole = large_layers.is_whole(node, arrays)
    return "; ".join(
        [
            *([f"a rank that the specification does not allow: {ports}"] if ports else []),
            *(["computed as a whole: its outputs cannot be divided"] if is_whole else []),
        ]
    )


def _with_array(value: Value, array: np.ndarray) -> Value:
    """A value that is another one, with twice the bound."""
    bound, quality = (None if e is None else 2 * e for e in (value.bound, value.quality))
    return replace(value, array=array, bound=bound, quality=quality)


def _is_wide(value: Value) -> bool:
    """Whether a value that was read has more bits than its type."""
    return value.array.dtype == np.float32 and value.type in SHORT
