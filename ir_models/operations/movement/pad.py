"""Pad: axes made longer, and from Pad-12 on also shorter (pages Pad-1 and Pad-12)."""

from ir_models.declaration import Attribute, Index, Input, Operation, Output, exactly, example
from ir_models.element_types import INTEGERS, NUMERIC, f32, i8, i64, types, u64

T = types("T", NUMERIC)
# Pad-1 says "non-negative integer type": what is not negative is the number, see its rule.
T_INT = types("T_INT", INTEGERS)

GROWTH = {
    "pad-value": [
        *({"data": t[2, 3, 5, 4], "pad_value": t.tensor(15)} for t in NUMERIC),
        {"pad_value": f32.tensor(-0.1)},
        {"data": i64[2, 3, 5, 4], "pad_value": i64.tensor(-(2**40) - 1)},
        {"data": u64[2, 3, 5, 4], "pad_value": u64.tensor(2**64 - 1)},
    ],
    "runtime-pad-value": [{"data": t[2, 3, 5, 4], "pad_value": t[()]} for t in (f32, i8, i64)],
    "edge": [
        {"pad_mode": "edge", "pads_begin": [0, 0, 0, 5], "pads_end": [0, 4, 0, 6]},
        {"pad_mode": "edge", "data": [1, 3, 1, 4], "pads_begin": [2, 0, 1, 0]},
    ],
    "reflect": [
        {"pad_mode": "reflect", "pads_begin": [1, 2, 4, 3], "pads_end": [0, 0, 0, 0]},
        {"pad_mode": "reflect", "pads_begin": [0, 0, 0, 0], "pads_end": [1, 2, 4, 3]},
    ],
    "symmetric": [
        {"pad_mode": "symmetric", "pads_begin": [2, 3, 5, 4], "pads_end": [0] * 4},
        {"pad_mode": "symmetric", "pads_begin": [0] * 4, "pads_end": [2, 3, 5, 4]},
        {"pad_mode": "symmetric", "data": [1, 3, 5, 4]},
    ],
    "no-padding": [{"pads_begin": [0] * 4, "pads_end": [0] * 4}],
    "pads-only-begin": [{"pads_end": [0] * 4}],
    "pads-only-end": [{"pads_begin": [0] * 4}],
    "large-pads": [{"pads_begin": [0, 0, 3, 9], "pads_end": [0, 0, 11, 2]}],
}

CROPS = {
    "negative-pads": [
        {"pads_begin": [-1, 0, -2, -1], "pads_end": [0, -2, -1, -1]},
        {"pads_begin": [0, 0, -2, -1], "pads_end": [0, -2, 3, 4]},
        *(
            {"pads_begin": begin, "pads_end": end, "pad_mode": mode}
            for mode in ("edge", "reflect", "symmetric")
            for begin, end in [
                ([-1, 0, -2, -1], [0, -2, -1, -1]),
                # New elements mirror what the other end loses.
                ([0, -1, 4, -2], [0, 2, -3, 3]),
            ]
        ),
    ],
    # One end loses more than data has, and so a part of what the other end gains.
    "crop-into-padding": [
        {"pads_begin": [0, 0, -6, 0], "pads_end": [1, 0, 3, 0], "pad_mode": "edge"},
        {"pads_begin": [0, 0, 2, 0], "pads_end": [0, 0, -6, 0], "pad_mode": "edge"},
    ],
    "crop-everything": [
        {"pads_begin": [0, 0, -3, 0], "pads_end": [0, 0, -2, 0]},
        {"pads_begin": [0, 0, -3, 0], "pads_end": [0, 0, -3, 0]},
    ],
}


def pad_example(
    mode,
    pad_value=None,
    shape=(1, 3, 32, 40),
    begin=(0, 5, 2, 1),
    end=(1, 0, 3, 7),
    output=(2, 8, 37, 48),
):
    """An example of the pages; port 0 is also the output's."""
    given = {} if pad_value is None else {"pad_value": pad_value}
    return example(
        data=f32[shape],
        pads_begin=begin,
        pads_end=end,
        pad_mode=mode,
        output=output,
        ports=[0, 1, 2, *([3] if given else []), 0],
        **given,
    )


def declared(version, **rest):
    """What both versions say."""
    return Operation(
        f"Pad-{version}",
        opset=f"opset{version}",
        inputs=[
            Input("data", T),
            Index("pads_begin", T_INT),
            Index("pads_end", T_INT),
            Input("pad_value", T, exactly(0), optional=True),
        ],
        outputs=[Output("output", T)],
        attributes=[
            Attribute("pad_mode", ("constant", "edge", "reflect", "symmetric"), required=True)
        ],
        **rest,
    )


Pad_1 = declared(
    1,
    examples=[pad_example("constant", f32.tensor(15.0)), pad_example("edge")],
    variants=GROWTH,
)

Pad_12 = declared(
    12,
    examples=[
        pad_example("constant", f32.tensor(15.0)),
        pad_example(
            "constant",
            f32.tensor(15.0),
            shape=(2, 3, 32, 40),
            begin=(0, -2, -8, 1),
            end=(-1, 4, -6, 7),
            output=(1, 5, 18, 48),
        ),
        pad_example("edge"),
    ],
    variants={**GROWTH, **CROPS},
)


@Pad_1.plain
@Pad_12.plain
def plain(rank=4):
    """Without pad_value, so that every mode may take its place."""
    return {
        "data": [2, 3, 5, 4, 1, 1, 1, 2][:rank],
        "pads_begin": [0, 1, 0, 2, 0, 0, 0, 1][:rank],
        "pads_end": [1, 0, 1, 1, 1, 0, 0, 0][:rank],
        "pad_mode": "constant",
    }


def drawn(draw, least):
    """A layer whose pads go down to ``least`` as far as data is left."""
    mode = draw.choice(["constant", "edge", "reflect", "symmetric"])
    shape, pads_begin, pads_end = [], [], []
    elements = 1
    for size in [draw.integer(2, 5), *draw.shape(draw.integer(0, 5), most=5)]:
        most = {"reflect": size - 1, "symmetric": size}.get(mode, 4)
        # Two elements are left somewhere, so that the output is not all of one value.
        left = 1 if shape else 2
        begin = draw.integer(max(least, left - size), most)
        end = draw.integer(max(least, left - size - min(begin, 0)), most)
        if elements * (begin + size + end) > 2000:
            size, begin, end = 1, 0, 0
        elements *= begin + size + end
        shape.append(size)
        pads_begin.append(begin)
        pads_end.append(end)
    given = mode == "constant" and draw.boolean()
    return {
        "data": shape,
        "pads_begin": pads_begin,
        "pads_end": pads_end,
        "pad_value": f32.tensor(draw.integer(1, 100)) if given else None,
        "pad_mode": mode,
    }


@Pad_1.random
def growing(draw):
    return drawn(draw, 0)


@Pad_12.random
def growing_or_shrinking(draw):
    return drawn(draw, -4)


def both(text, broken=()):
    """Decorator: a rule of both versions."""

    def declare(holds):
        return Pad_1.rule(text, broken)(Pad_12.rule(text, broken)(holds))

    return declare


@both(
    "pads_begin and pads_end have as many elements as data has dimensions",
    broken=[{"pads_begin": [0, 1, 0]}, {"pads_end": [1, 0, 1, 1, 0]}],
)
def lengths(layer):
    return all(t.shape == (layer.data.rank,) for t in (layer.pads_begin, layer.pads_end))


@Pad_1.rule(
    "pads_begin and pads_end are not negative",
    broken=[{"pads_begin": [0, 1, -1, 2]}, {"pads_end": [1, 0, 1, -1]}],
)
def pads_not_negative(layer):
    return min(layer.pads_begin.value + layer.pads_end.value, default=0) >= 0


@both(
    "reflect: pads are not greater than the dimension - 1",
    broken=[
        {"pad_mode": "reflect", "pads_begin": [0, 1, 5, 2]},
        {"pad_mode": "reflect", "pads_end": [1, 0, 1, 4]},
    ],
)
def reflect_fits(layer):
    return layer.pad_mode != "reflect" or all(p < size for p, size in pads(layer))


@both(
    "symmetric: pads are not greater than the dimension",
    broken=[
        {"pad_mode": "symmetric", "pads_begin": [0, 1, 6, 2]},
        {"pad_mode": "symmetric", "pads_end": [1, 0, 1, 5]},
    ],
)
def symmetric_fits(layer):
    return layer.pad_mode != "symmetric" or all(p <= size for p, size in pads(layer))


# Never asked as an invalid layer: the pages only say that pad_value should not be set then.
@both("edge, reflect, symmetric: no pad_value")
def no_pad_value(layer):
    return layer.pad_mode not in ("edge", "reflect", "symmetric") or layer.pad_value is None


# Nor this: there is no edge to copy, and the pages do not say what happens.
@both("edge: a padded dimension is not empty")
def edge_exists(layer):
    return layer.pad_mode != "edge" or all(size or p <= 0 for p, size in pads(layer))


def pads(layer):
    """(number of new elements, dimension) for both ends of each axis."""
    begin, end = layer.pads_begin.value, layer.pads_end.value
    return [*zip(begin, layer.data.shape, strict=True), *zip(end, layer.data.shape, strict=True)]
