"""Constant: a tensor whose content is in the weights file (page Constant-1).

The content is data of the case, which the writer puts at ``offset`` of the file. A second constant, ``also``, may read
bytes of the first one; ``file_size`` is the length of the file where it does not end with the content.
"""

from ir_models.declaration import *
from ir_models.vocabulary import stored
from ir_models.vocabulary.element_types import ELEMENT_TYPES

T = types("T", "u1, u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, boolean, bf16")
NAMES = tuple(kind.name for kind in T.types)
NOT_LISTED = Reading(
    "element_type is one of 'u1, u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, boolean, bf16'",
    "Other types are neither tested nor invalid.",
    "Inputs that other pages want constant have f64, i4, u4 and string as well.",
    "contradiction",
)
NO_ELEMENTS = Reading(
    "size is 'positive integer bigger than zero', of a shape of 'non-negative integers'",
    "A constant without elements has the size 0.",
    "The shape may have a 0; then there is no byte that a positive size could count.",
    "contradiction",
    admits="A refusal of size 0.",
)


def stated(layer):
    """The bytes that the stated type and shape take."""
    return ELEMENT_TYPES[layer.element_type].byte_size(layer.shape)


def has_its_size(layer):
    known = layer.element_type in NAMES and min(layer.shape, default=0) >= 0
    return not known or layer.size == stated(layer)


def is_its_content(layer):
    own = (layer.value.shape, layer.value.element_type.name)
    return layer.element_type not in NAMES or not has_its_size(layer) or own == _stated(layer)


def _stated(layer):
    return layer.shape, layer.element_type


Constant = Operation(
    "Constant-1",
    "opset1",
    ir_type="Const",
    role="constant",
    inputs=[Input("value", T)],
    outputs=[
        Output("output", T),
        Output(
            "also",
            lambda layer: stored.reader(layer.also, layer.value).tensor.element_type,
            lambda layer: int(layer.also is not None),
        ),
    ],
    attributes=[
        Attribute("offset", int, required=True, least=0),
        Attribute("size", int, required=True, follows="size"),
        Attribute("element_type", NAMES, required=True, follows="type"),
        Attribute("shape", list, required=True, least=0, follows="shape"),
        Attribute("also", tuple(stored.READERS), partner=True),
        Attribute("file_size", int, partner=True),
    ],
    examples=examples(
        "value=[8,8]; offset=1000; size=256; element_type=f32; shape=8,8 -> [8,8]", ports=[1]
    ),
    rules=[
        rule(
            "size is the number of bytes of the elements",
            has_its_size,
            ["size=239|241|236|480|0|-240", "shape=3,4,6|3,4", "element_type=f16"],
            reading=NO_ELEMENTS,
        ),
        rule(
            "the file has the bytes from offset to offset + size",
            lambda layer: layer.file_size is None or layer.offset + layer.size <= layer.file_size,
            [
                "file_size=255|128",
                "offset=8|1000; file_size=240",
                # Their sums with the size are beyond 64 bits.
                "offset=18446744073709551608|9223372036854775800; file_size=240",
            ],
        ),
        rule(
            "element_type and shape are those of the content",
            is_its_content,
            unasked="bytes have no type and no shape of their own",
        ),
        rule(
            "the elements that another constant reads have whole bytes",
            lambda layer: layer.also in (None, "same") or layer.element_type != "u1",
            unasked="the other constant is the declaration's, not the page's",
        ),
    ],
    unasked={
        "value is required": "a constant without content is one whose bytes the file does not have",
        "value: T is one of": "other pages have constants of types that the list lacks",
        "also is one of": "the other constant is the declaration's, not the page's",
    },
    variants=variants("""
        offset: any position, whatever the size of an element
            offset=0|1|2|3|7|64|4096|65537
        sharing: several constants may read the same bytes
            offset=0|5; also=same|flat|half|bytes
            value=f16; element_type=f16; size=120; also=half|bytes
            value=boolean; element_type=boolean; size=60; also=half|bytes
            value=u1; element_type=u1; size=8; also=same
        file: the file goes on behind the content
            file_size=257|4096
        bits: elements of one bit fill whole bytes, or the last one in part
            value=u1[8]; element_type=u1; size=1; shape=8
            value=u1[9]; element_type=u1; size=2; shape=9
            value=u1[7]; element_type=u1; size=1; shape=7; offset=3
    """),
    readings=[
        NOT_LISTED,
        Reading(
            "size is the 'size of constant content', 'value in bytes'",
            "It is that of the elements, neither more nor less.",
            "The content is the tensor; other bytes would not be content of the constant.",
            admits="A larger size, whose other bytes are not read.",
        ),
    ],
)


def layer_of(shape, offset):
    return {
        "value": shape,
        "offset": offset,
        "size": T.default.byte_size(tuple(shape)),
        "element_type": T.default.name,
        "shape": shape,
    }


@Constant.plain
def plain(rank=3):
    return layer_of([3, 4, 5, 2, 6, 1, 7, 2][:rank], 16)


@Constant.random
def layer(draw):
    found = layer_of(draw.shape(draw.integer(0, 5), most=6), draw.integer(0, 300))
    return {**found, "also": draw.choice([None, *stored.READERS])}
