"""A document as GitHub's Markdown, cut where a limit of bytes asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from reports.results.shared.text import count, markdown, markdown_code, printable, trim
from reports.views.documents.blocks import (
    LONGEST_DETAIL,
    Block,
    Heading,
    Item,
    Items,
    Link,
    Paragraph,
    Remark,
    ReportDocument,
    Table,
)

_OF_URLS = "/:?#[]@!$&'()*+,;=%~"

LEAST_BYTES = 1000
"""The least that a document can be cut to."""


@dataclass(frozen=True)
class _Part:
    """A block: lines that it cannot be without, and lines that it can be cut to."""

    head: Sequence[str]
    lines: Sequence[str] = ()
    is_table: bool = False

    def text(self, number: int) -> str:
        """Return the block with the first lines only, and how many are left out."""
        left = len(self.lines) - number
        rest = [_left_out(left, self.is_table)] if left else []
        return "\n".join([*self.head, *self.lines[:number], *rest])


def as_markdown(document: ReportDocument, most_bytes: int | None = None) -> str:
    """Return GitHub's Markdown, of at most so many bytes of UTF-8.

    What does not fit is left out line by line, the same share of each long table and list, and counted. If not even
    the headings fit, whole blocks at the end are left out.
    """
    parts = [_part(block) for block in document.blocks]
    whole = _joined(part.text(len(part.lines)) for part in parts)
    if most_bytes is None or _size(whole) <= most_bytes:
        return whole
    blocks = len(parts)
    while True:
        rest = [_left_out_blocks(len(parts) - blocks)] if blocks < len(parts) else []
        kept = parts[:blocks]
        fixed = _size(_joined([*(part.text(0) for part in kept), *rest]))
        if fixed <= most_bytes or blocks <= 1:
            numbers = _shares(kept, most_bytes - fixed)
            texts = [part.text(number) for part, number in zip(kept, numbers, strict=True)]
            # A single block that is too long is not worth a better cut.
            return _joined([*texts, *rest]).encode()[:most_bytes].decode(errors="ignore")
        blocks -= 1


def _shares(parts: Sequence[_Part], room: int) -> list[int]:
    """Return how many lines of each block fit into so many bytes: short blocks are whole, long ones share the rest."""
    numbers = [0] * len(parts)
    by_size = sorted(range(len(parts)), key=lambda one: sum(map(_size, parts[one].lines)))
    for turn, one in enumerate(by_size):
        share = room // (len(by_size) - turn)
        for line in parts[one].lines:
            used = _size(line) + 1
            if used > share:
                break
            share -= used
            room -= used
            numbers[one] += 1
    return numbers


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(parts) + "\n"


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _left_out(number: int, is_table: bool) -> str:
    text = f"… and {count(number, 'line')} left out"
    return f"\n{text}" if is_table else f"- {text}"


def _left_out_blocks(number: int) -> str:
    return f"… and {count(number, 'section')} left out"


def _part(block: Block) -> _Part:
    match block:
        case Heading(text, level):
            return _Part([f"{'#' * level} {markdown(text)}"])
        case Paragraph(text):
            return _Part([markdown(text)])
        case Link(text, url):
            # What would end the address, or the link.
            return _Part([f"[{markdown(text)}](<{quote(url, safe=_OF_URLS)}>)"])
        case Table(header, rows, names):
            marks = ["---" if column < names else "---:" for column in range(len(header))]
            head = [_row([markdown(cell) for cell in header]), _row(marks)]
            return _Part(head, [_row([markdown(cell) for cell in row]) for row in rows], True)
        case Items(lines):
            return _Part([], [_item(line) for line in lines])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _item(line: Item | Remark) -> str:
    if isinstance(line, Remark):
        return f"- {markdown(line.text)}"
    detail = markdown(trim(printable(line.detail), LONGEST_DETAIL))
    parts = (f"**{markdown(line.label)}**" if line.label else "", markdown_code(line.case), detail)
    return "- " + " ".join(filter(None, parts))
