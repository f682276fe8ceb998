"""A document as plain text for a terminal."""

from __future__ import annotations

from reports.documents.blocks import (
    LONGEST_DETAIL,
    Document,
    Heading,
    Item,
    Items,
    Paragraph,
    Remark,
    Table,
)
from reports.text import printable, trim


def as_text(document: Document, width: int | None = None) -> str:
    """Return plain text; details are trimmed so that a line fits in `width`, ids never are.

    `width` None means no terminal: only very long details are trimmed.
    """
    parts = []
    for block in document.blocks:
        match block:
            case Heading(text, level):
                title = printable(text)
                parts.append(title if level > 2 else f"{title}\n{'=-'[level - 1] * len(title)}")
            case Paragraph(text):
                parts.append(printable(text))
            case Table():
                parts.append(_table(block))
            case Items():
                parts.append(_items(block, width))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rows = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    lines = []
    for row in rows:
        cells = (
            cell.ljust(width) if column < table.names else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _items(items: Items, width: int | None) -> str:
    indent = max((len(line.label) for line in items.lines if isinstance(line, Item)), default=0)
    lines = []
    for line in items.lines:
        if isinstance(line, Remark):
            lines.append(f"  {'':{indent}}  {printable(line.text)}")
            continue
        start = f"  {printable(line.label):{indent}}  {printable(line.case)}"
        if line.detail:
            room = LONGEST_DETAIL if width is None else width - len(start) - 2
            # The id is needed whole and a very short detail is useless: the line may be longer.
            start += "  " + trim(printable(line.detail), max(room, 30))
        lines.append(start.rstrip())
    return "\n".join(lines)
