"""Failure folders: a departure as files to hand over.

A folder holds the model, its inputs, the expected outputs with the largest allowed errors, what
the device answered, ``case.json``, which names all of these and carries the record, and
``reproduce.py``, which needs only openvino and numpy (it is :mod:`reports.reproduce`, copied).
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from reports import reproduce
from reports.records import CaseRecord

SCHEMA = 1
MANIFEST = "case.json"
# Element types whose tensors are stored with NumPy's own type.
NATURAL = reproduce.NATURAL
# What the folder's small files take, case.json and reproduce.py among them, in bytes.
OVERHEAD = 32 * 1024


@dataclass(frozen=True)
class StoredTensor:
    """A tensor as OpenVINO holds it.

    ``element_type`` is the name that the IR uses. ``raw`` has NumPy's own type and ``shape`` for
    f16, f32, f64, i8 to u64 and boolean, is an object array of ``str`` in ``shape`` for string,
    and the tensor's bytes as a one-dimensional uint8 array for every other type.
    """

    name: str
    element_type: str
    shape: tuple[int, ...]
    raw: np.ndarray

    @property
    def size(self) -> int:
        """Bytes that the tensor takes in a folder, about."""
        if self.element_type == "string":
            return sum(len(str(value)) + 4 for value in self.raw.reshape(-1))
        return self.raw.nbytes + 128

    def values(self) -> np.ndarray:
        """The tensor's values in its shape: see :func:`reports.reproduce.decode`."""
        return reproduce.decode(self.element_type, self.shape, self.raw)


@dataclass
class FolderBudget:
    """Bounds on the folders that one process of a run writes; counts those left out.

    ``number`` is how many at most, ``total_bytes`` their size together and ``folder_bytes`` the
    size of the largest one.
    """

    number: int = 200
    total_bytes: int = 256 * 2**20
    folder_bytes: int = 32 * 2**20
    written: int = field(default=0, init=False)
    written_bytes: int = field(default=0, init=False)
    too_large: int = field(default=0, init=False)
    too_many: int = field(default=0, init=False)

    def claim(self, size: int) -> bool:
        """Whether a folder of ``size`` bytes may be written; it is then counted as written."""
        if size > self.folder_bytes:
            self.too_large += 1
            return False
        if self.written >= self.number or self.written_bytes + size > self.total_bytes:
            self.too_many += 1
            return False
        self.written += 1
        self.written_bytes += size
        return True

    @property
    def left_out(self) -> int:
        """Number of folders that were not written."""
        return self.too_large + self.too_many

    def describe(self) -> str:
        """One line about the folders written and left out, with the reasons."""
        text = f"{_count(self.written)} written"
        if self.too_many:
            text += (
                f", {self.too_many} left out beyond the bound of {_count(self.number)}"
                f" and {self.total_bytes / 2**20:g} MiB"
            )
        if self.too_large:
            text += f", {self.too_large} left out as larger than {self.folder_bytes / 2**20:g} MiB"
        return text


def write(
    root: str | os.PathLike[str],
    record: CaseRecord,
    *,
    model_xml: bytes,
    model_bin: bytes,
    inferences: list[list[StoredTensor]],
    expected: list[list[StoredTensor]],
    allowed: list[list[StoredTensor | None]] | None,
    actual: list[list[StoredTensor]] | None,
    settings: dict[str, str],
    environment: dict[str, str],
    memory: str = "",
    requests: str = "",
    budget: FolderBudget | None = None,
) -> str:
    """Write the failure folder of a record; an older folder of the same result is replaced.

    The lists have an entry per inference of the sequence, in it one per input or output in the
    model's order; ``expected`` is empty for an invalid layer, ``actual`` is None or shorter where
    the device gave no answer. ``allowed`` holds per output the largest allowed absolute error, f64
    and broadcastable to the output (inf: any value will do), or None for bit for bit; give the
    bound that the outcome broke, the quality bound for QUALITY. ``settings`` are the device's,
    ``environment`` is what must be set before openvino is loaded. ``memory`` says where inputs lie
    (offset, foreign, strided; else aligned), ``requests`` is ``two`` for inferences that run at once.

    Returns the folder's path relative to ``root`` with forward slashes, or "" if ``budget`` had
    no room for it.
    """
    lists: list[Sequence[StoredTensor | None]]
    lists = [*inferences, *expected, *(allowed or []), *(actual or [])]
    size = len(model_xml) + len(model_bin) + OVERHEAD
    size += sum(tensor.size for tensors in lists for tensor in tensors if tensor is not None)
    if budget is not None and not budget.claim(size):
        return ""

    relative = folder_name(record)
    target = Path(root, relative)
    target.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".building-", dir=target.parent))
    try:
        (building / "model.xml").write_bytes(model_xml)
        (building / "model.bin").write_bytes(model_bin)
        manifest = {
            "schema": SCHEMA,
            "record": msgspec.to_builtins(record),
            "nature": "invalid" if record.purpose.startswith("invalid") else "valid",
            "settings": settings,
            "environment": environment,
            "memory": memory,
            "requests": requests,
            "inferences": [
                {
                    "inputs": _save(building, f"input_{number}", inputs),
                    "expected": _save(building, f"expected_{number}", _at(expected, number)),
                    "allowed": _save_bounds(building, number, expected, allowed),
                    "actual": _save(building, f"actual_{number}", _at(actual, number)),
                }
                for number, inputs in enumerate(inferences)
            ],
        }
        text = json.dumps(manifest, indent=1, ensure_ascii=True)
        (building / MANIFEST).write_text(text + "\n", encoding="utf-8")
        script = importlib.resources.files("reports").joinpath("reproduce.py").read_bytes()
        (building / "reproduce.py").write_bytes(script)
        building.chmod(0o755)
        _replace(building, target)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    return relative


def folder_name(record: CaseRecord) -> str:
    """Path of a record's folder: device, profile, then operation, purpose and a hash."""
    key = "\n".join(record.key)
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return "/".join(
        (
            _file_name(record.device),
            _file_name(record.profile),
            f"{_file_name(record.operation)}-{_file_name(record.purpose)}-{digest}",
        )
    )


@dataclass(frozen=True)
class Inference:
    """One inference of a folder, decoded; ``actual`` may have fewer outputs than ``expected``."""

    expected: list[np.ndarray]
    allowed: list[np.ndarray | None]
    actual: list[np.ndarray]
    names: list[str]
    types: list[str]
    actual_types: list[str]


def read(folder: Path, record: CaseRecord) -> list[Inference]:
    """Expected and actual outputs of a folder that :func:`write` made for this record.

    Raises ValueError if the folder belongs to another result or is damaged, OSError if it cannot
    be read.
    """
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    try:
        if manifest["schema"] != SCHEMA:
            raise ValueError(f"{folder}: schema {manifest['schema']}, expected {SCHEMA}")
        for key, value in zip(("case", "device", "profile"), record.key, strict=True):
            if manifest["record"][key] != value:
                raise ValueError(f"{folder}: of another {key}, {manifest['record'][key]!r}")
        return [_decode(folder, entry) for entry in manifest["inferences"]]
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{folder}: {MANIFEST} is damaged: {error!r}") from error


def _decode(folder: Path, entry: dict[str, Any]) -> Inference:
    expected, actual = (
        [
            reproduce.decode(e["element_type"], tuple(e["shape"]), reproduce.load_tensor(folder, e))
            for e in entry[kind]
        ]
        for kind in ("expected", "actual")
    )
    return Inference(
        expected=expected,
        allowed=[
            None if name is None else np.load(folder / Path(name).name, allow_pickle=False)
            for name in entry["allowed"]
        ],
        actual=actual,
        names=[e["name"] for e in entry["expected"]],
        types=[e["element_type"] for e in entry["expected"]],
        actual_types=[e["element_type"] for e in entry["actual"]],
    )


def _save(folder: Path, stem: str, tensors: list[StoredTensor]) -> list[dict[str, Any]]:
    return [
        reproduce.save_tensor(folder, f"{stem}_{k}", t.name, t.element_type, t.raw, t.shape)
        for k, t in enumerate(tensors)
    ]


def _save_bounds(
    folder: Path,
    number: int,
    expected: list[list[StoredTensor]],
    allowed: list[list[StoredTensor | None]] | None,
) -> list[str | None]:
    """File names of the bounds of an inference's outputs, None for bit for bit."""
    bounds = _at(allowed, number) or [None] * len(_at(expected, number))
    names: list[str | None] = []
    for k, bound in enumerate(bounds):
        if bound is None:
            names.append(None)
            continue
        names.append(f"allowed_{number}_{k}.npy")
        np.save(folder / f"allowed_{number}_{k}.npy", np.asarray(bound.raw, np.float64))
    return names


def _at(lists: list[list[Any]] | None, number: int) -> list[Any]:
    """Entry of an inference, [] for one that has none."""
    return lists[number] if lists is not None and number < len(lists) else []


def _replace(building: Path, target: Path) -> None:
    """Rename a finished folder into place; a folder cannot be renamed onto one that has files."""
    if target.exists():
        older = Path(tempfile.mkdtemp(prefix=".older-", dir=target.parent))
        os.replace(target, older / target.name)
        os.replace(building, target)
        shutil.rmtree(older)
    else:
        os.replace(building, target)


def _file_name(text: str) -> str:
    """Text as part of a file name on any system, at most 60 characters."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:60] or "_"


def _count(folders: int) -> str:
    return f"{folders} failure folder{'' if folders == 1 else 's'}"
