"""Images converted between RGB and YUV, in which a block of two by two pixels has one chroma, U and V.

NV12toRGB = to_colours("NV12toRGB-8", chroma={"uv": 2}, examples=...)
RGBtoNV12 = to_nv12("RGBtoNV12-17", examples=...)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ir_models.declaration import *
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


def _is_one(layer: Layer) -> bool:
    """Whether all planes are in ``y``."""
    return all(value is None for name, value in layer.inputs.items() if name != "y")


def _colours(plane: str, layer: Layer, kind: ElementType) -> Any:
    """All colours where rounding decides, for an image of their size; else colours from black to white."""
    images = {PAIRS: yuv_pairs, TRIPLES: yuv_triples}
    n, rows, width, _ = layer.y.shape
    height = rows * 2 // 3 if _is_one(layer) else rows
    if kind is not u8 or width not in images or (n, height) != (1, width):
        return None if kind is u8 else Interval(0.0, 255.0)
    y, *rest = (each.reshape(-1) for each in images[width]())
    names = [each.name for each in layer.operation.inputs]
    flat = rest if len(names) > 2 else [np.stack(rest, -1).reshape(-1)]
    by_name = dict(zip(names, (y, *flat), strict=True))
    found = np.concatenate([y, *flat]) if _is_one(layer) else by_name[plane]
    return lambda layer, state: found


def _alone(chroma: Mapping[str, int]) -> str:
    """The change that leaves out all planes but ``y``."""
    return "; ".join(f"{each}=-" for each in chroma)


def _planes(
    chroma: Mapping[str, int], n: int, h: int, w: int, kind: str = "", one: bool = False
) -> str:
    """The planes of ``n`` images of 2 * ``h`` by 2 * ``w``, or ``one`` plane of all."""
    if one:
        return f"y={kind}[{n},{3 * h},{2 * w},1]; " + _alone(chroma)
    shapes = {"y": [n, 2 * h, 2 * w, 1], **{each: [n, h, w, c] for each, c in chroma.items()}}
    return "; ".join(f"{each}={kind}{shape}".replace(" ", "") for each, shape in shapes.items())


def _y_shape(layer: Layer) -> str:
    return "N, 3*h, 2*w, 1" if _is_one(layer) else "N, 2*h, 2*w, 1"


def _rules(chroma: Mapping[str, int]) -> list[Rule]:
    alone = _alone(chroma)
    found = [
        rule(
            "y has one channel",
            lambda layer: layer.y.shape[3] == 1,
            ["y=[3,8,10,2]", f"y=[3,6,10,3]; {alone}", f"y=[3,6,10,0]; {alone}"],
        ),
        rule(
            "one plane has the height of one and a half images and an even width",
            lambda layer: not _is_one(layer) or layer.y.shape[1] % 3 == layer.y.shape[2] % 2 == 0,
            [f"y=[2,7,10,1]; {alone}", f"y=[2,8,10,1]; {alone}", f"y=[2,6,9,1]; {alone}"],
        ),
    ]
    if len(chroma) > 1:
        # That of several planes with the same dimensions follows from these.
        found.append(
            rule(
                f"there is one plane, or there are {1 + len(chroma)}",
                lambda layer: len({layer.inputs[each] is None for each in chroma}) == 1,
                [f"{each}=-" for each in list(chroma)[1:]],
            )
        )
    else:
        found.append(
            rule(
                "y has the batch and twice the height and width of uv",
                lambda layer: (
                    _is_one(layer)
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
    return found


def _variants(chroma: Mapping[str, int]) -> list[Variant]:
    planes = partial(_planes, chroma)
    return variants(f"""
        one-plane: all planes in one tensor, with an even and an odd number of rows of chroma
            {planes(2, 3, 5, one=True)}
            {planes(2, 2, 3, "u8", one=True)}
            {planes(3, 1, 1, one=True)}
        planes-type: several planes, in each type
            {planes(2, 2, 3, "u8")}
            {planes(2, 2, 3, "f16")}
        widths: images of any width, in either way and both kinds of type
            {planes(1, 1, 8)}
            {planes(1, 1, 17, "u8")}
            {planes(1, 2, 33, "u8", one=True)}
            {planes(1, 2, 20, one=True)}
        every-pair: all pairs of luma and chroma, of which red and blue are made
            {planes(1, 128, 128, "u8")}
            {planes(1, 128, 128, "u8", one=True)}
        every-tie: green at all integers and halves, which rounding decides
            {planes(1, 256, 256, "u8")}
            {planes(1, 256, 256, "u8", one=True)}
    """)


def to_colours(name: str, *, chroma: Mapping[str, int], examples: Sequence[Example]) -> Operation:
    """From one plane, or a plane ``y`` and others of ``chroma``, which have so many channels each, to RGB or BGR."""
    planes = partial(_planes, chroma)
    operation = Operation(
        name,
        "opset8",
        inputs=[
            Input("y", T, exactly(4), shape=_y_shape, values=Within(partial(_colours, "y"))),
            *(
                Input(
                    each,
                    T,
                    shape=f"N, h, w, {count}",
                    optional=True,
                    values=Within(partial(_colours, each)),
                )
                for each, count in chroma.items()
            ),
        ],
        outputs=[Output("image", T)],
        mixes=True,
        examples=examples,
        rules=_rules(chroma),
        variants=_variants(chroma),
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
        return planes(3, 4, 5)

    @operation.random
    def layer(draw: Draw) -> str:
        n, h, w = (draw.integer(1, most) for most in (3, 6, 12))
        return planes(n, h, w, one=draw.boolean())

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
