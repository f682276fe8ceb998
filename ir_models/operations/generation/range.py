"""Range: numbers from start to stop with a step (pages Range-1 and Range-4)."""

from ir_models.declaration import *
from ir_models.element_types import ElementType, f32
from ir_models.families.ranges import NAMES, ranges

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
