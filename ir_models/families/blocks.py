"""Blocks of the spatial dimensions, which move into another dimension or out of it: the depth, or the batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_models.declaration import *

T = types("T", "any supported type")


def _variants(any_rank: str, any_size: Mapping[int, str]) -> list[Variant]:
    return [
        variant(
            "depth-first",
            "the depth of the input stands before the blocks",
            f"data={any_rank}; mode=depth_first",
        ),
        variant(
            "block-size",
            "any positive size",
            *(
                f"data={shapes}; block_size={size}; mode=blocks_first|depth_first"
                for size, shapes in any_size.items()
            ),
        ),
    ]


def depth_blocks(
    name: str,
    *,
    plain: Callable[[int], Sequence[int]],
    drawn: Callable[[Draw, int], Sequence[int]],
    example: Example,
    rule: Rule,
    any_rank: str,
    any_size: Mapping[int, str],
) -> Operation:
    """An operation of opset1 that moves blocks of ``block_size`` between the depth and the spatial dimensions.

    ``plain`` gives the shape of data of a rank for a block of 2, ``drawn`` a random one for a block of any size;
    ``any_rank`` are shapes for a block of 2, ``any_size`` shapes for blocks of several sizes.
    """
    operation = Operation(
        name,
        "opset1",
        inputs=[Input("data", T, at_least(3))],
        outputs=[Output("y", T)],
        attributes=[
            Attribute("block_size", int, default=1, least=1),
            Attribute("mode", ("blocks_first", "depth_first"), required=True),
        ],
        examples=[example],
        rules=[rule],
        variants=_variants(any_rank, any_size),
    )

    @operation.plain
    def layer(rank: int = 4) -> Mapping[str, Any]:
        return {"data": plain(rank), "block_size": 2, "mode": "blocks_first"}

    @operation.random
    def random_layer(draw: Draw) -> Mapping[str, Any]:
        size = draw.integer(1, 4)
        shape = drawn(draw, size)
        # Left out now and then; that it may be is a purpose of its own.
        left_out = size == 1 and draw.integer(0, 9) == 0
        mode = draw.choice(["blocks_first", "depth_first"])
        return {"data": shape, "block_size": None if left_out else size, "mode": mode}

    @operation.adapt
    def without_blocks(layer: Layer) -> Mapping[str, Any]:
        return {"block_size": 1}

    return operation


def batch_blocks(
    name: str,
    border: str,
    *,
    examples: Sequence[Example],
    rules: Sequence[Rule],
    violations: Sequence[str],
    variants: Sequence[Variant],
    readings: Sequence[Reading] = (),
) -> Operation:
    """An operation of opset2 that moves blocks of ``block_shape`` between the batch and the spatial dimensions.

    ``border``: what the spatial dimensions get or lose at both ends, ``pads`` or ``crops``.
    """
    begin, end = f"{border}_begin", f"{border}_end"
    indices = types("T_INT", "any supported integer type")
    return Operation(
        name,
        "opset2",
        inputs=[
            Input("data", T, at_least(2)),
            Index("block_shape", indices, shape="rank(data)", least=1),
            Index(begin, indices, shape="rank(data)", least=0),
            Index(end, indices, shape="rank(data)", least=0),
        ],
        outputs=[Output("y", T)],
        examples=examples,
        rules=[
            rule(
                "block_shape[0] is 1",
                lambda layer: layer.block_shape.value[0] == 1,
                "block_shape=2,1,2,3",
            ),
            rule(
                f"{begin}[0] and {end}[0] are 0",
                lambda layer: layer.inputs[begin].value[0] == layer.inputs[end].value[0] == 0,
                [f"{begin}=1,0,1,3", f"{end}=1,0,2,2"],
            ),
            *rules,
        ],
        violations=["block_shape=1,1,2", f"{begin}=0,0,1", f"{begin}=0,0,-1,3", *violations],
        variants=variants,
        readings=readings,
    )
