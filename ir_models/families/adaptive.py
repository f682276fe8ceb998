"""Adaptive poolings: windows that divide the spatial axes among a number of outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *

T = types("T", "floating-point type")
T_SHAPE = types("T_SHAPE", "int32 or int64")
_READINGS = [
    Reading(
        "the number of dimensions of output_size of the example, and its value, which is not printed",
        "[16, 16], the spatial dimensions of the output.",
        "'1D tensor describing output shape for spatial dimensions'.",
        "silence",
    ),
    Reading(
        "an output dimension of 0",
        "The output is empty.",
        "The formula has no i then; the page has no least size.",
        "silence",
        admits="Refusing it.",
    ),
]


def _drawn(draw: Draw, attributes: Sequence[Attribute]) -> Mapping[str, Any]:
    spatial = draw.integer(1, 3)
    most = {1: 40, 2: 12, 3: 6}[spatial]
    sizes, outputs = ([draw.integer(1, most) for _ in range(spatial)] for _ in range(2))
    parameters: dict[str, Any] = {
        "data": [draw.integer(1, 3), draw.integer(1, 4), *sizes],
        "output_size": outputs,
    }
    for attribute in attributes:
        parameters[attribute.name] = draw.choice([*attribute.type, None])
    return parameters


def _no_output(layer: Layer) -> Mapping[str, Any]:
    """No output of empty data."""
    axes = zip(layer.data.shape[2:], layer.output_size.value, strict=True)
    return {"output_size": [size and count for size, count in axes]}


def adaptive(
    name: str,
    *,
    outputs: Sequence[Output],
    attributes: Sequence[Attribute] = (),
    own: Sequence[Variant] = (),
    readings: Sequence[Reading] = (),
) -> Operation:
    """An adaptive pooling of opset8; ``own``: its own variants."""
    operation = Operation(
        name,
        "opset8",
        mixes=True,
        inputs=[
            Input("data", T, between(3, 5)),
            Index("output_size", T_SHAPE, shape="rank(data) - 2", least=0),
        ],
        outputs=outputs,
        attributes=attributes,
        examples=[
            example(
                "data=f32[1,3,32,32]; output_size=16,16",
                output=[[1, 3, 16, 16]] * len(outputs),
                ports=(0, 1, 2) if len(outputs) == 1 else (0, 1, 1, 2),
                altered="the page prints output_type, an attribute that it does not have",
            )
        ],
        rules=[
            rule(
                "every window holds an element",
                lambda layer: 0 not in layer.data.shape[2:] or 0 in layer.output_size.value,
                unasked="the page does not say what nothing gives",
            )
        ],
        violations=["output_size=-1,5|3,-1", "output_size=3|3,5,2"],
        variants=[*_variants(), *own],
        readings=[*_READINGS, *readings],
    )

    @operation.plain
    def layer(rank: int = 4) -> Mapping[str, Any]:
        begin = 5 - rank
        values = {a.name: a.plain for a in attributes}
        return {"data": [2, 3, *(6, 11, 7)[begin:]], "output_size": [4, 3, 5][begin:], **values}

    operation.random(lambda draw: _drawn(draw, attributes))
    operation.adapt(_no_output)
    return operation


def _variants() -> list[Variant]:
    """Factors of every adaptive pooling, on data of 11 x 7."""
    return variants("""
        one-output: one window along an axis, or along all
            output_size=1,1|1,7|11,1|1,3
        equal-windows: outputs that divide the size
            data=[2,3,12,8]; output_size=4,2|6,8|3,4
        shared-elements: windows that overlap, as 'floor' and 'ceil' of a fraction make them
            output_size=2,3|4,6|6,4|10,5
        as-large: each window is one element
            output_size=11,7
        larger: more outputs than elements
            output_size=12,9|22,14|17,30
        quotients: i * D_in / D_out is a whole number that a rounded quotient misses
            data=[1,2,59,58]; output_size=23,50
            data=[2,1,14,3]; output_size=25,21
            data=[2,3,7]; output_size=25
        many-elements: large windows
            data=[1,2,40,36]; output_size=1,1|3,2
            data=[1,1,12,40,36]; output_size=1,1,1|2,1,1
        many-channels: more channels than a vector register has lanes
            data=[2,37,9,10]; output_size=4,3
        empty-output (may be empty): no output at all
            output_size=0,5|3,0
    """)
