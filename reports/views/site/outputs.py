"""What other programs take from a site: the matrix as JSON and CSV, and a badge for each column."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reports.gate.severity import SEVERITIES
from reports.results.shared.files import write_text
from reports.results.shared.text import printable, trim
from reports.views.site.index import Placed
from reports.views.site.standing import STANDINGS

SCHEMA = 2
"""Version of the JSON."""
SCHEMA_FILE = Path(__file__).with_name("matrix.schema.json")
"""The JSON Schema of the matrix, which stands beside it in the site."""


def write(out: Path, columns: Sequence[Placed]) -> None:
    """Write ``matrix.json`` with its schema, ``matrix.csv`` and ``badges/<column>.svg``. Raises OSError."""
    write_text(out / "matrix.json", json.dumps(matrix(columns), indent=1) + "\n")
    write_text(out / "matrix.schema.json", SCHEMA_FILE.read_text(encoding="utf-8"))
    write_text(out / "matrix.csv", as_csv(columns))
    badges = out / "badges"
    for one in columns:
        write_text(badges / f"{one.id}.svg", badge(one))
    for old in badges.glob("*.svg"):
        if old.stem not in {one.id for one in columns}:
            old.unlink()


def matrix(columns: Sequence[Placed]) -> dict[str, Any]:
    """Return the matrix as data: each column with its operations."""
    return {
        "schema": SCHEMA,
        "columns": [
            {
                "id": one.id,
                "device": one.column.device,
                "release": one.column.release,
                "openvino": one.column.openvino,
                "profile": one.column.profile,
                "machine": one.column.machine,
                "depth": one.column.depth,
                "started": one.column.started,
                "part": one.column.part,
                "compile_only": one.column.is_compile_only,
                "operations": [
                    {
                        "operation": cell.operation,
                        "category": cell.category,
                        "opset": cell.opset,
                        "cases": sum(cell.counts),
                        **{
                            name.replace(" ", "_"): number
                            for name, number in zip(STANDINGS, cell.counts, strict=True)
                        },
                        "unexpected": cell.unexpected,
                        "worst": worst_of(cell.counts),
                        "cause": cell.cause,
                    }
                    for cell in one.column.cells
                ],
            }
            for one in columns
        ],
    }


def worst_of(counts: Sequence[int]) -> str:
    """Return the worst severity that occurs; "" if nothing departs."""
    return next((name for name in SEVERITIES if counts[STANDINGS.index(name)]), "")


def as_csv(columns: Sequence[Placed]) -> str:
    """Return the matrix as CSV, a line for each operation of each column."""
    document = matrix(columns)
    about = ("id", "device", "release", "openvino", "profile", "machine")
    numbers = [name.replace(" ", "_") for name in STANDINGS]
    fields = ("operation", "category", "opset", "cases", *numbers, "unexpected", "worst", "cause")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", *about[1:], *fields])
    for column in document["columns"]:
        for row in column["operations"]:
            values = [*(column[name] for name in about), *(row[name] for name in fields)]
            writer.writerow([_plain(value) for value in values])
    return text.getvalue()


def _plain(value: object) -> object:
    """A value that no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in "=+-@" and text else text


def badge(one: Placed) -> str:
    """Return an SVG badge of a column: the share of cases that conform, or what it could not ask."""
    counts = [sum(cell.counts[n] for cell in one.column.cells) for n in range(len(STANDINGS))]
    total = sum(counts)
    right, compiled = counts[STANDINGS.index("pass")], counts[STANDINGS.index("compiled")]
    # Only all is 100%.
    share = f"{(right + compiled) * 1000 // total / 10 if total else 0:.1f}%"
    worst = worst_of(counts)
    value = f"{share} {'compile' if one.column.is_compile_only else 'conform'}"
    if worst:
        value += f", worst: {worst}"
    colour = {"": "#256c3a", "crash": "#8d1c52", "silent": "#b3261e"}.get(worst, "#8a5a00")
    label = trim(printable(f"OpenVINO {one.label}"), 100)
    left, wide = 10 + 6.6 * len(label), 10 + 6.6 * len(value)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide:.0f}" height="20" role="img" '
        f'aria-label="{_attribute(f"{label}: {value}")}">'
        f'<rect width="{left + wide:.0f}" height="20" rx="3" fill="#3f4247"/>'
        f'<path d="M{left:.0f} 0h{wide - 3:.0f}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{wide - 3:.0f}z" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="5" y="14" textLength="{left - 10:.0f}">{escape(label)}</text>'
        f'<text x="{left + 5:.0f}" y="14" textLength="{wide - 10:.0f}">{escape(value)}</text></g></svg>\n'
    )


def _attribute(text: str) -> str:
    return escape(text, {'"': "&quot;"})
