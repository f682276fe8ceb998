"""What departures are worth: the reference's own values of a model, and how they change by what the device gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from devices.engine.reference_time_limit import within
from devices.models import large_layers
from devices.models.findings import changes_choice, distance
from devices.models.large_layers import as_typed, as_wide
from devices.models.shared import Shared
from devices.process.protocol import TensorData
from ir_models.vocabulary.graph import Node
from reference import Expected
from reference.accuracy import is_float

# A difference above this share of the largest value is more than errors that have added up.
PARTED = 1e-3
# One rounding of the largest value of a result, by its type; of f32 and f64 some, which every long model makes.
_ROUNDING = {"f64": 2.0**-49, "f32": 2.0**-20, "f16": 2.0**-11, "bf16": 2.0**-8}
# Departures whose effect on the results is followed.
_FOLLOWED = 16


class Effects:
    """The reference's values of a model for one sample, ``truth``, beside those with each departure of the device.

    ``parted`` is the first value that is clearly another one than the reference's, and by how much; ``not_finite``
    the first one in which the reference has NaN or infinity.
    """

    def __init__(self, shared: Shared) -> None:
        self._s, self._model = shared, shared.model
        self.truth: dict[str, np.ndarray] = {}
        self.parted: tuple[str, float] | None = None
        self.not_finite = ""
        # For each layer that departs in place, the reference's values with what the device gave there.
        self._moved: dict[str, dict[str, np.ndarray]] = {}

    @property
    def follows_more(self) -> bool:
        """Whether one more departure is followed."""
        return len(self._moved) < _FOLLOWED

    def compute(self, node: Node, actual: Mapping[int, TensorData]) -> None:
        """The outputs by the reference on the reference's own values; of a layer without one, the device's."""
        source = self._model.sources[node.name]
        operation = source.operation
        is_random = operation is not None and operation.keeps_state
        if node.operation and not is_random and all(v in self.truth for v in node.inputs):
            try:
                with within(self._s.session.case_timeout):
                    found = large_layers.outputs(node, [self.truth[v] for v in node.inputs])
                for value, array, kind in zip(source.outputs, found, node.types, strict=False):
                    self.truth[value] = array if kind.is_float else as_typed(array, kind)
                    is_open = kind.is_float and not self.not_finite
                    if is_open and large_layers.holds(array, lambda each: ~np.isfinite(each)):
                        self.not_finite = value
                self._carry(node)
                self._part(node, actual)
                return
            except (
                Exception
            ):  # a reference may refuse what a device computes; then the device's own go on
                pass
        for place, tensor in actual.items():
            self.truth[source.outputs[place]] = as_wide(tensor.values())

    def follow(
        self, node: Node, expected: Sequence[Expected], actual: Mapping[int, TensorData]
    ) -> None:
        """Begin to follow a departure."""
        changed = {}
        for place, tensor in actual.items():
            value = self._model.sources[node.name].outputs[place]
            truth, right = self.truth.get(value), expected[place].value
            wrong = tensor.values()
            if truth is None or not truth.shape == right.shape == wrong.shape:
                # What another shape is worth further on cannot be followed.
                return
            if is_float(wrong.dtype):
                with np.errstate(all="ignore"):
                    changed[value] = large_layers.departed(truth, wrong, right)
            else:
                changed[value] = wrong
        self._moved[node.name] = changed

    def tell(self) -> None:
        """Write to the findings what each departure that was followed is worth at the results."""
        for name, values in self._moved.items():
            most, elsewhere, is_slight = 0.0, False, True
            for result in self._s.results:
                if result not in values or result not in self.truth:
                    continue
                right, wrong = self.truth[result], values[result]
                if right.shape != wrong.shape:
                    most, elsewhere, is_slight = np.inf, True, False
                    continue
                error, scale = distance(wrong, right)
                relative = error / scale if scale else error
                most = max(most, relative)
                is_slight &= relative <= _ROUNDING.get(self._model.types[result].name, 0.0)
                elsewhere = elsewhere or changes_choice(wrong, right)
            finding = self._s.findings[name]
            # In every sample; what changes no result in one may in another.
            finding.is_slight = is_slight and (finding.effect is None or finding.is_slight)
            finding.effect = max(most, finding.effect or 0.0)
            finding.changes_choice = finding.changes_choice or elsewhere

    def forget(self, value: str) -> None:
        """Drop a value that nothing reads any more."""
        array = self.truth.pop(value, None)
        if self._s.keeps_truth and array is not None:
            self._s.truth.setdefault(value, array)
        for values in self._moved.values():
            values.pop(value, None)

    def _part(self, node: Node, actual: Mapping[int, TensorData]) -> None:
        """Note where the device's values and the reference's part for the first time."""
        for place, tensor in actual.items():
            value = self._model.sources[node.name].outputs[place]
            if self.parted is not None or tensor.element_type == "string":
                return
            values, truth = tensor.values(), self.truth[value]
            if values.shape == truth.shape and values.size:
                error, scale = distance(values, truth)
                if error > PARTED * scale:
                    self.parted = value, error / scale if scale else error

    def _carry(self, node: Node) -> None:
        """Carry what departures change of the reference's values through a layer."""
        outputs = self._model.sources[node.name].outputs
        for values in self._moved.values():
            if not any(value in values for value in node.inputs):
                continue
            inputs = [values.get(value, self.truth[value]) for value in node.inputs]
            try:
                found = large_layers.outputs(node, inputs)
            except Exception:  # a reference may refuse wrong values; what they change ends there
                continue
            for value, array in zip(outputs, found, strict=False):
                values[value] = array
