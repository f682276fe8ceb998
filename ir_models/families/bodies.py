"""What bodies of control flow are made of: If, Loop, TensorIterator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ir_models.declaration import Interval, Layer, Within
from ir_models.vocabulary.element_types import NUMERIC, ElementType
from ir_models.vocabulary.graph import Graph, Node


def small_numbers(layer: Layer, kind: ElementType) -> Interval | None:
    """Numbers whose sums fit in each type; any values where bodies only move data."""
    return Interval(-20, 20) if kind in NUMERIC else None


SMALL = Within(small_numbers)


def taken(layer: Layer, bodies: Iterable[Graph]) -> set[str]:
    """The inputs of the layer on whose elements the outputs of the bodies depend."""
    names = list(layer.inputs)
    return {names[port] for body in bodies for port in body.ports_read() if port < len(names)}


def binary(name: str, operation: str, *inputs: str, output: ElementType | None = None) -> Node:
    """An elementwise operation on two inputs."""
    return Node(name, operation, inputs, {"auto_broadcast": "numpy"}, output)


def convert(name: str, operation: str, source: str, kind: Any) -> Node:
    """A conversion to an element type, or to that which a function of the layer gives."""
    return Node(name, operation, (source,), {"destination_type": kind}, kind)
