"""Expectations files read: where those of a device are, and what their TOML must hold."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ir_models.asking.id_parts import FACTORS
from reports.conditions import ConditionError, check
from reports.expectations import CLASSES, DEPTHS, FACTS, Cover, Entry, Expectations
from reports.outcomes import Outcome
from reports.selectors import Selector, SelectorError, parse_versions
from reports.traits import NAMES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DIRECTORY = Path(__file__).with_name("expectations")


class ExpectationsError(ValueError):
    """An expectations file cannot be used."""


def load(*paths: str | os.PathLike[str]) -> Expectations:
    """Read expectations files; the entries of the first come first, and last those that a file takes from another.

    Raises ExpectationsError with the file and the entry's number.
    """
    entries = [entry for path in paths for entry in _read(Path(path))]
    entries += [entry for path in paths for entry in _of_reading(Path(path))]
    for path in {entry.path for entry in entries}:
        ids = [entry.id for entry in entries if entry.path == path]
        repeated = next((one for one in ids if ids.count(one) > 1), None)
        if repeated is not None:
            raise ExpectationsError(f"{path}: two entries have the id {repeated!r}")
    return Expectations(entries)


def load_for(device: str, directory: str | os.PathLike[str] = DIRECTORY) -> Expectations:
    """Return the expectations of a device: those of each file of `paths_for` that exists."""
    return load(*(path for path in paths_for(device, directory) if path.exists()))


def paths_for(device: str, directory: str | os.PathLike[str] = DIRECTORY) -> list[Path]:
    """Return the paths of a device's expectations, whether or not the files exist.

    The device's own file comes first, then those of the one device whose kernels it runs, if
    any: CPU for AUTO:CPU, HETERO:CPU, MULTI:CPU and BATCH:CPU(4), GPU for GPU.1. A virtual device
    over several devices, such as HETERO:GPU,CPU, has only its own file.
    """
    paths, name = [], device
    while name:
        paths.append(Path(directory) / file_name(name))
        name = _device_under(name)
    return paths


def file_name(device: str) -> str:
    """Return the name of a device's expectations file: ``BATCH_CPU_4_.toml`` of BATCH:CPU(4)."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", device) + ".toml"


def _device_under(device: str) -> str:
    """Return the one device whose kernels `device` runs, or "" if there is none, or several."""
    virtual, colon, under = device.partition(":")
    if colon and virtual:
        under = re.sub(r"\(\d+\)$", "", under)
        return "" if "," in under or under.startswith("-") else under
    numbered = re.fullmatch(r"(\w+)\.\d+", device)
    return numbered[1] if numbered else ""


_ENTRY_KEYS = ("id", "title", "class", "page", "since", "smallest", "link", "unstable", "covers")
_WHEN_KEYS = ("profile", *FACTS)
_TABLES = ("how", "parameter")
_COVER_KEYS = (
    *NAMES,
    *_TABLES,
    "case",
    "where",
    "outcome",
    "detail",
    "error",
    "computed_as",
    "depth",
    "varies",
    "unstable",
    "when",
)


_READING = "reading"
"""The key of a file that names the device whose entries about reading a model hold for its own."""

_ABOUT_READING = (
    "at read: ",
    "SIGSEGV in read",
    "*type inferred at reading ",
    "*shape inferred at reading ",
    "output: shape inferred at reading ",
)


def _of_reading(path: Path) -> Iterator[Entry]:
    """Yield what a file takes from another: its covers of reading a model, which is done before there is a device."""
    name = _document(_text_of(path), path).get(_READING)
    if name is None:
        return
    other = path.with_name(file_name(str(name)))
    if not isinstance(name, str) or not other.is_file() or other == path:
        raise ExpectationsError(
            f"{path}: {_READING} must name a device with another file here; got {_toml(name)}"
        )
    for entry in _read(other):
        covers = tuple(
            one
            for one in entry.covers
            if one.details and all(detail.startswith(_ABOUT_READING) for detail in one.details)
        )
        if covers:
            yield dataclasses.replace(entry, covers=covers)


def _read(path: Path) -> Iterator[Entry]:
    return parse(_text_of(path), path)


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ExpectationsError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ExpectationsError(f"{path}: not UTF-8: {error}") from None


def _document(text: str, path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExpectationsError(f"{path}: not TOML: {error}") from None
    return found


def parse(text: str, path: Path) -> Iterator[Entry]:
    """Yield the entries of a file's text; `path` is only for messages.

    Raises ExpectationsError with the file and the entry's number.
    """
    document = _document(text, path)
    document.pop(_READING, None)
    tables = document.pop("expect", [])
    if document:
        raise ExpectationsError(
            f"{path}: unknown key {next(iter(document))!r}; expected [[expect]]"
        )
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ExpectationsError(f"{path}: expected [[expect]] entries, got {_toml(tables)}")
    for number, table in enumerate(tables, 1):
        try:
            yield _entry(table, path, number)
        except ExpectationsError as error:
            raise ExpectationsError(f"{path}: entry {number}: {error}") from None


def _entry(table: Mapping[str, Any], path: Path, number: int) -> Entry:
    _known(table, _ENTRY_KEYS)
    kind = _text(table, "class")
    if kind not in CLASSES:
        raise ExpectationsError(f"class must be one of {', '.join(CLASSES)}; got {kind!r}")
    covers = table.get("covers")
    if not isinstance(covers, list) or not all(isinstance(one, dict) for one in covers):
        raise ExpectationsError(f"covers must be a list of tables, got {_toml(covers)}")
    if not covers:
        raise ExpectationsError("covers must not be empty")
    optional = {
        name: _text(table, name)
        for name in ("page", "since", "smallest", "link", "unstable")
        if name in table
    }
    return Entry(
        id=_text(table, "id"),
        title=_text(table, "title"),
        kind=kind,
        covers=tuple(map(_cover, covers)),
        path=path,
        number=number,
        **optional,
    )


def _cover(table: Mapping[str, Any]) -> Cover:
    _known(table, _COVER_KEYS, "covers.")
    outcomes = []
    for name in _texts(table, "outcome", "covers."):
        if name not in Outcome.__members__ or name == Outcome.ERROR:
            # ERROR is a fault of the suite: it is fixed, not expected.
            admitted = ", ".join(one for one in Outcome.__members__ if one != Outcome.ERROR)
            raise ExpectationsError(f"covers.outcome must be one of {admitted}; got {name!r}")
        outcomes.append(Outcome(name))
    conditions = {name: _texts(table, name, "covers.") for name in NAMES if name in table}
    for name in _TABLES:
        inner = _table(table, name, "covers.")
        conditions |= {f"{name}.{key}": _patterns(inner, key, f"{name}.") for key in inner}
    for factor in _table(table, "how", "covers."):
        if factor not in FACTORS:
            raise ExpectationsError(f"unknown key how.{factor}; known are {', '.join(FACTORS)}")
    return Cover(
        selector=Selector(
            conditions, _texts(table, "case", "covers.") if "case" in table else (), _where(table)
        ),
        outcomes=tuple(outcomes),
        details=_texts(table, "detail", "covers.") if "detail" in table else (),
        error=_error(table),
        depth=_depth(table),
        computed_as=_texts(table, "computed_as", "covers.") if "computed_as" in table else (),
        varies=_text(table, "varies") if "varies" in table else "",
        unstable=_text(table, "unstable") if "unstable" in table else "",
        when=_when(table),
    )


def _where(table: Mapping[str, Any]) -> str:
    if "where" not in table:
        return ""
    expression = _text(table, "where")
    try:
        check(expression)
    except ConditionError as error:
        raise ExpectationsError(f"covers.{error}") from None
    return expression


def _depth(table: Mapping[str, Any]) -> str:
    depth = _text(table, "depth") if "depth" in table else DEPTHS[0]
    if depth not in DEPTHS:
        raise ExpectationsError(f"covers.depth must be one of {', '.join(DEPTHS)}; got {depth!r}")
    return depth


def _error(table: Mapping[str, Any]) -> float | None:
    error = table.get("error")
    if error is not None and (type(error) not in (int, float) or not 0 < error < math.inf):
        raise ExpectationsError(f"covers.error must be a number above 0, got {_toml(error)}")
    return error


def _when(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    when = _table(table, "when", "covers.")
    _known(when, _WHEN_KEYS, "when.")
    conditions = {name: _texts(when, name, "when.") for name in when}
    for versions in conditions.get("openvino", ()):
        try:
            parse_versions(versions)
        except SelectorError as error:
            raise ExpectationsError(f"when.openvino {error}") from None
    return conditions


def _table(table: Mapping[str, Any], name: str, prefix: str) -> dict[str, Any]:
    inner = table.get(name, {})
    if not isinstance(inner, dict):
        raise ExpectationsError(f"{prefix}{name} must be a table, got {_toml(inner)}")
    return inner


def _patterns(table: Mapping[str, Any], name: str, prefix: str) -> tuple[str, ...]:
    """As `_texts`, but a text may be empty: the usual way of a factor."""
    value = table[name]
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(text, str) for text in values):
        raise ExpectationsError(
            f"{prefix}{name} must be a text or a list of texts, got {_toml(value)}"
        )
    return tuple(values)


def _known(table: Mapping[str, Any], keys: tuple[str, ...], prefix: str = "") -> None:
    for name in table:
        if name not in keys:
            raise ExpectationsError(f"unknown key {prefix}{name}; known are {', '.join(keys)}")


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ExpectationsError(f"{name} must be a text that is not empty, got {_toml(value)}")
    return value


def _texts(table: Mapping[str, Any], name: str, prefix: str = "") -> tuple[str, ...]:
    """Return a text or a list of texts as a tuple of at least one."""
    value = table.get(name)
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(text, str) and text.strip() for text in values):
        raise ExpectationsError(
            f"{prefix}{name} must be a text or a list of texts, none empty, got {_toml(value)}"
        )
    return tuple(values)


def _toml(value: object) -> str:
    return "nothing" if value is None else repr(value)
