"""A layer of a model, alone, as a question: its values, its expected outputs, the model of a pack of layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from devices.engine.prepared import Judge, PreparedCase
from devices.engine.verdicts.verdict import Verdict
from devices.models import judging, large_layers
from devices.models.expecting import Expecting, Precision
from devices.models.findings import PartEvidence
from devices.models.judging import Judged
from devices.models.large_layers import Wanted
from devices.models.part_runner import question_of
from devices.models.shared import Shared
from devices.process.protocol import Kernel, Question, TensorData
from ir_models.models import ModelLayerCase, cut
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Node
from reference import Expected
from reports.results.outcomes import Outcome


@dataclass
class LayerVerdict(Verdict):
    """The verdict on the outputs of a layer of a model, with all that was ``judged`` of them."""

    judged: Judged = field(default_factory=lambda: Judged(Outcome.PASS))


class PreparedModelLayer(PreparedCase):
    """A layer of a model with its inputs by value.

    ``wanted`` is what its outputs should be for ``precision``, None where that is not known. With ``knows_sizes`` the
    model that is asked has the dimensions that the user's leaves open.
    """

    case: ModelLayerCase
    is_of_corpus = False

    def __init__(
        self,
        shared: Shared,
        expecting: Expecting,
        node: Node,
        inputs: Sequence[np.ndarray],
        wanted: Wanted | None = None,
        precision: Precision = ("", False),
        *,
        knows_sizes: bool = False,
    ) -> None:
        self._s, self._model, self._expecting = shared, shared.model, expecting
        self.node, self.knows_sizes = node, knows_sizes
        self.arrays = dict(zip(node.inputs, inputs, strict=True))
        given = self._given(self.arrays)
        tensors = [
            given.get(value) or Tensor(self._model.types[value], array.shape)
            for value, array in self.arrays.items()
        ]
        super().__init__(ModelLayerCase(node, self._model.sources[node.name], tensors), [[*inputs]])
        self._wanted, self._precision = wanted, precision
        self._kernel: Kernel | None = None
        # What was expected of outputs that are wrong.
        self._departed: Wanted | None = None

    def again(
        self, arrays: Mapping[str, np.ndarray] | None = None, *, knows_sizes: bool = False
    ) -> PreparedModelLayer:
        """The layer with other inputs, or in a model that knows all sizes."""
        return PreparedModelLayer(
            self._s,
            self._expecting,
            self.node,
            self._inputs if arrays is None else [arrays[value] for value in self.node.inputs],
            self._wanted if arrays is None else None,
            self._precision,
            knows_sizes=knows_sizes or self.knows_sizes,
        )

    def _given(self, arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
        """What feeds the layer with other shapes or types than the model's Parameters have."""
        if not self.knows_sizes:
            return self._model.given(arrays)
        constants = self._model.graph.constants
        return {
            value: Tensor(self._model.types[value], array.shape)
            for value, array in arrays.items()
            if value.partition(":")[0] not in constants
        }

    @property
    def nbytes(self) -> int:
        """The bytes that it takes until it is judged."""
        expected = self._wanted.nbytes if self._wanted else 0
        return sum(each.nbytes for each in self.arrays.values()) + expected

    @property
    def value_names(self) -> Sequence[str]:
        """The names of its outputs in the graph."""
        return self._model.sources[self.node.name].outputs

    @property
    def fixed(self) -> dict[str, np.ndarray]:
        """The values that are constants in what is asked: those that shapes are computed from."""
        of_shapes = self._s.of_shapes
        return {v: array for v, array in self.arrays.items() if v.partition(":")[0] in of_shapes}

    @property
    def fed(self) -> dict[str, np.ndarray]:
        """The values that are given at run time."""
        constants, fixed = self._model.graph.constants, self.fixed
        return {
            value: array
            for value, array in self.arrays.items()
            if value not in fixed and value.partition(":")[0] not in constants
        }

    @property
    def outputs(self) -> Sequence[Sequence[np.ndarray]]:
        """The outputs in float64."""
        return [large_layers.outputs(self.node, self._inputs)]

    @property
    def is_partly_empty(self) -> bool:
        """Whether an input has no elements."""
        return not all(array.size for array in self._inputs)

    @property
    def _inputs(self) -> list[np.ndarray]:
        return [self.arrays[value] for value in self.node.inputs]

    def _expected(self) -> list[list[Expected]]:
        return [judging.expected_of(self.node, self._inputs, *self._own_precision)]

    @property
    def _own_precision(self) -> Precision:
        return self._expecting.precision(self.node, self._kernel, is_alone=True)

    def set_precision(self, kernel: Kernel | None, of_device: str) -> None:
        """Give the expected outputs the bounds of the precision in which a kernel computed, or a device does."""
        self._kernel = kernel

    def judged(self, judge: Judge, actual: Sequence[Sequence[TensorData]]) -> Verdict:
        """The verdict on a reply: that on the outputs, large ones part by part."""
        outputs, precision = dict(enumerate(actual[0])), self._own_precision
        wanted = self._wanted
        if wanted is None or precision != self._precision:
            wanted = self._expecting.of_layer(self.node, self._inputs, precision)
        found = wanted.judge(outputs)
        if found.outcome is Outcome.FAIL and not is_statistic(found):
            found = self._expecting.narrowed(found, wanted, self._inputs, outputs)
        self._departed = wanted if found.outcome is Outcome.FAIL or is_statistic(found) else None
        return LayerVerdict(
            self.case,
            found.outcome,
            found.detail,
            found.facts,
            kernel=self._kernel,
            comparison=found.comparison,
            judged=found,
        )

    def question(self, pack: Sequence[PreparedCase]) -> Question:
        """The model of a pack of layers, which do not feed each other, and its inputs."""
        layers = cast("Sequence[PreparedModelLayer]", pack)
        fixed, fed = dict[str, np.ndarray](), dict[str, np.ndarray]()
        for each in layers:
            fixed |= each.fixed
            fed |= each.fed
        given = self._given(fed)
        names = [each.node.name for each in layers]
        results = [value for each in layers for value in each.value_names]
        part = cut(self._model, names, results, given, values=fixed, apart=True)
        question = question_of(self._model, part, [fed], given)
        places = {of_graph: name for name, of_graph in part.layers.items()}
        return replace(question, layers=[places[name] for name in names])

    def evidence(self, verdict: Verdict) -> PartEvidence:
        """What a departure is reproduced with."""
        reply = verdict.evidence.reply if verdict.evidence is not None else None
        outputs = reply.outputs[0] if reply is not None and reply.outputs else []
        expected: Sequence[Expected] = []
        if self._departed is not None:
            expected = self._departed.expected(dict(enumerate(outputs)))
        return PartEvidence(
            (self.node.name,),
            dict(self.arrays),
            dict(zip(self.value_names, expected, strict=False)),
            dict(zip(self.value_names, outputs, strict=False)),
            frozenset(self.fixed),
            self.knows_sizes,
        )


def is_statistic(judged: Judged) -> bool:
    """Whether all outputs are within their bounds, and what fails is a test of all their errors together."""
    return judged.comparison is not None and bool(judged.comparison.statistic)
