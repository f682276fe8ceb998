"""Graphs of known operations as plain data: the bodies of conditions and loops.

    Graph(
        parameters=[Parameter("x", f32[2, 4], port=1), Parameter("y", f32[2, 4], port=2)],
        nodes=[Node("sum", "Add-1", ("x", "y"), f32)],
        results=[Result("output", "sum", port=0)],
    )

The IR writer writes any graph, and the reference evaluates any graph by looking each operation up. A body of an
operation is an attribute whose type maps names to functions of the layer that build a graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ir_models.element_types import ElementType, Tensor


@dataclass(frozen=True)
class Parameter:
    """What a graph takes: the layer's input at the position ``port``, whole or in slices along ``axis``.

    Without a port it takes what the layer itself gives, which ``purpose`` names, or what a back edge brings.
    """

    name: str
    tensor: Tensor
    port: int | None = None
    axis: int | None = None
    purpose: str = ""


@dataclass(frozen=True)
class Node:
    """One operation, ``Add-1``, with one output. ``inputs`` names what feeds its ports."""

    name: str
    operation: str
    inputs: tuple[str, ...]
    element_type: ElementType
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What a graph gives of ``source``: the layer's output number ``port``, joined along ``axis`` if there is one."""

    name: str
    source: str
    port: int | None = None
    axis: int | None = None
    purpose: str = ""


@dataclass(frozen=True)
class Graph:
    """One graph. ``constants`` are tensors with a value by name; ``back_edges`` lead from results to parameters."""

    parameters: Sequence[Parameter] = ()
    constants: Mapping[str, Tensor] = field(default_factory=dict)
    nodes: Sequence[Node] = ()
    results: Sequence[Result] = ()
    back_edges: Sequence[tuple[str, str]] = ()
