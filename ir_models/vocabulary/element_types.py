"""The element types that IR can hold: their names, their NumPy arrays, and their bytes.

An array of *values* has the natural NumPy or ml_dtypes dtype, one item for each element. Types for which neither
library has a dtype use a wider one: u1, u3 and u6 are uint8 arrays, nf4 is a float32 array of the sixteen levels,
string is an object array of str. ``pack`` and ``unpack`` convert between values and the bytes of a tensor in memory,
bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from ir_models.vocabulary import packing

NF4_LEVELS = np.array(
    [
        -1.0,
        -0.6961928009986877,
        -0.5250730514526367,
        -0.39491748809814453,
        -0.28444138169288635,
        -0.18477343022823334,
        -0.09105003625154495,
        0.0,
        0.07958029955625534,
        0.16093020141124725,
        0.24611230194568634,
        0.33791524171829224,
        0.44070982933044434,
        0.5626170039176941,
        0.7229568362236023,
        1.0,
    ],
    np.float32,
)


@dataclass(frozen=True)
class ElementType:
    """One element type.

    ``name`` is what attributes such as ``element_type`` say, ``precision`` what a port says, ``bits`` the size of one
    element (0 for string), ``dtype`` that of arrays of values, ``kind`` one of float, int, uint, boolean, string.
    """

    name: str
    precision: str
    bits: int
    dtype: np.dtype
    kind: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        """The hash of the name alone, which tells types apart: sets of types are asked in each rule."""
        return hash(self.name)

    def __getitem__(self, shape: int | tuple[int, ...]) -> Tensor:
        """``f32[2, 3]`` is a tensor of this type and shape; ``f32[()]`` is a scalar."""
        return Tensor(self, shape if isinstance(shape, tuple) else (shape,))

    def tensor(self, value: Any) -> Tensor:
        """``i64.tensor([0, -2, -1])`` is a tensor of this type whose value the layer states."""
        return Tensor(self, np.shape(value), literal(value))

    @property
    def is_float(self) -> bool:
        """Whether values are floating-point numbers."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether values are integers, boolean not among them."""
        return self.kind in ("int", "uint")

    @property
    def integer_range(self) -> tuple[int, int]:
        """The least and the largest integer of the type. Raises ValueError for other kinds."""
        if not self.is_integer:
            raise ValueError(f"{self.name} holds no integers alone")
        if self.kind == "uint":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1

    @property
    def has_zero(self) -> bool:
        """Whether the number zero is one of its values."""
        return self not in (f8e8m0, string)

    @property
    def is_packed(self) -> bool:
        """Whether elements share bytes."""
        return 0 < self.bits < 8

    def byte_size(self, shape: tuple[int, ...]) -> int:
        """Bytes of a tensor of this shape; u3 and u6 come in groups of three bytes."""
        count = math.prod(shape)
        if self.bits in (3, 6):
            return -(-count // (8 if self.bits == 3 else 4)) * 3
        return -(-count * self.bits // 8)

    def values(self, literal: Any) -> np.ndarray:
        """An array of this type from Python numbers, wrapped or rounded by nothing: they must fit."""
        if not self.is_integer:
            if self is nf4 and not np.isin(np.array(literal, float), NF4_LEVELS).all():
                raise ValueError(f"{literal} does not fit in nf4")
            return np.array(literal, dtype=self.dtype)
        numbers = np.array(literal, object)
        least, most = self.integer_range
        # NumPy before 2 would wrap what is out of range, and warn.
        if all(least <= number <= most for number in numbers.flat):
            array = np.array(literal, dtype=self.dtype)
            if np.array_equal(array.astype(object), numbers):
                return array
        raise ValueError(f"{literal} does not fit in {self.name}")

    def pack(self, values: np.ndarray) -> np.ndarray:
        """Bytes (1-D uint8) of an array of values, in C order. Raises TypeError for strings."""
        flat = np.ascontiguousarray(values).reshape(-1)
        if self.kind == "string":
            raise TypeError("a string tensor has no fixed bytes")
        if not self.is_packed:
            return flat.astype(self.dtype, copy=False).view(np.uint8)
        return packing.join(_codes(self, flat), self.bits)

    def unpack(self, data: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Values in ``shape`` from the tensor's bytes (1-D uint8). Raises ValueError on a wrong number of bytes."""
        data = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        if data.size != self.byte_size(shape):
            raise ValueError(
                f"{self.name}{list(shape)} takes {self.byte_size(shape)} bytes, got {data.size}"
            )
        if not self.is_packed:
            return data.view(self.dtype).reshape(shape)
        codes = packing.split(data, self.bits)
        return _values(self, codes[: math.prod(shape)]).reshape(shape)


_MOST_DIMENSIONS, _MOST_ELEMENTS = 64, 2**59


@dataclass(frozen=True)
class Tensor:
    """The type and shape of one input, and its ``value`` where that is a parameter of the layer.

    ``value`` is a number or nested tuples of numbers: the value of an index input such as ``block_shape``.
    It is None for data, which every case draws from its own seed.
    """

    element_type: ElementType
    shape: tuple[int, ...]
    value: Any = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(math.prod(self.shape))

    @property
    def is_too_large(self) -> bool:
        """Whether no array can have this shape: NumPy counts its bytes in 63 bits, as if no dimension were 0."""
        return self.rank > _MOST_DIMENSIONS or math.prod(filter(None, self.shape)) > _MOST_ELEMENTS

    def with_type(self, element_type: ElementType) -> Tensor:
        """The same tensor in another element type; as strings, numbers are written out."""
        value = _as_text(self.value) if element_type is string else self.value
        return Tensor(element_type, self.shape, value)

    def with_shape(self, *shape: int) -> Tensor:
        """The same element type in another shape, as data."""
        return Tensor(self.element_type, shape)

    def fits(self, element_type: ElementType) -> bool:
        """Whether the type can hold the ``value``; data is drawn to fit."""
        return _can_hold(element_type, () if self.value is None else self.value)

    def array(self) -> np.ndarray:
        """The ``value`` as a NumPy array."""
        return self.element_type.values(self.value).reshape(self.shape)

    def __str__(self) -> str:
        return f"{self.element_type.name}[{','.join(map(str, self.shape))}]"


@lru_cache(4096)
def _can_hold(element_type: ElementType, value: Any) -> bool:
    try:
        element_type.values(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _as_text(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_as_text, value))
    return None if value is None else str(value)


def literal(value: Any) -> Any:
    """Lists and arrays as nested tuples, NumPy numbers as Python numbers: hashable and comparable."""
    if isinstance(value, np.ndarray):
        return literal(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(literal(item) for item in value)
    return value.item() if isinstance(value, np.generic) else value


def _codes(element_type: ElementType, values: np.ndarray) -> np.ndarray:
    """The bits of each element in a uint8 of its own."""
    if element_type is nf4:
        codes = np.searchsorted(NF4_LEVELS, values.astype(np.float32)).clip(0, 15).astype(np.uint8)
        if not np.array_equal(NF4_LEVELS[codes], values):
            raise ValueError("an nf4 array holds values that are not nf4 levels")
        return codes
    if element_type is f4e2m1:
        return values.astype(element_type.dtype, copy=False).view(np.uint8) & 15
    return values.astype(np.int8).view(np.uint8) & (2**element_type.bits - 1)


def _values(element_type: ElementType, codes: np.ndarray) -> np.ndarray:
    if element_type is nf4:
        return NF4_LEVELS[codes]
    if element_type is f4e2m1:
        return codes.astype(np.uint8).view(element_type.dtype)
    if element_type.kind == "int":
        sign = 1 << (element_type.bits - 1)
        return ((codes.astype(np.int8) ^ sign) - sign).astype(element_type.dtype)
    return codes.astype(element_type.dtype)


def _type(name: str, precision: str, bits: int, dtype: Any, kind: str) -> ElementType:
    return ElementType(name, precision, bits, np.dtype(dtype), kind)


f16 = _type("f16", "FP16", 16, np.float16, "float")
f32 = _type("f32", "FP32", 32, np.float32, "float")
f64 = _type("f64", "FP64", 64, np.float64, "float")
bf16 = _type("bf16", "BF16", 16, ml_dtypes.bfloat16, "float")
i8 = _type("i8", "I8", 8, np.int8, "int")
i16 = _type("i16", "I16", 16, np.int16, "int")
i32 = _type("i32", "I32", 32, np.int32, "int")
i64 = _type("i64", "I64", 64, np.int64, "int")
u8 = _type("u8", "U8", 8, np.uint8, "uint")
u16 = _type("u16", "U16", 16, np.uint16, "uint")
u32 = _type("u32", "U32", 32, np.uint32, "uint")
u64 = _type("u64", "U64", 64, np.uint64, "uint")
boolean = _type("boolean", "BOOL", 8, np.bool_, "boolean")
i4 = _type("i4", "I4", 4, ml_dtypes.int4, "int")
u4 = _type("u4", "U4", 4, ml_dtypes.uint4, "uint")
u1 = _type("u1", "U1", 1, np.uint8, "uint")
u2 = _type("u2", "U2", 2, ml_dtypes.uint2, "uint")
u3 = _type("u3", "U3", 3, np.uint8, "uint")
u6 = _type("u6", "U6", 6, np.uint8, "uint")
nf4 = _type("nf4", "NF4", 4, np.float32, "float")
f8e4m3 = _type("f8e4m3", "F8E4M3", 8, ml_dtypes.float8_e4m3fn, "float")
f8e5m2 = _type("f8e5m2", "F8E5M2", 8, ml_dtypes.float8_e5m2, "float")
f8e8m0 = _type("f8e8m0", "F8E8M0", 8, ml_dtypes.float8_e8m0fnu, "float")
f4e2m1 = _type("f4e2m1", "F4E2M1", 4, ml_dtypes.float4_e2m1fn, "float")
string = _type("string", "STRING", 0, object, "string")

ELEMENT_TYPES: dict[str, ElementType] = {
    t.name: t
    for t in (
        *(f16, f32, f64, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean),
        *(i4, u4, u1, u2, u3, u6, nf4, f8e4m3, f8e5m2, f8e8m0, f4e2m1, string),
    )
}


ANY: tuple[ElementType, ...] = tuple(ELEMENT_TYPES.values())
FLOATS: tuple[ElementType, ...] = (f16, f32, f64, bf16)
# Of whole bytes. What the pages mean by "integer type" is said in ``ir_models.vocabulary.type_sets``.
INTEGERS: tuple[ElementType, ...] = (i8, i16, i32, i64, u8, u16, u32, u64)
NUMERIC: tuple[ElementType, ...] = (*FLOATS, *INTEGERS)
BOOLEAN: tuple[ElementType, ...] = (boolean,)

# Random layers take these types; the others have cases of their own and are refused or worse by many devices.
COMMON_TYPES: tuple[ElementType, ...] = (*FLOATS, *INTEGERS, *BOOLEAN)


def element_type(name: str) -> ElementType:
    """The element type called ``name``. Raises ValueError for an unknown name."""
    try:
        return ELEMENT_TYPES[name]
    except KeyError:
        raise ValueError(
            f"unknown element type {name!r}; known: {' '.join(ELEMENT_TYPES)}"
        ) from None
