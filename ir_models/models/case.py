"""A layer of a user's model as a case: the question about it alone, with the inputs that it has in the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ir_models.asking.case import Case
from ir_models.asking.how import USUAL
from ir_models.asking.id_parts import MODEL
from ir_models.models.reader import Source
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, Tensor
from ir_models.vocabulary.graph import Node
from ir_models.vocabulary.operation import Operation


@dataclass(frozen=True, eq=False)
class ModelLayerCase(Case):
    """The question about a layer of a model. ``tensors`` feed its ports, -1 stands for a dimension that is unknown."""

    node: Node
    source: Source
    tensors: Sequence[Tensor]
    purpose = MODEL
    how = USUAL

    @property
    def operation(self) -> Operation:
        """The operation of the layer. Raises ValueError for one that the project does not know."""
        if self.source.operation is None:
            raise ValueError(f"{self.source.label} is not known")
        return self.source.operation

    @cached_property
    def id(self) -> str:
        """The name of the layer in its graph, with what packs are planned by: types, sizes, whether one is unknown."""
        types = [
            f"{name}={text}"
            for name, text in self.source.attributes.items()
            if text in ELEMENT_TYPES
        ]
        is_unknown = any(-1 in tensor.shape for tensor in self.tensors)
        data = ",".join(
            f"{t.element_type.name}[{','.join(map(str, t.shape))}]" for t in self.tensors
        )
        parts = [
            self.operation.name,
            MODEL,
            data or "-",
            ";".join([*types, f"layer={self.node.name}"]),
        ]
        return "/".join([*parts, "shape=dims"] if is_unknown else parts)

    @property
    def inferences(self) -> int:
        """The layer is inferred once."""
        return 1

    @property
    def result_types(self) -> tuple[ElementType, ...]:
        """The element type of each output."""
        return tuple(self.node.types)

    @property
    def gives_constants(self) -> bool:
        """False: a layer that constants alone feed is not asked."""
        return False

    @property
    def likeness(self) -> tuple[object, tuple[str, ...]]:
        """What refusals depend on: the attributes, the ranks; then the element types."""
        attributes = tuple(sorted(self.source.attributes.items()))
        ranks = tuple(len(tensor.shape) for tensor in self.tensors)
        types = tuple(tensor.element_type.name for tensor in self.tensors)
        return (self.operation.name, attributes, ranks), types
