"""What the report shows of failure folders: pictures of wrong outputs and the model."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reports.results.files.reading import Results
from reports.results.records import CaseRecord
from reports.views.report.model_text import layer_lines, readable

# Of the pictures and models that one report carries, in bytes of JSON.
EVIDENCE_BYTES = 24 * 2**20
# Of one model's XML.
XML_CHARACTERS = 40_000


def evidence(
    results: Results,
    records: Sequence[CaseRecord],
    beside: Path,
    first: Sequence[int] = (),
    room: int | None = None,
) -> dict[int, dict[str, Any]]:
    """Return what the failure folders show, by the case's number, up to ``room`` bytes of JSON, else EVIDENCE_BYTES.

    The cases with the numbers ``first`` have theirs before others take the room.
    """
    room = EVIDENCE_BYTES if room is None else room
    found: dict[int, dict[str, Any]] = {}
    for number in dict.fromkeys([*first, *range(len(records))]):
        record = records[number]
        folder = results.folder(record)
        if folder is None or not _inside(folder, record.folder) or not folder.is_dir():
            continue
        shown: dict[str, Any] = {"command": reproduce_command(folder, beside)}
        if room > 0:
            try:
                shown["model"] = _model(folder, record)
                shown["pictures"] = _pictures(folder, record)
            except ImportError:
                shown["problem"] = "pictures need numpy: install it and write the HTML file again"
            except (OSError, ValueError) as error:
                shown["problem"] = f"the failure folder cannot be read: {error}"
        else:
            shown["problem"] = "the HTML file is full: see the failure folder"
        room -= len(json.dumps(shown))
        found[number] = shown
    return found


def _pictures(folder: Path, record: CaseRecord) -> list[dict[str, Any]]:
    # Imported here: the report is made without pictures where numpy is not installed.
    from reports.views.report import pictures

    return pictures.of_folder(folder, record)


def _inside(folder: Path, relative: str) -> bool:
    """Tell whether a record's folder is inside the failures folder that it is relative to."""
    root = folder
    for _ in Path(relative).parts:
        root = root.parent
    return not Path(relative).is_absolute() and folder.resolve().is_relative_to(root.resolve())


def reproduce_command(folder: Path, beside: Path) -> str:
    """Return a shell command that runs a failure folder's script from the report's folder."""
    try:
        path = os.path.relpath(folder, beside)
    except ValueError:  # on another drive
        path = str(folder)
    return f"cd {shlex.quote(Path(path).as_posix())} && python reproduce.py"


def _model(folder: Path, record: CaseRecord) -> dict[str, Any]:
    """Return the folder's IR as lines, and the range of those of the layer under test."""
    text = (folder / "model.xml").read_text(encoding="utf-8", errors="replace")
    lines = readable(text[:XML_CHARACTERS])
    first, end = layer_lines(lines, record.operation.rpartition("-")[0])
    if len(text) > XML_CHARACTERS:
        lines.append(f"… {len(text) - XML_CHARACTERS:,} more characters in model.xml")
    return {"lines": lines, "first": first, "end": end}
