"""Failure folders: case folders (see `reports.case_folder`) with the result of a run.

Their paths are relative to the folder that belongs to the results file.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from reports.case_folder import manifest, writing
from reports.records import CaseRecord


@dataclass
class FolderBudget:
    """Limits on the folders that one process of a run writes; counts the omitted ones.

    ``number`` limits their number, ``total_bytes`` their total size and ``folder_bytes`` the size
    of each.
    """

    number: int = 200
    total_bytes: int = 256 * 2**20
    folder_bytes: int = 32 * 2**20
    written: int = field(default=0, init=False)
    written_bytes: int = field(default=0, init=False)
    too_large: int = field(default=0, init=False)
    too_many: int = field(default=0, init=False)

    def claim(self, size: int) -> bool:
        """Tell whether a folder of ``size`` bytes may be written, and then count it as written."""
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
    def omitted(self) -> int:
        """Number of folders that were not written."""
        return self.too_large + self.too_many

    def describe(self) -> str:
        """Return one line about the folders written and omitted, with the reasons."""
        text = f"{_count(self.written)} written"
        if self.too_many:
            text += (
                f", {self.too_many} omitted beyond the limit of {_count(self.number)}"
                f" and {self.total_bytes / 2**20:g} MiB"
            )
        if self.too_large:
            text += f", {self.too_large} omitted as larger than {self.folder_bytes / 2**20:g} MiB"
        return text


def write(
    root: Path, record: CaseRecord, content: writing.CaseFiles, budget: FolderBudget | None = None
) -> str:
    """Write the failure folder of a record; an older folder of the same result is replaced.

    The device and the record are added to the content. Returns the folder's path relative to
    ``root`` with forward slashes, or "" if the budget does not allow it.
    """
    if budget is not None and not budget.claim(content.size):
        return ""
    relative = folder_name(record)
    result = msgspec.to_builtins(record)
    writing.write(Path(root, relative), replace(content, device=record.device, result=result))
    return relative


def read(folder: Path, record: CaseRecord) -> manifest.Manifest:
    """Read the manifest of a record's failure folder.

    Raises ValueError if the folder belongs to another result or is damaged, OSError if it cannot
    be read.
    """
    found = manifest.read(folder)
    result = found.result or {}
    for key, value in zip(("case", "device", "profile"), record.key, strict=True):
        if result.get(key) != value:
            raise ValueError(f"{folder}: of another {key}, {result.get(key)!r}")
    return found


def folder_name(record: CaseRecord) -> str:
    """Return the path of a record's folder: device, profile, then operation, purpose and a hash."""
    key = "\n".join(record.key)
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return "/".join(
        (
            _file_name(record.device),
            _file_name(record.profile),
            f"{_file_name(record.operation)}-{_file_name(record.purpose)}-{digest}",
        )
    )


def _file_name(text: str) -> str:
    """Text as part of a file name on any system, at most 60 characters."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:60] or "_"


def _count(folders: int) -> str:
    return f"{folders} failure folder{'' if folders == 1 else 's'}"
