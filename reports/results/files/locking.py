"""Results files, and folders of a command's own, written by one process at a time.

The lock is the operating system's on the open file or folder: it ends with the process that holds it, however that
ends, and leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from reports.results.shared.files import NotReplacedError, check_is_regular

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HEADER_START = b'{"kind":"run",'
"""How every header that is written begins."""

# The file system has no locks, as some network file systems: the run goes on without.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}


class InUseError(Exception):
    """Another process writes the file. The message is a clause that says which one."""


def open_locked(path: Path) -> io.FileIO:
    """Open a regular file for reading and writing, and create it if there is none.

    It has no buffer, and stays locked until it is closed. Raises InUseError if another process holds it,
    NotReplacedError for anything but a regular file, and OSError.
    """
    while True:
        check_is_regular(path)
        # The file may be replaced by a link or a FIFO meanwhile: neither is followed or waited for.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        file = io.FileIO(os.open(path, flags, 0o666), "r+")
        try:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NotReplacedError(errno.EEXIST, "is not a regular file", str(path))
            _lock(file, path)
            if _is_at(file, path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()  # Another process has moved it away: what is at the path now is opened.


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a folder or a file, which must exist: others that ask for it raise InUseError. Raises OSError."""
    if fcntl is None:
        yield
        return
    held = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _lock(held, path)
        yield
    finally:
        os.close(held)


def check_not_in_use(path: Path) -> None:
    """Raise InUseError if a run writes the file at `path`; nothing there is fine.

    Raises NotReplacedError for anything but a regular file.
    """
    check_is_regular(path)
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        _lock(file, path)


def _lock(file: IO[bytes] | io.FileIO | int, path: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InUseError(f"{_holder(path)} writes it") from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _is_at(file: IO[bytes] | io.FileIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    """Return who holds the file: what its last header says."""
    try:
        content = path.read_bytes()
        line = content[content.rfind(b"\n" + HEADER_START) + 1 :].partition(b"\n")[0]
        header = json.loads(line)
        return f"process {header['process']}, which started at {header['started']},"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
