"""Divide: a / b (page Divide-1)."""

from ir_models.declaration import Attribute, variant
from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import DIVISORS, HALVES, binary

T = types("T", NUMERIC)

Divide = binary(
    "Divide-1",
    "opset1",
    T,
    values=(HALVES, DIVISORS),
    attributes=[Attribute("m_pythondiv", bool, default=True, plain=True)],
    printed=("m_pythondiv=true; auto_broadcast=none", "m_pythondiv=false; auto_broadcast=numpy"),
    variants=[
        variant(
            "floor-division",
            "m_pythondiv: integers are divided with floor or truncated, for all signs",
            *(
                f"a={t}:[7,7,-7,-7,6,-6,0,1,-1]; b={t}:[2,-2,2,-2,3,3,5,9,9]; m_pythondiv=true|false|-"
                for t in ("i8", "i32", "i64")
            ),
        )
    ],
)
