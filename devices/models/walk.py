"""One pass over the layers of a model for one sample: in place on the device's own values, and each layer alone."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from devices.models import large_layers
from devices.models.alone import Alone
from devices.models.effects import Effects
from devices.models.expecting import Expecting
from devices.models.findings import Finding, ResultError, changes_choice, distance
from devices.models.in_place import InPlace
from devices.models.large_layers import Wanted, as_typed, as_wide
from devices.models.reading import Reader
from devices.models.shared import Shared
from devices.process.protocol import TensorData
from devices.process.resources import storage
from ir_models.graphs.evaluation import is_read
from ir_models.vocabulary.graph import Node, type_name
from reference import Value


class Walk:
    """One pass over the layers for one sample. ``variables`` hold what the inference before left in them.

    The device's values are those of ``InPlace``, the reference's those of ``Effects``.
    """

    def __init__(
        self,
        shared: Shared,
        sample: int,
        alone: bool,
        variables: dict[str, dict[str, np.ndarray]],
    ) -> None:
        self._s, self._model, self._sample = shared, shared.model, sample
        self._with_alone, self._variables = alone, variables
        self._reader = Reader(shared, sample)
        self.effects = Effects(shared)
        self._expecting = Expecting(shared, self._reader)
        self._in_place = InPlace(shared, sample, self._reader, self._expecting, self.effects)
        self._alone = Alone(shared, self._expecting)
        # The variables that are assigned, with the value.
        self._assigned: list[tuple[str, str]] = []
        # How many layers and results still read a value.
        self._left = {value: len(names) for value, names in self._model.readers.items()}
        for value in shared.results:
            self._left[value] = self._left.get(value, 0) + 1

    def run(self) -> None:
        """Walk over all layers; what is found stands in what the walks share."""
        model, types = self._model, self._model.types
        local, truth = self._in_place.local, self.effects.truth
        for each in model.graph.parameters:
            array = self._s.feeds[self._sample][each.name]
            local[each.name] = Value.exact(array, type_name(each.tensor.element_type))
            truth[each.name] = as_wide(array)
        for name, tensor in model.graph.constants.items():
            array = tensor.array()
            local[name] = Value.exact(array, type_name(types[name]))
            truth[name] = array
        count = len(model.graph.nodes)
        last = time.monotonic()
        for number, node in enumerate(model.graph.nodes):
            self._layer(node)
            if time.monotonic() - last > 2:
                last = time.monotonic()
                wrong = sum(each.departs for each in self._s.findings.values())
                self._s.report(f"{number + 1} of {count} layers, {wrong} depart")
        self._alone.finish()
        self._in_place.explain()
        self.effects.tell()
        for variable, value in self._assigned:
            if value in local:
                self._variables["local"][variable] = as_typed(local[value].array, types[value])
            if value in truth:
                self._variables["truth"][variable] = truth[value]
        if self._s.keeps_truth:
            self._s.truth = {**truth, **self._s.truth}

    def result_errors(self) -> list[ResultError]:
        """How far the results are from the reference's."""
        found = []
        for value in self._s.results:
            tensor, truth = self._reader.results.get(value), self.effects.truth.get(value)
            if tensor is None or truth is None:
                continue
            title = self._model.title(value)
            actual = self._s.whole.values_of(value, self._sample)
            if actual.shape != truth.shape:
                detail = f"shape is {list(actual.shape)}, should be {list(truth.shape)}"
                found.append(ResultError(value, title, np.inf, 1.0, detail=detail))
                continue
            read = self._reader.read_results.get(value)
            error, scale = distance(actual, truth)
            one = ResultError(value, title, error, scale, choice=changes_choice(actual, truth))
            if read is not None and read.shape == tensor.shape:
                arrays = self._reader.read_arrays[value]
                one.read_error = distance(arrays, truth)[0]
                one.moved = distance(arrays, actual)[0]
                one.same_bits = large_layers.same_bytes(read, tensor)
            found.append(one)
        return found

    def _layer(self, node: Node) -> None:
        finding, source = self._s.findings[node.name], self._model.sources[node.name]
        local = self._in_place.local
        if not finding.shapes:
            finding.shapes = " ".join(
                f"{self._model.types[v]}[{','.join(map(str, local[v].array.shape))}]"
                for v in node.inputs
                if v in local
            )
        actual = self._reader.outputs(node)
        if source.operation is not None and source.operation.partner:
            self._variable(node, finding, actual)
        else:
            self.effects.compute(node, actual)
            if not node.operation and not actual and self._s.whole.failed:
                # Later layers get what the device gives for one that the project does not know.
                has_inputs = all(value in local for value in node.inputs)
                inputs = self._in_place.arrays(node) if has_inputs else []
                actual = self._alone.values(node, inputs) if has_inputs else {}
            wanted = self._in_place.judge(node, finding, actual)
            if self._with_alone and not finding.is_constant and not finding.unjudged:
                precision = self._expecting.precision(node, finding.kernel)
                self._alone.add(node, self._in_place.arrays(node), wanted, precision)
        self._forget(node)
        storage.release()

    def _forget(self, node: Node) -> None:
        """Drop the values that nothing reads any more behind a layer."""
        assigned = {value for _, value in self._assigned}
        for value in [*node.inputs, *self._model.sources[node.name].outputs]:
            if value in node.inputs:
                self._left[value] = self._left.get(value, 0) - 1
            if self._left.get(value, 0) > 0:
                continue
            is_constant = value.partition(":")[0] in self._model.graph.constants
            is_kept = is_constant or value in assigned
            self._reader.forget(value)
            self._in_place.forget(value, is_kept)
            if not is_kept:
                self.effects.forget(value)

    def _variable(self, node: Node, finding: Finding, actual: Mapping[int, TensorData]) -> None:
        """A layer that reads or assigns a variable: it moves values from one inference to the next."""
        variable = str(node.attributes.get("variable_id", ""))
        is_assign = not is_read(node)
        all_local, all_truth = self._in_place.local, self.effects.truth
        found: dict[str, np.ndarray | None] = {}
        for which, values in (("local", all_local), ("truth", all_truth)):
            if is_assign or variable not in self._variables[which]:
                value = node.inputs[0] if node.inputs else ""
                held = values.get(value)
                found[which] = held.array if isinstance(held, Value) else held
            else:
                found[which] = self._variables[which][variable]
            if found[which] is None and not node.inputs:
                sizes = [max(int(d), 0) for d in node.attributes.get("variable_shape", ())]
                found[which] = np.zeros(sizes, node.types[0].dtype)
        if is_assign:
            self._assigned.append((variable, node.inputs[0]))
        outputs = self._model.sources[node.name].outputs
        local, truth = found["local"], found["truth"]
        if outputs and truth is not None:
            all_truth[outputs[0]] = truth
        if outputs and local is not None:
            kind = node.types[0]
            exact = as_typed(local, kind)
            all_local[outputs[0]] = Value.exact(exact, type_name(kind))
            if actual:
                judged = Wanted.of_values(node, [Value.exact(exact)]).judge(actual)
                self._in_place.keep_worse(finding, judged)
        self._in_place.keep(node, actual)
        if finding.in_place is None:
            finding.unjudged = "it keeps a value for the next inference, where that is read"
