"""Reductions: data, axes, keep_dims, the four examples of their pages.

ReduceSum = reduction("ReduceSum-1", "opset1", T, Within(summands), sums=SUMS)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ElementType

T_IND = types("T_IND", "any supported integer type")


def _others(layer: Layer) -> Mapping[str, Any]:
    """Axes that have elements."""
    return {"axes": [axis for axis, size in enumerate(layer.data.shape) if size][1:]}


def _plain(rank: int = 4) -> Mapping[str, Any]:
    axes = [[], [0], [1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 5], [3, 5]][rank]
    return {"data": [3, 2, 5, 4, 2, 3, 1, 2][:rank], "axes": axes, "keep_dims": True}


def _drawn(draw: Draw) -> Mapping[str, Any]:
    rank = draw.integer(1, 6)
    axes = [a - rank if draw.boolean() else a for a in draw.subset(range(rank))]
    single = len(axes) == 1 and draw.boolean()
    return {
        "data": draw.shape(rank, most=3 if rank > 4 else 5),
        "axes": axes[0] if single else axes,
        "keep_dims": draw.choice([None, False, True]),
    }


def reduction(
    name: str,
    opset: str,
    data: TypeSet,
    values: Any = None,
    *,
    sums: Sums | None = None,
    of_nothing: bool = True,
    variants: Sequence[Variant] = (),
    readings: Sequence[Reading] = (),
) -> Operation:
    """A reduction of ``data`` along ``axes``, which may be a number or a list.

    ``of_nothing``: whether the page defines the result of no elements.
    """
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("data", data, values=values),
            Index("axes", T_IND, between(0, 1), axis_of="data", distinct=True),
        ],
        outputs=[Output("output", data)],
        attributes=[Attribute("keep_dims", bool, default=False)],
        examples=[
            example(data=data.default[6, 12, 10, 24], axes=axes, keep_dims=keep_dims, output=output)
            for axes, keep_dims, output in (
                ([2, 3], True, [6, 12, 1, 1]),
                ([2, 3], False, [6, 12]),
                ([1], False, [6, 10, 24]),
                ([-2], False, [6, 12, 24]),
            )
        ],
        sums=sums,
        mixes=True,
        violations=["axes=[4]", "axes=[2,-2]", "axes=[0,3,-4]"],
        rules=[] if of_nothing else [_SOMETHING],
        variants=[*_VARIANTS, *variants],
        readings=readings if of_nothing else [_OF_NOTHING, *readings],
    )

    if not of_nothing:
        operation.adapt(_others)

    operation.plain(_plain)
    operation.random(_drawn)
    return operation


_SOMETHING = rule(
    "every element of the output is that of some elements of data",
    lambda layer: reduced(layer) > 0,
    unasked="reducing an empty tensor is undefined",
)

_OF_NOTHING = Reading(
    "the result of no elements",
    "It is not tested.",
    "'Reducing empty tensor results in an undefined behavior.'",
    "silence",
)

_VARIANTS = variants("""
    axes: any axes may be reduced
        axes=[0]|[1]|[2]|[3]|[0,1]|[1,3]|[0,3]|[0,1,3]|[1,2,3]
    axes-in-any-order: axes have no order
        axes=[3,1]|[2,0,3]|[-1,0]
    negative-axis: a negative axis counts from the end
        axes=[-1]|[-4]|[-2,-3]
    scalar-axes: axes may be a scalar
        axes=2|0
        axes=-1; keep_dims=false
    all-axes: all axes leave one element
        axes=[0,1,2,3]; keep_dims=true|false
    empty-axes: no axes leave the data as it is
        axes=[]; keep_dims=true|false
""")


def reduced(layer: Layer) -> int:
    """How many elements make one of the output; 1 for a layer whose axes are wrong."""
    try:
        return math.prod(layer.data.shape[axis] for axis in axes_of(layer, "axes"))
    except ValueError:
        return 1


def summands(layer: Layer, kind: ElementType) -> Interval | None:
    """Integers such that the sum of all that are reduced fits; any ordinary reals."""
    return terms(kind, reduced(layer))


def terms(kind: ElementType, count: int) -> Interval | None:
    """Integers such that a sum of ``count`` fits in 32 bits and in their type; any ordinary reals.

    Of types of a few bits -1 and 1: most of their sums fit.
    """
    if not kind.is_integer:
        return None
    low, high = kind.integer_range
    count = max(count, 1)
    least, most = -(min(-low, 2**31) // count), min(high, 2**31 - 1) // count
    return Interval(least, most) if most else Interval(max(low, -1), 1)


# Sums over two axes of which the results are more than a thousand.
SUMS = Sums(
    lambda layer: {"data": tuple(numbers(layer.axes))},
    {"data": [20, 10, 60, 17], "axes": [1, 3], "keep_dims": False},
)


# No axes, where the formula of a norm does not leave a negative number as it is.
NORM_WITHOUT_AXES = Reading(
    "'If axes is an empty list, [it] corresponds to the identity operation', against the norm of one number",
    "The data as it is, with its signs.",
    "The sentence speaks of this case alone.",
    "contradiction",
    admits="The absolute values.",
)

# What the largest and the smallest numbers show: both signs alone, and what differs in the last bit of a type.
_EXTREMES = [
    *variants("""
        one-sign: all numbers are below zero, or above
            data=f32:[[-3.5,-1.25],[-2.0,-7.5],[-0.5,-0.25]]; axes=[1]|[0]
            data=f32:[[3.5,1.25],[2.0,7.5],[0.5,0.25]]; axes=[1]|[0]
            data=i8:[[-3,-1],[-128,-7]]; axes=[1]|[0]
            data=u8:[[3,255],[128,7]]; axes=[1]|[0]
        infinities: infinities are the largest and the smallest numbers
            data=f32:[[inf,1.0],[-inf,1.0],[-inf,-inf],[inf,inf],[inf,-inf]]; axes=[1]
            data=f16:[[inf,65504.0],[-inf,-65504.0],[-inf,-inf],[inf,inf]]; axes=[1]
    """),
    variant(
        "neighbours",
        "numbers are compared exactly",
        *(
            f"data={kind}:[[{low},{high}],[{high},{low}]]; axes=[1]"
            for kind, low, high in (
                ("f16", 1.0, 1 + 2.0**-10),
                ("bf16", 1.0, 1 + 2.0**-7),
                ("f32", 1.0, 1 + 2.0**-23),
                ("f64", 1.0, 1 + 2.0**-52),
                ("i32", 2**24, 2**24 + 1),
                ("i32", -(2**31), 2**31 - 1),
                ("u32", 2**31 - 1, 2**32 - 1),
                ("i64", 2**53, 2**53 + 1),
                ("i64", 5, 2**32 + 4),
                ("u64", 2**63 - 1, 2**64 - 1),
            )
        ),
    ),
]


def extreme(name: str, types: TypeSet) -> Operation:
    """The largest or the smallest number along axes."""
    return reduction(
        name,
        "opset1",
        types,
        of_nothing=False,
        variants=_EXTREMES,
        readings=[
            Reading(
                "NaN among the numbers",
                "The result is not judged.",
                "The page gives NaN no order.",
                "silence",
            ),
        ],
    )


def truth(name: str, types: TypeSet, *, decisive: bool) -> Operation:
    """Whether all or any of the elements along axes are true; ``decisive`` is the value that decides alone."""

    def values(layer: Layer, kind: ElementType) -> Sequence[bool]:
        """So few decisive elements that results differ."""
        return [decisive, *[not decisive] * max(reduced(layer), 1)]

    return reduction(
        name,
        "opset1",
        types,
        Within(values),
        variants=variants("""
            truth-table: all pairs of truth values
                data=boolean:[[false,false],[false,true],[true,false],[true,true]]; axes=[1]|[-1]
        """),
    )
