"""A document as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from reports.results.shared.text import printable, trim, wrapped
from reports.views.documents.blocks import (
    LONGEST_DETAIL,
    Heading,
    Item,
    Items,
    Link,
    Paragraph,
    Remark,
    ReportDocument,
    Table,
)

NO_LIMIT = 10**9
LEAST_DETAIL = 30
"""A detail with less room than this behind its case id is on a line of its own."""
LEAST_NAME = 12
"""Characters to which a column of names can be narrowed."""
LEAST_HEAD = 6
"""Characters to which the head of a column of numbers can be narrowed."""
GAP = "  "


def as_text(document: ReportDocument, width: int | None = None) -> str:
    """Return plain text whose lines are no longer than `width`.

    Details are trimmed, all else is wrapped. `width` None means no terminal: only very long details are trimmed.
    """
    limit = NO_LIMIT if width is None else max(width, 20)
    parts = []
    for block in document.blocks:
        match block:
            case Heading(text, level):
                lines = wrapped(printable(text), limit)
                rule = ["=-"[level - 1] * max(map(len, lines))] if level < 3 else []
                parts.append([*lines, *rule])
            case Paragraph(text):
                parts.append(wrapped(printable(text), limit))
            case Link(text, url):
                # An address is not broken, so that it can be followed.
                parts.append([*wrapped(printable(text), limit), printable(url)])
            case Table():
                parts.append(_table(block, limit))
            case Items():
                parts.append(_items(block, limit))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _table(table: Table, limit: int) -> list[str]:
    """Return the lines of a table; one with too many columns is continued below, with its names again."""
    rows = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    columns = list(range(len(table.header)))
    names, numbers = columns[: table.names], columns[table.names :]
    least = [
        min(max(len(row[column]) for row in rows), LEAST_NAME)
        if column < table.names
        else max(min(len(rows[0][column]), LEAST_HEAD), *(len(row[column]) for row in rows[1:]))
        for column in columns
    ]
    lines: list[str] = []
    while True:
        fitting = len(numbers)
        while fitting > 1 and _width([least[c] for c in (*names, *numbers[:fitting])]) > limit:
            fitting -= 1
        shown = [*names, *numbers[:fitting]]
        part = [[row[column] for column in shown] for row in rows]
        lines += _lines(part, len(names), [least[column] for column in shown], limit)
        numbers = numbers[fitting:]
        if not numbers:
            return lines
        lines.append("")


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _lines(
    rows: Sequence[Sequence[str]], names: int, least: Sequence[int], limit: int
) -> list[str]:
    """Return the lines of rows whose columns are no narrower than `least`; the widest are narrowed first."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while _width(widths) > limit:
        slack = [width - small for width, small in zip(widths, least, strict=True)]
        if max(slack) <= 0:
            break
        widest = max(range(len(widths)), key=lambda column: (slack[column] > 0, widths[column]))
        widths[widest] -= 1
    lines = []
    for row in rows:
        cells = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            line = GAP.join(
                part.ljust(width) if column < names else part.rjust(width)
                for column, (part, width) in enumerate(zip(parts, widths, strict=True))
            )
            lines.append(line.rstrip())
    return lines


def _items(items: Items, limit: int) -> list[str]:
    indent = max((len(line.label) for line in items.lines if isinstance(line, Item)), default=0)
    margin = " " * (indent + 4)
    room = max(limit - len(margin), 16)
    lines = []
    for line in items.lines:
        if isinstance(line, Remark):
            lines += [(margin + text).rstrip() for text in wrapped(printable(line.text), room)]
            continue
        case = wrapped(printable(line.case), room)
        detail = printable(line.detail)
        left = room - len(case[-1]) - len(GAP)
        if detail and (len(detail) <= left or left >= LEAST_DETAIL):
            case[-1] += GAP + trim(detail, min(left, LONGEST_DETAIL))
        elif detail:
            case.append(trim(detail, min(room, LONGEST_DETAIL)))
        start = f"  {printable(line.label):{indent}}  "
        lines += [
            ((start if number == 0 else margin) + text).rstrip() for number, text in enumerate(case)
        ]
    return lines
