"""Tensors of any element type of OpenVINO, in files and in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

# Element types that NumPy has. Tensors of the others are stored as the bytes that OpenVINO holds.
NUMPY_TYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "boolean": np.bool_,
}
NF4_VALUES = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)
F4E2M1_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


@dataclass(frozen=True)
class StoredTensor:
    """A tensor as OpenVINO holds it.

    ``element_type`` is the name that the IR uses. ``raw`` has NumPy's own type and ``shape`` for
    the types of NUMPY_TYPES, is an object array of ``str`` in ``shape`` for string, and the
    tensor's bytes as a one-dimensional uint8 array for every other type.
    """

    name: str
    element_type: str
    shape: tuple[int, ...]
    raw: np.ndarray

    @property
    def size(self) -> int:
        """Bytes that the tensor takes in a folder, approximately."""
        if self.element_type == "string":
            return sum(len(str(value)) + 4 for value in self.raw.reshape(-1))
        return self.raw.nbytes + 128

    def values(self) -> np.ndarray:
        """The tensor's values in its shape: see `decode`."""
        return decode(self.element_type, self.shape, self.raw)


@dataclass(frozen=True)
class TensorFile:
    """The entry of a stored tensor in the manifest."""

    name: str
    element_type: str
    shape: tuple[int, ...]
    file: str

    @staticmethod
    def of(entry: dict[str, Any]) -> TensorFile:
        """Return an entry of the manifest. Raises KeyError or TypeError if it is damaged."""
        shape = tuple(int(dim) for dim in entry["shape"])
        # Only the name: an entry cannot lead out of its folder.
        return TensorFile(entry["name"], entry["element_type"], shape, Path(entry["file"]).name)

    def load(self, folder: Path) -> StoredTensor:
        """Read the tensor. Raises OSError or ValueError."""
        return StoredTensor(self.name, self.element_type, self.shape, self._raw(folder))

    def _raw(self, folder: Path) -> np.ndarray:
        path = folder / self.file
        if self.element_type == "string":
            values = json.loads(path.read_text(encoding="utf-8"))
            return np.array(values, dtype=object).reshape(self.shape)
        return load_array(path)


def load_array(path: Path) -> np.ndarray:
    """Read an array. Raises OSError, and ValueError that names a damaged file."""
    try:
        values: np.ndarray = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path.name}: is no array of NumPy: {error}") from None
    return values


def save(folder: Path, stem: str, tensor: StoredTensor) -> TensorFile:
    """Write a tensor to ``<stem>.npy``, or ``<stem>.json`` for strings."""
    if tensor.element_type == "string":
        file = f"{stem}.json"
        text = json.dumps(tensor.raw.reshape(tensor.shape).tolist(), ensure_ascii=True)
        (folder / file).write_text(text + "\n", encoding="utf-8")
    else:
        file = f"{stem}.npy"
        np.save(folder / file, np.ascontiguousarray(tensor.raw).reshape(tensor.raw.shape))
    shape = tuple(int(dim) for dim in tensor.shape)
    return TensorFile(tensor.name, tensor.element_type, shape, file)


def decode(element_type: str, shape: tuple[int, ...], raw: np.ndarray) -> np.ndarray:
    """Return the values, in ``shape``, of a stored tensor of any element type.

    Types that NumPy has are returned as they are, smaller floating-point types as float32, packed
    integers as int8 or uint8, strings as an object array of ``str``.
    """
    if element_type in NUMPY_TYPES or element_type == "string":
        return raw.reshape(shape)
    data = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
    count = int(np.prod(shape, dtype=np.int64))
    values: np.ndarray
    if element_type == "bf16":
        values = (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    elif element_type == "f8e5m2":
        values = (data.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
    elif element_type == "f8e4m3":
        values = _f8e4m3_values()[data]
    elif element_type == "f8e8m0":
        values = _f8e8m0_values()[data]
    elif element_type == "nf4":
        values = np.array(NF4_VALUES, np.float32)[_nibbles(data)]
    elif element_type == "f4e2m1":
        positive = np.array(F4E2M1_VALUES, np.float32)
        values = np.concatenate([positive, -positive])[_nibbles(data)]
    elif element_type == "u4":
        values = _nibbles(data)
    elif element_type == "i4":
        values = ((_nibbles(data).astype(np.int8) ^ 8) - 8).astype(np.int8)
    elif element_type == "u1":
        values = np.unpackbits(data)
    elif element_type == "u2":
        values = (data[:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3).reshape(-1)
    elif element_type == "u3":
        values = _split(data, low_bits=2)
    elif element_type == "u6":
        values = _split(data, low_bits=4)
    else:
        raise ValueError(f"element type {element_type!r} is not known")
    return values[:count].reshape(shape)


def _nibbles(data: np.ndarray) -> np.ndarray:
    """Two values a byte, the first in the lower half."""
    return np.stack([data & 15, data >> 4], axis=-1).reshape(-1)


def _split(data: np.ndarray, low_bits: int) -> np.ndarray:
    """Values whose low bits stand in two bytes and whose high bits follow in a third."""
    groups = data.reshape(-1, 3)
    low_shifts = np.arange(8 - low_bits, -1, -low_bits, dtype=np.uint8)
    low = (groups[:, :2, None] >> low_shifts & ((1 << low_bits) - 1)).reshape(len(groups), -1)
    high_bits = 8 // low.shape[1]
    high_shifts = np.arange(8 - high_bits, -1, -high_bits, dtype=np.uint8)
    high = groups[:, 2:] >> high_shifts & ((1 << high_bits) - 1)
    return (high << low_bits | low).astype(np.uint8).reshape(-1)


def _f8e4m3_values() -> np.ndarray:
    """Value of each f8e4m3 byte: no infinities, S.1111.111 is NaN."""
    code = np.arange(128)
    exponent, fraction = code >> 3, code & 7
    significand = np.where(exponent == 0, fraction / 8, 1 + fraction / 8)
    positive = np.ldexp(significand, np.maximum(exponent, 1) - 7).astype(np.float32)
    positive[127] = np.nan
    return np.concatenate([positive, -positive])


def _f8e8m0_values() -> np.ndarray:
    """Value of each f8e8m0 byte: powers of two, 255 is NaN."""
    values = np.append(np.ldexp(np.ones(255), np.arange(255) - 127), np.nan)
    return values.astype(np.float32)
