"""Files written atomically, and never over what is not this project's own."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

HEAD = 64 * 1024
"""Bytes of the beginning of a file by which it is recognized."""

GENERATOR = '<meta name="generator" content="openvino-layer-conformance">'
"""The element by which an HTML file is recognized as written by this project."""

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# Files that are open already, so that writing to them replaces nothing. A pipe among them has a reader.
_OPEN_FILES = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")


class NotReplacedError(FileExistsError):
    """Something is in the place of a file to write that this project has not written."""


def unusual_kind(path: Path) -> str:
    """Return what is at `path` in words, such as "a FIFO"; "" for a regular file or nothing.

    A symbolic link counts as such, wherever it leads. Raises OSError.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return ""
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), "")


def check_is_regular(path: Path) -> None:
    """Raise NotReplacedError if there is something other than a regular file at `path`."""
    kind = unusual_kind(path)
    if kind:
        raise NotReplacedError(
            errno.EEXIST, f"is {kind}, which is never replaced; choose another file", str(path)
        )


def has(mark: bytes) -> Callable[[bytes], bool]:
    """Return a test for `write_report`: whether a file's beginning contains `mark`."""
    return lambda head: mark in head


def check_is_own(path: Path, is_own: Callable[[bytes], bool], remedy: str) -> None:
    """Raise NotReplacedError for a file that ``is_own`` does not recognize by its first bytes; an empty one may go."""
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head and not is_own(head):
        raise NotReplacedError(
            errno.EEXIST, f"is not such a report of this suite; {remedy}", str(path)
        )


def write_report(
    path: Path, text: str, is_own: Callable[[bytes], bool], *, force: bool = False
) -> None:
    """Write `text` to `path` at once. `is_own` recognizes an earlier report by its first bytes.

    Raises NotReplacedError for a file that is not recognized, unless `force`; with `force` too for
    anything but a regular file.
    """
    if str(path).startswith(_OPEN_FILES):
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        return
    check_is_regular(path)
    if not force:
        check_is_own(path, is_own, "--force replaces it")
    write_text(path, text)


def write_text(path: Path, text: str) -> None:
    """Write `text` (UTF-8, newlines as they are) to `path` at once: readers see old or new.

    Raises NotReplacedError if there is something other than a regular file.
    """
    check_is_regular(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    except OSError as error:
        # The name of the temporary file says nothing to a user.
        error.filename = str(path)
        raise
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp makes files that only the owner can read; others read reports too.
        os.chmod(temporary, _ordinary_mode())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _ordinary_mode() -> int:
    """Return the mode that `open` would have given a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
