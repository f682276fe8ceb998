"""Divide: a / b (page Divide-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import DIVISORS, HALVES, binary

T = types("T", "any numeric type")
A, B = "[7,7,-7,-7,6,-6,0,1,-1]", "[2,-2,2,-2,3,3,5,9,9]"

Divide = binary(
    "Divide-1",
    "opset1",
    T,
    algebra="quotient",
    values=(HALVES, DIVISORS),
    attributes=[Attribute("m_pythondiv", bool, default=True, plain=True)],
    variants=variants(f"""
        floor-division: m_pythondiv: integers are divided with floor or truncated, for all signs
            a=i8:{A}; b=i8:{B}; m_pythondiv=true|false|-
            a=i32:{A}; b=i32:{B}; m_pythondiv=true|false|-
            a=i64:{A}; b=i64:{B}; m_pythondiv=true|false|-
    """),
    readings=[
        Reading(
            "result of a division by zero",
            "It is not judged.",
            "The page calls it undefined.",
            "silence",
        ),
        Reading(
            "m_pythondiv: 'supported only for integer data types', default true",
            "It is valid for floating-point types and counts for integers alone.",
            "It has a default, which holds in every layer.",
            admits="A device that refuses the attribute for floating-point types.",
        ),
        Reading(
            "integers, m_pythondiv false",
            "Quotients are rounded towards zero.",
            "'regular division' of integers, apart from 'floor division'.",
        ),
    ],
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; m_pythondiv=true; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; m_pythondiv=false; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
