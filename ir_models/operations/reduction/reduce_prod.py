"""ReduceProd: products over axes (page ReduceProd-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import reduced, reduction
from ir_models.vocabulary.element_types import f32, i32, i64, u64

T = types("T", "any supported numeric type")


def factors(layer, kind):
    """Reals about 1, so that products of many neither overflow nor vanish; integers whose product fits."""
    count = max(reduced(layer), 4)
    if not kind.is_integer:
        spread = 4 / count**0.5
        return Interval(2.0**-spread, 2.0**spread)
    low, high = kind.integer_range
    most = int(min(high, 2**31 - 1) ** (1 / count))
    if most > 1:
        return [*range(max(low, -most), 0), *range(1, most + 1)]
    # So many that nearly all must be units.
    return [2, 3, *[1] * count, *([] if kind.kind == "uint" else [-1] * count)]


ReduceProd = reduction(
    "ReduceProd-1",
    "opset1",
    T,
    Within(factors),
    variants=[
        variant(
            "negative",
            "negative factors change the sign",
            {"data": f32.tensor([[1.5, -0.7, 2.1], [-0.3, -2.5, 1.1]]), "axes": [1]},
        ),
        variant(
            "beyond-24-bits",
            "integers are exact",
            {"data": i32.tensor([[4099, 8191, 3], [-46337, 46339, 1]]), "axes": [1]},
        ),
        variant(
            "beyond-32-bits",
            "integers are exact",
            {"data": i64.tensor([[2**31 + 1, 3, 5], [-(2**33) - 1, 7, 1]]), "axes": [1]},
            {"data": u64.tensor([[2**32 + 1, 3, 5], [2**62 + 3, 1, 3]]), "axes": [1]},
        ),
    ],
)
