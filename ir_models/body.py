"""The networks inside a layer, such as the bodies of conditions and loops, as data that the IR writer writes.

    Body(
        parameters=[Parameter("x", f32[2, 4], port=1), Parameter("y", f32[2, 4], port=2)],
        nodes=[Node("sum", "Add", "opset1", ("x", "y"), f32, {"auto_broadcast": "numpy"})],
        results=[Result("output", "sum", port=0)],
    )

An operation gives its bodies for a layer by the name of their element in IR, ``body`` or ``then_body``; which ones, an
attribute of the declaration chooses that is not written (see ``declaration.Attribute``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ir_models.element_types import ElementType
from ir_models.layer import Tensor


@dataclass(frozen=True)
class Parameter:
    """What a body takes: the layer's input at the position ``port``, whole or in slices along ``axis``.

    Without a port it takes what the layer itself gives, which ``purpose`` names, or what a back edge brings.
    """

    name: str
    tensor: Tensor
    port: int | None = None
    axis: int | None = None
    purpose: str = ""


@dataclass(frozen=True)
class Node:
    """One layer of a body with one output. ``inputs`` names what feeds its ports, ``attributes`` are as in IR."""

    name: str
    type: str
    opset: str
    inputs: tuple[str, ...]
    element_type: ElementType
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What a body gives of ``source``: the layer's output number ``port``, joined along ``axis`` where there is one."""

    name: str
    source: str
    port: int | None = None
    axis: int | None = None
    purpose: str = ""


@dataclass(frozen=True)
class Body:
    """One network. ``constants`` are tensors with a value by name; ``back_edges`` lead from results to parameters."""

    parameters: Sequence[Parameter] = ()
    constants: Mapping[str, Tensor] = field(default_factory=dict)
    nodes: Sequence[Node] = ()
    results: Sequence[Result] = ()
    back_edges: Sequence[tuple[str, str]] = ()
