"""Convert (page Convert-1)."""

import numpy as np

from reference import implements
from reference.shared.conversion import conversion, converted


<<<<<<< HEAD
@implements("Convert-1", accuracy=conversion())
=======
def _integer(name: str) -> tuple[bool, int, int, int] | None:
    """Whether an integer type is signed, its bits, the least and the largest number; None for other types."""
    found = re.fullmatch(r"([iu])(\d+)", name)
    if not found:
        return None
    is_signed, bits = found[1] == "i", int(found[2])
    low = -(2 ** (bits - 1)) if is_signed else 0
    return is_signed, bits, low, low + 2**bits - 1


def _undefined(call: Call) -> np.ndarray:
    """Numbers outside the range of the destination, and NaN where it has none.

    The page defines negative integers to unsigned types, and infinities where the destination has them.
    """
    data, name = call.array(0), str(call.attributes["destination_type"])
    reals = data.astype(np.float64)
    if name == "boolean":
        return np.isnan(reals)
    if integer := _integer(name):
        is_signed, _, low, high = integer
        if is_float(data.dtype):
            # The largest integer need not be a float64, but the number after it is.
            return ~((np.trunc(reals) >= low) & (np.trunc(reals) < float(high + 1)))
        wide = data.astype(object) if is_integer(data.dtype) else data.astype(int)
        # Comparing a scalar of objects gives no array.
        return np.asarray((wide > high) | ((wide < low) & is_signed), bool)
    if name in _NUMBERS:
        numbers = _NUMBERS[name]
        return ~((reals >= numbers[0]) & (reals <= numbers[-1]))
    precision = PRECISIONS[name]
    nan, infinity = np.array([np.nan, np.inf]).astype(precision.dtype).astype(np.float64)
    beyond = np.abs(reals) > precision.largest
    if np.isinf(infinity):
        beyond &= ~np.isinf(reals)
    return beyond if np.isnan(nan) else beyond | np.isnan(reals)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """Either neighbour of a number that the destination does not have: the page does not say how to round.

    Only of types with whole numbers, levels or powers; for the others the bound of one rounding says as much.
    """
    (exact,), (answer,), name = call.outputs, actual, str(call.attributes["destination_type"])
    if name in PRECISIONS or answer.shape != exact.shape:
        return (exact,)
    low, high = _neighbours(name, call.reals(0))
    given = answer.astype(np.float64)
    is_neighbour = (low != high) & ((given == low) | (given == high))
    return (np.where(is_neighbour, answer.astype(exact.dtype), exact),)


def _neighbours(name: str, reals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last number of a type that is not above, and the first that is not below; at the ends of levels, the end."""
    if name not in _NUMBERS:
        return np.floor(reals), np.ceil(reals)
    numbers = _NUMBERS[name]
    after = np.searchsorted(numbers, reals).clip(0, len(numbers) - 1)
    before = np.where(numbers[after] > reals, np.maximum(after - 1, 0), after)
    return numbers[before], numbers[after]


@implements("Convert-1", accuracy=Choice(_nearest, within=Rounded(silent=_undefined)))
>>>>>>> 69207cf (References of If and Convert take every type and scalars; folders of what stopped early; enumerations are adapted; the less or equal of Multinomial; empty values in ids)
def convert(data: np.ndarray, *, destination_type: object) -> np.ndarray:
    """The numbers of ``data`` in the element type that ``destination_type`` names, as ``converted`` has them.

    Negative integers become unsigned ones modulo 2^N. Raises ValueError for a type that holds no numbers.
    """
    return converted(data, str(destination_type), "Convert-1: destination_type")
