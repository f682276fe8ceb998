"""The data of a case: arrays drawn from the case's own seed.

Ordinary data differs in every element as far as its type has that many values, so that no two elements can be mixed
up unseen. A case may ask for other data (``How.values``): special floating-point values, a type's ends, 64-bit numbers
that do not fit in 32 bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import ml_dtypes
import numpy as np

from ir_models.asking import sums, sweeps
from ir_models.vocabulary.element_types import ElementType, Tensor, f8e8m0, f64, i64, nf4, u64
from ir_models.vocabulary.operation import Layer
from ir_models.vocabulary.page import Input, Interval, Within


def random_state(text: str, seed: int = 0) -> np.random.RandomState:
    """A random state that the text and the seed fix on every machine.

    NumPy keeps the streams of PCG64 and the methods of RandomState as they are for ever.
    """
    digest = hashlib.sha256(f"{seed}/{text}".encode()).digest()
    return np.random.RandomState(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def data(
    declared: Input, tensor: Tensor, layer: Layer, values: str, state: np.random.RandomState
) -> np.ndarray:
    """An array for one data input of a valid layer, in the tensor's type and shape; ``values`` as in ``How``."""
    kind, shape = tensor.element_type, tensor.shape
    if callable(declared.values):
        drawn = declared.values(layer, state)
        if drawn is not None:
            # What a narrow type cannot hold is infinite, and what an integer cannot hold is any number.
            with np.errstate(over="ignore", invalid="ignore"):
                return np.asarray(drawn).reshape(shape).astype(kind.dtype, order="C")
    summed = layer.operation.sums
    if values in sums.SETS and summed is not None and declared.name in summed.axes(layer):
        return sums.data(values, summed, layer, declared.name, tensor, state)
    if values == "sweep" and layer.operation.sweeps == declared.name:
        return sweeps.data(kind, shape)
    ordinary = _ordinary(declared, tensor, layer, state)
    fill = _LEVELS.get(values)
    if fill is None or (values == "large" and kind.bits < 64):
        return ordinary
    wanted = fill(kind)
    return _with_some(wanted, ordinary, _reach(tensor, layer, len(wanted)), state)


def _reach(tensor: Tensor, layer: Layer, count: int) -> int:
    """How many of ``count`` elements, from the first on, may be other than ordinary.

    Where an output mixes many elements they stay in the first rows, half of them at most, and out of a vector beside
    larger data, such as a bias: if all outputs overflow or are NaN, the case shows no fault.
    """
    if not layer.operation.mixes and layer.operation.sums is None:
        return tensor.size
    ranks = [t.rank for i in layer.operation.inputs if not i.index for t in layer.tensors(i.name)]
    if tensor.rank < 2:
        return 0 if max(ranks) > 1 else tensor.size
    row = tensor.size // max(tensor.shape[0], 1)
    return row * min(-(-count // max(row, 1)), max(tensor.shape[0] // 2, 1))


def _ordinary(
    declared: Input, tensor: Tensor, layer: Layer, state: np.random.RandomState
) -> np.ndarray:
    """Values as the declaration has them, or different ones."""
    kind, shape = tensor.element_type, tensor.shape
    given = declared.values
    wanted = given.range(layer, kind) if isinstance(given, Within) else given
    if isinstance(wanted, Interval):
        return _in_interval(wanted, kind, shape, state)
    if isinstance(given, Within) and callable(wanted):
        return np.asarray(wanted(layer, state)).reshape(shape).astype(kind.dtype)
    if isinstance(wanted, Sequence):
        return np.array(wanted)[state.randint(0, len(wanted), shape)].astype(kind.dtype)
    return distinct(kind, tensor.size, state).reshape(shape)


def of_invalid(
    declared: Input, tensor: Tensor, layer: Layer, state: np.random.RandomState
) -> np.ndarray:
    """An array for one data input of a layer that breaks a rule.

    What a declaration says of values holds for valid layers; where that fails, any values will do.
    """
    try:
        return data(declared, tensor, layer, "", state)
    except (AttributeError, ArithmeticError, IndexError, TypeError, ValueError):
        return distinct(tensor.element_type, tensor.size, state).reshape(tensor.shape)


def takes_any(declared: Input, layer: Layer) -> bool:
    """Whether an input holds data that may be chosen freely, unlike indices."""
    if declared.index or declared.type_alone or layer.inputs[declared.name] is None:
        return False
    chosen = declared.values
    if not callable(chosen):
        return True
    found: dict[str, bool] = layer.derived.setdefault("takes any", {})
    if declared.name not in found:
        found[declared.name] = chosen(layer, np.random.RandomState(0)) is None
    return found[declared.name]


def distinct(kind: ElementType, count: int, state: np.random.RandomState) -> np.ndarray:
    """``count`` values in random order, all different where the type has so many. Floats are finite and not tiny."""
    if kind.kind == "string":
        return np.array([_word(number) for number in state.permutation(count)], object)
    if kind.kind == "boolean":
        return state.randint(0, 2, count).astype(bool)
    if kind.is_integer:
        return _distinct_integers(kind, count, state)
    if kind.bits <= 8:
        return repeated(_finite_values(kind), count, state)
    return _distinct_floats(kind, count, state)


def _distinct_floats(kind: ElementType, count: int, state: np.random.RandomState) -> np.ndarray:
    """Both signs, from 2^-6 to 2^7, fractions to the last bit, so that a device that uses a narrower type is seen.

    f64 stays within what f32 holds: precision beyond it is a purpose of its own.
    """
    drawn = np.dtype(np.float32) if kind.bits == 64 else kind.dtype
    bits = ml_dtypes.finfo(drawn).nmant
    numbers = _spread(2 * 13 << bits, count, state)
    powers = 2.0 ** np.arange(-6, 7)
    signed_powers = np.concatenate([powers, -powers])
    values = signed_powers[numbers >> bits] * (1 + (numbers & ((1 << bits) - 1)) / (1 << bits))
    return values.astype(drawn).astype(kind.dtype)


def _distinct_integers(kind: ElementType, count: int, state: np.random.RandomState) -> np.ndarray:
    least, most = kind.integer_range
    # 64-bit types stay within 31 bits.
    least = max(least, -(2**30))
    span = min(most - least + 1, 2**31 - 1)
    if count > span:
        return _again_and_again((state.permutation(span) + least).astype(kind.dtype), count)
    return (_spread(span, count, state) + least).astype(kind.dtype)


def _spread(span: int, count: int, state: np.random.RandomState) -> np.ndarray:
    """``count`` numbers of [0, ``span``), evenly spread, in random order; all different if there are so many."""
    if count > span:
        return _again_and_again(state.permutation(span), count)
    # Odd, so that the last bits differ as well.
    step = (span // max(count, 1) - 1) | 1
    return state.permutation(count).astype(np.int64) * step + state.randint(0, step, dtype=np.int64)


def _in_interval(
    interval: Interval, kind: ElementType, shape: tuple[int, ...], state: np.random.RandomState
) -> np.ndarray:
    if kind.kind == "boolean":
        return state.randint(0, 2, shape).astype(bool)
    if kind.is_integer:
        least, most = kind.integer_range
        low, high = max(least, int(np.ceil(interval.low))), min(most, int(np.floor(interval.high)))
        return state.randint(low, high + 1, shape, dtype=np.int64).astype(kind.dtype)
    drawn = interval.low + (interval.high - interval.low) * state.random_sample(shape)
    if interval.low <= 0 <= interval.high:
        # Some are small: errors relative to the answer show there.
        drawn *= np.where(state.random_sample(shape) < 0.3, 2.0 ** -state.randint(1, 13, shape), 1)
        smallest = np.copysign(interval.least, drawn)
        drawn = np.where(np.abs(drawn) < interval.least, drawn + smallest, drawn)
    # Rounding to a coarse type may step over an end.
    # Of a scalar NumPy makes a number of Python where the type is object.
    return np.asarray(drawn.clip(interval.low, interval.high), kind.dtype)


def _word(number: int) -> str:
    """A short string; some are empty, some longer than a small-string buffer, some not ASCII."""
    tails = ("", "ß", "日本", " with a tail that does not fit in a small string's own buffer")
    return "" if number == 3 else f"s{number}{tails[number % len(tails)]}"


def repeated(values: np.ndarray, count: int, state: np.random.RandomState) -> np.ndarray:
    """``count`` of these values in random order, again and again."""
    return _again_and_again(values[state.permutation(len(values))], count)


def _again_and_again(values: np.ndarray, count: int) -> np.ndarray:
    """Like np.resize, which takes seconds for a few values millions of times."""
    return np.tile(values, -(-count // len(values)))[:count]


def _finite_values(kind: ElementType) -> np.ndarray:
    codes = np.arange(2**kind.bits, dtype=np.uint8)
    if kind is nf4:
        return kind.unpack(np.arange(16, dtype=np.uint8)[::2] * 17 + 16, (16,))
    values = codes.view(kind.dtype)
    numbers = values.astype(np.float64)
    # -0 is a special value: what loses its sign fails there, whatever the seed.
    return values[np.isfinite(numbers) & ~((numbers == 0) & np.signbit(numbers))]


def _with_some(
    values: np.ndarray, ordinary: np.ndarray, reach: int, state: np.random.RandomState
) -> np.ndarray:
    """``values`` again and again among ordinary data, so that each meets different neighbours."""
    flat = ordinary.reshape(-1).copy()
    places = state.permutation(reach)
    used = places[: min(reach, max(len(values), reach // 2))]
    flat[used] = np.resize(values[state.permutation(len(values))], len(used))
    return flat.reshape(ordinary.shape)


def special(kind: ElementType) -> np.ndarray:
    """NaN, infinities, both zeros, subnormals, the largest and the smallest, as far as the type has them."""
    if kind is f8e8m0 or kind is nf4 or not kind.is_float:
        return ends(kind)
    info = ml_dtypes.finfo(kind.dtype)
    numbers = [info.max, info.min, info.smallest_normal, info.smallest_subnormal, 0.0, -0.0, 1.0]
    wanted = np.array(numbers, kind.dtype)
    with np.errstate(all="ignore"):
        others = np.array([np.nan, np.inf, -np.inf], np.float64).astype(kind.dtype)
    present = ~np.isfinite(others.astype(np.float64))
    subnormals = np.array([-float(info.smallest_subnormal)], np.float64).astype(kind.dtype)
    return np.concatenate([wanted, others[present], subnormals])


def ends(kind: ElementType) -> np.ndarray:
    """The least and the largest values of the type and their neighbours."""
    if kind.kind == "string":
        return np.array(["", "a", "\0b", "x" * 4096, "ünïcödé", "line\nbreak"], object)
    if kind.kind == "boolean":
        return np.array([True, False])
    if kind.is_integer:
        least, most = kind.integer_range
        return np.array(sorted({least, least + 1, 0, 1, most - 1, most}), object).astype(kind.dtype)
    values = _finite_values(kind) if kind.bits <= 8 else special(kind)
    return np.unique(values.astype(np.float64)).astype(kind.dtype)


def beyond_32_bits(kind: ElementType) -> np.ndarray:
    """64-bit numbers that no 32-bit type holds."""
    if kind is f64:
        return np.array([1 + 2.0**-40, -1 - 2.0**-52, 1e300, -1e-300, 2.0**53 - 1, np.pi])
    if kind is u64:
        return np.array([2**32, 2**32 + 1, 2**53 + 1, 2**63, 2**63 + 1025, 2**64 - 1], np.uint64)
    if kind is i64:
        return np.array(
            [2**31, -(2**31) - 1, 2**32 + 5, 2**53 + 1, -(2**62) - 3, 2**63 - 1], np.int64
        )
    raise ValueError(f"{kind.name} is not a 64-bit type")


def flips(kind: ElementType) -> np.ndarray:
    """Numbers that a wrong conversion changes: negative, multiples of 256, fractions, beyond a smaller type's range."""
    if kind.kind == "boolean" or kind is nf4 or kind.kind == "string":
        return ends(kind)
    powers = [2**bits for bits in (0, 3, 4, 7, 8, 9, 15, 16, 31, 32, 53, 63)]
    whole = [*powers, *(p - 1 for p in powers), *(p + 1 for p in powers), 300, 1000, 3 * 2**30]
    if kind.is_integer:
        least, most = kind.integer_range
        fitting = [
            n for n in (*whole, *(-n for n in whole), -1, 0, least, most) if least <= n <= most
        ]
        return np.array(sorted(set(fitting)), object).astype(kind.dtype)
    fractions = [0.001, 0.25, 0.5, 0.75, 0.999, 1.5, 2.5, 255.5, 256.5, 65535.5, 1e10, 1e19, 1e30]
    numbers = np.array([*whole, *fractions], np.float64)
    with np.errstate(all="ignore"):
        typed = np.concatenate([numbers, -numbers, ends(kind).astype(np.float64)]).astype(
            kind.dtype
        )
    unique = np.unique(typed.astype(np.float64))
    return unique[np.isfinite(unique)].astype(kind.dtype)


_LEVELS = {"special": special, "ends": ends, "large": beyond_32_bits, "flips": flips}
