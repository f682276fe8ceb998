"""The element types that IR can hold: their names, their NumPy arrays, and their bytes.

An array of *values* has the natural NumPy or ml_dtypes dtype, one item for each element. Types for which neither
library has a dtype use a wider one: u1, u3 and u6 are uint8 arrays, nf4 is a float32 array of the sixteen levels,
string is an object array of str. ``pack`` and ``unpack`` convert between values and the bytes of a tensor in memory,
bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

if TYPE_CHECKING:
    from ir_models.layer import Tensor

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

    def __getitem__(self, shape: int | tuple[int, ...]) -> Tensor:
        """``f32[2, 3]`` is a tensor of this type and shape; ``f32[()]`` is a scalar."""
        from ir_models.layer import Tensor

        return Tensor(self, shape if isinstance(shape, tuple) else (shape,))

    def tensor(self, value: Any) -> Tensor:
        """``i64.tensor([0, -2, -1])`` is a tensor of this type whose value the layer states."""
        from ir_models.layer import Tensor, literal

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
            return np.array(literal, dtype=self.dtype)
        numbers = np.array(literal, object)
        least = -(2 ** (self.bits - 1)) if self.kind == "int" else 0
        # NumPy before 2 would wrap what is out of range, and warn.
        if all(least <= number < least + 2**self.bits for number in numbers.flat):
            array = np.array(literal, dtype=self.dtype)
            if np.array_equal(array.astype(object), numbers):
                return array
        raise ValueError(f"{literal} does not fit in {self.name}")

    def pack(self, values: np.ndarray) -> np.ndarray:
        """Bytes (1-D uint8) of an array of values, in C order."""
        flat = np.ascontiguousarray(values).reshape(-1)
        if self.kind == "string":
            raise TypeError("a string tensor has no fixed bytes")
        if not self.is_packed:
            return flat.astype(self.dtype, copy=False).view(np.uint8)
        codes = _codes(self, flat)
        if self.bits == 3:
            groups = _padded(codes, 8).reshape(-1, 8)
            low = _join(groups & 3, 2).reshape(-1, 2)
            return np.concatenate([low, _join(groups >> 2, 1)], axis=1).reshape(-1)
        if self.bits == 6:
            groups = _padded(codes, 4).reshape(-1, 4)
            low = _join(groups & 15, 4).reshape(-1, 2)
            return np.concatenate([low, _join(groups >> 4, 2)], axis=1).reshape(-1)
        per_byte = 8 // self.bits
        groups = _padded(codes, per_byte).reshape(-1, per_byte)
        # A byte of single bits starts with the high one, pairs and nibbles with the low one.
        return _join(groups if self.bits == 1 else groups[:, ::-1], self.bits).reshape(-1)

    def unpack(self, data: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Values in ``shape`` from the tensor's bytes (1-D uint8). Raises ValueError on a wrong number of bytes."""
        data = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        if data.size != self.byte_size(shape):
            raise ValueError(
                f"{self.name}{list(shape)} takes {self.byte_size(shape)} bytes, got {data.size}"
            )
        if not self.is_packed:
            return data.view(self.dtype).reshape(shape)
        if self.bits in (3, 6):
            triples = data.reshape(-1, 3)
            low_bits = 2 if self.bits == 3 else 4
            low = _split(triples[:, :2].reshape(-1), low_bits)
            high = _split(triples[:, 2], self.bits - low_bits)
            codes = low | high << low_bits
        else:
            codes = _split(data, self.bits)
            if self.bits > 1:
                codes = codes.reshape(-1, 8 // self.bits)[:, ::-1].reshape(-1)
        return _values(self, codes[: math.prod(shape)]).reshape(shape)


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


def _padded(codes: np.ndarray, multiple: int) -> np.ndarray:
    return np.pad(codes, (0, -codes.size % multiple))


def _join(groups: np.ndarray, bits: int) -> np.ndarray:
    """Fields of ``bits`` bits, the first in the high bits, as bytes. [..., n] -> [..., n * bits / 8]"""
    per_byte = 8 // bits
    fields = groups.reshape(len(groups), groups.shape[1] // per_byte, per_byte).astype(np.uint8)
    shifts = np.arange(per_byte - 1, -1, -1, dtype=np.uint8) * np.uint8(bits)
    return np.bitwise_or.reduce(fields << shifts, axis=-1).astype(np.uint8)


def _split(data: np.ndarray, bits: int) -> np.ndarray:
    """The inverse of ``_join``, flat."""
    shifts = np.arange(8 // bits - 1, -1, -1, dtype=np.uint8) * np.uint8(bits)
    return (data[:, None] >> shifts & np.uint8(2**bits - 1)).reshape(-1)


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


@dataclass(frozen=True)
class TypeSet:
    """A type variable of a page, such as *T* or *T_IND*: its name and the element types that it ranges over.

    Inputs and outputs that name the same variable have the same element type.
    """

    name: str
    types: tuple[ElementType, ...]

    def __contains__(self, element_type: object) -> bool:
        return element_type in self.types

    @property
    def default(self) -> ElementType:
        """The type of cases that are not about types: f32, else i64, else the first."""
        return next((t for t in (f32, i64) if t in self.types), self.types[0])


ANY: tuple[ElementType, ...] = tuple(ELEMENT_TYPES.values())
FLOATS: tuple[ElementType, ...] = (f16, f32, f64, bf16)
INTEGERS: tuple[ElementType, ...] = (i8, i16, i32, i64, u8, u16, u32, u64)
NUMERIC: tuple[ElementType, ...] = (*FLOATS, *INTEGERS)
BOOLEAN: tuple[ElementType, ...] = (boolean,)


def element_type(name: str) -> ElementType:
    """The element type called ``name``. Raises ValueError for an unknown name."""
    try:
        return ELEMENT_TYPES[name]
    except KeyError:
        raise ValueError(
            f"unknown element type {name!r}; known: {' '.join(ELEMENT_TYPES)}"
        ) from None


def types(name: str, *members: ElementType | Iterable[ElementType]) -> TypeSet:
    """``types("T_INT", i32, i64)`` or ``types("T", FLOATS, boolean)``."""
    flat: list[ElementType] = []
    for member in members:
        flat.extend([member] if isinstance(member, ElementType) else member)
    return TypeSet(name, tuple(flat))
