"""RandomUniform (page RandomUniform-8)."""

from math import frexp, prod
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import (
    UNROUNDED,
    Accuracy,
    Call,
    Depending,
    Distribution,
    Function,
    kolmogorov,
)
from reference.shared.axes import one_number, require_rank
from reference.shared.checks import INDEX_TYPES

# Fraction bits that a random float has, of Philox and of the Mersenne Twister.
_FRACTION = {"f16": 10, "bf16": 7, "f32": 23}
_DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(key: int, counter: int, blocks: int) -> np.ndarray:
    """The first ``blocks`` times four numbers of Philox 4x32-10: [blocks, 4], uint32 in uint64.

    Of what the page's formulas leave open (which pair takes which product, which half of the key is raised by which
    constant, the order of the four) only this reading gives the numbers that its examples print.
    """
    n = np.arange(blocks, dtype=np.uint64)
    n_low, n_high = n & _LOW, n >> _HALF
    c_low = np.full(blocks, counter & 0xFFFFFFFF, np.uint64)
    c_high = np.full(blocks, counter >> 32, np.uint64)
    k_low, k_high = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        n_product = n_low * np.uint64(0xD2511F53)
        c_product = c_low * np.uint64(0xCD9E8D57)
        n_low, c_low = (
            (c_product >> _HALF) ^ np.uint64(k_low) ^ n_high,
            (n_product >> _HALF) ^ np.uint64(k_high) ^ c_high,
        )
        n_high, c_high = c_product & _LOW, n_product & _LOW
        k_low = (k_low + 0x9E3779B9) & 0xFFFFFFFF
        k_high = (k_high + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([n_low, n_high, c_low, c_high], axis=1)


def mersenne_twister(seed: int, count: int) -> np.ndarray:
    """The first ``count`` numbers of MT19937: uint32 in uint64.

    A state is made anew before its first number is drawn. A state word far from the end is followed by that at
    i + m - 624 (the page's i + m - 623 would skip state[0]; it means the algorithm of the paper that it links).
    """
    state = [seed & 0xFFFFFFFF]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    words: list[int] = []
    while len(words) < count:
        for i in range(624):
            joined = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7FFFFFFF)
            state[i] = state[(i + 397) % 624] ^ (joined >> 1) ^ (0x9908B0DF * (joined & 1))
        words.extend(state)
    y = np.array(words[:count], np.uint64)
    for shift, mask in ((-11, 0xFFFFFFFF), (7, 0x9D2C5680), (15, 0xEFC60000), (-18, 0xFFFFFFFF)):
        amount = np.uint64(abs(shift))
        y = y ^ ((y << amount if shift > 0 else y >> amount) & np.uint64(mask))
    return y


def _ends(call: Call) -> tuple[float, float]:
    return float(call.reals(1).reshape(())), float(call.reals(2).reshape(()))


def _probability(call: Call, actual: np.ndarray) -> float:
    """The p-value of the numbers; 0 for one outside of [minval, maxval)."""
    low, high = _ends(call)
    values = actual.astype(np.float64).reshape(-1)
    if not np.all((values >= low) & (values < high)):
        return 0.0
    if call.attributes["output_type"] in ("i32", "i64"):
        # Each integer represents an interval of length 1: a random position in it is uniform.
        values = values + np.random.RandomState(0).random_sample(values.size)
    return kolmogorov((values - low) / (high - low))


def _size(call: Call) -> float:
    """What is rounded: the interval's length, its product with a number below 1, and the sum with minval."""
    low, high = _ends(call)
    return abs(high - low) + abs(low) + abs(high)


def _accuracy(call: Call, output_index: int) -> Accuracy:
    """Random without seeds; bf16 of Philox as well: the page does not say how it comes from 32 bits.

    From 0 to a power of two nothing is rounded: every number is one of the type, and so is its product.
    """
    seeds = (call.attributes["global_seed"], call.attributes["op_seed"])
    is_philox = call.attributes.get("alignment", "TENSORFLOW") == "TENSORFLOW"
    if seeds == (0, 0) or (is_philox and call.attributes["output_type"] == "bf16"):
        return Distribution(_probability)
    low, high = _ends(call)
    if low == 0 and high >= 1 and frexp(high)[0] == 0.5:
        return UNROUNDED
    return Function(k=1, a=1, scale=_size, quality_a=0.5)


@implements("RandomUniform-8", accuracy=Depending(_accuracy))
def random_uniform(
    shape: np.ndarray,
    minval: np.ndarray,
    maxval: np.ndarray,
    *,
    output_type: Literal["i32", "i64", "f16", "bf16", "f32", "f64"],
    global_seed: int,
    op_seed: int,
    alignment: Literal["TENSORFLOW", "PYTORCH"] = "TENSORFLOW",
) -> np.ndarray:
    """Uniform numbers in [minval, maxval); integers as int32 or int64, others as float64.

    shape [rank]; minval and maxval are scalars or [1]. ``alignment``: the numbers are those of Philox, seeded with both
    seeds, or of the Mersenne Twister, seeded with ``global_seed`` alone. Where both seeds are 0 any sequence is
    admissible. Raises ValueError for an interval that is empty, and for a seed that is not a uint64.
    """
    name = "RandomUniform-8"
    if not 0 <= min(global_seed, op_seed) <= max(global_seed, op_seed) < 2**64:
        raise ValueError(f"{name}: seeds must be uint64, got {global_seed} and {op_seed}")
    low, high = one_number(minval, f"{name}: minval"), one_number(maxval, f"{name}: maxval")
    if not low < high:
        raise ValueError(f"{name}: minval must be below maxval, got {low} and {high}")
    require_rank(shape, (1,), f"{name}: shape")
    sizes = [int(size) for size in shape]
    if min(sizes, default=0) < 0:
        raise ValueError(f"{name}: shape must not be negative, got {sizes}")
    if alignment == "PYTORCH":
        return _of_mersenne_twister(prod(sizes), low, high, output_type, global_seed).reshape(sizes)
    count = prod(sizes) * (2 if output_type == "f64" else 1)
    x = philox(global_seed, op_seed, -(-count // 4)).reshape(-1)[:count]
    if output_type in ("i32", "i64"):
        # x is below 2^32, and so is what a wider interval makes of it.
        numbers = (x % np.uint64(int(high) - int(low))).astype(np.int64) + int(low)
        return numbers.astype(INDEX_TYPES[output_type]).reshape(sizes)
    if output_type == "f64":
        high_bits, low_bits = x[0::2] & np.uint64(0xFFFFF), x[1::2]
        fraction = np.ldexp(((high_bits << _HALF) | low_bits).astype(np.float64), -52)
    else:
        bits = _FRACTION[output_type]
        fraction = np.ldexp((x & np.uint64(2**bits - 1)).astype(np.float64), -bits)
    return (fraction * (float(high) - float(low)) + float(low)).reshape(sizes)


def _of_mersenne_twister(
    count: int, low: float, high: float, output_type: str, seed: int
) -> np.ndarray:
    """``count`` numbers; of f64, and of i64 where an end is beyond uint32, each from two draws, the first one high.

    A draw is an unsigned number: as a signed one its remainder could be below minval.
    """
    is_integer = output_type in INDEX_TYPES
    most = 2**32 - 1
    is_wide = output_type == "f64" or (output_type == "i64" and not (low <= most and high <= most))
    x = mersenne_twister(seed, count * (1 + is_wide))
    if is_wide:
        x = (x[0::2] << _HALF) | x[1::2]
    if is_integer:
        # Python's integers: a 64-bit remainder and minval may pass through numbers that int64 does not hold.
        numbers = [int(each) % (int(high) - int(low)) + int(low) for each in x]
        return np.array(numbers, INDEX_TYPES[output_type])
    digits = _DIGITS[output_type]
    fraction = np.ldexp((x & np.uint64(2**digits - 1)).astype(np.float64), -digits)
    return fraction * (float(high) - float(low)) + float(low)
