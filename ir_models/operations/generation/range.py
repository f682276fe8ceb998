"""Range: numbers from start to stop with a step (pages Range-1 and Range-4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.vocabulary.element_types import NUMERIC, ElementType, f32

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


def fit(layer: Layer, kind: ElementType) -> bool:
    """Whether a type holds the first and the last number."""
    start, stop, step = (float(getattr(layer, name).value) for name in NAMES)
    count = math.ceil((stop - start) / step) if step else 0
    if count <= 0 or not kind.is_integer:
        return True
    first, by = (int(getattr(layer, name).value) for name in ("start", "step"))
    least, most = kind.integer_range
    return all(least <= each <= most for each in (first, first + (count - 1) * by))


def _variants(in_type: Callable[..., str]) -> list[Variant]:
    """The variants of each page, written by ``in_type``."""

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
    return variants("\n".join(texts))


def _drawn(draw: Draw, in_type: Callable[..., str]) -> Any:
    kind = draw.choice(NUMERIC)
    low, high = kind.integer_range if kind.is_integer else (-50, 50)
    start, stop = (draw.integer(max(low, -50), min(high, 100)) for _ in range(2))
    step = draw.integer(1, 9) * (1 if kind.is_integer else 0.25)
    if stop < start and low < 0:
        step = -step
    return in_type(kind.name, *sorted([start, stop]) if not low else (start, stop), step)


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
            rule(
                "the output's type holds the numbers",
                lambda layer: fit(layer, operation.output_types(layer)[0]),
                unasked="the page does not say what becomes of others",
            ),
        ],
        variants=[*_variants(in_type), *extra],
        readings=readings,
    )

    def is_real(layer: Layer) -> bool:
        (kind,) = operation.output_types(layer)
        return kind.is_float

    @operation.plain
    def plain_layer() -> Mapping[str, Any]:
        return {**PLAIN, **plain}

    operation.random(lambda draw: _drawn(draw, in_type))
    return operation


T = types("T", "any numeric type")
T1, T2, T3 = (types(name, "any numeric type") for name in ("T1", "T2", "T3"))
T_OUT = types("output_type", "any numeric type")


def of_one_type(kind, *three):
    """start, stop and step in one type."""
    return "; ".join(f"{name}={kind}:{each}" for name, each in zip(NAMES, three, strict=True))


def to_one_type(kind, *three):
    """start, stop and step in the type of the output."""
    return f"{of_one_type(kind, *three)}; output_type={kind}"


EXACTLY = Reading(
    "the number of elements where a quotient is near to a whole number",
    "It is counted exactly, with the numbers as their type holds them: from 0 to 0.3 by 0.1 in f32, where "
    "three steps are less than stop, there are 4.",
    "The page's inequalities speak of numbers, and not of rounded ones.",
    "silence",
    admits="The number that follows where the quotient or the last element is rounded.",
)

Range1 = ranges(
    "Range-1",
    "opset1",
    [T, T, T],
    T,
    of_one_type,
    examples=examples("""
        start=i32:2; stop=i32:23; step=i32:3 -> [7] = [2,5,8,11,14,17,20]
        start=i32:23; stop=i32:2; step=i32:-3 -> [7] = [23,20,17,14,11,8,5]
    """),
    readings=[EXACTLY],
)

Range4 = ranges(
    "Range-4",
    "opset4",
    [T1, T2, T3],
    lambda layer: next((t for t in T_OUT.types if t == layer.output_type), f32),
    to_one_type,
    attributes=[Attribute("output_type", ElementType, required=True, types=T_OUT)],
    plain={"output_type": f32},
    examples=examples("""
        start=i32:2; stop=i32:23; step=i32:3; output_type=i32 -> [7] = [2,5,8,11,14,17,20]
        start=i32:23; stop=i32:2; step=i32:-3; output_type=i32 -> [7] = [23,20,17,14,11,8,5]
        start=f32:1.0; stop=f32:2.5; step=f32:0.5; output_type=f32 -> [3] = [1.0,1.5,2.0]
    """),
    extra=variants(f"""
        output-types: any numeric type
            start=i32:1; stop=i32:7; step=i32:2; output_type={"|".join(map(str, T_OUT.types))}
        mixed-types: each number has a type of its own, the output another one
            start=i8:-3; stop=f32:4.0; step=u16:2; output_type=i64|f16|f64|i8
            start=f64:0.5; stop=i64:5; step=f16:0.75; output_type=f32|bf16
            start=u64:9; stop=f16:-3.5; step=i8:-4; output_type=i16
        truncated: whole numbers are computed with what is left of fractions
            start=f32:1.75; stop=f32:9.0; step=f32:2.5; output_type=i32|i64
            start=f64:-1.75; stop=f64:-9.5; step=f64:-2.25; output_type=i32
            start=f16:-0.5; stop=f16:5.0; step=f16:1.5; output_type=i8|u8
        truncated-count: numbers are counted before or behind their truncation
            start=f32:1.0; stop=f32:2.5; step=f32:1.0; output_type=i32
            start=f32:0.0; stop=f32:7.0; step=f32:2.5; output_type=i64
    """),
    readings=[
        EXACTLY,
        Reading(
            "'calculations are done after casting all values', against 'aligned with torch.arange; to align with "
            "tf.range all inputs must be casted to output_type before'",
            "Numbers are counted behind their truncation: from 1.0 to 2.5 by 1.0 there is one of i32.",
            "The formula of the number of elements is among the calculations.",
            "contradiction",
            admits="The number of elements of the numbers that are given.",
        ),
        Reading(
            "'accumulate_type ... better or equal accuracy'",
            "Each step may err by one rounding in the type of the output.",
            "The type itself is one of equal accuracy.",
        ),
    ],
)
