"""Builds a site, or brings one up to date: the parts of new results files, and the index of all.

A site's folder holds, beside what other programs take (`reports.views.site.outputs`)::

    index.html               the page that draws every other
    data/causes.js           what is known of causes
    data/ports.js            the inputs of operations, for layers of a model
    data/readings.js         how the suite reads the pages of operations
    data/0123456789abcdef/   the parts of one results file: `columns.json`, and a folder for each column
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlencode

import msgspec

from reports.gate.baseline import Run, run_of
from reports.gate.causes import Causes
from reports.gate.causes import load as load_causes
from reports.gate.decision import named_since
from reports.results.explained.explanations import counted
from reports.results.files.locking import InUseError, locked
from reports.results.files.reading import Results, leaf_headers, load, without_garbage_collection
from reports.results.records import ResultsError
from reports.results.shared.files import GENERATOR, HEAD, NotReplacedError, write_text
from reports.results.shared.text import count
from reports.support.measured import Declared
from reports.views.site import outputs
from reports.views.site.data_files import write_part
from reports.views.site.index import Placed, index_page, placed, told_causes
from reports.views.site.run_column import FORMAT, Column, write_column

DATA = "data"
READINGS = Path(__file__).with_name("readings.json")
"""Readings of pages by operation. ``python -m ir_models specification --json`` writes it: no declaration is loaded."""
_FOLDER = re.compile(r"[0-9a-f]{16}|\.[0-9a-f]{16}\..*")
_KEPT = "keep"
"""In a site of which each build keeps the runs before it: how many of a kind."""
_LISTS = ("causes.js", "readings.js", "ports.js", _KEPT)
_CHUNK = 2**20

Say = Callable[[str], None]


class Ports(Declared, Protocol):
    """What `ir_models.models` offers: without it the site has no page of support."""

    def operation_names(self) -> tuple[str, ...]:
        """Return the operations of the suite."""

    def ports_of(self, name: str) -> list[tuple[str, str, bool, bool]]:
        """Return the inputs of an operation."""


class Built(NamedTuple):
    """What a build did."""

    columns: list[Placed]
    written: int
    """Results files whose parts were written."""
    unchanged: int
    earlier: int
    """Results files that the site had, and that it keeps."""
    left_out: int
    """Results files that are no part of the site any more."""


class _Stored(msgspec.Struct):
    """What is kept of a results file, so that the index is written without it."""

    format: int
    columns: list[Column]


def build(
    paths: Sequence[Path],
    out: Path,
    own_causes: Sequence[Path] = (),
    *,
    keep: int = 0,
    force: bool = False,
    say: Say = lambda text: None,
    declared: Ports | None = None,
) -> Built:
    """Build the site of some results files in the folder ``out``; files that it has are not read again.

    The index is written last and at once, so that a reader sees the site before or after it. One results file is in
    memory at a time. Results that are no longer given leave the site; with ``keep`` they stay, and of all runs those
    leave that `older` names. A site that was built so is built without ``keep`` only if no run leaves it.

    Raises ResultsError, CauseError and OSError, and NotReplacedError for a folder that is no site, unless ``force``.
    """
    known = load_causes(*own_causes)
    files: dict[str, Path] = {}
    for path in paths:
        files.setdefault(_name_of(path, out), path)
    _check_is_site(out, force)
    out.mkdir(parents=True, exist_ok=True)
    try:
        with locked(out):
            return _build(files, out, known, keep, say, declared)
    except InUseError as error:
        raise ResultsError(f"{out}: {error}: wait until it has ended") from None


def _build(
    files: Mapping[str, Path],
    out: Path,
    known: Causes,
    keep: int,
    say: Say,
    declared: Ports | None,
) -> Built:
    before = stored(out)
    marker = out / DATA / _KEPT
    if not keep and marker.is_file() and before.keys() - files.keys():
        removed = count(len(before.keys() - files.keys()), "earlier run")
        raise ResultsError(
            f"{out}: this build would remove {removed} that the site keeps: "
            f"give --keep N (the last build had {marker.read_text().strip()}), or remove the folder to begin anew"
        )
    site = dict(before) if keep else {}
    for number, (name, path) in enumerate(files.items(), 1):
        where = f"{number} of {len(files)}: {path}"
        if name in before:
            site[name] = before[name]
            say(f"{where}: unchanged")
        else:
            say(f"{where}: reading")
            site[name] = _write(path, out, name, known, declared)
            say(f"{where}: {count(sum(one.cases for one in site[name]), 'case')} written")
    if keep:
        for name in older(site, keep):
            del site[name]
    ordered = _placed(site)
    write_part(out / DATA / "causes.js", f"{DATA}/causes", told_causes(known.by_id))
    write_part(
        out / DATA / "readings.js", f"{DATA}/readings", msgspec.json.decode(READINGS.read_bytes())
    )
    if declared is not None:
        names = declared.operation_names()
        write_part(
            out / DATA / "ports.js",
            f"{DATA}/ports",
            {name: declared.ports_of(name) for name in names},
        )
    if keep:
        write_text(marker, f"{keep}\n")
    outputs.write(out, ordered)
    write_text(out / "index.html", index_page(ordered, known.by_id))
    for folder in (out / DATA).iterdir():
        if _FOLDER.fullmatch(folder.name) and folder.name not in site:
            shutil.rmtree(folder)
    written = files.keys() - before.keys()
    return Built(
        ordered, len(written), len(files) - len(written),
        len(site.keys() - files.keys()), len((before.keys() | files.keys()) - site.keys()),
    )  # fmt: skip


def stored(out: Path) -> dict[str, list[Column]]:
    """Return the columns of each results file that a site has, by the name of its folder.

    Those of another version of the format are not there: their results must be read again.
    """
    found = {}
    for path in sorted((out / DATA).glob("*/columns.json")):
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=_Stored)
        except (OSError, msgspec.MsgspecError):
            continue
        if kept.format == FORMAT:
            found[path.parent.name] = kept.columns
    return found


def older(site: Mapping[str, Sequence[Column]], keep: int) -> set[str]:
    """Return the results files that have no column among those to keep.

    These are, of each device, profile, machine and depth, the ``keep`` newest, and the newest of each release.
    """
    runs: dict[tuple[str, ...], list[tuple[str, str, str]]] = defaultdict(list)
    for name, columns in site.items():
        for one in columns:
            kind = (one.device, one.profile, one.machine, one.depth)
            runs[kind].append((one.started, name, one.release))
    kept = set()
    for own in runs.values():
        own.sort(reverse=True)
        releases: set[str] = set()
        for number, (_, name, release) in enumerate(own):
            if number < keep or release not in releases:
                kept.add(name)
            releases.add(release)
    return site.keys() - kept


def address_of_comparison(out: Path, old: Path, new: Path, pair: tuple[int, int] = (0, 0)) -> str:
    """Return the address, in a site that has two results files, of the page that compares them.

    ``pair`` are the numbers of the two columns among those of their files. Raises ResultsError.
    """
    site = stored(out)
    ids = {one.folder: one.id for one in _placed(site)}
    found = []
    for path, number in zip((old, new), pair, strict=True):
        name = _name_of(path, out)
        if name not in site:
            raise ResultsError(
                f"{out}: the site does not have {path}: build it of these results first"
            )
        found.append(ids[f"{DATA}/{name}/{number}"])
    return f"#{urlencode({'page': 'compare', 'column': found[1], 'base': found[0]})}"


def _placed(site: Mapping[str, Sequence[Column]]) -> list[Placed]:
    return placed(
        [
            (f"{DATA}/{name}/{n}", column)
            for name, own in site.items()
            for n, column in enumerate(own)
        ]
    )


def _check_is_site(out: Path, force: bool) -> None:
    """Raise NotReplacedError if there is something that this command has not written."""
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir():
        raise NotReplacedError(errno.EEXIST, "is not a folder; choose another", str(out))
    index = out / "index.html"
    if force or not any(out.iterdir()):
        return
    if index.is_file():
        with index.open("rb") as file:
            if GENERATOR.encode() in file.read(HEAD):
                return
    # A build that was ended before its first index leaves the folder of parts alone.
    if [each.name for each in out.iterdir()] == [DATA] and _has_only_parts(out / DATA):
        return
    raise NotReplacedError(
        errno.EEXIST, "is not empty and no site of this suite; --force writes into it", str(out)
    )


def _has_only_parts(data: Path) -> bool:
    """Tell whether a folder holds nothing but what a build writes there: others may have a folder of its name."""
    return data.is_dir() and all(
        each.name in _LISTS
        or each.name.startswith(".")
        or (_FOLDER.fullmatch(each.name) and (each / "columns.json").is_file())
        for each in data.iterdir()
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


def _name(results: Results, known: Causes) -> None:
    """Departures that had no cause when they were asked belong to one that was written since."""
    runs: dict[tuple[str, str], Run] = {}
    for header in leaf_headers(results.runs):
        for target in header.targets:
            key = target.device, target.profile
            runs[key] = run_of(header, *key)
    for number, record in enumerate(results.records):
        run = runs.get(record.target)
        if run is not None:
            results.records[number] = named_since(record, known, run)


def _write(path: Path, out: Path, name: str, known: Causes, declared: Ports | None) -> list[Column]:
    """Write the parts of a results file, all of them or none."""
    data = out / DATA
    with without_garbage_collection():
        results = load(path)
        results.records = counted(results.records)
        if not results.records:
            raise ResultsError(f"{path}: no case has a result")
        _name(results, known)
        data.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=data))
        try:
            columns = [
                write_column(
                    temporary / str(n),
                    results,
                    target,
                    out,
                    known.by_id,
                    f"{DATA}/{name}/{n}",
                    declared,
                )
                for n, target in enumerate(results.targets())
            ]
            (temporary / "columns.json").write_bytes(msgspec.json.encode(_Stored(FORMAT, columns)))
            # mkdtemp makes folders that only the owner can read.
            temporary.chmod((temporary / "0").stat().st_mode)
            shutil.rmtree(data / name, ignore_errors=True)
            temporary.rename(data / name)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    return columns
