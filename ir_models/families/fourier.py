"""Discrete Fourier transforms along some axes, of complex numbers and of real ones.

DFT = complex_fourier("DFT-7")
RDFT = fourier("RDFT-9", "opset9", T, is_complex=False, examples=examples(...))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *

T_IND = types("T_IND", "int64 or int32")
T_SIZE = types("T_SIZE", "int64 or int32")


def scaled(data: str) -> str:
    """Why an example is scaled whose ``data`` are too large."""
    kept = "its axes, its signal sizes but for a factor of 64 and which of them pads and trims"
    return f"the page's data, {data}, take 18 GB; this keeps {kept}"


def window_fits(*violations: str) -> Rule:
    """The rule that the window of an operation on frames is no longer than these."""
    return rule(
        "the window fits into a frame",
        lambda layer: layer.window.shape[0] <= layer.frame_size.value,
        list(violations),
    )


NEGATIVE_AXIS = Reading(
    "axes from '-(r - 1)' to '(r - 2)', against '(rank(data) - 1) not in axes and (-1) not in axes'",
    "-1 is the last dimension but that of real and imaginary parts.",
    "The first range has -1 in it, the rule that 'a negative axis a is interpreted as an axis r - 1 + a' gives it a "
    "meaning, and an example of the list has -3 and -2.",
    "contradiction",
    admits="Refusing -1 as an axis.",
)


def _drawn(draw: Draw, pair: list[int], halves: bool) -> Mapping[str, Any]:
    rank = draw.integer(1, 5)
    most = {1: 40, 2: 12, 3: 7, 4: 4, 5: 3}[rank]
    axes = draw.subset(range(rank), least=1)
    sizes = draw.choice([[draw.choice([-1, draw.integer(1, most)]) for _ in axes], None])
    shape = draw.shape(rank, most=most)
    if pair and halves and shape[axes[-1]] == 1 and (sizes is None or sizes[-1] == -1):
        # One half of no numbers: a size has to say how many there are.
        sizes = [*(sizes[:-1] if sizes else [-1] * (len(axes) - 1)), 2]
    return {
        "data": [*shape, *pair],
        "axes": [axis - draw.choice([0, rank]) for axis in axes],
        "signal_size": sizes,
    }


def _plain(rank: int, pair: list[int], halves: bool) -> Any:
    """The first axis is a batch. Of two, one is padded and one trimmed; both are trimmed where one is halved.

    So that what padding does to those is asked by variants, apart from everything else.
    """
    count = rank - len(pair)
    sizes = [3, 7, 6, 2, 3, 2, 1, 2] if halves else [3, 5, 4, 2, 3, 2, 1]
    if count == 1:
        return {"data": [sizes[1], *pair], "axes": [0], "signal_size": [6]}
    of_two = [5, 6] if halves else [6, 3]
    axes, wanted = ([1], of_two[1:]) if count == 2 else ([2, 1], of_two)
    return {"data": [*sizes[:count], *pair], "axes": axes, "signal_size": wanted}


def fourier(
    name: str,
    opset: str,
    data_types: TypeSet,
    *,
    printed: Sequence[Example],
    is_complex: bool = True,
    halves: bool = False,
    rules: Sequence[Rule] = (),
    variants_of_data: str,
    readings: Sequence[Reading] = (),
) -> Operation:
    """A transform of ``data``; ``is_complex``: data are pairs. ``halves``: the last axis has half the numbers.

    ``variants_of_data``: variants whose data are stated.
    """
    pair = [2] if is_complex else []

    def rank_of(layer: Layer) -> int:
        return int(layer.data.rank) - is_complex

    def axes_exist(layer: Layer) -> bool:
        """Axes are those of the numbers, without the dimension of real and imaginary parts."""
        return all(-rank_of(layer) <= axis < rank_of(layer) for axis in layer.axes.value)

    def axes_differ(layer: Layer) -> bool:
        axes = [axis % rank_of(layer) for axis in layer.axes.value]
        return not axes_exist(layer) or len(set(axes)) == len(axes)

    operation = Operation(
        name,
        opset,
        inputs=[
            Input("data", data_types, shape="D_0, *D, 2" if is_complex else "D_0, *D"),
            Index("axes", T_IND, shape="len"),
            Index("signal_size", T_SIZE, shape="len", optional=True, least=-1),
        ],
        outputs=[Output("output", data_types)],
        mixes=True,
        examples=printed,
        rules=[
            rule(
                "axes are from -(r - 1) to r - 2" if is_complex else "axes are from -r to r - 1",
                axes_exist,
                ["axes=3,1", "axes=2,-4"],
            ),
            rule("axes are different", axes_differ, ["axes=2,2", "axes=2,-1"]),
            *rules,
        ],
        violations=["signal_size=6,3,2"],
        # A negative axis: -1 is the axis 2 here.
        variants=[*_variants(pair, halves), *variants(variants_of_data)],
        readings=readings,
    )

    operation.plain(lambda rank=3 + is_complex: _plain(rank, pair, halves))
    operation.random(lambda draw: _drawn(draw, pair, halves))
    return operation


def _variants(pair: Sequence[int], halves: bool) -> list[Variant]:
    two = ",2" if pair else ""
    # Without axes there is no last one.
    empty = """
        empty-axes: no axes leave the data as it is
            axes=[]; signal_size=-|[]
    """
    return variants(f"""
        axes: any axis
            axes=0|1|2; signal_size=-
        negative-axis: a negative axis counts from the end of the numbers
            axes=-1|-3,-2; signal_size=-
            axes=-2,0; signal_size=4,-1
        axes-in-any-order: axes have no order, but that of signal_size
            axes=0,1,2|2,0,1; signal_size=5,3,7
            axes=1,2,0; signal_size=-1,4,2
            axes=2,1,0; signal_size=-
            {"axes=2,0,1; signal_size=5,2,6" if halves else ""}
        signal-size: the whole axis, padded and trimmed
            axes=1; signal_size={"-1|1|2|3|6|7|8|9|12|16" if halves else "-1|1|2|3|5|6|16"}
        power-of-2: sizes for which there are faster ways
            data=[3,16{two}]; axes=1; signal_size=-
            data=[8,64{two}]; axes=0,1; signal_size=-
            data=[2,3,1024{two}]; axes=2; signal_size=-
        not-a-power-of-2: sizes beside these
            data=[3,15{two}]; axes=1; signal_size=-
            data=[7,45{two}]; axes=0,1; signal_size=-
            data=[2,3,1023{two}]; axes=2; signal_size=-
        {"" if halves else empty.strip()}
    """)


def complex_fourier(name: str) -> Operation:
    """A transform of opset7 of complex numbers to complex numbers; the pages have the same examples."""
    large = "f32[16,768,580,320,2]"
    return fourier(
        name,
        "opset7",
        types("T", "floating-point type"),
        printed=examples(f"""
            data=f32[1,320,320,2]; axes=1,2 -> [1,320,320,2]
            data=f32[320,320,2]; axes=0,1 -> [320,320,2]
            data=f32[1,320,320,2]; axes=1,2; signal_size=512,100 -> [1,512,100,2]
            data=f32[320,320,2]; axes=0,1; signal_size=512,100 -> [512,100,2]
            data=f32[2,12,9,5,2]; axes=3,1,2; signal_size=3,-1,16 -> [2,12,16,3,2]
                scaled: {scaled(large)}
                printed: data={large}; axes=3,1,2; signal_size=170,-1,1024 -> [16,768,1024,170,2]
            data=f32[2,12,9,5,2]; axes=3,0,2; signal_size=4,-1,32 -> [2,12,32,4,2]
                scaled: {scaled(large)}
                printed: data={large}; axes=3,0,2; signal_size=258,-1,2056 -> [16,768,2056,258,2]
        """),
        variants_of_data="""
            impulse-and-wave: the transforms are known without computing
                data=f32:[[0,0],[1,0],[0,0],[0,0]]; axes=0; signal_size=-
                data=f32:[[1,0],[0,1],[-1,0],[0,-1]]; axes=0; signal_size=8
        """,
        readings=[NEGATIVE_AXIS],
    )
