"""What elementwise operations have in common: shapes, broadcasting, examples, and numbers whose results fit.

An operation with one input:

    Exp = Operation("Exp-1", opset="opset1", **unary(T, example=(1, 256)))
    unary_layers(Exp)

and one with two, which broadcast:

    Add = Operation("Add-1", opset="opset1", **binary(T, "none", "numpy", "pdpd"))
    binary_layers(Add)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import (
    Attribute,
    Draw,
    Example,
    Input,
    Interval,
    Operation,
    Output,
    Within,
    example,
)
from ir_models.element_types import ElementType, TypeSet
from ir_models.operation import Layer

_SHAPE = [2, 3, 5, 4, 1, 2, 3, 1]


def between(
    low: float, high: float, f16: tuple[float, float] | None = None, least: float = 0.0
) -> Within:
    """Numbers of an interval, of another one for f16, whose range is short, and of at least some magnitude."""

    def interval(layer: Layer, kind: ElementType) -> Interval:
        return Interval(*(f16 if f16 and kind.name == "f16" else (low, high)), least)

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


# --- one input ----------------------------------------------------------------------------------------------------


def unary(
    types: TypeSet,
    values: Any = None,
    name: str = "data",
    example: Sequence[int] | None = None,
    output: TypeSet | None = None,
) -> dict[str, Any]:
    """The inputs, outputs and examples of an operation with one input; ``example`` is the shape in the page's."""
    return {
        "inputs": [Input(name, types, values=values)],
        "outputs": [Output("output", output or types)],
        "examples": [unary_example(types, example, name)] if example else [],
    }


def unary_example(
    types: TypeSet, shape: Sequence[int], name: str = "data", **attributes: Any
) -> Example:
    """An example of one input and one output, ports 0 and 1."""
    layer: dict[str, Any] = {name: types.default[tuple(shape)], **attributes}
    return example(output=shape, ports=[0, 1], **layer)


def unary_layers(operation: Operation, **attributes: Any) -> None:
    """Plain and random layers of an operation with one input; the plain one has these attributes."""
    name = operation.inputs[0].name

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        return {name: _SHAPE[:rank], **attributes}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        given: dict[str, Any] = {name: _random_shape(draw)}
        for attribute in operation.attributes:
            given[attribute.name] = _any_value(attribute, draw)
        return given


def _random_shape(draw: Draw) -> list[int]:
    rank = draw.integer(0, 6)
    return draw.shape(rank, most=3 if rank > 4 else 5)


def _any_value(attribute: Attribute, draw: Draw) -> Any:
    values = attribute.type if attribute.is_enumeration else (False, True)
    return draw.choice([*values, *([] if attribute.required else [None])])


# --- two inputs ---------------------------------------------------------------------------------------------------


def binary(
    types: TypeSet,
    *broadcasts: str,
    values: tuple[Any, Any] = (None, None),
    output: TypeSet | None = None,
    attributes: Sequence[Attribute] = (),
    examples: Sequence[Example] | None = None,
    variants: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Inputs a and b, the output, ``auto_broadcast`` with these values, the examples that nearly all pages have."""
    return {
        "inputs": [
            Input(name, types, values=each) for name, each in zip("ab", values, strict=True)
        ],
        "outputs": [Output("output", output or types)],
        "attributes": [*attributes, Attribute("auto_broadcast", broadcasts, default="numpy")],
        "examples": binary_examples(types) if examples is None else examples,
        "variants": {**_binary_variants(broadcasts), **(variants or {})},
    }


def binary_examples(
    types: TypeSet, none: Mapping[str, Any] | None = None, numpy: Mapping[str, Any] | None = None
) -> list[Example]:
    """The two examples of most pages: equal shapes, and two shapes that broadcast; with more attributes of each."""
    kind = types.default
    return [
        example(
            a=kind[256, 56],
            b=kind[256, 56],
            **(none or {}),
            auto_broadcast="none",
            output=[256, 56],
            ports=[0, 1, 2],
        ),
        example(
            a=kind[8, 1, 6, 1],
            b=kind[7, 1, 5],
            **(numpy or {}),
            auto_broadcast="numpy",
            output=[8, 7, 6, 5],
            ports=[0, 1, 2],
        ),
    ]


def _binary_variants(broadcasts: Sequence[str]) -> dict[str, Any]:
    variants = {
        "equal-shapes": [
            {"a": [2, 3, 5, 4], "b": [2, 3, 5, 4], "auto_broadcast": mode} for mode in broadcasts
        ],
        "broadcast": [
            {"a": [3, 5, 4], "b": []},
            {"a": [], "b": [3, 5, 4]},
            {"a": [3, 5, 4], "b": [1]},
            {"a": [4], "b": [2, 3, 5, 4]},
            {"a": [2, 3, 1, 4], "b": [5, 1]},
            {"a": [2, 1, 5, 4], "b": [3, 1, 4]},
            {"a": [1, 3, 5], "b": [2, 3, 1]},
            {"a": [3, 1, 5, 1], "b": [2, 1, 4]},
            {"a": [2, 3, 5, 4], "b": [2, 1, 1, 1]},
        ],
    }
    if "pdpd" in broadcasts:
        # The attribute axis of the rules page is not in these operations' tables: the default aligns right.
        variants["broadcast-pdpd"] = [
            {"a": [2, 3, 5, 4], "b": shape, "auto_broadcast": "pdpd"}
            for shape in ([], [4], [5, 4], [3, 5, 4], [1, 5, 4], [1], [1, 1])
        ]
    return variants


def binary_layers(operation: Operation, **attributes: Any) -> None:
    """Plain and random layers of an operation with two inputs, and the rules of broadcasting."""
    broadcasts = next(a.type for a in operation.attributes if a.name == "auto_broadcast")

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        shape = _SHAPE[:rank]
        other = [*shape[1:-2], 1, *shape[-1:]] if rank > 2 else shape[1:]
        return {"a": shape, "b": other, **attributes, "auto_broadcast": "numpy"}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        shape = _random_shape(draw)
        mode = draw.choice([*broadcasts, "numpy", None])
        given: dict[str, Any] = {"a": shape, "b": shape, "auto_broadcast": mode}
        if mode == "pdpd":
            given["b"] = shape[draw.integer(0, len(shape)) :]
        elif mode != "none":
            given["a"], given["b"] = _part(shape, draw), _part(shape, draw)
        for attribute in operation.attributes:
            if attribute.name != "auto_broadcast":
                given[attribute.name] = _any_value(attribute, draw)
        return given

    @operation.rule(
        "with auto_broadcast none, a and b have one shape",
        broken=[{"auto_broadcast": "none"}, {"b": [2, 3, 5, 1], "auto_broadcast": "none"}],
    )
    def alike(layer: Layer) -> bool:
        return bool(layer.auto_broadcast != "none" or layer.a.shape == layer.b.shape)

    @operation.rule(
        "with auto_broadcast numpy, dimensions aligned right are equal or 1",
        broken=[{"b": [3, 2, 4]}, {"b": [5, 3, 2]}, {"a": [3, 1, 5], "b": [4, 4, 5]}],
    )
    def fits(layer: Layer) -> bool:
        pairs = zip(reversed(layer.a.shape), reversed(layer.b.shape), strict=False)
        return layer.auto_broadcast != "numpy" or all(m == n or 1 in (m, n) for m, n in pairs)

    if "pdpd" in broadcasts:

        @operation.rule(
            "with auto_broadcast pdpd, the shape of b is a part of that of a, aligned right",
            broken=[
                {"a": [8, 1, 6, 1], "b": [7, 1, 5], "auto_broadcast": "pdpd"},
                {"a": [5, 4], "b": [2, 5, 4], "auto_broadcast": "pdpd"},
            ],
        )
        def is_part(layer: Layer) -> bool:
            a, b = layer.a.shape, layer.b.shape
            if layer.auto_broadcast != "pdpd":
                return True
            start = len(a) - len(b)
            return start >= 0 and all(n in (1, a[start + i]) for i, n in enumerate(_trimmed(b)))


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
