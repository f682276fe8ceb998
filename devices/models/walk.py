"""One pass over the layers of a model for one sample: in place on the device's own values, and each layer alone."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from devices.engine.session import Session
from devices.models import judging, parts
from devices.models.asking import Answer, Arrays, Asking
from devices.models.findings import Evidence, Finding, ResultError, changes_choice, distance
from devices.models.groups import constant_nodes, shape_nodes
from devices.models.judging import Judged, types_of
from devices.models.limits import within
from devices.models.operands import roundings_of_factors, scattered, widened
from devices.models.parts import Wanted, as_typed, as_wide, with_rounding
from devices.process.protocol import Kernel, TensorData
from devices.process.resources import storage
from ir_models.models import SHORT, Model
from ir_models.vocabulary.element_types import ElementType, Tensor, f32
from ir_models.vocabulary.graph import Node, type_name
from reference import Value, coarsens, refines
from reference.accuracy import is_float
from reports.results.facts import Facts
from reports.results.outcomes import Outcome

# Bytes of values that are read in one run of the model, and of a value whose size is not known.
_READ_BYTES, _UNKNOWN_BYTES = 2**26, 2**18
# Layers in a model that asks each of them alone, and bytes of what they are fed.
_PACK, _PACK_BYTES = 60, 2**25
# Failures that are asked again with few values read.
_CONFIRMED = 40
# A difference above this share of the largest value is more than errors that have added up.
PARTED = 1e-3
# One rounding of the largest value of a result, by its type; of f32 and f64 some, which every long model makes.
_ROUNDING = {"f64": 2.0**-49, "f32": 2.0**-20, "f16": 2.0**-11, "bf16": 2.0**-8}
# Departures whose effect on the results is followed.
_FOLLOWED = 16
# Constants of so few elements are axes or shapes: layers that differ in them are not asked as one.
_INDEX_SIZE = 64

Report = Callable[[str], None]


class Shared:
    """What the walks of a survey share: the model, the device, what was found so far.

    ``feeds`` has the values of the Parameters, for each sample.
    """

    def __init__(
        self,
        model: Model,
        session: Session,
        feeds: Sequence[Arrays],
        report: Report = lambda _: None,
    ) -> None:
        self.model, self.session, self.feeds = model, session, feeds
        self.asking = Asking(model, session)
        self.report = report
        self.findings = {node.name: Finding(node.name) for node in model.graph.nodes}
        self.constants, self.of_shapes = constant_nodes(model), shape_nodes(model)
        self.results = list(dict.fromkeys(each.source for each in model.graph.results))
        self.places = {node.name: place for place, node in enumerate(model.graph.nodes)}
        self.notes: list[str] = []
        self.confirmations = 0
        self.asks_alike = False
        # Layers that are wrong only where many values are read at once.
        self.by_reading: list[str] = []
        self.whole = Answer()
        # The values that are read, in the order of the graph.
        self.read: list[str] = []
        self.result_errors: list[ResultError] = []


class Walk:
    """One pass over the layers for one sample."""

    def __init__(
        self,
        shared: Shared,
        sample: int,
        alone: bool,
        variables: dict[str, dict[str, np.ndarray]],
    ) -> None:
        self.s, self.model, self.sample = shared, shared.model, sample
        self.with_alone, self.variables = alone, variables
        self.to_read = list(shared.read)
        self.position = {value: place for place, value in enumerate(self.to_read)}
        self.fetched: dict[str, TensorData] = {}
        # Of values that were read those of which the device holds more than their type has.
        self.held: dict[str, np.ndarray] = {}
        self.reached = 0
        self.most = len(self.to_read)
        # The values as the device has them, with bounds where they were not read, and those of the reference.
        self.local: dict[str, Value] = {}
        self.truth: dict[str, np.ndarray] = {}
        self.actual_results: dict[str, TensorData] = {}
        self.read_results: dict[str, TensorData] = {}
        self.read_arrays: dict[str, np.ndarray] = {}
        # For values inside a group: the layers of the group up to there, and what feeds them.
        self.inside: dict[str, tuple[str, ...]] = {}
        self.fed: dict[str, dict[str, np.ndarray]] = {}
        # The first value that is clearly another one than the reference's, and by how much.
        self.parted: tuple[str, float] | None = None
        # The first value with NaN or infinity, of the reference.
        self.not_finite = ""
        self.pending: list[_Alone] = []
        self.pending_bytes = 0
        self.seen: dict[object, str] = {}
        self.assigned: list[tuple[str, str]] = []
        # For each layer that departs in place, the reference's values with what the device gave there.
        self.moved: dict[str, dict[str, np.ndarray]] = {}
        self.left = {value: len(names) for value, names in self.model.readers.items()}
        for value in shared.results:
            self.left[value] = self.left.get(value, 0) + 1

    def run(self) -> None:
        """Walk over all layers; what is found stands in what the walks share."""
        model, types = self.model, self.model.types
        for each in model.graph.parameters:
            array = self.s.feeds[self.sample][each.name]
            self.local[each.name] = Value.exact(array, type_name(each.tensor.element_type))
            self.truth[each.name] = as_wide(array)
        for name, tensor in model.graph.constants.items():
            array = tensor.array()
            self.local[name] = Value.exact(array, type_name(types[name]))
            self.truth[name] = array
        if not self.s.whole.failed:
            self.actual_results = self.s.whole.values[self.sample]
        count = len(model.graph.nodes)
        last = time.monotonic()
        for number, node in enumerate(model.graph.nodes):
            self._layer(node)
            if time.monotonic() - last > 2:
                last = time.monotonic()
                wrong = sum(each.departs for each in self.s.findings.values())
                self.s.report(f"{number + 1} of {count} layers, {wrong} depart")
        self._ask_alone()
        self._effects()
        for variable, value in self.assigned:
            kind = types[value]
            if value in self.local:
                self.variables["local"][variable] = as_typed(self.local[value].array, kind)
            if value in self.truth:
                self.variables["truth"][variable] = self.truth[value]

    # --- values that are read -------------------------------------------------------------------------------------

    def _read(self, value: str) -> TensorData | None:
        """A value as the device has it; None for one that is not read."""
        if value not in self.position:
            return None
        if self.position[value] >= self.reached:
            self._fetch()
        return self.fetched.get(value)

    def _fetch(self) -> None:
        """Run the model for the next values that are to be read."""
        values = self._next()
        self.reached += len(values)
        results, feeds = self.s.results, self._feeds()
        answer = self.s.asking.ask(self.model.nodes, results, feeds, read=[*values, *results])
        if answer.failed:
            if len(values) > 1:
                # Half as many may do: what fails is one of them, or memory.
                self.reached -= len(values) - len(values) // 2
                self.most = len(values) // 2
                values = values[: len(values) // 2]
                answer = self.s.asking.ask(
                    self.model.nodes, results, feeds, read=[*values, *results]
                )
            if answer.failed:
                self.s.notes.append(f"values that cannot be read: {answer.detail}")
                return
        found = answer.values[-1]
        for value in self.s.results:
            before = self.actual_results.get(value)
            is_same = before is not None and parts.same_bytes(before, found[value])
            # Of several runs one that gave other results tells more.
            if value not in self.read_results or not is_same:
                self.read_results[value] = found[value]
                self.read_arrays[value] = answer.values_of(value, -1)
        for value in values:
            self.fetched[value] = found[value]
        self.held |= answer.held[-1]

    def _next(self) -> list[str]:
        """The values to read in one run: at least one, and as many as have some bytes together."""
        found: list[str] = []
        total = 0
        for value in self.to_read[self.reached : self.reached + max(self.most, 1)]:
            total += _bytes(self.model, value)
            if found and total > _READ_BYTES:
                break
            found.append(value)
        return found

    # --- one layer ------------------------------------------------------------------------------------------------

    def _layer(self, node: Node) -> None:
        finding = self.s.findings[node.name]
        source = self.model.sources[node.name]
        outputs = source.outputs
        actual = {p: t for p, v in enumerate(outputs) if (t := self._read(v)) is not None}
        self._shapes(node, finding, actual)
        if source.operation is not None and source.operation.partner:
            self._variable(node, finding, actual)
        else:
            self._truth_of(node, actual)
            self._local_of(node, finding, actual)
        for value in [*node.inputs, *outputs]:
            if value in node.inputs:
                self.left[value] = self.left.get(value, 0) - 1
            if self.left.get(value, 0) <= 0:
                if value.partition(":")[0] not in self.model.graph.constants and not any(
                    value == each for _, each in self.assigned
                ):
                    self.local.pop(value, None)
                    self.truth.pop(value, None)
                self.fetched.pop(value, None)
                self.held.pop(value, None)
                self.inside.pop(value, None)
                self.fed.pop(value, None)
                for values in self.moved.values():
                    values.pop(value, None)
        storage.release()

    def _shapes(self, node: Node, finding: Finding, actual: Mapping[int, TensorData]) -> None:
        if not finding.shapes:
            texts = [
                f"{self.model.types[v]}[{','.join(map(str, self.local[v].array.shape))}]"
                for v in node.inputs
                if v in self.local
            ]
            finding.shapes = " ".join(texts)

    def _truth_of(self, node: Node, actual: Mapping[int, TensorData]) -> None:
        """The outputs by the reference on the reference's own values; of a layer without one, the device's."""
        source = self.model.sources[node.name]
        operation = source.operation
        is_random = operation is not None and operation.keeps_state
        if node.operation and not is_random and all(v in self.truth for v in node.inputs):
            try:
                with within(self.s.session.case_timeout):
                    found = parts.outputs(node, [self.truth[v] for v in node.inputs])
                for value, array, kind in zip(source.outputs, found, node.types, strict=False):
                    self.truth[value] = array if kind.is_float else as_typed(array, kind)
                    is_open = kind.is_float and not self.not_finite
                    if is_open and parts.holds(array, lambda each: ~np.isfinite(each)):
                        self.not_finite = value
                self._move(node)
                self._part(node, actual)
                return
            except (
                Exception
            ):  # a reference may refuse what a device computes; then the device's own go on
                pass
        for place, tensor in actual.items():
            self.truth[source.outputs[place]] = as_wide(tensor.values())

    def _part(self, node: Node, actual: Mapping[int, TensorData]) -> None:
        """Note where the device's values and the reference's part for the first time."""
        for place, tensor in actual.items():
            value = self.model.sources[node.name].outputs[place]
            if self.parted is not None or tensor.element_type == "string":
                return
            values, truth = tensor.values(), self.truth[value]
            if values.shape == truth.shape and values.size:
                error, scale = distance(values, truth)
                if error > PARTED * scale:
                    self.parted = value, error / scale if scale else error

    def _move(self, node: Node) -> None:
        """Carry what departures change of the reference's values through a layer."""
        outputs = self.model.sources[node.name].outputs
        for values in self.moved.values():
            if not any(value in values for value in node.inputs):
                continue
            inputs = [values.get(value, self.truth[value]) for value in node.inputs]
            try:
                found = parts.outputs(node, inputs)
            except Exception:  # a reference may refuse wrong values; what they change ends there
                continue
            for value, array in zip(outputs, found, strict=False):
                values[value] = array

    def _departed(
        self,
        node: Node,
        wanted: Wanted,
        actual: Mapping[int, TensorData],
        nodes: tuple[str, ...],
        fed: dict[str, np.ndarray],
    ) -> None:
        """Keep what shows a departure, and begin to follow what it is worth at the results."""
        if len(self.moved) >= _FOLLOWED:
            return
        names, expected = self.model.sources[node.name].outputs, wanted.expected(actual)
        self.s.findings[node.name].evidence = Evidence(
            nodes,
            self._rounded(fed),
            {names[place]: expected[place] for place in actual},
            {names[place]: tensor for place, tensor in actual.items()},
        )
        changed = {}
        for place, tensor in actual.items():
            value = self.model.sources[node.name].outputs[place]
            truth, right = self.truth.get(value), expected[place].value
            wrong = tensor.values()
            if truth is None or not truth.shape == right.shape == wrong.shape:
                # What another shape is worth further on cannot be followed.
                return
            if is_float(wrong.dtype):
                with np.errstate(all="ignore"):
                    changed[value] = parts.departed(truth, wrong, right)
            else:
                changed[value] = wrong
        self.moved[node.name] = changed

    def _effects(self) -> None:
        """What each departure that was followed is worth."""
        for name, values in self.moved.items():
            most, elsewhere, is_slight = 0.0, False, True
            for result in self.s.results:
                if result not in values or result not in self.truth:
                    continue
                right, wrong = self.truth[result], values[result]
                if right.shape != wrong.shape:
                    most, elsewhere, is_slight = np.inf, True, False
                    continue
                error, scale = distance(wrong, right)
                relative = error / scale if scale else error
                most = max(most, relative)
                is_slight &= relative <= _ROUNDING.get(self.model.types[result].name, 0.0)
                elsewhere = elsewhere or changes_choice(wrong, right)
            finding = self.s.findings[name]
            # In every sample; what changes no result in one may in another.
            finding.is_slight = is_slight and (finding.effect is None or finding.is_slight)
            finding.effect = max(most, finding.effect or 0.0)
            finding.changes_choice = finding.changes_choice or elsewhere

    def _local_of(self, node: Node, finding: Finding, actual: Mapping[int, TensorData]) -> None:
        source = self.model.sources[node.name]
        outputs = source.outputs
        if not node.operation:
            finding.unjudged = source.note or "no reference"
            if not actual and self.s.whole.failed:
                actual = self._values_alone(node)
            self._keep(node, actual)
            return
        missing = [value for value in node.inputs if value not in self.local]
        if missing:
            titles = ", ".join(self.model.title(value) for value in missing)
            finding.unjudged = f"its input has no value: {titles}"
            self._keep(node, actual)
            return
        inputs = [self.local[value] for value in node.inputs]
        arrays = [each.array for each in inputs]
        ranks = judging.of_other_rank(node, arrays)
        if ranks:
            ports = ", ".join(
                f"{inputs[place].array.ndim} of input {place}, not {rank}"
                for place, rank in ranks.items()
            )
            finding.note = f"a rank that its page does not have: {ports}"
        is_exact = not any(parts.holds(each.gate, lambda bound: bound != 0) for each in inputs)
        if parts.is_whole(node, arrays):
            finding.note = "; ".join(
                filter(None, (finding.note, "computed as a whole: its outputs cannot be divided"))
            )
        finding.is_constant = node.name in self.s.constants
        precision = self._precision(node, finding.kernel)
        wanted = None
        before, fed = self._members(node), self._fed(node)
        try:
            if is_exact and actual and not any(_is_wide(each) for each in inputs):
                arrays = [
                    as_typed(e.array, self.model.types[v])
                    for e, v in zip(inputs, node.inputs, strict=True)
                ]
                wanted = self._wanted(node, arrays, precision)
                self._judge_in_place(node, finding, wanted, actual, before, fed)
            else:
                values = self._carried(node, inputs, precision, is_inside=not actual)
                if actual:
                    group = self._wanted_of_group(node, values, fed)
                    self._judge_in_place(node, finding, group, actual, before, fed)
                else:
                    for value, each in zip(outputs, values, strict=True):
                        self.local[value] = self._settled(each, node, value)
                        self.inside[value] = (*before, node.name)
                        self.fed[value] = fed
        except Exception as error:  # of one reference; the other layers can be judged all the same
            finding.unjudged = f"the reference refuses: {str(error)[:200] or type(error).__name__}"
        self._keep(node, actual)
        if self.with_alone and not finding.is_constant and not finding.unjudged:
            self._add_alone(node, finding, inputs, wanted, precision)

    def _judge_in_place(
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
        judged = self._confirmed(judged, node, nodes, fed)
        if judged.outcome is Outcome.FAIL and len(nodes) == 1:
            inputs = [
                as_typed(self.local[value].array, self.model.types[value]) for value in node.inputs
            ]
            judged = self._narrowed(judged, wanted, inputs, actual)
        members = tuple(name for name in nodes if name not in self.s.constants)
        self._judged_in_place(finding, judged, members)
        if judged.outcome is Outcome.FAIL:
            self._departed(node, wanted, actual, nodes, fed)

    def _narrowed(
        self,
        judged: Judged,
        wanted: Wanted,
        inputs: Sequence[np.ndarray],
        actual: Mapping[int, TensorData],
    ) -> Judged:
        """A failure with the narrower type in which the device computed, where that explains it."""
        computed_in = self._precision(wanted.node, self.s.findings[wanted.node.name].kernel)[0]
        try:
            with within(self.s.session.case_timeout):
                found = wanted.narrowing(inputs, actual, computed_in)
        except Exception:  # of the reference on narrowed numbers: the failure stays what it is
            return judged
        return replace(judged, facts=structs.replace(judged.facts, computed_as=found))

    def _rejudged(
        self,
        wanted: Wanted,
        actual: Mapping[int, TensorData],
        nodes: Sequence[str],
        fed: Mapping[str, np.ndarray],
    ) -> tuple[Judged, Wanted]:
        """The verdict on what was read, and what is expected: on what the device holds, or on that in its types.

        Which of both a layer read cannot be told: a device may convert a tensor for one reader and not for another.
        """
        judged = wanted.judge(actual)
        if judged.outcome is Outcome.FAIL and self._holds_more(fed):
            in_types = {
                value: Value.exact(array, type_name(self.model.types[value]))
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
            value in self.inside and self._ends_held(node) for value in node.inputs
        )
        return Wanted.of_values(node, [with_rounding(v) for v in values] if is_rounded else values)

    def _holds_more(self, fed: Mapping[str, np.ndarray]) -> bool:
        """Whether something that feeds a group has more bits than its type."""
        return any(array.dtype != self.model.types[value].dtype for value, array in fed.items())

    def _rounded(self, fed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What feeds a group in the types that the model has."""
        return {value: as_typed(array, self.model.types[value]) for value, array in fed.items()}

    def _settled(self, value: Value, node: Node, name: str) -> Value:
        """A value that was not read: exact where there is no device that could have another one."""
        if self.s.whole.failed or not self.to_read:
            kind = self.model.types[name]
            return Value.exact(as_typed(value.array, kind), type_name(kind))
        if value.flush and value.gate is not None and is_float(value.array.dtype):
            # Inside a group what became zero goes on as an error of the next layer.
            return parts.with_flushed(value)
        return value

    def _members(self, node: Node) -> tuple[str, ...]:
        """The layers before a layer whose values were not read, in the order of the model."""
        found = {name for value in node.inputs for name in self.inside.get(value, ())}
        return tuple(sorted(found, key=self.s.places.__getitem__))

    def _confirmed(
        self, judged: Judged, node: Node, nodes: tuple[str, ...], fed: Mapping[str, np.ndarray]
    ) -> Judged:
        """A failure, if the device also fails where no other values are read than those that show it.

        With many values read a device may give other ones: memory of a result that a layer computes in place, say.
        """
        if judged.outcome is not Outcome.FAIL or self.s.confirmations >= _CONFIRMED:
            return judged
        self.s.confirmations += 1
        outputs = [v for v in self.model.sources[node.name].outputs if v in self.position]
        given = {each.name for each in self.model.graph.parameters}
        values = [value for value in fed if value not in given]
        answer = self.s.asking.ask(
            self.model.nodes,
            self.s.results,
            self._feeds(),
            read=list(dict.fromkeys([*values, *outputs])),
        )
        if answer.failed:
            return judged
        found = answer.values[-1]
        again_fed = {
            value: answer.held[-1].get(value, found[value].values()) if value in found else array
            for value, array in fed.items()
        }
        local = {
            value: Value.exact(array, type_name(self.model.types[value]))
            for value, array in again_fed.items()
        }
        places = self.model.sources[node.name].outputs
        actual = {p: found[v] for p, v in enumerate(places) if v in found}
        again, _ = self._rejudged(self._expected_again(nodes, local), actual, nodes, again_fed)
        if again.outcome is not Outcome.FAIL:
            self.s.by_reading.append(node.name)
        return again

    def _expected_again(self, nodes: Sequence[str], local: dict[str, Value]) -> Wanted:
        """The expected outputs of the last of these layers for other values that feed them."""
        fed = {value: each.array for value, each in local.items() if _is_wide(each)}
        constants = self.model.graph.constants
        for name in nodes:
            node = self.model.nodes[name]
            inputs = [
                local[v]
                if v in local
                else Value.exact(constants[v].array(), type_name(self.model.types[v]))
                for v in node.inputs
            ]
            precision = self._precision(node, self.s.findings[name].kernel)
            if len(nodes) == 1 and not any(_is_wide(each) for each in inputs):
                return self._wanted(node, [each.array for each in inputs], precision)
            values = self._carried(node, inputs, precision, is_inside=name != nodes[-1])
            for value, each in zip(self.model.sources[name].outputs, values, strict=True):
                local[value] = self._settled(each, node, value)
        return self._wanted_of_group(node, values, fed)

    def _feeds(self) -> list[Arrays]:
        """The samples of an inference: of a model with variables all up to this one."""
        if _has_state(self.model):
            return list(self.s.feeds[: self.sample + 1])
        return [self.s.feeds[self.sample]]

    def _fed(self, node: Node) -> dict[str, np.ndarray]:
        """What feeds a layer and those before it whose values were not read: exact values alone, no constants."""
        found: dict[str, np.ndarray] = {}
        for value in node.inputs:
            name = value.partition(":")[0]
            if value in self.inside:
                found |= self.fed[value]
            elif name not in self.model.graph.constants:
                array = self.local[value].array
                is_held = _is_wide(self.local[value])
                found[value] = array if is_held else as_typed(array, self.model.types[value])
        return found

    def _carried(
        self,
        node: Node,
        inputs: Sequence[Value],
        precision: tuple[str, bool],
        is_inside: bool,
    ) -> Sequence[Value]:
        """The outputs of a layer in a group, whose operands the device may round: see ``operands.widened``.

        No constants, where that leaves outputs without a bound: a power of a negative number has none for an exponent
        that is not whole. And none at all, where it still does. A value inside a kernel of f32 is not rounded to f16.
        """
        if is_inside and precision[1] and refines(precision[0], types_of(node)):
            node = replace(node, types=tuple(self._kept(node, each) for each in node.types))
        roundings = roundings_of_factors(self.model, node.name, self.position.__contains__)
        constants = self.model.graph.constants

        def wide(given: Sequence[Value]) -> Sequence[Value]:
            return widened(given, precision[0], roundings)

        def kept(given: Sequence[Value]) -> Sequence[Value]:
            return [
                own if value in constants else each
                for value, own, each in zip(node.inputs, given, wide(given), strict=True)
            ]

        with within(self.s.session.case_timeout):
            return parts.carried(node, inputs, precision, (wide, kept, list))

    def _wanted(
        self, node: Node, inputs: Sequence[np.ndarray], precision: tuple[str, bool]
    ) -> Wanted:
        """The expected outputs of a layer, within the time of a case. Raises what its reference raises."""
        with within(self.s.session.case_timeout):
            return Wanted.of(node, inputs, precision)

    def _kept(self, node: Node, kind: ElementType) -> ElementType:
        """The type in which a kernel of f32 keeps what a layer inside it gives; a Convert gives its own."""
        is_same = all(
            self.model.types[v] is kind for v in node.inputs if self.model.types[v].is_float
        )
        return f32 if kind.name in SHORT and is_same else kind

    def _judged_in_place(self, finding: Finding, judged: Judged, members: tuple[str, ...]) -> None:
        before = finding.in_place
        if before is None or judged.outcome.badness > before.outcome.badness:
            finding.in_place, finding.sample = judged, self.sample
            finding.members = members if len(members) > 1 else ()

    def _keep(self, node: Node, actual: Mapping[int, TensorData]) -> None:
        """Go on with what the device gave."""
        for place, tensor in actual.items():
            value = self.model.sources[node.name].outputs[place]
            try:
                array = self.held[value] if value in self.held else tensor.values()
                self.local[value] = Value.exact(array, type_name(node.types[place]))
            except ValueError:
                self.local.pop(value, None)
            self.inside.pop(value, None)
            self.fed.pop(value, None)

    def _precision(self, node: Node, kernel: Kernel | None) -> tuple[str, bool]:
        """The precision that bounds are for, and whether the kernel itself reports it.

        What the device holds beyond f16 was computed in f32, in all layers of a group.
        """
        if any(each.name in SHORT for each in node.types) and self._ends_held(node):
            return "f32", True
        of_kernel = kernel.precision if kernel is not None else ""
        by_kernel = bool(of_kernel) and kernel is not None and not kernel.is_constant
        precision = of_kernel or self.s.session.inference_precision
        types = [self.model.types[v].name for v in node.inputs] + [t.name for t in node.types]
        finer = by_kernel and refines(precision, types)
        stated = precision if finer or coarsens(precision, types) else ""
        return stated, by_kernel

    def _ends_held(self, node: Node) -> bool:
        """Whether the device holds more of what the group of a layer gives than its type has."""
        pending, seen = [node.name], {node.name}
        while pending:
            for value in self.model.sources[pending.pop()].outputs:
                if self._read(value) is not None and value in self.held:
                    return True
                behind = () if value in self.position else self.model.readers.get(value, ())
                pending += [each for each in behind if each not in seen]
                seen.update(behind)
        return False

    # --- variables ------------------------------------------------------------------------------------------------

    def _variable(self, node: Node, finding: Finding, actual: Mapping[int, TensorData]) -> None:
        """A layer that reads or assigns a variable: it moves values from one inference to the next."""
        variable = str(node.attributes.get("variable_id", ""))
        is_assign = self.model.sources[node.name].type == "Assign"
        found: dict[str, np.ndarray | None] = {}
        for which, values in (("local", self.local), ("truth", self.truth)):
            if is_assign or variable not in self.variables[which]:
                value = node.inputs[0] if node.inputs else ""
                held = values.get(value)
                found[which] = held.array if isinstance(held, Value) else held
            else:
                found[which] = self.variables[which][variable]
            if found[which] is None and not node.inputs:
                sizes = [max(int(d), 0) for d in node.attributes.get("variable_shape", ())]
                found[which] = np.zeros(sizes, node.types[0].dtype)
        if is_assign:
            self.assigned.append((variable, node.inputs[0]))
        outputs = self.model.sources[node.name].outputs
        local, truth = found["local"], found["truth"]
        if outputs and truth is not None:
            self.truth[outputs[0]] = truth
        if outputs and local is not None:
            kind = node.types[0]
            exact = as_typed(local, kind)
            self.local[outputs[0]] = Value.exact(exact, type_name(kind))
            if actual:
                judged = Wanted.of_values(node, [Value.exact(exact)]).judge(actual)
                self._judged_in_place(finding, judged, (node.name,))
        self._keep(node, actual)
        if finding.in_place is None:
            finding.unjudged = "it keeps a value for the next inference, where that is read"

    # --- alone ----------------------------------------------------------------------------------------------------

    def _add_alone(
        self,
        node: Node,
        finding: Finding,
        inputs: Sequence[Value],
        wanted: Wanted | None,
        precision: tuple[str, bool],
    ) -> None:
        arrays = {
            value: as_typed(each.array, self.model.types[value])
            for value, each in zip(node.inputs, inputs, strict=True)
        }
        key = _key(self.model, node, arrays)
        if key in self.seen and not self.s.asks_alike:
            finding.alike = self.seen[key]
            return
        finding.alike = ""
        self.seen[key] = node.name
        more = sum(each.nbytes for each in arrays.values()) + (wanted.nbytes if wanted else 0)
        if self.pending and self.pending_bytes + more > _PACK_BYTES:
            self._ask_alone()
        self.pending.append(_Alone(node, arrays, wanted, precision))
        self.pending_bytes += more
        if len(self.pending) >= _PACK or self.pending_bytes > _PACK_BYTES:
            self._ask_alone()

    def _ask_alone(self) -> None:
        pending, self.pending, self.pending_bytes = self.pending, [], 0
        for each, answer in self._answers(pending):
            finding = self.s.findings[each.node.name]
            finding.alone, finding.alone_kernel = self._judge_alone(each, answer)

    def _answers(self, pack: Sequence[_Alone]) -> Iterator[tuple[_Alone, Answer]]:
        """The answer about each layer: in one model, or in halves where that fails."""
        if not pack:
            return
        answer = self._ask_apart(pack)
        if answer.failed and len(pack) > 1:
            middle = len(pack) // 2
            yield from self._answers(pack[:middle])
            yield from self._answers(pack[middle:])
            return
        for each in pack:
            yield each, answer

    def _ask_apart(self, pack: Sequence[_Alone]) -> Answer:
        constants = self.model.graph.constants
        given: dict[str, Tensor] = {}
        values: dict[str, np.ndarray] = {}
        feed: dict[str, np.ndarray] = {}
        for each in pack:
            for value, array in each.arrays.items():
                name = value.partition(":")[0]
                given[value] = Tensor(self.model.types[value], array.shape)
                if name in constants:
                    given.pop(value)
                elif name in self.s.of_shapes:
                    values[value] = array
                else:
                    feed[value] = array
        results = [v for each in pack for v in self.model.sources[each.node.name].outputs]
        names = [each.node.name for each in pack]
        return self.s.asking.ask(names, results, [feed], given, values=values, apart=True)

    def _judge_alone(self, each: _Alone, answer: Answer) -> tuple[Judged, Kernel | None]:
        node = each.node
        finding = self.s.findings[node.name]
        if answer.failed:
            finding.alone_evidence = Evidence((node.name,), dict(each.arrays), {}, {})
            return Judged(answer.outcome, answer.detail, answer.facts), None
        kernel = answer.kernels.get(node.name)
        outputs = self.model.sources[node.name].outputs
        actual = {place: answer.values[0][value] for place, value in enumerate(outputs)}
        precision = self._precision(node, kernel)
        wanted = each.wanted if precision == each.precision else None
        try:
            if wanted is None:
                wanted = self._wanted(node, each.inputs, precision)
            judged = wanted.judge(actual)
            if judged.comparison is not None and judged.comparison.statistic:
                return self._of_independent(each, judged), kernel
            if judged.outcome is Outcome.FAIL:
                judged = self._narrowed(judged, wanted, each.inputs, actual)
                finding.alone_evidence = Evidence(
                    (node.name,),
                    dict(each.arrays),
                    dict(zip(outputs, wanted.expected(actual), strict=True)),
                    answer.values[0],
                )
            return judged, kernel
        except Exception as error:  # of one reference, as above
            return Judged(Outcome.ERROR, f"the reference fails: {error}"), kernel

    def _of_independent(self, each: _Alone, judged: Judged) -> Judged:
        """What failed the test of all errors of sums together, with numbers whose errors are independent.

        The test presumes that they are. Those of the model need not be: of numbers that are alike, or have few bits,
        honest arithmetic rounds many in one direction. If the test fails again, the layer departs.
        """
        constants, node = self.model.graph.constants, each.node
        state = np.random.RandomState(0)
        arrays = {
            value: array if value.partition(":")[0] in constants else scattered(array, state)
            for value, array in each.arrays.items()
        }
        again = _Alone(node, arrays, None, ("", False))
        answer = self._ask_apart([again])
        if answer.failed:
            return judged
        outputs = self.model.sources[node.name].outputs
        actual = {place: answer.values[0][value] for place, value in enumerate(outputs)}
        precision = self._precision(node, answer.kernels.get(node.name))
        wanted = self._wanted(node, again.inputs, precision)
        found = wanted.judge(actual).comparison
        if found is None or not found.statistic:
            text = f"{judged.detail}; not where the last bits of its data are independent"
            return replace(judged, detail=text)
        self.s.findings[node.name].alone_evidence = Evidence(
            (node.name,),
            arrays,
            dict(zip(outputs, wanted.expected(actual), strict=True)),
            answer.values[0],
        )
        text = f"{found.statistic}, with data whose last bits are independent"
        return Judged(Outcome.FAIL, text, Facts(kind="distribution"), found)

    def _values_alone(self, node: Node) -> dict[int, TensorData]:
        """What the device gives for a layer that the project does not know, where the whole model fails."""
        if any(value not in self.local for value in node.inputs):
            return {}
        arrays = {v: as_typed(self.local[v].array, self.model.types[v]) for v in node.inputs}
        answer = self._ask_apart([_Alone(node, arrays, None, ("", False))])
        outputs = self.model.sources[node.name].outputs
        if answer.failed:
            self.s.findings[node.name].alone = Judged(answer.outcome, answer.detail, answer.facts)
            return {}
        return {place: answer.values[0][value] for place, value in enumerate(outputs)}

    # --- results --------------------------------------------------------------------------------------------------

    def result_errors(self) -> list[ResultError]:
        """How far the results are from the reference's."""
        found = []
        for value in self.s.results:
            tensor, truth = self.actual_results.get(value), self.truth.get(value)
            if tensor is None or truth is None:
                continue
            title = self.model.title(value)
            actual = self.s.whole.values_of(value, self.sample)
            if actual.shape != truth.shape:
                detail = f"shape is {list(actual.shape)}, should be {list(truth.shape)}"
                found.append(ResultError(value, title, np.inf, 1.0, detail=detail))
                continue
            read = self.read_results.get(value)
            error, scale = distance(actual, truth)
            one = ResultError(value, title, error, scale, choice=changes_choice(actual, truth))
            if read is not None and read.shape == tensor.shape:
                one.read_error = distance(self.read_arrays[value], truth)[0]
                one.moved = distance(self.read_arrays[value], actual)[0]
                one.same_bits = parts.same_bytes(read, tensor)
            found.append(one)
        return found


@dataclass
class _Alone:
    """A layer to be asked alone: its inputs; what its outputs should be where that is known, for its precision."""

    node: Node
    arrays: dict[str, np.ndarray]
    wanted: Wanted | None
    precision: tuple[str, bool]

    @property
    def inputs(self) -> list[np.ndarray]:
        """The value at each port."""
        return [self.arrays[value] for value in self.node.inputs]


def _bytes(model: Model, value: str) -> int:
    """How many bytes a value has, as far as the file states its shape."""
    name, _, place = value.partition(":")
    sizes = model.sources[name].dimensions(int(place or 0))
    if sizes is None or -1 in sizes:
        return _UNKNOWN_BYTES
    return math.prod(sizes) * model.types[value].dtype.itemsize


def _is_wide(value: Value) -> bool:
    """Whether a value that was read has more bits than its type."""
    return value.array.dtype == np.float32 and value.type in SHORT


def _has_state(model: Model) -> bool:
    return any(
        source.operation is not None and bool(source.operation.partner)
        for source in model.sources.values()
    )


def _key(model: Model, node: Node, arrays: Mapping[str, np.ndarray]) -> object:
    """What layers alike have in common: all but the elements of data and of large constants."""
    tensors = []
    for value, array in arrays.items():
        is_constant = value.partition(":")[0] in model.graph.constants
        content = array.tobytes() if is_constant and array.size <= _INDEX_SIZE else b""
        digest = hashlib.sha256(content).digest() if content else b""
        tensors.append((model.types[value].name, array.shape, is_constant, digest))
    source = model.sources[node.name]
    own = node.name if source.element.find(".//layer") is not None else ""
    return source.label, tuple(sorted(source.attributes.items())), tuple(tensors), own
