"""Col2Im: sliding blocks put back into an image (page Col2Im-15)."""

from math import prod

from ir_models.declaration import *
from ir_models.families.windows import Axis
from ir_models.vocabulary.element_types import NUMERIC

T = types("T", "any supported data type")
T_IDX = types("T_IDX", "int64 or int32")
UNPADDED = "pads_begin=0,0; pads_end=0,0"
ATTRIBUTES = ("strides", "dilations", "pads_begin", "pads_end")


def blocks(layer):
    """The number of blocks, L."""
    sizes = (layer.output_size.value, layer.kernel_size.value)
    steps = (layer.strides, layer.dilations, layer.pads_begin, layer.pads_end)
    return prod(max(Axis(*each).places, 0) for each in zip(*sizes, *steps, strict=True))


Col2Im = Operation(
    "Col2Im-15",
    "opset15",
    inputs=[
        # Nine of the largest, the most that meet in the layers below, do not leave i8.
        Input("data", T, between(2, 3), values=Interval(-14, 14)),
        Index("output_size", T_IDX, shape="2", least=1),
        Index("kernel_size", T_IDX, shape="2", least=0),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("strides", list, default=(1, 1), least=1, length="2"),
        Attribute("dilations", list, default=(1, 1), least=0, length="2"),
        Attribute("pads_begin", list, default=(0, 0), least=0, length="2"),
        Attribute("pads_end", list, default=(0, 0), least=0, length="2"),
    ],
    examples=examples(
        """
        data=i32[3,12,225]; output_size=i32:16,16; kernel_size=i32:2,2 -> [3,3,16,16]
        data=i32[1,27,49]; output_size=i32:16,16; kernel_size=i32:3,3; strides=2,2; dilations=2,2;
            pads_begin=1,1; pads_end=1,1 -> [1,3,16,16]
            altered: the page prints 25 blocks; by its formula (16+1+1-2*2-1)/2+1 there are 7*7
        data=i32[12,12,1296]; output_size=i32:32,32; kernel_size=i32:2,2; dilations=2,2;
            pads_begin=3,3; pads_end=3,3 -> [12,3,32,32]
            altered: the page prints 324 blocks; by its formula (32+3+3-2*1-1)/1+1 there are 36*36
        data=i32[12,225]; output_size=i32:16,16; kernel_size=i32:2,2 -> [3,16,16]
        """,
        ports=[0, 1, 2, 1],
    ),
    rules=[
        rule(
            "kernel_size is not 0",
            lambda layer: 0 not in layer.kernel_size.value,
            unasked="the page allows 0, but then nothing tells the channels",
        ),
        rule(
            "the elements of a block are channels times the product of kernel_size",
            lambda layer: layer.data.shape[-2] % prod(layer.kernel_size.value) == 0,
            "data=[2,17,15]|[2,20,15]|[2,3,15]",
        ),
        rule(
            "L is the number of blocks",
            lambda layer: (
                min(layer.output_size.value) < 1 or layer.data.shape[-1] == blocks(layer) > 0
            ),
            "data=[2,18,14]|[2,18,16]|[2,18,1]",
        ),
        rule(
            "data are numbers that can be added",
            lambda layer: layer.data.element_type in NUMERIC,
            unasked="the page takes any type, although only numbers have sums",
        ),
    ],
    violations=[
        *("output_size=5,7,1|-5,7", "kernel_size=2,3,1|-2,-3", "strides=0,1|2,-1"),
        *("dilations=-1,2", "pads_begin=-1,0", "pads_end=0,-2"),
    ],
    variants=variants(f"""
        no-batch: data may have no batch
            data=[18,15]
        defaults: each default changes the number of blocks
            data=[2,18,25]; strides=-
            data=[2,18,21]; dilations=-
            data=[2,18,10]; pads_begin=-
            data=[2,18,9]; pads_end=-
            data=[2,18,20]; strides=-; dilations=-; pads_begin=-; pads_end=-
        strides: rows between the blocks stay zero
            data=[2,18,5]; strides=5,1
        large-strides: columns as well
            data=[2,18,4]; strides=3,4
        dilations: blocks have gaps
            data=[2,18,5]; dilations=5,2
        zero-dilation: all elements of a row are one
            data=[2,18,27]; dilations=1,0
        pads-only-begin: elements that fall outside are left out
            data=[2,18,15]; pads_begin=1,2; pads_end=0,0
            data=[2,18,24]; pads_begin=3,3; pads_end=0,0
        pads-only-end: elements that fall outside are left out
            data=[2,18,15]; pads_end=1,2; pads_begin=0,0
            data=[2,18,24]; pads_end=3,3; pads_begin=0,0
        one-block: L may be 1
            data=[2,18,1]; output_size=2,5; {UNPADDED}
        one-element-blocks: blocks may be elements
            data=[2,3,35]; kernel_size=1,1; strides=1,1; {UNPADDED}
    """),
    readings=[
        Reading(
            "data: 'Range of values: 1D tensor of non-negative integer numbers'",
            "data are any numbers, in two or three dimensions.",
            "Its own line gives the shapes, and T is 'any supported data type'.",
            "contradiction",
        ),
        Reading(
            "'any supported data type', of elements that are combined",
            "Numeric types alone are tested: not boolean, strings or the types of stored weights.",
            "Elements of several blocks are added.",
        ),
        Reading(
            "kernel_size, dilations: 'non-negative integer numbers'",
            "A kernel_size of 0 is not tested, a dilation of 0 is.",
            "Without elements in a block nothing tells the number of channels.",
        ),
        Reading(
            "the id 1 of the output's port",
            "The output is told by being one.",
            "It is also that of output_size.",
            "slip",
        ),
    ],
)


@Col2Im.plain
def plain(rank=3):
    """Three blocks down, five across; a dilation, a stride and both paddings."""
    return (
        f"data=[{'2,' if rank == 3 else ''}18,15]; output_size=5,7; kernel_size=2,3;"
        "strides=2,1; dilations=1,2; pads_begin=1,0; pads_end=0,2"
    )


@Col2Im.random
def layer(draw):
    """With every attribute: what their defaults do is a purpose of its own."""
    given = {name: [] for name in ("output_size", "kernel_size", *ATTRIBUTES)}
    for _ in range(2):
        kernel, stride, dilation = (draw.integer(1, 3) for _ in range(3))
        window = (kernel - 1) * dilation + 1
        # A wider padding could swallow whole blocks.
        begin, end = draw.integer(0, min(2, window - 1)), draw.integer(0, 2)
        size = draw.integer(max(2, window), window + 5)
        for name, number in zip(given, (size, kernel, stride, dilation, begin, end), strict=True):
            given[name].append(number)
    batch = [draw.integer(1, 3)] if draw.boolean() else []
    channels = draw.integer(1, 3)
    layer = Col2Im.layer(data=[], **given)
    return {"data": [*batch, channels * prod(given["kernel_size"]), blocks(layer)], **given}


@Col2Im.adapt
def one_row_of_blocks(layer):
    """The same number of blocks, of the old size or, where no channel holds it, in one row."""
    elements, count = layer.data.shape[-2:]
    height, width = (2, 3) if elements % 6 == 0 else (1, elements)
    return (
        f"output_size={height},{width + count - 1}; kernel_size={height},{width};"
        f"strides=1,1; dilations=1,1; {UNPADDED}"
    )
