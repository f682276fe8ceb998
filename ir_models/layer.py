"""Tensors and layers: one layer is an operation with every parameter fixed, its data apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_models.element_types import ElementType, string

if TYPE_CHECKING:
    from ir_models.declaration import Operation


@dataclass(frozen=True)
class Tensor:
    """The type and shape of one input, and its ``value`` where that is a parameter of the layer.

    ``value`` is a number or nested tuples of numbers: the value of an index input such as ``block_shape``.
    It is None for data, which every case draws from its own seed.
    """

    element_type: ElementType
    shape: tuple[int, ...]
    value: Any = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def with_type(self, element_type: ElementType) -> Tensor:
        """The same tensor in another element type; as strings, numbers are written out."""
        value = _as_text(self.value) if element_type is string else self.value
        return replace(self, element_type=element_type, value=value)

    def with_shape(self, *shape: int) -> Tensor:
        """The same element type in another shape, as data."""
        return Tensor(self.element_type, shape)

    def fits(self, element_type: ElementType) -> bool:
        """Whether the type can hold the ``value``; data is drawn to fit."""
        try:
            element_type.values(() if self.value is None else self.value)
        except (ValueError, OverflowError):
            return False
        return True

    def array(self) -> np.ndarray:
        """The ``value`` as a NumPy array."""
        return self.element_type.values(self.value).reshape(self.shape)

    def __str__(self) -> str:
        return f"{self.element_type.name}[{','.join(map(str, self.shape))}]"


def _as_text(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_as_text, value))
    return None if value is None else str(value)


def literal(value: Any) -> Any:
    """Lists and arrays as nested tuples, NumPy numbers as Python numbers: hashable and comparable."""
    if isinstance(value, np.ndarray):
        return literal(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(literal(item) for item in value)
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Layer:
    """One layer. ``inputs`` maps names to a tensor, to several of them for an input that repeats, or to None.

    The names of inputs and attributes are also attributes of the object, so that rules read like the page:
    ``layer.data.shape``, ``layer.block_shape.value``, ``layer.mode``. An attribute that was left out has the
    page's default there, while ``attributes`` holds only those that are present.
    """

    operation: Operation
    inputs: Mapping[str, Tensor | tuple[Tensor, ...] | None]
    attributes: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.inputs:
            return self.inputs[name]
        if name in self.attributes:
            return self.attributes[name]
        for attribute in self.operation.attributes:
            if attribute.name == name:
                return attribute.default
        raise AttributeError(f"{self.operation.name} has no input or attribute {name!r}")

    def ports(self) -> Iterator[tuple[str, Tensor | None]]:
        """(name, tensor) for each input port in order; an input left out in the middle gives None."""
        pending: list[tuple[str, Tensor | None]] = []
        for name, tensor in self.inputs.items():
            if tensor is None:
                pending.append((name, None))
                continue
            yield from pending
            pending.clear()
            if isinstance(tensor, tuple):
                for index, each in enumerate(tensor):
                    yield f"{name}_{index}", each
            else:
                yield name, tensor

    def replace(self, **changes: Any) -> Layer:
        """This layer with other inputs or attributes; ``None`` leaves one out."""
        return self.operation.layer(**{**self.inputs, **self.attributes, **changes})

    def with_types(self, chosen: Mapping[str, ElementType]) -> Layer:
        """This layer with the element types that ``chosen`` gives for type variables by name."""

        def typed(name: str, tensor: Any) -> Any:
            if tensor is None:
                return None
            if isinstance(tensor, tuple):
                return tuple(typed(name, each) for each in tensor)
            wanted = chosen.get(self.operation.input(name).types.name)
            return tensor.with_type(wanted) if wanted else tensor

        return replace(self, inputs={name: typed(name, t) for name, t in self.inputs.items()})
