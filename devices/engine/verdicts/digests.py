"""Digests of answers, which distinguish one wrong answer to a case from another."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence

import numpy as np

from devices.process.protocol import TensorData
from ir_models import ELEMENT_TYPES
from reference import Expected
from reports.results.records import VARIES

_BYTES = 5


def digest(
    inferred: Sequence[tuple[str, str]],
    inferences: Iterable[tuple[Sequence[Expected], Sequence[TensorData]]],
) -> str:
    """Return 10 hex characters for what was inferred at reading and for the outputs of all inferences.

    Values of a random output are not determined; its type and shape are.
    """
    found = hashlib.blake2b(repr(inferred).encode(), digest_size=_BYTES)
    for expected, outputs in inferences:
        for of_page, tensor in zip(expected, outputs, strict=True):
            found.update(repr((tensor.element_type, tensor.shape)).encode())
            if not of_page.is_random:
                found.update(_content(tensor))
    return found.hexdigest()


def varying(one: str) -> str:
    """Return a digest with the mark that the answer varies."""
    return one if VARIES in one else one + VARIES


def settled_digest(
    first: Sequence[tuple[str, str]],
    second: Sequence[tuple[str, str]],
    inferences: Iterable[tuple[Sequence[Expected], Sequence[TensorData], Sequence[TensorData]]],
) -> str:
    """Return the digest of what two answers have in common: which elements are the same, and these elements.

    The answers are those of two processes whose memory differs in every bit: an element that nobody wrote differs.
    ``first`` and ``second`` are what each inferred at reading.
    """
    found = hashlib.blake2b(repr((first, second)).encode(), digest_size=_BYTES)
    for expected, *pair in inferences:
        for of_page, one, other in zip(expected, *pair, strict=True):
            kinds = [(each.element_type, each.shape) for each in (one, other)]
            found.update(repr(kinds).encode())
            if of_page.is_random or kinds[0] != kinds[1]:
                continue
            own, others = _elements(one), _elements(other)
            if own.shape != others.shape:
                found.update(repr((own.shape, others.shape)).encode())
                continue
            is_same = (own == others).all(axis=1)
            found.update(np.packbits(is_same).tobytes())
            found.update(own[is_same].tobytes())
    return found.hexdigest()


def _elements(tensor: TensorData) -> np.ndarray:
    """Return the elements of a tensor as rows of bytes; bytes that do not fill them, as rows of one byte."""
    content = _content(tensor)
    if isinstance(tensor.data, list):
        digests = [hashlib.blake2b(repr(each).encode(), digest_size=8) for each in tensor.data]
        return np.frombuffer(b"".join(each.digest() for each in digests), np.uint8).reshape(-1, 8)
    own = np.frombuffer(content, np.uint8)
    count = math.prod(tensor.shape)
    is_whole = count and own.size % count == 0
    return own.reshape(count, -1) if is_whole else own.reshape(-1, 1)


def _content(tensor: TensorData) -> bytes | memoryview:
    """Return the bytes of a tensor without the unused bits of its last byte."""
    if isinstance(tensor.data, list):
        return repr(tensor.data).encode()
    kind = ELEMENT_TYPES.get(tensor.element_type)
    if kind is not None and kind.is_packed and not tensor.unreadable:
        return tensor.values().tobytes()
    return np.ascontiguousarray(tensor.data).data
