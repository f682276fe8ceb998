"""A cache of the ids of long listings: which cases there are follows from the sources and the options alone.

Files are in ``~/.cache/openvino-layer-conformance/listings``, or below ``$XDG_CACHE_HOME``. Whoever deletes them loses
the time of one listing.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from reports.files import cache_folder
from reports.sources import ROOT, digest

# What an id follows from: the declarations, and what the references say of them.
_ROOMS = {"ir_models": "*", "reference": "*"}
_PACKAGES = ("numpy", "ml_dtypes", "covertable")
# At pairs a listing has some 35 MB of text, and 3 MB as a file.
_MOST_FILES = 8
_DIGEST = hashlib.sha256().digest_size


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the files."""
    return cache_folder(environment) / "listings"


def ids(asked: Sequence[str], find: Callable[[], list[str]], into: Path | None = None) -> list[str]:
    """The ids that ``find`` finds for these options, or that it found in an earlier run of the same sources."""
    path = (into or folder()) / f"{_name(asked)}.ids"
    found = _read(path)
    if found is None:
        found = find()
        # Without a place for it, it is found again in the next run.
        with suppress(OSError):
            _write(path, found)
    return found


def _name(asked: Sequence[str]) -> str:
    found = hashlib.sha256(digest(_ROOMS, _PACKAGES, ROOT).encode("ascii"))
    for each in asked:
        found.update(each.encode("utf-8") + b"\0")
    return found.hexdigest()


def _read(path: Path) -> list[str] | None:
    """What a file holds; None where there is none, or where it is not as it was written."""
    try:
        content = path.read_bytes()
        text = zlib.decompress(content[_DIGEST:])
    except (OSError, zlib.error):
        return None
    if hashlib.sha256(text).digest() != content[:_DIGEST]:
        return None
    # The file that was not read for the longest time is removed first.
    with suppress(OSError):
        os.utime(path)
    return text.decode("utf-8").split("\n") if text else []


def _write(path: Path, found: Sequence[str]) -> None:
    text = "\n".join(found).encode("utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Several runs may write at once: each puts a whole file in place.
    with NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as file:
        made = Path(file.name)
        file.write(hashlib.sha256(text).digest() + zlib.compress(text, 1))
    try:
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    files = sorted(path.parent.glob("*.ids"), key=lambda each: each.stat().st_mtime)
    for old in files[:-_MOST_FILES]:
        old.unlink(missing_ok=True)
