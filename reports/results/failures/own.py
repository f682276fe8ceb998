"""The folder of failure folders that belongs to a results file: recognized before it is moved or removed."""

from __future__ import annotations

import os
from pathlib import Path

from reports.results.records import ResultsError

# A failure folder is in those of its device and profile (see `reports.results.failures.folders`), and has a manifest.
# Importing it from `reports.results.case_folder` would need NumPy.
_DEPTH = 3
_MANIFEST = "manifest.json"


def check_own(root: Path) -> None:
    """Raise ResultsError if there is something at ``root`` that is not a folder of failure folders."""
    foreign = _foreign(root, 0) if os.path.lexists(root) else None
    if foreign is not None:
        because = "" if foreign == root else f" ({foreign} is none)"
        raise ResultsError(f"{root}: is not a folder of failure folders{because}; it is left as is")


def _foreign(path: Path, depth: int) -> Path | None:
    """Something at ``path`` or below that is not a failure folder, nor a folder of them, or None."""
    if path.is_symlink() or not path.is_dir():
        return path
    # A failure folder, or one that a run was writing when it was killed.
    is_case = depth > 0 and (path / _MANIFEST).is_file()
    if is_case or (depth == _DEPTH and path.name.startswith(".")):
        return None
    for entry in path.iterdir():
        foreign = _foreign(entry, depth + 1) if depth < _DEPTH else entry
        if foreign is not None:
            return foreign
    return None
