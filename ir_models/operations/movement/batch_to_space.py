"""BatchToSpace: the batch moves into blocks of the spatial dimensions, which are then cropped (page BatchToSpace-2)."""

from math import prod

from ir_models.declaration import *
from ir_models.families.blocks import batch_blocks


def spatial(layer):
    """(size before cropping, cropped at begin, at end) of each axis but the batch."""
    sizes = [b * d for b, d in zip(layer.block_shape.value, layer.data.shape, strict=True)]
    crops = zip(layer.crops_begin.value, layer.crops_end.value, strict=True)
    return [(size, *crop) for size, crop in zip(sizes, crops, strict=True)][1:]


BatchToSpace = batch_blocks(
    "BatchToSpace-2",
    "crops",
    examples=examples(
        """
        data=f32[10,2]; block_shape=1,5; crops_begin=0,2; crops_end=0,0 -> [2,8]
        data=f32[48,3,3,1,3]; block_shape=1,2,4,3,1; crops_begin=0,0,1,0,0; crops_end=0,0,1,0,0
            -> [2,6,10,3,3]
        """,
        ports=[0, 1, 2, 3, 3],
    ),
    rules=[
        rule(
            "the product of block_shape divides the batch",
            lambda layer: layer.data.shape[0] % prod(layer.block_shape.value) == 0,
            ["data=[11,4,5,7]", "block_shape=1,1,5,3"],
        ),
        rule(
            "crops_begin[i] + crops_end[i] is at most block_shape[i] * data_shape[i]",
            # Negative ones break another rule.
            lambda layer: all(
                min(size, begin, end) < 0 or begin + end <= size
                for size, begin, end in spatial(layer)
            ),
            ["crops_begin=0,0,9,3", "crops_end=0,5,2,1"],
        ),
    ],
    violations=["block_shape=1,2,3|1,1,-2,-3", "crops_end=0,1,2,1,0|0,1,2,-1|1,1,2,1"],
    variants=variants("""
        no-crops: crops may be 0
            crops_begin=0,0,0,0; crops_end=0,0,0,0
        no-blocks: a block of 1 moves nothing
            block_shape=1,1,1,1
        crops-only-begin: from the beginning
            crops_begin=0,1,2,3; crops_end=0,0,0,0
        crops-only-end: from the end
            crops_begin=0,0,0,0; crops_end=0,1,2,3
        crop-to-one: one element is left
            crops_begin=0,2,3,9; crops_end=0,1,6,11
        crop-everything (may be empty): crops may be as large as block_shape[i] * data_shape[i]
            crops_begin=0,4,0,0; crops_end=0,0,0,0
            crops_begin=0,0,0,8; crops_end=0,0,0,13
            crops_begin=0,1,4,9; crops_end=0,3,6,12
    """),
    readings=[
        Reading(
            "transpose(x', [N, N + 1, 0, N + 2, 1, ..., N + N - 1, N - 1])",
            "The order [N - 1, N, 0, N + 1, 1, ..., 2N - 2, N - 2].",
            "x' has 2N - 1 dimensions, so that 2N - 1 is no axis of it; the shape that the page "
            "gives of the result has this order.",
            "slip",
        ),
        Reading(
            "B_0 'is expected to be 1', CB_0 and CE_0 'are expected to be 0'",
            "Other numbers are invalid.",
            "'expected' is 'must' here: the formulas have no B_0.",
            admits="A block or crops of the batch that are computed.",
        ),
    ],
)


@BatchToSpace.plain
def plain(rank=4):
    """Blocks and crops that differ from axis to axis and from begin to end."""
    if rank == 2:
        return "data=[8,3]; block_shape=1,4; crops_begin=0,3; crops_end=0,1"
    block = [1, 1, 2, 3, 2, 1, 2, 1][:rank]
    return {
        "data": [2 * prod(block), 4, 5, 7, 3, 2, 3, 1][:rank],
        "block_shape": block,
        "crops_begin": [0, 0, 1, 3, 0, 1, 0, 0][:rank],
        "crops_end": [0, 1, 2, 1, 1, 0, 1, 0][:rank],
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


@BatchToSpace.adapt
def leave_an_element(layer):
    """No blocks where they do not divide the batch, and crops that leave an element where there is one."""
    if layer.data.shape[0] % prod(layer.block_shape.value):
        layer = layer.replace(block_shape=[1] * layer.data.rank)
    begin = [max(min(begin, size - 1), 0) for size, begin, _ in spatial(layer)]
    room = [size - 1 - b for (size, _, _), b in zip(spatial(layer), begin, strict=True)]
    end = [max(min(e, r), 0) for (_, _, e), r in zip(spatial(layer), room, strict=True)]
    return {"block_shape": layer.block_shape, "crops_begin": [0, *begin], "crops_end": [0, *end]}
