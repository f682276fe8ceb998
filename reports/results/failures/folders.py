"""Failure folders: case folders (see `reports.results.case_folder`) with the result of a run.

Their paths are relative to the folder that belongs to the results file.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import msgspec

from reports.results.case_folder import manifest, writing
from reports.results.records import CaseRecord


@dataclass
class FolderBudget:
    """Limits on the folders that one process of a run writes.

    ``number`` limits their number, ``total_bytes`` their total size and ``folder_bytes`` the size
    of each.
    """

    number: int = 200
    total_bytes: int = 256 * 2**20
    folder_bytes: int = 32 * 2**20
    written: int = field(default=0, init=False)
    written_bytes: int = field(default=0, init=False)

    def claim(self, size: int) -> bool:
        """Tell whether a folder of ``size`` bytes may be written, and then count it as written."""
        fits = size <= self.folder_bytes and self.written_bytes + size <= self.total_bytes
        if not fits or self.written >= self.number:
            return False
        self.written += 1
        self.written_bytes += size
        return True


class FolderClaims(Protocol):
    """What decides whether a record has a folder: a `reports.results.failures.folder_plan.FolderPlan`."""

    def claim(self, record: CaseRecord, size: int) -> bool:
        """Tell whether the case may have a folder of ``size`` bytes, and then count it as written."""


def write(
    root: Path, record: CaseRecord, content: writing.CaseFiles, plan: FolderClaims | None = None
) -> str:
    """Write the failure folder of a record; an older folder of the same result is replaced.

    The device and the record are added to the content. Returns the folder's path relative to
    ``root`` with forward slashes, or "" if the plan does not allow it.
    """
    if plan is not None and not plan.claim(record, content.size):
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
    for key, value in zip(("case", "device", "profile"), record.key[:3], strict=True):
        if result.get(key) != value:
            raise ValueError(f"{folder}: of another {key}, {result.get(key)!r}")
    return found


def folder_name(record: CaseRecord) -> str:
    """Return the path of a record's folder: device, profile, then operation, purpose and a hash."""
    key = "\n".join(record.key[:3])
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
