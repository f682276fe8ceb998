"""ReduceProd: products over axes (page ReduceProd-1)."""

from ir_models.declaration import Interval, Operation, Within
from ir_models.element_types import NUMERIC, f32, types
from ir_models.reductions import reduced, reduction, reduction_layers

T = types("T", NUMERIC)


def factors(layer, kind):
    """Reals about 1, so that products of many neither overflow nor vanish; integers that are nearly all ±1."""
    count = max(reduced(layer), 4)
    if not kind.is_integer:
        spread = 4 / count**0.5
        return Interval(2.0**-spread, 2.0**spread)
    units = [1] * count if kind.kind == "uint" else [1, -1] * count
    return [2, 3, *units]


ReduceProd = Operation(
    "ReduceProd-1",
    opset="opset1",
    **reduction(
        T,
        Within(factors),
        {"negative": [{"data": f32.tensor([[1.5, -0.7, 2.1], [-0.3, -2.5, 1.1]]), "axes": [1]}]},
    ),
)
reduction_layers(ReduceProd)
