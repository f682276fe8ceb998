"""Divide: a / b (page Divide-1)."""

from ir_models.declaration import Attribute, Operation
from ir_models.element_types import NUMERIC, i8, i32, i64, types
from ir_models.elementwise import DIVISORS, HALVES, binary, binary_examples, binary_layers

T = types("T", NUMERIC)

Divide = Operation(
    "Divide-1",
    opset="opset1",
    **binary(
        T,
        "none",
        "numpy",
        "pdpd",
        values=(HALVES, DIVISORS),
        attributes=[Attribute("m_pythondiv", bool, default=True)],
        examples=binary_examples(T, none={"m_pythondiv": True}, numpy={"m_pythondiv": False}),
        variants={
            # Quotients that the two kinds of division round apart, with all signs.
            "floor-division": [
                {
                    "a": kind.tensor([7, 7, -7, -7, 6, -6, 0, 1, -1]),
                    "b": kind.tensor([2, -2, 2, -2, 3, 3, 5, 9, 9]),
                    "m_pythondiv": floor,
                }
                for kind in (i8, i32, i64)
                for floor in (True, False, None)
            ],
        },
    ),
)
binary_layers(Divide, m_pythondiv=True)
