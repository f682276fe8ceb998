"""Digests of answers, which distinguish one wrong answer to a case from another."""

from __future__ import annotations

import hashlib
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
    return one.removesuffix(VARIES) + VARIES


def _content(tensor: TensorData) -> bytes | memoryview:
    """Return the bytes of a tensor without the unused bits of its last byte."""
    if isinstance(tensor.data, list):
        return repr(tensor.data).encode()
    kind = ELEMENT_TYPES.get(tensor.element_type)
    if kind is not None and kind.is_packed and not tensor.unreadable:
        return tensor.values().tobytes()
    return np.ascontiguousarray(tensor.data).data
