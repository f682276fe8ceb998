"""Memory for large tensors: of files without a name in the temporary folder, so that what is not used takes none.

A process holds of such a tensor what it has touched, until it releases it; the rest is in the file. Where no file can
be made the tensor is in memory as any other.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from math import prod
from weakref import WeakSet

import numpy as np

# Bytes of what is worth a file.
_LEAST = 2**20

_mapped: WeakSet[mmap.mmap] = WeakSet()
# Answers are received by a thread of its own.
_lock = threading.Lock()


def buffer(size: int) -> mmap.mmap | bytearray:
    """So many bytes of zeros that can be written."""
    if size >= _LEAST:
        try:
            with tempfile.TemporaryFile() as file:
                # Where the disk is full, this fails; a write to what was only promised would end the process.
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                file.truncate(size)
                found = mmap.mmap(file.fileno(), size)
        except OSError:
            return bytearray(size)
        with _lock:
            _mapped.add(found)
        return found
    return bytearray(size)


def zeros(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of zeros."""
    count = prod(shape)
    if dtype.kind == "O" or not count:
        return np.zeros(shape, dtype)
    return np.frombuffer(buffer(count * dtype.itemsize), dtype, count).reshape(shape)


def release() -> None:
    """Give back the memory of all that was touched; what was written is in the files."""
    if hasattr(mmap, "MADV_DONTNEED"):
        with _lock:
            for each in _mapped:
                each.madvise(mmap.MADV_DONTNEED)
