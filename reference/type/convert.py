"""Convert (page Convert-1)."""

import re
from collections.abc import Sequence

import ml_dtypes
import numpy as np

from reference import implements
from reference.accuracy import PRECISIONS, Call, Choice, Rounded, is_float, is_integer

# Types with few numbers, of which an answer is one: f8e8m0 has powers of two, nf4 its sixteen levels.
_NUMBERS = {
    "f8e8m0": 2.0 ** np.arange(-127, 128),
    "nf4": np.array(
        [
            *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
            *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
            *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
            *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
        ],
        np.float32,
    ).astype(np.float64),
}


def _integer(name: str) -> tuple[bool, int] | None:
    """Whether an integer type is signed, and its bits; None for other types."""
    found = re.fullmatch(r"([iu])(\d+)", name)
    return (found[1] == "i", int(found[2])) if found else None


def _integer_dtype(is_signed: bool, bits: int) -> np.dtype:
    """That of arrays: NumPy's or ml_dtypes' own; for 1, 3 and 6 bits, which neither has, uint8."""
    if bits in (1, 3, 6):
        return np.dtype(np.uint8)
    if bits < 8:
        return np.dtype(getattr(ml_dtypes, f"{'int' if is_signed else 'uint'}{bits}"))
    return np.dtype(f"{'i' if is_signed else 'u'}{bits // 8}")


def _ends(is_signed: bool, bits: int) -> tuple[int, int]:
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)


def _undefined(call: Call) -> np.ndarray:
    """Numbers outside the range of the destination, and NaN where it has none.

    The page defines negative integers to unsigned types, and infinities where the destination has them.
    """
    data, name = call.inputs[0], str(call.attributes["destination_type"])
    assert data is not None
    integer = _integer(name)
    reals = data.astype(np.float64)
    if name == "boolean":
        return np.isnan(reals)
    if integer is not None:
        low, high = _ends(*integer)
        if not is_float(data.dtype):
            wide = data.astype(object) if is_integer(data.dtype) else data.astype(int)
            return ((wide > high) | ((wide < low) & integer[0])).astype(bool)
        # The largest integer need not be a float64, but the number after it is.
        whole = np.trunc(reals)
        return ~((whole >= low) & (whole < float(high + 1)))
    if name in _NUMBERS:
        numbers = _NUMBERS[name]
        return ~((reals >= numbers[0]) & (reals <= numbers[-1]))
    precision = PRECISIONS[name]
    kept = np.array([np.nan, np.inf, -np.inf]).astype(precision.dtype).astype(np.float64)
    beyond = np.abs(reals) > precision.largest
    if np.isinf(kept[1]):
        beyond &= ~np.isinf(reals)
    return beyond if np.isnan(kept[0]) else beyond | np.isnan(reals)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """Either neighbour of a number that the destination does not have: the page does not say how to round.

    Only of types with whole numbers, levels or powers; for the others the bound of one rounding says as much.
    """
    (exact,), (answer,), name = call.outputs, actual, str(call.attributes["destination_type"])
    if name in PRECISIONS or answer.shape != exact.shape:
        return (exact,)
    reals = call.reals(0)
    if name in _NUMBERS:
        low, high = _neighbours(_NUMBERS[name], reals)
    else:
        low, high = np.floor(reals), np.ceil(reals)
    given = answer.astype(np.float64)
    is_neighbour = (low != high) & ((given == low) | (given == high))
    return (np.where(is_neighbour, answer.astype(exact.dtype), exact),)


def _neighbours(numbers: np.ndarray, reals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last of the numbers that is not above, and the first that is not below; at the ends, the end."""
    after = np.searchsorted(numbers, reals).clip(0, len(numbers) - 1)
    before = np.where(numbers[after] > reals, np.maximum(after - 1, 0), after)
    return numbers[before], numbers[after]


@implements("Convert-1", accuracy=Choice(_nearest, within=Rounded(silent=_undefined)))
def convert(data: np.ndarray, *, destination_type: object) -> np.ndarray:
    """The numbers of ``data`` in the element type that ``destination_type`` names; the shape stays.

    Floating-point results are given in float64, not rounded. Fractions are truncated for integers; integers of more
    bits are taken modulo 2^N; what is not zero is true. Raises ValueError for a type that holds no numbers.
    """
    name = str(destination_type)
    integer = _integer(name)
    if name == "boolean":
        return np.asarray(_numbers(data) != 0)
    if integer is not None:
        return _to_integer(_numbers(data), *integer)
    reals = _numbers(data).astype(np.float64)
    if name in _NUMBERS:
        return _closest(_NUMBERS[name], reals)
    if name not in PRECISIONS:
        raise ValueError(f"Convert-1: destination_type must be a type of numbers, got {name}")
    return reals


def _numbers(data: np.ndarray) -> np.ndarray:
    """``data`` in a type that NumPy computes with: floats in float64."""
    if is_float(data.dtype):
        return data.astype(np.float64)
    if data.dtype == bool:
        return data.astype(np.uint8)
    return data.astype(np.int64) if data.dtype.kind == "V" else data


def _to_integer(numbers: np.ndarray, is_signed: bool, bits: int) -> np.ndarray:
    dtype = _integer_dtype(is_signed, bits)
    if is_float(numbers.dtype):
        low, high = _ends(is_signed, bits)
        whole = np.trunc(numbers)
        held = np.where((whole >= low) & (whole < float(high + 1)), whole, 0)
        return held.astype(np.int64 if is_signed else np.uint64).astype(dtype)
    codes = numbers.astype(np.uint64) & np.uint64(2**bits - 1)
    if not is_signed:
        return codes.astype(dtype)
    sign = np.uint64(2 ** (bits - 1))
    with np.errstate(over="ignore"):  # modulo 2^64
        return ((codes ^ sign) - sign).astype(np.int64).astype(dtype)


def _closest(numbers: np.ndarray, reals: np.ndarray) -> np.ndarray:
    low, high = _neighbours(numbers, reals)
    return np.where(reals - low <= high - reals, low, high)
