"""A digest of the project's sources, for what is kept between runs because it follows from them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]


def digest(rooms: Mapping[str, str], packages: Iterable[str], root: Path = ROOT) -> str:
    """A digest of Python, of the versions of ``packages``, and of the files in rooms whose names match a pattern.

    ``rooms`` are folders below ``root``, with the pattern of each.
    """
    found = hashlib.sha256()
    for each in (sys.version, *map(version, packages)):
        found.update(each.encode("utf-8") + b"\0")
    for path in _files(rooms, root):
        found.update(path.relative_to(root).as_posix().encode("utf-8") + b"\0")
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def newest(rooms: Mapping[str, str], root: Path = ROOT) -> float:
    """When the file among those of ``digest`` that was changed last was, in seconds since the epoch."""
    return max((path.stat().st_mtime for path in _files(rooms, root)), default=0.0)


def _files(rooms: Mapping[str, str], root: Path) -> Iterator[Path]:
    for room, pattern in rooms.items():
        for path in sorted((root / room).rglob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
