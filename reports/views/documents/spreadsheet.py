"""Rows as CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from reports.results.shared.text import printable


def as_csv(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a header row and the rows; no cell of text is run as a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = printable(value)
    # A spreadsheet would run a text that starts so as a formula.
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
