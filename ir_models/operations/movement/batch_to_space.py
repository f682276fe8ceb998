"""BatchToSpace: the batch moves into blocks of the spatial dimensions, which are then cropped (page BatchToSpace-2)."""

from math import prod

from ir_models.declaration import Index, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T = types("T", ANY)
T_INT = types("T_INT", INTEGERS)

BatchToSpace = Operation(
    "BatchToSpace-2",
    opset="opset2",
    inputs=[
        Input("data", T, at_least(2)),
        Index("block_shape", T_INT),
        Index("crops_begin", T_INT),
        Index("crops_end", T_INT),
    ],
    outputs=[Output("y", T)],
    examples=[
        example(
            data=f32[10, 2],
            block_shape=[1, 5],
            crops_begin=[0, 2],
            crops_end=[0, 0],
            output=[2, 8],
            ports=[0, 1, 2, 3, 3],
        ),
        example(
            data=f32[48, 3, 3, 1, 3],
            block_shape=[1, 2, 4, 3, 1],
            crops_begin=[0, 0, 1, 0, 0],
            crops_end=[0, 0, 1, 0, 0],
            output=[2, 6, 10, 3, 3],
            ports=[0, 1, 2, 3, 3],
        ),
    ],
    variants={
        "no-crops": [{"crops_begin": [0] * 4, "crops_end": [0] * 4}],
        "no-blocks": [{"block_shape": [1, 1, 1, 1]}],
        "crops-only-begin": [{"crops_begin": [0, 1, 2, 3], "crops_end": [0, 0, 0, 0]}],
        "crops-only-end": [{"crops_begin": [0, 0, 0, 0], "crops_end": [0, 1, 2, 3]}],
        "crop-to-one": [{"crops_begin": [0, 2, 3, 9], "crops_end": [0, 1, 6, 11]}],
        "crop-everything": [
            {"crops_begin": [0, 4, 0, 0], "crops_end": [0, 0, 0, 0]},
            {"crops_begin": [0, 0, 0, 8], "crops_end": [0, 0, 0, 13]},
            {"crops_begin": [0, 1, 4, 9], "crops_end": [0, 3, 6, 12]},
        ],
    },
)


@BatchToSpace.plain
def plain(rank=4):
    """Blocks and crops that differ from axis to axis and from begin to end."""
    block = [1, 1, 2, 3, 2, 1, 2, 1]
    begin = [0, 0, 1, 3, 0, 1, 0, 0]
    end = [0, 1, 2, 1, 1, 0, 1, 0]
    shape = [2 * prod(block[:rank]), 4, 5, 7, 3, 2, 3, 1]
    if rank == 2:
        return {"data": [8, 3], "block_shape": [1, 4], "crops_begin": [0, 3], "crops_end": [0, 1]}
    return {
        "data": shape[:rank],
        "block_shape": block[:rank],
        "crops_begin": begin[:rank],
        "crops_end": end[:rank],
    }


@BatchToSpace.random
def layer(draw):
    rank = draw.integer(2, 6)
    block = [1] + [draw.integer(1, 3) for _ in range(rank - 1)]
    shape = [draw.integer(1, 2) * prod(block)] + [draw.integer(1, 4) for _ in range(rank - 1)]
    begin, end = [0], [0]
    for size, count in zip(block[1:], shape[1:], strict=True):
        kept = draw.integer(1, size * count)
        begin.append(draw.integer(0, size * count - kept))
        end.append(size * count - kept - begin[-1])
    return {"data": shape, "block_shape": block, "crops_begin": begin, "crops_end": end}


@BatchToSpace.rule(
    "block_shape, crops_begin and crops_end have as many elements as data has dimensions",
    broken=[{"block_shape": [1, 2, 3]}, {"crops_begin": [0, 0, 1]}, {"crops_end": [0, 1, 2, 1, 0]}],
)
def lengths(layer):
    return all(
        t.shape == (layer.data.rank,)
        for t in (layer.block_shape, layer.crops_begin, layer.crops_end)
    )


@BatchToSpace.rule("block_shape is at least 1", broken={"block_shape": [1, 1, -2, -3]})
def block_shape_positive(layer):
    return min(layer.block_shape.value) >= 1


@BatchToSpace.rule("block_shape[0] is 1", broken={"block_shape": [2, 1, 2, 3]})
def batch_has_no_block(layer):
    return layer.block_shape.value[0] == 1


@BatchToSpace.rule(
    "crops_begin and crops_end are not negative",
    broken=[{"crops_begin": [0, 0, -1, 3]}, {"crops_end": [0, 1, 2, -1]}],
)
def crops_not_negative(layer):
    return min(layer.crops_begin.value + layer.crops_end.value) >= 0


@BatchToSpace.rule(
    "crops_begin[0] and crops_end[0] are 0",
    broken=[{"crops_begin": [1, 0, 1, 3]}, {"crops_end": [1, 1, 2, 1]}],
)
def batch_is_not_cropped(layer):
    return layer.crops_begin.value[0] == layer.crops_end.value[0] == 0


@BatchToSpace.rule(
    "the product of block_shape divides the batch",
    broken=[{"data": [11, 4, 5, 7]}, {"block_shape": [1, 1, 5, 3]}],
)
def divides(layer):
    blocks = prod(layer.block_shape.value)
    return blocks <= 0 or layer.data.shape[0] % blocks == 0


@BatchToSpace.rule(
    "crops_begin[i] + crops_end[i] is at most block_shape[i] * data_shape[i]",
    broken=[{"crops_begin": [0, 0, 9, 3]}, {"crops_end": [0, 5, 2, 1]}],
)
def crops_fit(layer):
    crops = zip(layer.crops_begin.value, layer.crops_end.value, strict=True)
    sizes = zip(layer.block_shape.value, layer.data.shape, strict=True)
    # The batch has a rule of its own.
    pairs = list(zip(crops, sizes, strict=True))[1:]
    return all(min(c) < 0 or b < 1 or sum(c) <= b * d for c, (b, d) in pairs)
