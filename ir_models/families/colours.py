"""Images converted between RGB and YUV, in which a block of two by two pixels has one chroma, U and V.

NV12toRGB = to_colours("NV12toRGB-8", chroma={"uv": 2}, examples=...)
RGBtoNV12 = to_nv12("RGBtoNV12-17", examples=...)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import (
    Attribute,
    Draw,
    Example,
    Input,
    Interval,
    Layer,
    Operation,
    Output,
    Reading,
    Within,
    exactly,
    rule,
    types,
    variants,
)
from ir_models.families.colour_data import PAIRS, TRIPLES, rgb_image, yuv_pairs, yuv_triples
from ir_models.vocabulary.element_types import ElementType, u8

T = types("T", "uint8 or any supported floating-point type")

ROUNDING = Reading(
    "'uint8', of results that are no integers",
    "Both neighbours are right, and beside an integer what f32 arithmetic may make of it.",
    "The formulas are those of real numbers.",
    "silence",
)
UNORDERED = Reading(
    "'clipped to range (0, 255)', of NaN",
    "Not judged.",
    "NaN is neither inside nor outside.",
    "silence",
)
PLANES = Reading(
    "'H ... is 1.5x bigger than the image height', of the order of samples in one plane",
    "Behind Y come the planes of several tensors, each in the order of its elements.",
    "That is the meaning of the formats' names; RGBtoNV12-17 says so of NV12.",
    "silence",
)


def to_colours(name: str, *, chroma: Mapping[str, int], examples: Sequence[Example]) -> Operation:
    """From one plane, or a plane ``y`` and others of ``chroma``, which have so many channels each, to RGB or BGR."""
    planes = len(chroma)

    def part(plane: str, layer: Layer, kind: ElementType) -> Any:
        """All colours where rounding decides, for an image of their size; else colours from black to white."""
        images = {PAIRS: yuv_pairs, TRIPLES: yuv_triples}
        n, rows, width, _ = layer.y.shape
        height = rows * 2 // 3 if is_one(layer) else rows
        if kind is not u8 or width not in images or (n, height) != (1, width):
            return None if kind is u8 else Interval(0.0, 255.0)
        y, *rest = (each.reshape(-1) for each in images[width]())
        flat = rest if planes > 1 else [np.stack(rest, -1).reshape(-1)]
        if is_one(layer):
            found = np.concatenate([y, *flat])
        else:
            found = dict(zip(("y", *chroma), (y, *flat), strict=True))[plane]
        return lambda layer, state: found

    def values(plane: str) -> Within:
        return Within(lambda layer, kind: part(plane, layer, kind))

    def layer_of(n: int, h: int, w: int, kind: str = "", one: bool = False) -> str:
        if one:
            return f"y={kind}[{n},{3 * h},{2 * w},1]; " + alone
        shapes = {"y": [n, 2 * h, 2 * w, 1], **{each: [n, h, w, c] for each, c in chroma.items()}}
        return "; ".join(f"{each}={kind}{shape}".replace(" ", "") for each, shape in shapes.items())

    alone = "; ".join(f"{each}=-" for each in chroma)

    def is_one(layer: Layer) -> bool:
        return all(layer.inputs[each] is None for each in chroma)

    def y_shape(layer: Layer) -> str:
        return "N, 3*h, 2*w, 1" if is_one(layer) else "N, 2*h, 2*w, 1"

    rules = [
        rule(
            "y has one channel",
            lambda layer: layer.y.shape[3] == 1,
            ["y=[3,8,10,2]", f"y=[3,6,10,3]; {alone}", f"y=[3,6,10,0]; {alone}"],
        ),
        rule(
            "one plane has the height of one and a half images and an even width",
            lambda layer: not is_one(layer) or layer.y.shape[1] % 3 == layer.y.shape[2] % 2 == 0,
            [f"y=[2,7,10,1]; {alone}", f"y=[2,8,10,1]; {alone}", f"y=[2,6,9,1]; {alone}"],
        ),
    ]
    if planes > 1:
        # That of several planes with the same dimensions follows from these.
        rules.append(
            rule(
                f"there is one plane, or there are {1 + planes}",
                lambda layer: len({layer.inputs[each] is None for each in chroma}) == 1,
                [f"{each}=-" for each in list(chroma)[1:]],
            )
        )
    else:
        rules.append(
            rule(
                "y has the batch and twice the height and width of uv",
                lambda layer: (
                    is_one(layer)
                    or (
                        [2 * size for size in layer.uv.shape[1:3]] == [*layer.y.shape[1:3]]
                        and layer.uv.shape[0] == layer.y.shape[0]
                    )
                ),
                [
                    "y=[1,8,10,1]|[2,8,10,1]|[3,7,10,1]|[3,9,10,1]|[3,8,11,1]|[3,8,9,1]|[3,4,10,1]",
                    "uv=[1,4,5,2]|[2,4,5,2]|[3,3,5,2]|[3,5,5,2]|[3,4,4,2]|[3,4,6,2]|[3,8,10,2]",
                ],
            )
        )
    operation = Operation(
        name,
        "opset8",
        inputs=[
            Input("y", T, exactly(4), shape=y_shape, values=values("y")),
            *(
                Input(each, T, shape=f"N, h, w, {count}", optional=True, values=values(each))
                for each, count in chroma.items()
            ),
        ],
        outputs=[Output("image", T)],
        mixes=True,
        examples=examples,
        rules=rules,
        variants=variants(f"""
            one-plane: all planes in one tensor, with an even and an odd number of rows of chroma
                {layer_of(2, 3, 5, one=True)}
                {layer_of(2, 2, 3, "u8", one=True)}
                {layer_of(3, 1, 1, one=True)}
            planes-type: several planes, in each type
                {layer_of(2, 2, 3, "u8")}
                {layer_of(2, 2, 3, "f16")}
            widths: images of any width, in either way and both kinds of type
                {layer_of(1, 1, 8)}
                {layer_of(1, 1, 17, "u8")}
                {layer_of(1, 2, 33, "u8", one=True)}
                {layer_of(1, 2, 20, one=True)}
            every-pair: all pairs of luma and chroma, of which red and blue are made
                {layer_of(1, 128, 128, "u8")}
                {layer_of(1, 128, 128, "u8", one=True)}
            every-tie: green at all integers and halves, which rounding decides
                {layer_of(1, 256, 256, "u8")}
                {layer_of(1, 256, 256, "u8", one=True)}
        """),
        readings=[
            ROUNDING,
            UNORDERED,
            Reading(
                "'H ... half of the image height', of an image whose height or width is odd",
                "Invalid, in one plane as well.",
                "Dimensions are integers.",
                "silence",
            ),
            PLANES,
        ],
    )

    @operation.plain
    def plain() -> str:
        return layer_of(3, 4, 5)

    @operation.random
    def layer(draw: Draw) -> str:
        n, h, w = (draw.integer(1, most) for most in (3, 6, 12))
        return layer_of(n, h, w, one=draw.boolean())

    return operation


def to_nv12(name: str, *, examples: Sequence[Example]) -> Operation:
    """From RGB or BGR to one plane, or to one of Y and one of U and V."""
    operation = Operation(
        name,
        "opset17",
        inputs=[Input("image", T, shape="N, 2*h, 2*w, 3", values=Within(rgb_image))],
        outputs=[Output("planes", T, count=lambda layer: 1 if layer.single_plane else 2)],
        mixes=True,
        attributes=[Attribute("single_plane", bool, default=True)],
        rules=[
            rule(
                "height and width are even",
                lambda layer: layer.image.shape[1] % 2 == layer.image.shape[2] % 2 == 0,
                "image=[2,5,10,3]|[2,6,9,3]|[2,1,10,3]|[2,6,1,3]",
            )
        ],
        examples=examples,
        variants=variants(f"""
            rows: an even and an odd number of rows of chroma, in each type of an image
                image=[2,6,10,3]|[2,4,6,3]|u8[2,6,10,3]|f16[2,4,6,3]|[3,2,2,3]; single_plane=true|false
            widths: images of any width
                image=[1,2,16,3]|u8[1,2,34,3]|u8[1,4,66,3]|[1,4,40,3]; single_plane=true|false
            every-tie: luma and chroma at all integers and halves, which rounding decides
                image=u8[1,{TRIPLES},{TRIPLES},3]; single_plane=true|false
            any-chroma: pixels of a block that have colours of their own
                image=u8[2,8,18,3]|f32[2,8,18,3]; single_plane=true|false
        """),
        readings=[
            ROUNDING,
            UNORDERED,
            Reading(
                "the formulas of U and V 'of each pixel', of which two by two have one sample",
                "Any number from the least to the largest of the four is right: their mean, or that of one of them. "
                "Ordinary images have four pixels of one chroma in each block.",
                "The page does not say how four become one.",
                "silence",
            ),
        ],
    )

    @operation.plain
    def plain() -> str:
        return "image=[2,6,10,3]; single_plane=false"

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        n, h, w = (draw.integer(1, most) for most in (3, 6, 12))
        return {"image": [n, 2 * h, 2 * w, 3], "single_plane": draw.choice([True, False, None])}

    return operation
