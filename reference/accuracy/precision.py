"""Floating-point formats for error bounds: their precision and their range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Precision:
    """A binary floating-point format.

    ``smallest_normal`` and ``largest`` are magnitudes; ``overflow`` is the least magnitude that rounds to infinity.
    """

    name: str
    dtype: np.dtype
    fraction_bits: int
    smallest_normal: float
    largest: float

    @property
    def epsilon(self) -> float:
        """ε = 2^-(fraction bits): the distance from 1 to the next number."""
        return 2.0**-self.fraction_bits

    @property
    def unit(self) -> float:
        """u = ε/2: the largest relative error of one correct rounding."""
        return self.epsilon / 2

    @property
    def overflow(self) -> float:
        """The least magnitude that rounds to infinity: half a step beyond the largest number."""
        exponent = np.frexp(self.largest)[1] - 1
        with np.errstate(over="ignore"):
            return float(self.largest + np.ldexp(self.unit, exponent))

    def half_ulp(self, values: np.ndarray) -> np.ndarray:
        """Half the distance between neighbours around each value (float64); subnormals have one distance."""
        magnitude = np.maximum(np.abs(values), self.smallest_normal)
        # frexp: magnitude = m * 2^e with m in [0.5, 1); infinities and NaN have no neighbours.
        exponent = np.frexp(np.where(np.isfinite(magnitude), magnitude, self.largest))[1]
        return np.ldexp(self.unit, exponent - 1)


def _precision(name: str, dtype: type) -> Precision:
    info = ml_dtypes.finfo(dtype)
    smallest, largest = float(info.smallest_normal), float(info.max)
    return Precision(name, np.dtype(dtype), int(info.nmant), smallest, largest)


PRECISIONS: dict[str, Precision] = {
    p.name: p
    for p in (
        _precision("f64", np.float64),
        _precision("f32", np.float32),
        _precision("f16", np.float16),
        _precision("bf16", ml_dtypes.bfloat16),
        _precision("f8e4m3", ml_dtypes.float8_e4m3fn),
        _precision("f8e5m2", ml_dtypes.float8_e5m2),
        _precision("f4e2m1", ml_dtypes.float4_e2m1fn),
    )
}


@cache
def precision_of(dtype: np.dtype) -> Precision | None:
    """The precision of an array's type; None for a type that is not a binary floating-point format."""
    return next((p for p in PRECISIONS.values() if p.dtype == dtype), None)


def parse_precision(text: str) -> Precision | None:
    """The precision that a device names (``f32``, ``FP16``, ``bfloat16``); None for any other text."""
    name = text.strip().lower().replace("bfloat", "bf").replace("float", "f").replace("fp", "f")
    return PRECISIONS.get(name)


def coarser(one: Precision, other: Precision | None) -> Precision:
    """The precision with fewer fraction bits; ``one`` where they are equal or ``other`` is None."""
    return other if other is not None and other.fraction_bits < one.fraction_bits else one


def is_float(dtype: np.dtype) -> bool:
    """Whether an array of this type holds floating-point numbers, including those of ml_dtypes."""
    return dtype.kind == "f" or (dtype.kind == "V" and "float" in dtype.name)


def is_integer(dtype: np.dtype) -> bool:
    """Whether an array of this type holds integers, including those of ml_dtypes; bool is not one."""
    return dtype.kind in "iu" or (dtype.kind == "V" and "int" in dtype.name)


def integer_range(dtype: np.dtype) -> tuple[int, int]:
    """The least and the largest integer of a type, including those of ml_dtypes."""
    info = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def rounded(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """float64 values rounded once, to nearest, ties to even, to a floating-point type.

    ml_dtypes' own conversions from float64 round twice, by way of float32.
    """
    precision = precision_of(dtype)
    with np.errstate(all="ignore"):
        if precision is not None and precision.name not in ("f64", "f32", "f16"):
            step = 2 * precision.half_ulp(values)
            finite = np.isfinite(values)
            values = np.where(finite, np.rint(np.where(finite, values, 0) / step) * step, values)
        return values.astype(dtype)


def round_significand(values: np.ndarray, precision: Precision) -> np.ndarray:
    """Values rounded to nearest, ties to even, to the fraction bits of a precision, whatever its range; same dtype.

    A device that converts f32 data to bf16 before it multiplies does this. The range stays that of the dtype: values
    that are outside the range of the coarser format are not changed.
    """
    fraction, exponent = np.frexp(values.astype(np.float64))
    scale = precision.fraction_bits + 1
    with np.errstate(all="ignore"):
        rounded = np.ldexp(np.rint(np.ldexp(fraction, scale)), exponent - scale)
        return rounded.astype(values.dtype)


def flush_subnormals(values: np.ndarray, precision: Precision) -> np.ndarray:
    """Values with a magnitude below the smallest normal number of a precision as zeros of their sign; same dtype."""
    wide = values.astype(np.float64)
    tiny = np.abs(wide) < precision.smallest_normal
    return np.where(tiny, np.copysign(0.0, wide), wide).astype(values.dtype)
