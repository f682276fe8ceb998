"""SpaceToBatch: blocks of the spatial dimensions move into the batch (page SpaceToBatch-2)."""

from math import prod

from ir_models.declaration import Index, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T1 = types("T1", ANY)
T2 = types("T2", INTEGERS)

SpaceToBatch = Operation(
    "SpaceToBatch-2",
    opset="opset2",
    inputs=[
        Input("data", T1, at_least(2)),
        Index("block_shape", T2),
        Index("pads_begin", T2),
        Index("pads_end", T2),
    ],
    outputs=[Output("y", T1)],
    examples=[
        example(
            data=f32[2, 6, 10, 3, 3],
            block_shape=[1, 2, 4, 3, 1],
            pads_begin=[0, 0, 1, 0, 0],
            pads_end=[0, 0, 1, 0, 0],
            output=[48, 3, 3, 1, 3],
            ports=[0, 1, 2, 3, 3],
        )
    ],
    variants={
        "no-padding": [{"data": [2, 3, 4, 6], "pads_begin": [0] * 4, "pads_end": [0] * 4}],
        "no-blocks": [{"block_shape": [1, 1, 1, 1]}],
        "pads-only-begin": [{"pads_begin": [0, 0, 1, 5], "pads_end": [0, 0, 0, 0]}],
        "pads-only-end": [{"pads_begin": [0, 0, 0, 0], "pads_end": [0, 0, 1, 5]}],
        "padding-block": [{"pads_begin": [0, 2, 2, 3], "pads_end": [0, 1, 3, 2]}],
        "one-cell": [
            # The grid has a single cell along an axis, and its end is padding.
            {
                "data": [2, 4, 3, 2],
                "block_shape": [1, 3, 1, 3],
                "pads_begin": [0, 0, 0, 0],
                "pads_end": [0, 2, 0, 1],
            },
            {
                "data": [1, 4, 2, 9],
                "block_shape": [1, 2, 4, 3],
                "pads_begin": [0, 0, 1, 0],
                "pads_end": [0, 0, 1, 0],
            },
        ],
    },
)


@SpaceToBatch.plain
def plain(rank=4):
    """Blocks and paddings that differ from axis to axis and from begin to end."""
    block = [1, 1, 2, 3, 2, 1, 2, 1]
    begin = [0, 0, 1, 3, 0, 1, 0, 0]
    end = [0, 0, 2, 2, 1, 0, 1, 2]
    shape = [2, 4, 5, 7, 3, 2, 3, 1]
    if rank == 2:
        return {"data": [3, 5], "block_shape": [1, 4], "pads_begin": [0, 1], "pads_end": [0, 2]}
    return {
        "data": shape[:rank],
        "block_shape": block[:rank],
        "pads_begin": begin[:rank],
        "pads_end": end[:rank],
    }


@SpaceToBatch.random
def layer(draw):
    rank = draw.integer(2, 6)
    block = [1] + [draw.integer(1, 4) for _ in range(rank - 1)]
    grid = [draw.integer(1, 3) for _ in range(rank)]
    begin, end, shape = [0], [0], [grid[0]]
    for size, count in zip(block[1:], grid[1:], strict=True):
        total = size * count
        # At least half is data, so that the answer is not all zeros.
        padding = draw.integer(0, total // 2)
        begin.append(draw.integer(0, padding))
        end.append(padding - begin[-1])
        shape.append(total - begin[-1] - end[-1])
    return {"data": shape, "block_shape": block, "pads_begin": begin, "pads_end": end}


@SpaceToBatch.rule(
    "block_shape, pads_begin and pads_end have as many elements as data has dimensions",
    broken=[{"block_shape": [1, 1, 2]}, {"pads_begin": [0, 0, 1]}, {"pads_end": [0, 0, 2, 2, 0]}],
)
def lengths(layer):
    return all(
        t.shape == (layer.data.rank,) for t in (layer.block_shape, layer.pads_begin, layer.pads_end)
    )


@SpaceToBatch.rule("block_shape is at least 1", broken={"block_shape": [1, 1, 2, 0]})
def block_shape_positive(layer):
    return min(layer.block_shape.value) >= 1


@SpaceToBatch.rule("block_shape[0] is 1", broken={"block_shape": [2, 1, 2, 3]})
def batch_has_no_block(layer):
    return layer.block_shape.value[0] == 1


@SpaceToBatch.rule(
    "pads_begin and pads_end are not negative",
    broken=[{"pads_begin": [0, 0, -1, 3]}, {"pads_end": [0, 0, 2, -1]}],
)
def pads_not_negative(layer):
    return min(layer.pads_begin.value + layer.pads_end.value) >= 0


@SpaceToBatch.rule(
    "pads_begin[0] and pads_end[0] are 0",
    broken=[{"pads_begin": [1, 0, 1, 3]}, {"pads_end": [1, 0, 2, 2]}],
)
def batch_is_not_padded(layer):
    return layer.pads_begin.value[0] == layer.pads_end.value[0] == 0


@SpaceToBatch.rule(
    "block_shape[i] divides data_shape[i] + pads_begin[i] + pads_end[i]",
    broken=[{"pads_begin": [0, 0, 0, 3]}, {"pads_end": [0, 0, 2, 0]}, {"data": [2, 4, 5, 8]}],
)
def divides(layer):
    sizes = zip(layer.data.shape, layer.pads_begin.value, layer.pads_end.value, strict=True)
    return all(
        sum(s) % b == 0 for s, b in zip(sizes, layer.block_shape.value, strict=True) if b > 0
    )


@SpaceToBatch.rule("the type of data has a zero to pad with")
def has_zero(layer):
    padded = sum(layer.pads_begin.value) + sum(layer.pads_end.value) > 0
    return layer.data.element_type.has_zero or not padded or prod(layer.data.shape) == 0
