"""Softmax and its logarithm along an axis.

LogSoftmax = softmax("LogSoftmax-5", "opset5", T, data="x", output="y", example_shape=[256, 56])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.families.indices import axis_variants


def _variants(data: str, from_end: bool) -> list[Variant]:
    """The variants of each softmax."""
    of_axes = axis_variants(4)
    return [
        *(of_axes if from_end else of_axes[:1]),
        variant(
            "many-classes",
            "sums of many powers",
            {data: [3, 1000], "axis": 1},
            {data: [1000, 3], "axis": 0},
            {data: [2, 50257], "axis": -1 if from_end else 1},
        ),
        variant(
            "large-values",
            "powers that overflow in every type, or vanish, and the quotients do not",
            f"{data}=f32:[[1000.0,999.0,998.5],[-1000.0,-1001.0,-999.25]]",
            f"{data}=f32:[[200.0,-300.0,90.5],[-2.0,1.0,20000.0]]",
            f"{data}=f32:[[3e38,3e38,1e38],[-2.0,1.0,90.0]]|f32:[[3e38,3e38,-3e38],[-2.0,1.0,90.0]]",
        ),
    ]


def softmax(
    name: str,
    opset: str,
    types: TypeSet,
    *,
    data: str,
    output: str,
    example_shape: Sequence[int],
    ports: Sequence[int] = (),
    variants: Sequence[Variant] = (),
    readings: Sequence[Reading] = (),
    from_end: bool = True,
) -> Operation:
    """An operation on classes along ``axis``; its input and output are called ``data`` and ``output``.

    ``from_end``: a negative axis counts from the end.
    """
    axis = {"axis_of": data} if from_end else {"axis_of": data, "least": 0}
    operation = Operation(
        name,
        opset,
        inputs=[Input(data, types, at_least(1), values=Interval(-8.0, 8.0))],
        outputs=[Output(output, types)],
        mixes=True,
        attributes=[Attribute("axis", int, default=1, **axis)],
        examples=[
            example(
                f"{data}={types.default[tuple(example_shape)]}; axis=1",
                output=example_shape,
                ports=ports,
            )
        ],
        variants=[*_variants(data, from_end), *variants],
        readings=readings,
    )

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        return {data: [3, 5, 4, 6, 2, 3, 1, 2][:rank], "axis": min(rank - 1, 1)}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        rank = draw.integer(1, 6)
        axis = draw.choice([*range(-rank if from_end else 0, rank), *([None] if rank > 1 else [])])
        shape = draw.shape(rank, most=3 if rank > 4 else 6)
        # The share of a single class is 1.
        shape[1 if axis is None else axis] += 1
        return {data: shape, "axis": axis}

    return operation
