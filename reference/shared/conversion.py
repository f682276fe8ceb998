"""Numbers in another element type: what Convert, ConvertLike and ConvertPromoteTypes share."""

import re
from collections.abc import Sequence
from functools import partial

import ml_dtypes
import numpy as np

from reference.accuracy import (
    PRECISIONS,
    Arrays,
    Call,
    Choice,
    Rounded,
    is_float,
    is_integer,
    precision_of,
)

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


def _integer(name: str) -> tuple[bool, int, int, int] | None:
    """Whether an integer type is signed, its bits, the least and the largest number; None for other types."""
    found = re.fullmatch(r"([iu])(\d+)", name)
    if not found:
        return None
    is_signed, bits = found[1] == "i", int(found[2])
    low = -(2 ** (bits - 1)) if is_signed else 0
    return is_signed, bits, low, low + 2**bits - 1


def is_real(name: str) -> bool:
    """Whether an element type is one of floating-point numbers."""
    return name in PRECISIONS


def converted(data: np.ndarray, name: str, asked: str) -> np.ndarray:
    """The numbers of ``data`` in the element type ``name``; the shape stays.

    Floating-point results are given in float64, not rounded. Fractions are truncated for integers; integers of more
    bits are taken modulo 2^N; what is not zero is true. ``asked`` names
    what tells the type, for the ValueError that is raised for one that holds no numbers.
    """
    if name == "boolean":
        return np.asarray(data.astype(np.float64) != 0)
    if integer := _integer(name):
        return _to_integer(data, *integer)
    reals = data.astype(np.float64)
    if name in _NUMBERS:
        low, high = _neighbours(name, reals)
        return np.where(reals - low <= high - reals, low, high)
    if name not in PRECISIONS:
        raise ValueError(f"{asked} must be a type of numbers, got {name}")
    return reals


def conversion(number: int = 0, *, wraps: bool = True) -> Choice:
    """The accuracy of output ``number``, which is the input of that number in another type.

    ``wraps``: negative integers in unsigned types are defined, modulo 2^N.
    """
    undefined = partial(_undefined, number=number, wraps=wraps)
    return Choice(partial(_nearest, number=number), within=Rounded(silent=undefined))


def _destination(call: Call, number: int) -> str:
    """The name of the type of an output; without a name that of its array."""
    name = str(call.attributes.get("destination_type", call.types[number]))
    known = name in PRECISIONS or name in _NUMBERS or name == "boolean" or _integer(name)
    return name if known else type_name(call.outputs[number].dtype)


def _undefined(call: Call, number: int, wraps: bool) -> np.ndarray:
    """Numbers outside the range of the destination, and NaN where it has none; not infinities where it has them."""
    data, name = call.array(number), _destination(call, number)
    reals = data.astype(np.float64)
    if name == "boolean":
        return np.isnan(reals)
    if integer := _integer(name):
        is_signed, _, low, high = integer
        if is_float(data.dtype):
            # The largest integer need not be a float64, but the number after it is.
            return ~((np.trunc(reals) >= low) & (np.trunc(reals) < float(high + 1)))
        wide = np.asarray(data.astype(object) if is_integer(data.dtype) else data.astype(int))
        return np.asarray((wide > high) | ((wide < low) & (is_signed or not wraps)), bool)
    if name in _NUMBERS:
        numbers = _NUMBERS[name]
        return ~((reals >= numbers[0]) & (reals <= numbers[-1]))
    precision = PRECISIONS[name]
    nan, infinity = np.array([np.nan, np.inf]).astype(precision.dtype).astype(np.float64)
    beyond = np.abs(reals) > precision.largest
    if np.isinf(infinity):
        beyond &= ~np.isinf(reals)
    return beyond if np.isnan(nan) else beyond | np.isnan(reals)


def _nearest(call: Call, actual: Sequence[np.ndarray], number: int) -> Arrays:
    """Either neighbour of a number that the destination does not have: the pages do not say how to round.

    Only of types with whole numbers, levels or powers; for the others the bound of one rounding says as much.
    """
    exact, answer, name = call.outputs[number], actual[number], _destination(call, number)
    if name in PRECISIONS or answer.shape != exact.shape:
        return call.outputs
    low, high = _neighbours(name, call.reals(number))
    given = answer.astype(np.float64)
    is_neighbour = (low != high) & ((given == low) | (given == high))
    chosen = np.where(is_neighbour, answer.astype(exact.dtype), exact)
    return (*call.outputs[:number], chosen, *call.outputs[number + 1 :])


def _neighbours(name: str, reals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last number of a type that is not above, and the first that is not below; at the ends of levels, the end."""
    if name not in _NUMBERS:
        return np.floor(reals), np.ceil(reals)
    numbers = _NUMBERS[name]
    after = np.searchsorted(numbers, reals).clip(0, len(numbers) - 1)
    before = np.where(numbers[after] > reals, np.maximum(after - 1, 0), after)
    return numbers[before], numbers[after]


def _to_integer(data: np.ndarray, is_signed: bool, bits: int, low: int, high: int) -> np.ndarray:
    # Neither NumPy nor ml_dtypes has types of 1, 3 and 6 bits.
    kind = "uint8" if bits in (1, 3, 6) else f"{'int' if is_signed else 'uint'}{bits}"
    dtype = np.dtype(getattr(ml_dtypes if bits in (2, 4) else np, kind))
    if is_float(data.dtype):
        whole = np.trunc(data.astype(np.float64))
        held = np.where((whole >= low) & (whole < float(high + 1)), whole, 0)
        return held.astype(np.int64 if is_signed else np.uint64).astype(dtype)
    # ml_dtypes' integers by way of NumPy's.
    numbers = data.astype(np.int64) if data.dtype.kind == "V" else data
    codes = numbers.astype(np.uint64) & np.uint64(2**bits - 1)
    if not is_signed:
        return codes.astype(dtype)
    sign = np.uint64(2 ** (bits - 1))
    with np.errstate(over="ignore"):  # modulo 2^64
        return ((codes ^ sign) - sign).astype(np.int64).astype(dtype)


def type_name(dtype: np.dtype) -> str:
    """The name that IR has for the element type of an array: f32 for float32, u4 for uint4.

    Raises ValueError for one that holds no numbers.
    """
    if dtype.kind == "b":
        return "boolean"
    if precision := precision_of(dtype):
        return precision.name
    if dtype == ml_dtypes.float8_e8m0fnu:
        return "f8e8m0"
    if not is_integer(dtype):
        raise ValueError(f"no type of numbers: {dtype}")
    return dtype.name.replace("uint", "u").replace("int", "i")
