"""How elements of fewer than eight bits share bytes: codes to bytes and back.

A code is the bits of one element in a uint8 of its own. Elements of 1, 2 and 4 bits fill a byte; those of 3 and 6 bits
come in groups of three bytes; the last holds the high bits.
"""

from __future__ import annotations

import numpy as np


def join(codes: np.ndarray, bits: int) -> np.ndarray:
    """Bytes of codes [n] of ``bits`` bits; what is missing of the last byte or group is zero."""
    if bits == 3:
        groups = _padded(codes, 8).reshape(-1, 8)
        low = _join(groups & 3, 2).reshape(-1, 2)
        return np.concatenate([low, _join(groups >> 2, 1)], axis=1).reshape(-1)
    if bits == 6:
        groups = _padded(codes, 4).reshape(-1, 4)
        low = _join(groups & 15, 4).reshape(-1, 2)
        return np.concatenate([low, _join(groups >> 4, 2)], axis=1).reshape(-1)
    per_byte = 8 // bits
    groups = _padded(codes, per_byte).reshape(-1, per_byte)
    # A byte of single bits starts with the high one, pairs and nibbles with the low one.
    return _join(groups if bits == 1 else groups[:, ::-1], bits).reshape(-1)


def split(data: np.ndarray, bits: int) -> np.ndarray:
    """The inverse of ``join``: all codes in the bytes, those that only fill the last one included."""
    if bits in (3, 6):
        triples = data.reshape(-1, 3)
        low_bits = 2 if bits == 3 else 4
        low = _split(triples[:, :2].reshape(-1), low_bits)
        high = _split(triples[:, 2], bits - low_bits)
        return np.asarray(low | high << low_bits)
    codes = _split(data, bits)
    return codes if bits == 1 else codes.reshape(-1, 8 // bits)[:, ::-1].reshape(-1)


def _padded(codes: np.ndarray, multiple: int) -> np.ndarray:
    return np.pad(codes, (0, -codes.size % multiple))


def _join(groups: np.ndarray, bits: int) -> np.ndarray:
    """Fields of ``bits`` bits, the first in the high bits, as bytes. [..., n] -> [..., n * bits / 8]"""
    per_byte = 8 // bits
    fields = groups.reshape(len(groups), groups.shape[1] // per_byte, per_byte).astype(np.uint8)
    shifts = np.arange(per_byte - 1, -1, -1, dtype=np.uint8) * np.uint8(bits)
    joined: np.ndarray = np.bitwise_or.reduce(fields << shifts, axis=-1).astype(np.uint8)
    return joined


def _split(data: np.ndarray, bits: int) -> np.ndarray:
    """The inverse of ``_join``, flat."""
    shifts = np.arange(8 // bits - 1, -1, -1, dtype=np.uint8) * np.uint8(bits)
    fields: np.ndarray = data[:, None] >> shifts & np.uint8(2**bits - 1)
    return fields.reshape(-1)
