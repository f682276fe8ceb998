"""Elementwise operations: of one input, of two that broadcast, comparisons and logical ones.

Exp = unary("Exp-1", "opset1", T, reals(-20.0, 20.0), example=(1, 256))
Add = binary("Add-1", "opset1", T, values=(HALVES, HALVES))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import (
    COMMON_TYPES,
    ElementType,
    f8e8m0,
    nf4,
    string,
)

_SHAPE = [2, 3, 5, 4, 1, 2, 3, 1]
BROADCASTS = ("none", "numpy", "pdpd")
PDPD_OF_ONES = Reading(
    "pdpd: 'Apply broadcast B to match the shape of A', of dimensions of 1 in B",
    "They match any dimension of A, 0 as well.",
    "Numpy broadcasting does so, and nothing excludes 0.",
    "silence",
    admits="A dimension of 1 that does not match one of 0.",
)


def reals(
    low: float,
    high: float,
    f16: tuple[float, float] | None = None,
    least: float = 0.0,
    unsigned: tuple[float, float] | None = None,
) -> Within:
    """Numbers of an interval, and of at least some magnitude.

    ``f16``: another interval for f16, whose range is short. ``unsigned``: another one for unsigned integers, where
    results would be negative, which these cannot hold, so that any output would pass.
    """

    def interval(layer: Layer, kind: ElementType) -> Interval:
        if f16 and kind.name == "f16":
            return Interval(*f16, least)
        if unsigned and kind.is_integer and kind.integer_range[0] == 0:
            return Interval(*unsigned, least)
        return Interval(low, high, least)

    return Within(interval)


def halves(layer: Layer, kind: ElementType) -> Interval | None:
    """Integers whose sums and differences fit in their type; any ordinary reals."""
    if not kind.is_integer:
        return None
    low, high = kind.integer_range
    # 64-bit integers beyond 32 bits are a purpose of their own.
    return Interval(max(low, -(2**31)) // 2, min(high, 2**31 - 1) // 2)


HALVES = Within(halves)


def not_zero(layer: Layer, kind: ElementType) -> Sequence[int] | None:
    """Integers to divide by; any ordinary reals."""
    if not kind.is_integer:
        return None
    low, high = kind.integer_range
    return [*range(max(low, -100), 0), *range(1, min(high, 100) + 1)]


DIVISORS = Within(not_zero)


def in_the_middle(name: str) -> Within:
    """Any number; one in the middle for an input that all elements of the other one meet."""

    def values(layer: Layer, kind: ElementType) -> Sequence[int] | None:
        if layer.tensors(name)[0].size > 1:
            return None
        low, high = kind.integer_range if kind.is_integer else (0, 2)
        # Ordinary integers have 31 bits; those of more are a purpose of their own.
        return [(max(low, -(2**31)) + min(high, 2**31 - 1) + 1) // 2]

    return Within(values)


def root_of_most(kind: ElementType) -> int:
    """The largest number whose square fits in an integer type; of 64 bits in 32."""
    return math.isqrt(min(kind.integer_range[1], 2**31 - 1))


def roots(layer: Layer, kind: ElementType) -> Interval | None:
    """Integers whose products fit in their type; any ordinary reals."""
    if not kind.is_integer:
        return None
    most = root_of_most(kind)
    return Interval(max(kind.integer_range[0], -most), most)


ROOTS = Within(roots)


# --- one input ----------------------------------------------------------------------------------------------------


def unary(
    name: str,
    opset: str,
    types: TypeSet,
    values: Any = None,
    *,
    data: str = "data",
    example: Sequence[int] = (),
    examples: Sequence[Example] = (),
    output: TypeSet | Callable[[Layer], ElementType] | None = None,
    attributes: Sequence[Attribute] = (),
    numbers: Sequence[Input] = (),
    variants: Sequence[Variant] = (),
    rules: Sequence[Rule] = (),
    readings: Sequence[Reading] = (),
    sweep: bool = True,
) -> Operation:
    """An operation with one input, called ``data``, and one output of its shape.

    ``example`` is the shape in the page's example; ``examples`` where there are more or they have attributes.
    ``numbers`` are index inputs of one element each, such as the slope of an activation; other inputs where the
    declaration draws its own layers. Without ``sweep`` the operation is not asked for every finite number of a short
    type.
    """
    operation = Operation(
        name,
        opset,
        inputs=[Input(data, types, values=values), *numbers],
        outputs=[Output("output", output or types)],
        attributes=attributes,
        examples=[*([_unary_example(types, data, example)] if example else []), *examples],
        variants=[tails(*(f"{data}=[{length}]" for length in TAILS)), *variants],
        rules=rules,
        readings=readings,
        sweeps=data if sweep else "",
    )

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        return {data: _SHAPE[:rank], **_plain_values([*numbers, *attributes])}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        given = {each.name: _any_number(each, draw) for each in numbers}
        given |= {a.name: _any_value(a, draw) for a in attributes}
        return {data: _random_shape(draw), **given}

    return operation


# One element, vectors of 8 and of 16 numbers, and one less or more: the rest is the work of other code.
TAILS = (1, 7, 8, 15, 16, 17, 31, 33)


def tails(*changes: str) -> Variant:
    """The variant that has data of every length of ``TAILS``."""
    return variant("tail", "elements are alike, those that fill no vector too", *changes)


SUBNORMALS = variant(
    "subnormals",
    "numbers too small to be normal are finite, and not infinite",
    "data=f32:[1e-40,-1e-40,1e-45,nan,inf]",
    "data=bf16:[1e-40,-1e-40,nan,inf]",
    "data=f16:[6e-8,-6e-5,nan,inf]",
)


def some_not_finite(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """NaN, infinities of both signs, and finite numbers up to the ends of the types."""
    (tensor,) = layer.tensors(layer.operation.inputs[0].name)
    largest = [65504.0, -65504.0, 3.4028234e38, -3.4028234e38]
    others = [0.0, -0.0, 1.5, -2.75, 2.0**-14, -(2.0**-14)]
    numbers = [*[np.nan, np.inf, -np.inf] * 3, *largest, *others]
    return np.resize(state.permutation(numbers), tensor.shape)


def _any_number(declared: Input, draw: Draw) -> Any:
    """The number of the plain layer, or one near it that is not negative; or none, where it may be left out."""
    if declared.optional and draw.boolean():
        return None
    near = np.abs(np.asarray(declared.plain) + draw.integer(-8, 8) / 8)
    return near.tolist()


def _unary_example(types: TypeSet, data: str, shape: Sequence[int]) -> Example:
    return example(f"{data}={types.default[tuple(shape)]}", output=shape)


def _plain_values(parameters: Sequence[Input | Attribute]) -> dict[str, Any]:
    return {each.name: each.plain for each in parameters if each.plain is not None}


def _random_shape(draw: Draw) -> list[int]:
    rank = draw.integer(0, 6)
    return draw.shape(rank, most=3 if rank > 4 else 5)


def _any_value(attribute: Attribute, draw: Draw) -> Any:
    values: Sequence[Any] = (attribute.plain,)
    if attribute.is_enumeration:
        values = attribute.type
    elif attribute.type is bool:
        values = (False, True)
    elif attribute.type is float:
        number = attribute.plain + draw.integer(-8, 8) / 8
        values = [number if attribute.least is None else max(number, float(attribute.least))]
    elif attribute.types is not None:
        values = [kind for kind in COMMON_TYPES if kind in attribute.types]
    return draw.choice([*values, *([] if attribute.required else [None])])


# --- two inputs ---------------------------------------------------------------------------------------------------


def binary(
    name: str,
    opset: str,
    types: TypeSet,
    *,
    broadcasts: Sequence[str] = BROADCASTS,
    values: tuple[Any, Any] = (None, None),
    output: TypeSet | None = None,
    attributes: Sequence[Attribute] = (),
    examples: Sequence[Example],
    variants: Sequence[Variant] = (),
    readings: Sequence[Reading] = (),
    algebra: str = "",
) -> Operation:
    """An operation with inputs a and b, which broadcast as ``auto_broadcast`` says."""
    operation = Operation(
        name,
        opset,
        inputs=[Input(each, types, values=v) for each, v in zip("ab", values, strict=True)],
        outputs=[Output("output", output or types)],
        attributes=[*attributes, Attribute("auto_broadcast", tuple(broadcasts), default="numpy")],
        examples=examples,
        variants=[*_binary_variants(broadcasts), *variants],
        rules=_binary_rules(broadcasts),
        readings=[*readings, *([PDPD_OF_ONES] if "pdpd" in broadcasts else [])],
        algebra=algebra,
    )

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        shape = _SHAPE[:rank]
        other = [*shape[1:-2], 1, *shape[-1:]] if rank > 2 else shape[1:]
        given = _plain_values(attributes)
        return {"a": shape, "b": other, **given, "auto_broadcast": "numpy"}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        shape = _random_shape(draw)
        mode = draw.choice([*broadcasts, "numpy", None])
        given: dict[str, Any] = {"a": shape, "b": shape, "auto_broadcast": mode}
        if mode == "pdpd":
            given["b"] = shape[draw.integer(0, len(shape)) :]
        elif mode != "none":
            given["a"], given["b"] = _part(shape, draw), _part(shape, draw)
        return {**given, **{a.name: _any_value(a, draw) for a in attributes}}

    operation.adapt(lambda layer: broadcastable(layer, "ab"))
    return operation


def broadcastable(layer: Layer, names: Sequence[str]) -> dict[str, Any]:
    """These inputs with the smallest of the sizes that do not broadcast, on each axis counted from the right."""
    tensors = {name: layer.tensors(name)[0] for name in names}
    found = {name: list(tensor.shape) for name, tensor in tensors.items()}
    for axis in range(1, max(map(len, found.values())) + 1):
        here = [shape for shape in found.values() if len(shape) >= axis and shape[-axis] != 1]
        least = min((shape[-axis] for shape in here), default=1)
        for shape in here:
            shape[-axis] = least
    return {name: tensors[name].with_shape(*shape) for name, shape in found.items()}


T_BOOL = types("T_BOOL", "boolean")
_BITWISE = types("T", "any supported integer or boolean type")


NO_ORDER = Reading(
    "'arbitrary supported type'",
    "string is not tested.",
    "The page gives strings no order.",
    "silence",
)

NAN_IS_OPEN = Reading(
    "NaN among the numbers",
    "The result is not judged.",
    "The page gives NaN no order.",
    "silence",
)

NAN_IS_NOT_COMPARED = Reading(
    "NaN in a comparison",
    "The result is not judged.",
    "The page has the sign of the comparison alone, which is of numbers; it names neither NaN nor IEEE 754.",
    "silence",
)

LARGE_INTEGERS = variant(
    "large-integers",
    "results beyond 2^24 and 2^31 are whole numbers as well",
    "data=i32:[18,-19,20,1]",
    "data=i64:[20,-25,30,1]",
    "data=u64:[20,25,30,1]",
)
TO_NEAREST = Reading(
    "results of integers that are no integers",
    "They are rounded to the nearest.",
    "Tan-1 prints so: the tangent of 1, which is 1.56, is 2.",
    "silence",
    admits="Results without their fractions: other pages have no rounding.",
)
OUTSIDE = Reading(
    "numbers outside the domain",
    "They are not judged.",
    "No real number is the answer.",
    "silence",
)
AT_MINUS_INFINITY = Reading(
    "x = -infinity",
    "It is not judged.",
    "The formula is -infinity times 0.",
    "silence",
)
FROM_OPSET4 = Reading(
    "the version, 3",
    "The operation is in opset4 and later sets.",
    "The list of opset4 is the first that has it.",
    "slip",
)

# Both sides of -3 and of 3, where min(max(x + 3, 0), 6) turns.
_AROUND_THREE = {
    "f32": [2.5, 3 - 2.0**-22, 3.0, 3 + 2.0**-22, 4.0, 1e30],
    "f16": [2.5, 3 - 2.0**-9, 3.0, 3 + 2.0**-9, 4.0, 60000.0],
    "bf16": [2.5, 3 - 2.0**-6, 3.0, 3 + 2.0**-6, 4.0, 1e30],
}
HARD_ENDS = [
    variant(
        "ends",
        "both sides of -3 and of 3",
        *(f"data={kind}:{[*near, *(-x for x in near)]}" for kind, near in _AROUND_THREE.items()),
    )
]


def comparison(
    name: str,
    types: TypeSet,
    *,
    examples: Sequence[Example],
    beside: tuple[bool, bool] = (True, True),
    readings: Sequence[Reading] = (),
) -> Operation:
    """A comparison of opset1: two inputs of one type, an output of booleans.

    ``beside``: the truth values of a and of b beside which all those of the other input show.
    """
    return binary(
        name,
        "opset1",
        types,
        values=(_few("a", beside[0]), _few("b", beside[1])),
        output=T_BOOL,
        examples=examples,
        variants=_COMPARISON_VARIANTS,
        readings=[*readings, NAN_IS_NOT_COMPARED],
    )


def _few(name: str, beside: bool) -> Within:
    """So few numbers that many are equal; one in the middle for an input that all elements of the other one meet."""

    def values(layer: Layer, kind: ElementType) -> Sequence[int] | None:
        if kind is string:
            return None
        if kind is f8e8m0:
            few = [1, 2, 4, 8]
        elif kind is nf4:
            few = [-1, 0, 1]
        else:
            low, high = kind.integer_range if kind.is_integer else (-1, 2)
            few = [0, 1] if kind.kind == "boolean" else [*range(max(low, -1), min(high, 2) + 1)]
        if layer.tensors(name)[0].size > 1:
            return few
        return [int(beside)] if kind.kind == "boolean" else few[1:2]

    return Within(values)


# What differs in the last bit of a type, but not in a shorter one.
_NEIGHBOURS = (
    ("f16", [1.0, 1.0, 2048.0, -0.125], [1.0, 1 + 2.0**-10, 2050.0, -0.125]),
    ("bf16", [1.0, 1.0, 256.0, -0.125], [1.0, 1 + 2.0**-7, 258.0, -0.125]),
    ("f32", [1.0, 1.0, 2.0**24, -0.1], [1.0, 1 + 2.0**-23, 2.0**24 + 2, -0.1]),
    ("f64", [1.0, 1.0, 2.0**53, -0.1], [1.0, 1 + 2.0**-52, 2.0**53 + 2, -0.1]),
    ("i32", [2**24, 2**24, -(2**31), 2**31 - 1], [2**24, 2**24 + 1, 2**31 - 1, 2**31 - 1]),
    ("i64", [2**53, 2**53, 5, -(2**63)], [2**53, 2**53 + 1, 2**32 + 5, -(2**63)]),
    ("u64", [2**53, 2**53, 5, 2**64 - 1], [2**53, 2**53 + 1, 2**32 + 5, 2**64 - 1]),
)

NEIGHBOURS = variant(
    "neighbours",
    "numbers are compared exactly",
    *(f"a={t}:{a}; b={t}:{b}" for t, a, b in _NEIGHBOURS),
    *(f"a={t}:{b}; b={t}:{a}" for t, a, b in _NEIGHBOURS),
)

_COMPARISON_VARIANTS = [
    NEIGHBOURS,
    variant(
        "zeros-of-both-signs",
        "zeros of both signs are equal",
        *(
            f"a={t}:[0.0,-0.0,0.0,1.0]; b={t}:[-0.0,0.0,0.0,-1.0]"
            for t in ("f16", "f32", "f64", "bf16")
        ),
    ),
]


_TRUTH_TABLE = variants("""
    truth-table: all pairs of truth values
        a=boolean:[false,false,true,true]; b=boolean:[false,true,false,true]
""")


def logical(
    name: str,
    *,
    examples: Sequence[Example],
    beside: bool = True,
) -> Operation:
    """A logical operation of opset1 on two inputs of booleans.

    ``beside``: the truth value beside which the other input shows.
    """
    return binary(
        name,
        "opset1",
        T_BOOL,
        values=(_beside("a", beside), _beside("b", beside)),
        examples=examples,
        variants=_TRUTH_TABLE,
    )


def _beside(name: str, value: bool) -> Within:
    """One truth value, or mostly that, where there is but little of this input, so that the other one shows."""

    def values(layer: Layer, kind: ElementType) -> Sequence[int] | None:
        size = layer.tensors(name)[0].size
        return [value] if size < 4 else [value, value, not value] if size < 8 else None

    return Within(values)


def bitwise(name: str, *, examples: Sequence[Example]) -> Operation:
    """A bitwise operation of opset13 on two inputs; the pages print numbers of two types."""
    ends = [kind for kind in _BITWISE.types if kind.is_integer]
    return binary(
        name,
        "opset13",
        _BITWISE,
        examples=examples,
        variants=[
            *variants("""
                printed: the page's own numbers
                    a=boolean:[true,false,false]; b=boolean:[true,true,false]
                    a=u8:[21,120]; b=u8:[3,37]
            """),
            variant(
                "truth-table",
                "all pairs of bits",
                "a=boolean:[false,false,true,true]; b=boolean:[false,true,false,true]",
                *(f"a={kind}:[0,0,1,1]; b={kind}:[0,1,0,1]" for kind in ends),
            ),
            variant(
                "ends",
                "every bit counts, that of the sign too",
                *(
                    f"a={kind}:[{low},{high},{high},{low}]; b={kind}:[{low},{low},{high},{low + 5}]"
                    for kind in ends
                    for low, high in [kind.integer_range]
                ),
            ),
            *variants(f"""
                beyond-32-bits: 64-bit integers are exact
                    a=i64:[{2**53 + 1},{-(2**40) - 3},{2**62 + 9}]; b=i64:[{2**54 + 1},7,{2**62 + 3}]
                    a=u64:[{2**53 + 1},{2**40 + 3},{2**63 + 9}]; b=u64:[{2**54 + 1},7,{2**63 + 3}]
            """),
        ],
    )


def _binary_variants(broadcasts: Sequence[str]) -> list[Variant]:
    found = [
        tails(
            *(f"a=[{length}]; b=[{length}]; auto_broadcast=numpy" for length in TAILS),
            *(f"a=[{length}]; b=[]; auto_broadcast=numpy" for length in TAILS[1:]),
        ),
        *variants(f"""
            equal-shapes: shapes that are equal need no broadcasting
                a=[2,3,5,4]; b=[2,3,5,4]; auto_broadcast={"|".join(broadcasts)}
            broadcast: shapes align right, a dimension of 1 repeats
                a=[3,5,4]; b=[]|[1]
                a=[]; b=[3,5,4]
                a=[4]; b=[2,3,5,4]
                a=[2,3,1,4]; b=[5,1]
                a=[2,1,5,4]; b=[3,1,4]
                a=[1,3,5]; b=[2,3,1]; auto_broadcast=numpy|-
                a=[3,1,5,1]; b=[2,1,4]
                a=[2,3,5,4]; b=[2,1,1,1]
        """),
    ]
    if "pdpd" in broadcasts:
        # The attribute axis of the rules page is not in these operations' tables: the default aligns right.
        parts = "b=[]|[4]|[5,4]|[3,5,4]|[1,5,4]|[1]|[1,1]"
        changes = f"a=[2,3,5,4]; {parts}; auto_broadcast=pdpd"
        found.append(variant("broadcast-pdpd", "b is a part of the shape of a", changes))
        found.append(
            variant(
                "pdpd-trailing-ones",
                "trailing dimensions of 1 of b are no part: (3, 1) => (3)",
                "a=[2,5,3,4]; b=[3,1]|[5,3,1]|[5,1,1]; auto_broadcast=pdpd",
            )
        )
    return found


def _binary_rules(broadcasts: Sequence[str]) -> list[Rule]:
    found = [
        rule(
            "with auto_broadcast none, a and b have one shape",
            lambda layer: layer.auto_broadcast != "none" or layer.a.shape == layer.b.shape,
            ["auto_broadcast=none", "b=[2,3,5,1]; auto_broadcast=none"],
        ),
        rule(
            "with auto_broadcast numpy, dimensions aligned right are equal or 1",
            lambda layer: layer.auto_broadcast != "numpy" or broadcast(layer.a, layer.b),
            ["b=[3,2,4]|[5,3,2]", "a=[3,1,5]; b=[4,4,5]"],
        ),
    ]
    if "pdpd" in broadcasts:
        found.append(
            rule(
                "with auto_broadcast pdpd, the shape of b is a part of that of a, aligned right",
                lambda layer: layer.auto_broadcast != "pdpd" or is_part(layer.b, layer.a),
                [
                    "a=[8,1,6,1]; b=[7,1,5]; auto_broadcast=pdpd",
                    "a=[5,4]; b=[2,5,4]; auto_broadcast=pdpd",
                ],
            )
        )
    return found


def broadcast(a: Any, b: Any) -> bool:
    """Whether two tensors broadcast by the rules of NumPy."""
    pairs = zip(reversed(a.shape), reversed(b.shape), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs)


def repeats_to(tensor: Any, whole: Any) -> bool:
    """Whether one tensor broadcasts to the shape of another by the rules of NumPy."""
    pairs = zip(reversed(tensor.shape), reversed(whole.shape), strict=False)
    return tensor.rank <= whole.rank and all(n in (1, size) for n, size in pairs)


def is_part(part: Any, whole: Any) -> bool:
    """Whether the shape of one tensor, without trailing ones, is a part of another's, both aligned right."""
    start = whole.rank - part.rank
    pairs = enumerate(_trimmed(part.shape))
    return start >= 0 and all(n in (1, whole.shape[start + i]) for i, n in pairs)


def _part(shape: Sequence[int], draw: Draw) -> list[int]:
    """A shape that broadcasts to ``shape``, or nearly: leading dimensions away, some dimensions 1."""
    kept = shape[draw.integer(0, len(shape)) :] if draw.integer(0, 2) == 0 else shape
    return [1 if draw.integer(0, 3) == 0 else size for size in kept]


def _trimmed(shape: Sequence[int]) -> Sequence[int]:
    """Without trailing dimensions of 1."""
    kept = len(shape)
    while kept and shape[kept - 1] == 1:
        kept -= 1
    return shape[:kept]
