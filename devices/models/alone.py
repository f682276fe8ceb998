"""Asks a device about the layers of a model alone: some in one model, side by side, on values of the whole model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from devices.models.asking import Answer
from devices.models.expecting import Expecting, Precision
from devices.models.findings import Evidence
from devices.models.judging import Judged
from devices.models.operands import scattered
from devices.models.parts import Wanted
from devices.models.shared import Shared
from devices.process.protocol import Kernel, TensorData
from ir_models.models import Model
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Node
from reference import Expected
from reports.results.facts import Facts
from reports.results.outcomes import Outcome

# Layers in a model that asks each of them alone, and bytes of what they are fed.
_PACK, _PACK_BYTES = 60, 2**25
# Constants of so few elements are axes or shapes: layers that differ in them are not asked as one.
_INDEX_SIZE = 64


@dataclass
class _Layer:
    """A layer and its inputs by value; what its outputs should be where that is known, for its precision."""

    node: Node
    arrays: dict[str, np.ndarray]
    wanted: Wanted | None = None
    precision: Precision = ("", False)

    @property
    def inputs(self) -> list[np.ndarray]:
        """The value at each port."""
        return [self.arrays[value] for value in self.node.inputs]

    @property
    def nbytes(self) -> int:
        """The bytes that it takes until it is judged."""
        expected = self.wanted.nbytes if self.wanted else 0
        return sum(each.nbytes for each in self.arrays.values()) + expected


class Alone:
    """Asks about layers in packs. Of layers alike in everything but their data one is asked, unless all are wanted."""

    def __init__(self, shared: Shared, expecting: Expecting) -> None:
        self._s, self._model, self._expecting = shared, shared.model, expecting
        self._pending: list[_Layer] = []
        self._seen: dict[object, str] = {}

    def add(
        self,
        node: Node,
        inputs: Sequence[np.ndarray],
        wanted: Wanted | None,
        precision: Precision,
    ) -> None:
        """Ask about a layer, now or with the next ones. ``wanted`` is for ``precision``, None where it is not known."""
        layer = _Layer(node, dict(zip(node.inputs, inputs, strict=True)), wanted, precision)
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
        for layer, answer in self._answers(pending):
            finding = self._s.findings[layer.node.name]
            finding.alone, finding.alone_kernel = self._judged(layer, answer)

    def values(self, node: Node, inputs: Sequence[np.ndarray]) -> dict[int, TensorData]:
        """What the device gives for a layer that the project does not know; its verdict, if the device fails."""
        answer = self._ask([_Layer(node, dict(zip(node.inputs, inputs, strict=True)))])
        if answer.failed:
            self._s.findings[node.name].alone = Judged(answer.outcome, answer.detail, answer.facts)
            return {}
        return self._outputs(node, answer)

    def _answers(self, pack: Sequence[_Layer]) -> Iterator[tuple[_Layer, Answer]]:
        """The answer about each layer: in one model, or in halves where that fails."""
        if not pack:
            return
        answer = self._ask(pack)
        if answer.failed and len(pack) > 1:
            middle = len(pack) // 2
            yield from self._answers(pack[:middle])
            yield from self._answers(pack[middle:])
            return
        if answer.failed and self._model.has_unknown and not self._s.whole.failed:
            # The device may know dimensions in the whole model that the file does not.
            known = self._ask(pack, knows_sizes=True)
            answer = answer if known.failed else replace(known, knows_sizes=True)
        for each in pack:
            yield each, answer

    def _ask(self, pack: Sequence[_Layer], knows_sizes: bool = False) -> Answer:
        """Ask about layers in one model, which knows the sizes that the whole model knows, or all."""
        model, values, feed = self._model, dict[str, np.ndarray](), dict[str, np.ndarray]()
        for each in pack:
            for value, array in each.arrays.items():
                name = value.partition(":")[0]
                if name not in model.graph.constants:
                    (values if name in self._s.of_shapes else feed)[value] = array
        if knows_sizes:
            given = {v: Tensor(model.types[v], array.shape) for v, array in feed.items()}
        else:
            given = model.given(feed)
        results = [v for each in pack for v in self._model.sources[each.node.name].outputs]
        names = [each.node.name for each in pack]
        return self._s.asking.ask(names, results, [feed], given, values=values, apart=True)

    def _judged(self, layer: _Layer, answer: Answer) -> tuple[Judged, Kernel | None]:
        node, finding = layer.node, self._s.findings[layer.node.name]
        if answer.failed:
            finding.alone_evidence = self._evidence(layer, {}, answer)
            return Judged(answer.outcome, answer.detail, answer.facts), None
        kernel = answer.kernels.get(node.name)
        actual = self._outputs(node, answer)
        try:
            wanted = self._wanted(layer, kernel)
            judged = wanted.judge(actual)
            if judged.comparison is not None and judged.comparison.statistic:
                return self._of_independent(layer, judged), kernel
            if judged.outcome is Outcome.FAIL:
                judged = self._expecting.narrowed(judged, wanted, layer.inputs, actual)
                finding.alone_evidence = self._evidence(
                    layer, self._expected(wanted, actual), answer
                )
            return judged, kernel
        except Exception as error:  # of one reference: the other layers are judged all the same
            return Judged(Outcome.ERROR, f"the reference fails: {error}"), kernel

    def _of_independent(self, layer: _Layer, judged: Judged) -> Judged:
        """What failed the test of all errors of sums together, with numbers whose errors are independent.

        The test presumes that they are. Those of the model need not be: of numbers that are alike, or have few bits,
        honest arithmetic rounds many in one direction. If the test fails again, the layer departs.
        """
        constants, node = self._model.graph.constants, layer.node
        state = np.random.RandomState(0)
        arrays = {
            value: array if value.partition(":")[0] in constants else scattered(array, state)
            for value, array in layer.arrays.items()
        }
        again = _Layer(node, arrays)
        answer = self._ask([again])
        if answer.failed:
            return judged
        actual = self._outputs(node, answer)
        wanted = self._wanted(again, answer.kernels.get(node.name))
        found = wanted.judge(actual).comparison
        if found is None or not found.statistic:
            text = f"{judged.detail}; not where the last bits of its data are independent"
            return replace(judged, detail=text)
        self._s.findings[node.name].alone_evidence = self._evidence(
            again, self._expected(wanted, actual), answer
        )
        text = f"{found.statistic}, with data whose last bits are independent"
        return Judged(Outcome.FAIL, text, Facts(kind="distribution"), found)

    def _wanted(self, layer: _Layer, kernel: Kernel | None) -> Wanted:
        """What is expected of a layer in the precision of the kernel that computed it."""
        precision = self._expecting.precision(layer.node, kernel, is_alone=True)
        if layer.wanted is not None and precision == layer.precision:
            return layer.wanted
        return self._expecting.of_layer(layer.node, layer.inputs, precision)

    def _outputs(self, node: Node, answer: Answer) -> dict[int, TensorData]:
        outputs = self._model.sources[node.name].outputs
        return {place: answer.values[0][value] for place, value in enumerate(outputs)}

    def _expected(self, wanted: Wanted, actual: Mapping[int, TensorData]) -> dict[str, Expected]:
        outputs = self._model.sources[wanted.node.name].outputs
        return dict(zip(outputs, wanted.expected(actual), strict=True))

    def _evidence(self, layer: _Layer, expected: dict[str, Expected], answer: Answer) -> Evidence:
        names = {value: value.partition(":")[0] for value in layer.arrays}
        return Evidence(
            (layer.node.name,),
            dict(layer.arrays),
            expected,
            answer.values[0] if answer.values else {},
            frozenset(value for value, name in names.items() if name in self._s.of_shapes),
            answer.knows_sizes,
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
    unknown = tuple(tensor.shape for tensor in model.given(arrays).values())
    own = node.name if source.element.find(".//layer") is not None else ""
    return source.label, tuple(sorted(source.attributes.items())), tuple(tensors), unknown, own
