"""A document as GitHub's Markdown."""

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
from reports.text import markdown, markdown_code, printable, trim


def as_markdown(document: Document) -> str:
    """Return GitHub's Markdown."""
    parts = []
    for block in document.blocks:
        match block:
            case Heading(text, level):
                parts.append(f"{'#' * level} {markdown(text)}")
            case Paragraph(text):
                parts.append(markdown(text))
            case Table():
                parts.append(_table(block))
            case Items(lines):
                parts.append("\n".join(map(_item, lines)))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    marks = ["---" if column < table.names else "---:" for column in range(len(table.header))]
    rows = [[markdown(cell) for cell in row] for row in (table.header, *table.rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], marks, *rows[1:]))


def _item(line: Item | Remark) -> str:
    if isinstance(line, Remark):
        return f"- {markdown(line.text)}"
    detail = markdown(trim(printable(line.detail), LONGEST_DETAIL))
    parts = (f"**{markdown(line.label)}**" if line.label else "", markdown_code(line.case), detail)
    return "- " + " ".join(filter(None, parts))
