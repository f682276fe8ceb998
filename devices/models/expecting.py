"""What a layer of a model should give, in the precision of its kernel and within the time of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs

from devices.engine.reference_time_limit import within
from devices.models import large_layers
from devices.models.judging import Judged, types_of
from devices.models.large_layers import Wanted
from devices.models.operands import roundings, widened
from devices.models.reading import Reader
from devices.models.shared import Shared
from devices.process.protocol import Kernel, TensorData
from ir_models.models import SHORT
from ir_models.vocabulary.element_types import ElementType, f32
from ir_models.vocabulary.graph import Node
from reference import Value, coarsens, refines

Precision = tuple[str, bool]
"""The precision that bounds are for, and whether the kernel itself reports it."""


class Expecting:
    """The expected outputs of the layers of a model."""

    def __init__(self, shared: Shared, reader: Reader) -> None:
        self._s, self._model, self._reader = shared, shared.model, reader

    def precision(self, node: Node, kernel: Kernel | None, *, is_alone: bool = False) -> Precision:
        """The precision of a layer's bounds, in the model or alone.

        What the device holds beyond f16 was computed in f32, in all layers of a group.
        """
        is_short = not is_alone and any(each.name in SHORT for each in node.types)
        if is_short and self._reader.holds_more_behind(node):
            return "f32", True
        of_kernel = kernel.precision if kernel is not None else ""
        by_kernel = bool(of_kernel) and kernel is not None and not kernel.is_constant
        precision = of_kernel or self._s.session.inference_precision
        types = [self._model.types[v].name for v in node.inputs] + [t.name for t in node.types]
        finer = by_kernel and refines(precision, types)
        stated = precision if finer or coarsens(precision, types) else ""
        return stated, by_kernel

    def of_layer(self, node: Node, inputs: Sequence[np.ndarray], precision: Precision) -> Wanted:
        """The expected outputs for exact inputs. Raises TooLongError, and what the reference raises."""
        with within(self._s.session.case_timeout):
            return Wanted.of(node, inputs, precision)

    def carried(
        self, node: Node, inputs: Sequence[Value], precision: Precision, is_inside: bool
    ) -> Sequence[Value]:
        """The outputs of a layer in a group, whose operands the device may round: see ``operands.widened``.

        No constants, where that leaves outputs without a bound: a power of a negative number has none for an exponent
        that is not whole. And none at all, where it still does. A value inside a kernel of f32 is not rounded to f16.
        """
        is_finer, times = self._is_finer(node, precision), self._roundings(node, precision)
        if is_inside and is_finer and not self._s.is_constant(node.name):
            node = replace(node, types=tuple(self._kept(node, each) for each in node.types))
        constants = self._model.graph.constants

        def wide(given: Sequence[Value]) -> Sequence[Value]:
            return widened(given, precision[0], times, is_finer)

        def kept(given: Sequence[Value]) -> Sequence[Value]:
            return [
                own if value in constants else each
                for value, own, each in zip(node.inputs, given, wide(given), strict=True)
            ]

        with within(self._s.session.case_timeout):
            return large_layers.carried(node, inputs, precision, (wide, kept, list))

    def merges(self, node: Node, precision: Precision) -> bool:
        """Whether the device may round an operand of a layer whose values are all read."""
        return self._is_finer(node, precision) and any(self._roundings(node, precision))

    def _roundings(self, node: Node, precision: Precision) -> list[int]:
        reads, is_finer = self._reader.reads, self._is_finer(node, precision)
        return roundings(self._model, node.name, self._s.is_constant, reads, is_finer)

    @staticmethod
    def _is_finer(node: Node, precision: Precision) -> bool:
        """Whether the kernel of a layer says that it computes in a finer type than the layer has."""
        return precision[1] and refines(precision[0], types_of(node))

    def narrowed(
        self,
        judged: Judged,
        wanted: Wanted,
        inputs: Sequence[np.ndarray],
        actual: Mapping[int, TensorData],
    ) -> Judged:
        """A failure with the narrower type in which the device computed, where that explains it."""
        computed_in = self.precision(wanted.node, self._s.findings[wanted.node.name].kernel)[0]
        try:
            with within(self._s.session.case_timeout):
                found = wanted.narrowing(inputs, actual, computed_in)
        except Exception:  # of the reference on narrowed numbers: the failure stays what it is
            return judged
        return replace(judged, facts=structs.replace(judged.facts, computed_as=found))

    def _kept(self, node: Node, kind: ElementType) -> ElementType:
        """The type in which a kernel of f32 keeps what a layer inside it gives; a Convert gives its own."""
        is_same = all(
            self._model.types[v] is kind for v in node.inputs if self._model.types[v].is_float
        )
        return f32 if kind.name in SHORT and is_same else kind
