"""SpaceToBatch: blocks of the spatial dimensions move into the batch (page SpaceToBatch-2)."""

from ir_models.declaration import *
from ir_models.families.blocks import batch_blocks


def sizes(layer):
    """(data with its padding, block) along each axis."""
    padding = zip(layer.pads_begin.value, layer.pads_end.value, strict=True)
    padded = [d + sum(p) for d, p in zip(layer.data.shape, padding, strict=True)]
    return zip(padded, layer.block_shape.value, strict=True)


def is_padded(layer):
    return sum(layer.pads_begin.value) + sum(layer.pads_end.value) > 0


SpaceToBatch = batch_blocks(
    "SpaceToBatch-2",
    "pads",
    examples=examples(
        "data=f32[2,6,10,3,3]; block_shape=1,2,4,3,1; pads_begin=0,0,1,0,0; pads_end=0,0,1,0,0 -> [48,3,3,1,3]",
        ports=[0, 1, 2, 3, 3],
    ),
    rules=[
        rule(
            "block_shape[i] divides data_shape[i] + pads_begin[i] + pads_end[i]",
            lambda layer: all(size % block == 0 for size, block in sizes(layer) if block > 0),
            ["pads_begin=0,0,0,3", "pads_end=0,0,2,0", "data=[2,4,5,8]"],
        ),
        rule(
            "the type of data has a zero to pad with",
            lambda layer: layer.data.element_type.has_zero or not is_padded(layer),
            unasked="the page pads data of any type with zeros",
        ),
    ],
    violations=["pads_end=0,0,2,2,0"],
    variants=variants("""
        no-padding: pads may be 0
            data=[2,3,4,6]; pads_begin=0,0,0,0; pads_end=0,0,0,0
        types-without-zero: any type, also one that has no zero to pad with
            data=string[2,3,4,6]|f8e8m0[2,3,4,6]; pads_begin=0,0,0,0; pads_end=0,0,0,0
        no-blocks: a block of 1 moves nothing
            block_shape=1,1,1,1
        pads-only-begin: before the data
            pads_begin=0,0,1,5; pads_end=0,0,0,0
        pads-only-end: behind the data
            pads_begin=0,0,0,0; pads_end=0,0,1,5
        padding-block: padding alone
            pads_begin=0,2,2,3; pads_end=0,1,3,2
        one-cell: the grid has a single cell along an axis, and its end is padding
            data=[2,4,3,2]; block_shape=1,3,1,3; pads_begin=0,0,0,0; pads_end=0,2,0,1
            data=[1,4,2,9]; block_shape=1,2,4,3; pads_begin=0,0,1,0; pads_end=0,0,1,0
    """),
    readings=[
        Reading(
            "'B_0 for batch is ignored', against 'block_shape[0] is expected to be 1' and an output "
            "whose first dimension has the factor block_shape[0]",
            "block_shape[0] is 1; another number is invalid.",
            "The two sentences that agree; with 1 the third holds as well.",
            "contradiction",
            admits="A block_shape[0] that is ignored, or that multiplies the batch.",
        ),
        Reading(
            "transpose(x', [2, 4, ..., (N - 1) + (N - 1), 0, 1, 3, ..., N + (N - 1)])",
            "The odd axes end at 2N - 3.",
            "x' has 2N - 1 dimensions, so that N + (N - 1) is no axis of it.",
            "slip",
        ),
        Reading(
            "zero padding of strings and of f8e8m0, which has no zero",
            "They are tested without padding.",
            "There is no zero to pad with.",
            "silence",
            admits="Padding with empty strings.",
        ),
    ],
)


@SpaceToBatch.plain
def plain(rank=4):
    """Blocks and paddings that differ from axis to axis and from begin to end."""
    if rank == 2:
        return "data=[3,5]; block_shape=1,4; pads_begin=0,1; pads_end=0,2"
    return {
        "data": [2, 4, 5, 7, 3, 2, 3, 1][:rank],
        "block_shape": [1, 1, 2, 3, 2, 1, 2, 1][:rank],
        "pads_begin": [0, 0, 1, 3, 0, 1, 0, 0][:rank],
        "pads_end": [0, 0, 2, 2, 1, 0, 1, 2][:rank],
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


@SpaceToBatch.adapt
def pad_to_blocks(layer):
    """More padding at the end, so that blocks divide every dimension."""
    more = [-size % block for size, block in sizes(layer)]
    return {"pads_end": [end + m for end, m in zip(layer.pads_end.value, more, strict=True)]}
