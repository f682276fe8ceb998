"""Sequences of numbers that differ by a step.

Range = ranges("Range-1", "opset1", [T, T, T], T, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_models.declaration import (
    Attribute,
    Draw,
    Example,
    Index,
    Layer,
    Operation,
    Output,
    Reading,
    TypeSet,
    Variant,
    exactly,
    rule,
    variants,
)
from ir_models.element_types import NUMERIC, ElementType

NAMES = ("start", "stop", "step")
PLAIN = {"start": 1, "stop": 7, "step": 2}
# Of each type three numbers, behind which the next one does not fit in the type.
ENDS = {
    "i8": (-128, 127, 100),
    "u8": (200, 255, 30),
    "i16": (32000, 32767, 400),
    "u16": (65000, 65535, 300),
    "i32": (2**31 - 8, 2**31 - 1, 3),
    "u32": (2**32 - 8, 2**32 - 1, 3),
    "i64": (2**63 - 8, 2**63 - 1, 3),
    "u64": (2**64 - 8, 2**64 - 1, 3),
}
DOWN = {
    "i8": (127, -128, -100),
    "i16": (-32000, -32768, -400),
    "i32": (-(2**31) + 7, -(2**31), -3),
    "i64": (-(2**63) + 7, -(2**63), -3),
}
# Numbers that narrow types do not have.
LARGE = {"i32": (2**24 + 1, 2**24 + 10, 2), "i64": (2**53 + 1, 2**53 + 10, 2)}


def ranges(
    name: str,
    opset: str,
    kinds: Sequence[TypeSet],
    output: TypeSet | Callable[[Layer], ElementType],
    in_type: Callable[..., str],
    *,
    examples: Sequence[Example],
    readings: Sequence[Reading],
    attributes: Sequence[Attribute] = (),
    plain: Mapping[str, Any] = {},
    extra: Sequence[Variant] = (),
) -> Operation:
    """The numbers from ``start`` on, up to but not including ``stop``, with a ``step``.

    ``kinds``: the types of the three. ``in_type`` writes a type and three numbers as a change of the plain layer.
    ``plain``: attributes of the plain layer.
    """

    def each(of: Mapping[str, tuple[int, int, int]]) -> str:
        return "\n".join(f"    {in_type(kind, *three)}" for kind, three in of.items())

    def reals(*three: float) -> str:
        return "\n".join(f"    {in_type(kind, *three)}" for kind in ("f16", "bf16", "f32", "f64"))

    texts = [
        "negative-step: down to stop",
        *(f"    {in_type(kind, 7, 1, -2)}" for kind in ("i8", "i32", "i64", "f16", "f32", "f64")),
        f"    {in_type('i32', -2, -23, -5)}",
        "fractional-step: steps that are no whole numbers",
        reals(0.5, 3.25, 0.75),
        reals(2.5, -1.5, -0.5),
        f"    {in_type('f32', -1.5, 1.5, 0.125)}",
        "stop-between: stop is none of the numbers, or the next one",
        *(f"    {in_type('i32', 1, stop, 3)}" for stop in (6, 7, 8)),
        *(f"    {in_type('f32', 1.0, stop, 1.5)}" for stop in (3.75, 4.0, 4.25)),
        *(f"    {in_type('i32', -1, stop, -3)}" for stop in (-6, -7, -8)),
        "one-number: the step goes beyond stop",
        f"    {in_type('i32', 5, 6, 1)}",
        f"    {in_type('f32', 5.0, 6.0, 100.0)}",
        f"    {in_type('i32', 5, -6, -100)}",
        "no-number (may be empty): stop is start, or on its other side",
        f"    {in_type('i32', 5, 5, 2)}",
        f"    {in_type('i32', 7, 5, 2)}",
        f"    {in_type('f32', 2.5, 2.5, -0.5)}",
        f"    {in_type('f32', 2.5, 7.5, -0.5)}",
        "count: a quotient so near to a whole number that rounding decides how many numbers there are",
        f"    {in_type('f32', 0.0, 0.3, 0.1)}",
        f"    {in_type('f32', 0.3, 0.0, -0.1)}",
        f"    {in_type('f32', 0.0, 1.0, 0.1)}",
        f"    {in_type('f64', 0.0, 1.1, 0.1)}",
        f"    {in_type('f16', 0.0, 0.9, 0.3)}",
        f"    {in_type('bf16', 0.0, 0.7, 0.1)}",
        "many: a long sequence",
        f"    {in_type('i32', 0, 5000, 1)}",
        f"    {in_type('i64', 5000, 0, -3)}",
        f"    {in_type('f32', 0.0, 1000.0, 0.3)}",
        f"    {in_type('f16', 0.0, 500.0, 0.75)}",
        "ends: the number behind the last does not fit in the type",
        each(ENDS),
        each(DOWN),
        "beyond-24-bits: numbers that f32 and f64 do not have",
        each(LARGE),
    ]
    operation = Operation(
        name,
        opset,
        inputs=[Index(n, kind, exactly(0)) for n, kind in zip(NAMES, kinds, strict=True)],
        outputs=[Output("output", output)],
        attributes=attributes,
        examples=examples,
        rules=[
            rule(
                "step is not 0",
                lambda layer: abs(layer.step.value) >= 1 or (is_real(layer) and layer.step.value),
                unasked="the page does not define numbers that do not differ",
            ),
        ],
        variants=[*variants("\n".join(texts)), *extra],
        readings=readings,
    )

    def is_real(layer: Layer) -> bool:
        (kind,) = operation.output_types(layer)
        return kind.is_float

    @operation.plain
    def plain_layer() -> Mapping[str, Any]:
        return {**PLAIN, **plain}

    @operation.random
    def layer(draw: Draw) -> Any:
        kind = draw.choice(NUMERIC)
        low, high = kind.integer_range if kind.is_integer else (-50, 50)
        start, stop = (draw.integer(max(low, -50), min(high, 100)) for _ in range(2))
        step = draw.integer(1, 9) * (1 if kind.is_integer else 0.25)
        if stop < start and low < 0:
            step = -step
        return in_type(kind.name, *sorted([start, stop]) if not low else (start, stop), step)

    return operation
