"""RandomUniform (page RandomUniform-8)."""

from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Accuracy, Call, Depending, Distribution, Function, kolmogorov
from reference.shared.axes import one_number, require_rank
from reference.shared.checks import INDEX_TYPES

# Fraction bits that a random float has.
_FRACTION = {"f16": 10, "bf16": 7, "f32": 23}
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
    """Random without seeds; for bf16 as well, of which the page does not say how it comes from 32 bits."""
    seeds = (call.attributes["global_seed"], call.attributes["op_seed"])
    if seeds == (0, 0) or call.attributes["output_type"] == "bf16":
        return Distribution(_probability)
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
) -> np.ndarray:
    """Uniform numbers in [minval, maxval); integers as int32 or int64, others as float64.

    shape [rank]; minval and maxval are scalars or [1]. Where both seeds are 0 any sequence is admissible. Raises
    ValueError for an interval that is empty, and for a seed that is not a uint64.
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
    count = prod(sizes)
    each = 2 if output_type == "f64" else 1
    x = philox(global_seed, op_seed, -(-count * each // 4)).reshape(-1)[: count * each]
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
