"""The blocks that a report consists of. Their text is raw: each format escapes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LONGEST_DETAIL = 400
"""Characters of a detail that are shown where no width limits them: a line stays a line."""


@dataclass(frozen=True)
class Heading:
    """A heading of level 1, 2 or 3."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two."""

    text: str


@dataclass(frozen=True)
class Link:
    """A sentence that leads to an address of the web."""

    text: str
    url: str


@dataclass(frozen=True)
class Table:
    """A table; the first `names` columns hold names, the others numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1


@dataclass(frozen=True)
class Item:
    """One case in one line: its outcome, its id and a detail."""

    label: str
    case: str
    detail: str = ""


@dataclass(frozen=True)
class Remark:
    """A line among items that does not concern a single case."""

    text: str


@dataclass(frozen=True)
class Items:
    """Lines about cases."""

    lines: Sequence[Item | Remark]


Block = Heading | Paragraph | Link | Table | Items


@dataclass
class ReportDocument:
    """A report, block after block."""

    blocks: list[Block] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        """Add a heading."""
        self.blocks.append(Heading(text, level))

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self.blocks.append(Paragraph(text))

    def link(self, text: str, url: str) -> None:
        """Add a sentence that leads to an address."""
        self.blocks.append(Link(text, url))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> None:
        """Add a table; nothing if it has no rows."""
        if rows:
            self.blocks.append(Table(header, rows, names))

    def items(self, lines: Sequence[Item | Remark]) -> None:
        """Add lines about cases; nothing if there are none."""
        if lines:
            self.blocks.append(Items(lines))
