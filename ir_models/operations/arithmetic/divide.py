"""Divide: a / b (page Divide-1)."""

from ir_models.declaration import *
from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import DIVISORS, HALVES, binary

T = types("T", NUMERIC)
A, B = "[7,7,-7,-7,6,-6,0,1,-1]", "[2,-2,2,-2,3,3,5,9,9]"

Divide = binary(
    "Divide-1",
    "opset1",
    T,
    values=(HALVES, DIVISORS),
    attributes=[Attribute("m_pythondiv", bool, default=True, plain=True)],
    printed=("m_pythondiv=true; auto_broadcast=none", "m_pythondiv=false; auto_broadcast=numpy"),
    variants=variants(f"""
        floor-division: m_pythondiv: integers are divided with floor or truncated, for all signs
            a=i8:{A}; b=i8:{B}; m_pythondiv=true|false|-
            a=i32:{A}; b=i32:{B}; m_pythondiv=true|false|-
            a=i64:{A}; b=i64:{B}; m_pythondiv=true|false|-
    """),
)
