"""Asks a device about the layers of a model alone: some in one model, side by side, on values of the whole model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from devices.engine import packs
from devices.engine.bisection import PackBisection
from devices.engine.single import SingleCases
from devices.engine.verdicts.known import NothingKnown
from devices.engine.verdicts.verdict import Verdict
from devices.models.expecting import Expecting, Precision
from devices.models.judging import Judged
from devices.models.large_layers import Wanted
from devices.models.model_layer import LayerVerdict, PreparedModelLayer, is_statistic
from devices.models.operands import scattered
from devices.models.shared import Shared
from devices.process.protocol import TensorData
from ir_models.models import Model
from ir_models.vocabulary.graph import Node
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome

# Layers in a model that asks each of them alone, and bytes of what they are fed.
_PACK, _PACK_BYTES = 60, 2**25
# Constants of so few elements are axes or shapes: layers that differ in them are not asked as one.
_INDEX_SIZE = 64
# Outcomes of layers that give no values.
_WITHOUT_VALUES = (Outcome.REFUSED, Outcome.CRASH, Outcome.TIMEOUT)


class Alone:
    """Asks about layers in packs. Of layers alike in everything but their data one is asked, unless all are wanted."""

    def __init__(self, shared: Shared, expecting: Expecting) -> None:
        self._s, self._model, self._expecting = shared, shared.model, expecting
        self._single = SingleCases(shared.session, 0, 0.0, NothingKnown())
        self._bisection = PackBisection(self._single)
        self._pending: list[PreparedModelLayer] = []
        self._seen: dict[object, str] = {}

    def add(
        self,
        node: Node,
        inputs: Sequence[np.ndarray],
        wanted: Wanted | None,
        precision: Precision,
    ) -> None:
        """Ask about a layer, now or with the next ones. ``wanted`` is for ``precision``, None where it is not known."""
        layer = PreparedModelLayer(self._s, self._expecting, node, inputs, wanted, precision)
        finding = self._s.findings[node.name]
        key = _key(self._model, node, layer.arrays)
        if key in self._seen and not self._s.asks_alike:
            finding.alike = self._seen[key]
            return
        finding.alike = ""
        self._seen[key] = node.name
        if self._pending and self._bytes + layer.nbytes > _PACK_BYTES:
            self.finish()
        self._pending.append(layer)
        if len(self._pending) >= _PACK or self._bytes > _PACK_BYTES:
            self.finish()

    @property
    def _bytes(self) -> int:
        return sum(each.nbytes for each in self._pending)

    def finish(self) -> None:
        """Ask about all layers that were added."""
        pending, self._pending = self._pending, []
        plan = packs.plan([each.case.id for each in pending], _PACK)
        for layer, verdict in zip(pending, self._bisection.in_packs(pending, plan), strict=True):
            self._keep(layer, verdict)

    def values(self, node: Node, inputs: Sequence[np.ndarray]) -> dict[int, TensorData]:
        """What the device gives for a layer that the project does not know; its verdict, if the device fails."""
        layer = PreparedModelLayer(self._s, self._expecting, node, inputs)
        outputs = layer.value_names
        given = self._model.given(layer.fed)
        answer = self._s.asking.ask([node.name], outputs, [layer.fed], given, values=layer.fixed)
        if answer.failed:
            self._s.findings[node.name].alone = Judged(answer.outcome, answer.detail, answer.facts)
            return {}
        return {place: answer.values[0][value] for place, value in enumerate(outputs)}

    def _keep(self, layer: PreparedModelLayer, verdict: Verdict) -> None:
        """Note the verdict on a layer."""
        is_open = self._model.has_unknown and not self._s.whole.failed
        if verdict.outcome in _WITHOUT_VALUES and is_open:
            # The device may know dimensions in the whole model that the file does not.
            known = layer.again(knows_sizes=True)
            again = self._single.verdict(known)
            if again.outcome not in _WITHOUT_VALUES:
                layer, verdict = known, again
        judged = _judged(verdict)
        if is_statistic(judged):
            layer, verdict, judged = self._of_independent(layer, verdict, judged)
        finding = self._s.findings[layer.node.name]
        finding.alone, finding.alone_kernel = judged, verdict.kernel
        if judged.outcome is Outcome.FAIL or judged.outcome in _WITHOUT_VALUES:
            finding.alone_evidence = layer.evidence(verdict)

    def _of_independent(
        self, layer: PreparedModelLayer, verdict: Verdict, judged: Judged
    ) -> tuple[PreparedModelLayer, Verdict, Judged]:
        """What failed the test of all errors of sums together, with numbers whose errors are independent.

        The test presumes that they are. Those of the model need not be: of numbers that are alike, or have few bits,
        honest arithmetic rounds many in one direction. If the test fails again, the layer departs.
        """
        constants = self._model.graph.constants
        state = np.random.RandomState(0)
        again = layer.again(
            {
                value: array if value.partition(":")[0] in constants else scattered(array, state)
                for value, array in layer.arrays.items()
            }
        )
        answer = self._single.verdict(again)
        if answer.outcome in _WITHOUT_VALUES:
            return layer, verdict, judged
        found = _judged(answer)
        if answer.outcome in (Outcome.FLAKE, Outcome.ERROR):
            return again, answer, found
        if found.comparison is None or not found.comparison.statistic:
            text = f"{judged.detail}; not where the last bits of its data are independent"
            return layer, verdict, replace(judged, detail=text)
        text = f"{found.comparison.statistic}, with data whose last bits are independent"
        departs = Judged(Outcome.FAIL, text, Facts(kind="distribution"), found.comparison)
        return again, replace(answer, kernel=verdict.kernel), departs


def _judged(verdict: Verdict) -> Judged:
    """A verdict of the engine as that on a layer."""
    own = verdict.judged if isinstance(verdict, LayerVerdict) else Judged(verdict.outcome)
    return replace(own, outcome=verdict.outcome, detail=verdict.detail, facts=verdict.facts)


def _key(model: Model, node: Node, arrays: Mapping[str, np.ndarray]) -> object:
    """What layers alike have in common: all but the elements of data and of large constants."""
    tensors = []
    for value, array in arrays.items():
        is_constant = value.partition(":")[0] in model.graph.constants
        content = array.tobytes() if is_constant and array.size <= _INDEX_SIZE else b""
        digest = hashlib.sha256(content).digest() if content else b""
        tensors.append((model.types[value].name, array.shape, is_constant, digest))
    source = model.sources[node.name]
    unknown = tuple(tensor.shape for tensor in model.given(arrays).values())
    own = node.name if source.element.find(".//layer") is not None else ""
    return source.label, tuple(sorted(source.attributes.items())), tuple(tensors), unknown, own
