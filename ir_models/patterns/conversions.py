"""Two layers that optimizers may join into one, with numbers for which the result is another one then.

Each type is converted to each other one and on to a third, with the numbers that a narrower type wraps, cuts off or
rounds. Pairs of arithmetic layers have constants whose sum, product or quotient the type may not hold.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from ir_models.graphs.evaluation import Evaluated
from ir_models.patterns.factors import Factor, with_attribute, with_fed, with_unknown
from ir_models.patterns.pattern import FEW, Pattern
from ir_models.vocabulary.element_types import ELEMENT_TYPES

_TYPES = (
    *("boolean", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"),
    *("f16", "bf16", "f32", "f64"),
)
_BETWEEN = "f32"


def _factors(evaluated: Evaluated) -> dict[str, Factor]:
    """The types of both conversions, and whether the data is of unknown dimensions, or a constant."""
    constant = with_fed("x", lambda fed: replace(fed, is_constant=True))
    fed = {"unknown": with_unknown("all"), "constant": constant}
    found = {"x.fed": Factor("x.fed", fed)}
    for step in evaluated.graph.steps:
        own = step.attributes["destination_type"].name
        name = f"{step.name}.destination_type"
        levels = {
            each: with_attribute(step.name, "destination_type", ELEMENT_TYPES[each])
            for each in _TYPES
            if each != own
        }
        found[name] = Factor(name, levels, has_cases=True)
    return found


CONVERSIONS = [
    Pattern(
        f"Conversions-{kind}",
        f"numbers of {kind} in another type, and back",
        f"""
        x={kind}[2,3,40]!
        a=Convert-1(x){{destination_type={_BETWEEN if kind != _BETWEEN else "i32"}}}
        y=Convert-1(a){{destination_type={kind}}}
        return y
        """,
        own_factors=_factors,
    )
    for kind in _TYPES
]
CONVERSIONS += [
    Pattern(
        f"{one}-{two}-extreme",
        "two constants that may be one",
        f"""
        x=f32[2,3,4]
        const s=f32[]:2.5
        const t=f32[]:-0.5
        a={one}-1(x,s)
        y={two}-1(a,t)
        return y
        """,
        crossings=FEW,
    )
    for one, two in product(("Add", "Multiply", "Divide"), repeat=2)
]
