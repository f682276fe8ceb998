"""What the declarations of reductions have in common: data, axes, keep_dims, the pages' four examples.

ReduceSum = Operation("ReduceSum-1", opset="opset1", **reduction(T, values=Within(summands)))
reduction_layers(ReduceSum)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ir_models.declaration import (
    Attribute,
    Draw,
    Index,
    Input,
    Interval,
    Operation,
    Output,
    Sums,
    between,
    example,
)
from ir_models.element_types import INTEGERS, ElementType, TypeSet, types
from ir_models.operation import Layer

T_IND = types("T_IND", INTEGERS)


def reduction(
    data: TypeSet, values: Any = None, variants: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Inputs, outputs, attributes, examples and variants of a reduction of ``data``."""
    kind = data.default
    return {
        "inputs": [Input("data", data, values=values), Index("axes", T_IND, between(0, 1))],
        "outputs": [Output("output", data)],
        "attributes": [Attribute("keep_dims", bool, default=False)],
        "examples": [
            example(
                data=kind[6, 12, 10, 24],
                axes=axes,
                keep_dims=keep_dims,
                output=output,
                ports=[0, 1, 2],
            )
            for axes, keep_dims, output in (
                ([2, 3], True, [6, 12, 1, 1]),
                ([2, 3], False, [6, 12]),
                ([1], False, [6, 10, 24]),
                ([-2], False, [6, 12, 24]),
            )
        ],
        "variants": {
            "axes": [{"axes": [axis]} for axis in range(4)]
            + [{"axes": axes} for axes in ([0, 1], [1, 3], [0, 3], [0, 1, 3], [1, 2, 3])],
            "axes-in-any-order": [{"axes": [3, 1]}, {"axes": [2, 0, 3]}, {"axes": [-1, 0]}],
            "negative-axis": [{"axes": [-1]}, {"axes": [-4]}, {"axes": [-2, -3]}],
            "scalar": [
                {"axes": 2},
                {"axes": -1, "keep_dims": False},
                {"axes": 0, "keep_dims": True},
            ],
            "all-axes": [
                {"axes": [0, 1, 2, 3], "keep_dims": keep_dims} for keep_dims in (True, False)
            ],
            "empty-axes": [{"axes": [], "keep_dims": keep_dims} for keep_dims in (True, False)],
            **(variants or {}),
        },
    }


def reduced(layer: Layer) -> int:
    """How many elements make one of the output; 1 for a layer whose axes are wrong."""
    axes = _axes(layer)
    if any(not -layer.data.rank <= axis < layer.data.rank for axis in axes):
        return 1
    return math.prod(layer.data.shape[axis] for axis in axes)


def summands(layer: Layer, kind: ElementType) -> Interval | None:
    """Integers of which as many as are reduced fit together; any ordinary reals."""
    if not kind.is_integer:
        return None
    low, high = kind.integer_range
    count = max(reduced(layer), 1)
    return Interval(-(min(-low, 2**31) // count), min(high, 2**31 - 1) // count)


# Sums over two axes of which the results are more than a thousand.
SUMS = Sums(
    lambda layer: {"data": tuple(_axes(layer))},
    {"data": [20, 10, 60, 17], "axes": [1, 3], "keep_dims": False},
)


def _axes(layer: Layer) -> list[int]:
    value = layer.axes.value
    return list(value) if layer.axes.rank else [value]


def reduction_layers(operation: Operation) -> None:
    """Plain and random layers of a reduction, and its rules."""

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        axes = [[], [0], [1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 5], [3, 5]][rank]
        return {"data": [3, 2, 5, 4, 2, 3, 1, 2][:rank], "axes": axes, "keep_dims": True}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        rank = draw.integer(1, 6)
        axes = [a - rank if draw.boolean() else a for a in draw.subset(range(rank))]
        single = len(axes) == 1 and draw.boolean()
        return {
            "data": draw.shape(rank, most=3 if rank > 4 else 5),
            "axes": axes[0] if single else axes,
            "keep_dims": draw.choice([None, False, True]),
        }

    @operation.rule(
        "axes are in [-rank(data), rank(data))", broken=[{"axes": [4]}, {"axes": [1, -5]}]
    )
    def axes_exist(layer: Layer) -> bool:
        return all(-layer.data.rank <= axis < layer.data.rank for axis in _axes(layer))

    @operation.rule(
        "axes are different", broken=[{"axes": [1, 1]}, {"axes": [2, -2]}, {"axes": [0, 3, -4]}]
    )
    def axes_differ(layer: Layer) -> bool:
        axes = [axis % layer.data.rank for axis in _axes(layer)]
        return len(set(axes)) == len(axes)
