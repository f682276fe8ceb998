"""Pad: axes made longer, and from Pad-12 on also shorter (pages Pad-1 and Pad-12)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import NUMERIC, f32, string

T_INT = types("T_INT", "any non-negative integer type")
MODES = ("constant", "edge", "reflect", "symmetric")

VARIANTS = [
    variant(
        "pad-value",
        "new elements are pad_value in every type",
        *(f"data={t.name}[2,3,5,4]; pad_value={t.name}:15" for t in NUMERIC),
        "pad_value=f32:-0.1",
        f"data=i64[2,3,5,4]; pad_value=i64:{-(2**40) - 1}",
        f"data=u64[2,3,5,4]; pad_value=u64:{2**64 - 1}",
    ),
    *variants("""
        runtime-pad-value: pad_value is an input like data
            data=f32[2,3,5,4]; pad_value=f32[]
            data=i8[2,3,5,4]; pad_value=i8[]
            data=i64[2,3,5,4]; pad_value=i64[]
        edge: pads larger than the dimension, a dimension of 1
            pad_mode=edge; pads_begin=0,0,0,5; pads_end=0,4,0,6
            pad_mode=edge; data=[1,3,1,4]; pads_begin=2,0,1,0
        reflect: pads may be the dimension - 1
            pad_mode=reflect; pads_begin=1,2,4,3; pads_end=0,0,0,0
            pad_mode=reflect; pads_begin=0,0,0,0; pads_end=1,2,4,3
        symmetric: pads may be the dimension
            pad_mode=symmetric; pads_begin=2,3,5,4; pads_end=0,0,0,0
            pad_mode=symmetric; pads_begin=0,0,0,0; pads_end=2,3,5,4
            pad_mode=symmetric; data=[1,3,5,4]
        no-padding: pads may be 0
            pads_begin=0,0,0,0; pads_end=0,0,0,0
        pads-only-begin: before the data
            pads_end=0,0,0,0
        pads-only-end: behind the data
            pads_begin=0,0,0,0
        large-pads: more padding than data
            pads_begin=0,0,3,9; pads_end=0,0,11,2
    """),
]
# What Pad-12 adds. Of negative-pads the last: new elements mirror what the other end loses.
VARIANTS_12 = variants("""
    negative-pads: a negative number crops, also where the other end is padded
        pad_mode=constant|edge|reflect|symmetric; pads_begin=-1,0,-2,-1; pads_end=0,-2,-1,-1
        pads_begin=0,0,-2,-1; pads_end=0,-2,3,4
        pad_mode=edge|reflect|symmetric; pads_begin=0,-1,4,-2; pads_end=0,2,-3,3
    crop-into-padding: one end loses more than data has, and so a part of what the other end gains
        pads_begin=0,0,-6,0; pads_end=1,0,3,0; pad_mode=edge
        pads_begin=0,0,2,0; pads_end=0,0,-6,0; pad_mode=edge
    crop-everything (may be empty): the output has no negative dimension
        pads_begin=0,0,-3,0; pads_end=0,0,-2,0|0,0,-3,0
    strings: new elements are pad_value, or empty strings
        data=string[2,3,5,4]; pad_value=string:15|-
        data=string[2,3,5,4]; pad_value=string[]
        data=string[2,3,5,4]; pads_begin=-1,0,-2,-1; pads_end=0,2,-1,1; pad_value=string:15|-
""")

EXAMPLE = "data=f32[1,3,32,40]; pads_begin=0,5,2,1; pads_end=1,0,3,7; pad_mode="
# Port 0 is also the output's.
FILLED, FILLED_AND_CROPPED = examples(
    f"""
    {EXAMPLE}constant; pad_value=f32:15.0 -> [2,8,37,48]
    data=f32[2,3,32,40]; pads_begin=0,-2,-8,1; pads_end=-1,4,-6,7; pad_mode=constant;
        pad_value=f32:15.0 -> [1,5,18,48]
    """,
    ports=[*range(4), 0],
)
(EDGE,) = examples(f"{EXAMPLE}edge -> [2,8,37,48]", ports=[0, 1, 2, 0])


STRINGS = rule(
    "string: pad_mode is constant",
    lambda layer: layer.data.element_type != string or layer.pad_mode == "constant",
    "data=string[2,3,5,4]; pad_mode=edge|reflect|symmetric",
)


def within(layer, spare):
    """Whether no pad is greater than its dimension less ``spare``."""
    return all(p <= size - spare for p, size in pads(layer))


def pads(layer):
    """(number of new elements, dimension) for both ends of each axis."""
    begin, end = layer.pads_begin.value, layer.pads_end.value
    return [*zip(begin, layer.data.shape, strict=True), *zip(end, layer.data.shape, strict=True)]


READINGS = [
    Reading(
        "pad_value 'Shouldn't be set for other pad_mode values'",
        "With edge, reflect and symmetric it is invalid.",
        "'Shouldn't' is read as 'must not' on every page.",
        admits="A pad_value that is ignored.",
    ),
    Reading(
        "'any non-negative integer type'",
        "Any integer type, of numbers that are not negative.",
        "Signed types are in the example of the same numbers.",
    ),
]


def rules_of(T):
    return [
        rule(
            "reflect: pads are not greater than the dimension - 1",
            lambda layer: within(layer, 1),
            ["pad_mode=reflect; pads_begin=0,1,5,2", "pad_mode=reflect; pads_end=1,0,1,4"],
            pad_mode="reflect",
        ),
        rule(
            "symmetric: pads are not greater than the dimension",
            lambda layer: within(layer, 0),
            ["pad_mode=symmetric; pads_begin=0,1,6,2", "pad_mode=symmetric; pads_end=1,0,1,5"],
            pad_mode="symmetric",
        ),
        *([STRINGS] if string in T else []),
        rule(
            "edge, reflect, symmetric: no pad_value",
            lambda layer: layer.pad_mode not in MODES[1:] or layer.pad_value is None,
            "pad_mode=edge|reflect|symmetric; pad_value=f32:15",
            is_answered=True,
        ),
        rule(
            "edge: a padded dimension is not empty",
            lambda layer: all(size or p <= 0 for p, size in pads(layer)),
            unasked="there is no edge to copy, and the page does not say what happens",
            pad_mode="edge",
        ),
    ]


def plain(rank=4):
    """Without pad_value, so that every mode may take its place."""
    return {
        "data": [2, 3, 5, 4, 1, 1, 1, 2][:rank],
        "pads_begin": [0, 1, 0, 2, 0, 0, 0, 1][:rank],
        "pads_end": [1, 0, 1, 1, 1, 0, 0, 0][:rank],
        "pad_mode": "constant",
    }


def drawn(draw, least):
    """Pads that go down to -4, where they may be negative, as far as data is left."""
    mode = draw.choice(MODES)
    lowest = -4 if least is None else least
    shape, pads_begin, pads_end = [], [], []
    elements = 1
    for size in [draw.integer(2, 5), *draw.shape(draw.integer(0, 5), most=5)]:
        most = {"reflect": size - 1, "symmetric": size}.get(mode, 4)
        # Two elements are left somewhere, so that the output is not all of one value.
        left = 1 if shape else 2
        begin = draw.integer(max(lowest, left - size), most)
        end = draw.integer(max(lowest, left - size - min(begin, 0)), most)
        if elements * (begin + size + end) > 2000:
            size, begin, end = 1, 0, 0
        elements *= begin + size + end
        shape.append(size)
        pads_begin.append(begin)
        pads_end.append(end)
    given = mode == "constant" and draw.boolean()
    value = f32.tensor(draw.integer(1, 100)) if given else None
    drawn = {"data": shape, "pads_begin": pads_begin, "pads_end": pads_end}
    return {**drawn, "pad_value": value, "pad_mode": mode}


def pad(version, said, least, examples, variants):
    """Pad of a version; ``least``: the smallest number of new elements that its page allows."""
    T = types("T", said)
    operation = Operation(
        f"Pad-{version}",
        f"opset{version}",
        inputs=[
            Input("data", T),
            Index("pads_begin", T_INT, shape="rank(data)", least=least),
            Index("pads_end", T_INT, shape="rank(data)", least=least),
            Input("pad_value", T, exactly(0), optional=True),
        ],
        outputs=[Output("output", T)],
        attributes=[Attribute("pad_mode", MODES, required=True)],
        examples=examples,
        readings=READINGS if version == 1 else READINGS[:1],
        variants=variants,
        rules=rules_of(T),
        violations=["pads_end=1,0,1,1,0", *(["pads_begin=0,1,-1,2"] if least == 0 else [])],
    )

    operation.plain(plain)
    operation.random(lambda draw: drawn(draw, least))
    return operation


Pad_1 = pad(1, "any numeric type", 0, [FILLED, EDGE], VARIANTS)
STRINGS_TOO = "any numeric type or string"
EXAMPLES_12 = [FILLED, FILLED_AND_CROPPED, EDGE]
Pad_12 = pad(12, STRINGS_TOO, None, EXAMPLES_12, [*VARIANTS, *VARIANTS_12])
