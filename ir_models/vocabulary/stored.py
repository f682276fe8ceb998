"""The weights file: what the bytes of a constant are, where they stand, and other layers that read the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ir_models.vocabulary.element_types import ElementType, Tensor, u8

_ALIGNMENT = 64


def content(kind: ElementType, array: np.ndarray) -> bytes:
    """A constant's bytes in the weights file."""
    if kind.kind != "string":
        return kind.pack(array).tobytes()
    # Their number, where each begins among the characters and the last one ends (i32), the characters in UTF-8.
    texts = [text.encode() for text in array.reshape(-1).tolist()]
    places = np.cumsum([0, *map(len, texts)])
    return np.array([len(texts), *places], "<i4").tobytes() + b"".join(texts)


def aligned(weights: bytearray) -> int:
    """Where the next constant begins; the file is filled up to there."""
    weights.extend(b"\0" * (-len(weights) % _ALIGNMENT))
    return len(weights)


def append(weights: bytearray, stored: bytes) -> int:
    """Put a constant's bytes behind those in the weights file; where they begin."""
    offset = aligned(weights)
    weights.extend(stored)
    return offset


def place(
    weights: bytearray, stored: bytes, offset: int, size: int, length: int | None = None
) -> int:
    """Put a constant's bytes ``offset`` bytes behind a new place in the weights file, and return that place.

    The file has ``size`` bytes from there, but for a ``length`` that it has in all: it is filled up or cut off. What
    fills it is no content of a constant and differs from byte to byte, so that a wrong offset is seen.
    """
    base = aligned(weights)
    # An invalid layer may begin before the file, or far behind its end.
    begin = max(offset, 0) if length is None else min(max(offset, 0), length)
    weights.extend(_filling(begin) + stored)
    end = begin + size if length is None else length
    weights.extend(_filling(end - (len(weights) - base)))
    if length is not None:
        del weights[base + length :]
    return base


def _filling(count: int) -> bytes:
    return bytes(151 + number * 31 % 97 for number in range(count))


@dataclass(frozen=True)
class SharedConstant:
    """Another constant that reads bytes of the first one: its tensor and where it begins among those bytes."""

    tensor: Tensor
    offset: int


READERS = {
    "same": "all of them, as the first constant does",
    "flat": "all of them, in one dimension",
    "half": "the second half of the elements, in one dimension",
    "bytes": "all of them, as u8",
}


def reader(name: str, tensor: Tensor) -> SharedConstant:
    """One of ``READERS`` beside a constant of this tensor, whose elements have whole bytes but for ``same``."""
    kind, count = tensor.element_type, tensor.size
    if name == "same":
        return SharedConstant(Tensor(kind, tensor.shape), 0)
    if name == "flat":
        return SharedConstant(kind[count], 0)
    if name == "bytes":
        return SharedConstant(u8[kind.byte_size(tensor.shape)], 0)
    first = count // 2
    return SharedConstant(kind[count - first], kind.byte_size((first,)))
