"""Builds a site, or brings one up to date: the parts of new results files, and the index of all."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from reports.files import GENERATOR, HEAD, NotReplacedError, write_text
from reports.gate.causes import Cause
from reports.gate.causes import load as load_causes
from reports.results.reading import load, without_garbage_collection
from reports.results.records import ResultsError
from reports.site import outputs
from reports.site.column import FORMAT, Column, write_column
from reports.site.index import Placed, index_page, placed, told_causes
from reports.site.parts import write_part
from reports.text import count

DATA = "data"
_FOLDER = re.compile(r"[0-9a-f]{16}|\.[0-9a-f]{16}\..*")
_CHUNK = 2**20

Say = Callable[[str], None]


class Built(NamedTuple):
    """What a build did."""

    columns: list[Placed]
    written: int
    """Results files whose parts were written."""
    unchanged: int


def build(
    paths: Sequence[Path],
    out: Path,
    own_causes: Sequence[Path] = (),
    *,
    force: bool = False,
    say: Say = lambda text: None,
) -> Built:
    """Build the site of some results files in the folder ``out``; files that it has are not read again.

    The index is written last and at once, so that a reader sees the site before or after it. Parts of results that are
    no longer given are removed. One results file is in memory at a time.

    Raises ResultsError, CauseError and OSError, and NotReplacedError for a folder that is no site, unless ``force``.
    """
    _check_is_site(out, force)
    known = load_causes(*own_causes).by_id
    files: dict[str, Path] = {}
    for path in paths:
        files.setdefault(_name_of(path, out), path)
    columns: list[tuple[str, Column]] = []
    written = 0
    for number, (name, path) in enumerate(files.items(), 1):
        where = f"{number} of {len(files)}: {path}"
        found = _read(out / DATA / name)
        if found is None:
            say(f"{where}: reading")
            found = _write(path, out, name, known)
            written += 1
            say(f"{where}: {count(sum(one.cases for one in found), 'case')} written")
        else:
            say(f"{where}: unchanged")
        columns += [(f"{DATA}/{name}/{n}", column) for n, column in enumerate(found)]
    ordered = placed(columns)
    write_part(out / DATA / "causes.js", f"{DATA}/causes", told_causes(known))
    outputs.write(out, ordered)
    write_text(out / "index.html", index_page(ordered, known))
    for folder in (out / DATA).iterdir():
        if _FOLDER.fullmatch(folder.name) and folder.name not in files:
            shutil.rmtree(folder)
    return Built(ordered, written, len(files) - written)


def _check_is_site(out: Path, force: bool) -> None:
    """Raise NotReplacedError if there is something that this command has not written."""
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir():
        raise NotReplacedError(errno.EEXIST, "is no folder; choose another", str(out))
    index = out / "index.html"
    if force or not any(out.iterdir()):
        return
    if index.is_file():
        with index.open("rb") as file:
            if GENERATOR.encode() in file.read(HEAD):
                return
    # A build that was ended before its first index leaves the folder of parts alone.
    if [each.name for each in out.iterdir()] == [DATA]:
        return
    raise NotReplacedError(
        errno.EEXIST, "is not empty and no site of this suite; --force writes into it", str(out)
    )


def _name_of(path: Path, out: Path) -> str:
    """The name of a results file's folder: of its content, of where it is, and of the format of the parts."""
    digest = hashlib.blake2b(f"{FORMAT} {_relative(path, out)}\n".encode(errors="surrogateescape"))
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
    return digest.hexdigest()[:16]


def _relative(path: Path, out: Path) -> str:
    """The path from the site, by which the commands in it name failure folders."""
    try:
        return os.path.relpath(path, out)
    except ValueError:  # on another drive
        return str(path)


def _read(folder: Path) -> list[Column] | None:
    """The columns of a results file as an earlier build wrote them; None if there are none."""
    try:
        return msgspec.json.decode((folder / "columns.json").read_bytes(), type=list[Column])
    except (OSError, msgspec.MsgspecError):
        return None


def _write(path: Path, out: Path, name: str, known: dict[str, Cause]) -> list[Column]:
    """Write the parts of a results file, all of them or none."""
    data = out / DATA
    with without_garbage_collection():
        results = load(path)
        if not results.records:
            raise ResultsError(f"{path}: no case has a result")
        data.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=data))
        try:
            columns = [
                write_column(temporary / str(n), results, target, out, known, f"{DATA}/{name}/{n}")
                for n, target in enumerate(results.targets())
            ]
            (temporary / "columns.json").write_bytes(msgspec.json.encode(columns))
            # mkdtemp makes folders that only the owner can read.
            temporary.chmod((temporary / "0").stat().st_mode)
            shutil.rmtree(data / name, ignore_errors=True)
            temporary.rename(data / name)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    return columns
