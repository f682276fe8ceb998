"""A report as blocks, written as plain text, Markdown or one HTML page.

The views (`summary`, `compare`, `history`) say what is to be told; here is how it looks. Text in
blocks is raw: each writer escapes it for its own format.
"""

from __future__ import annotations

import argparse
import html
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reports.files import write_text
from reports.text import markdown, markdown_code, printable, trim

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
class Table:
    """A table; the first `names` columns hold names, the others numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1


@dataclass(frozen=True)
class Item:
    """One case in one line: what happened, its id, and what there is to say about it."""

    label: str
    case: str
    detail: str = ""


@dataclass(frozen=True)
class Remark:
    """A line among items that is about no single case."""

    text: str


@dataclass(frozen=True)
class Items:
    """Lines about cases."""

    lines: Sequence[Item | Remark]


Block = Heading | Paragraph | Table | Items


@dataclass
class Document:
    """A report, block after block."""

    blocks: list[Block] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        """Add a heading."""
        self.blocks.append(Heading(text, level))

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self.blocks.append(Paragraph(text))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> None:
        """Add a table; nothing if it has no rows."""
        if rows:
            self.blocks.append(Table(header, rows, names))

    def items(self, lines: Sequence[Item | Remark]) -> None:
        """Add lines about cases; nothing if there are none."""
        if lines:
            self.blocks.append(Items(lines))

    def to_text(self, width: int | None = None) -> str:
        """Return plain text; details are trimmed so that a line fits in `width`, ids never are."""
        parts = []
        for block in self.blocks:
            match block:
                case Heading(text, level):
                    title = printable(text)
                    parts.append(title if level > 2 else f"{title}\n{'=-'[level - 1] * len(title)}")
                case Paragraph(text):
                    parts.append(printable(text))
                case Table():
                    parts.append(_text_table(block))
                case Items():
                    parts.append(_text_items(block, width))
        return "\n\n".join(parts) + "\n"

    def to_markdown(self) -> str:
        """Return GitHub's Markdown."""
        parts = []
        for block in self.blocks:
            match block:
                case Heading(text, level):
                    parts.append(f"{'#' * level} {markdown(text)}")
                case Paragraph(text):
                    parts.append(markdown(text))
                case Table():
                    parts.append(_markdown_table(block))
                case Items(lines):
                    parts.append("\n".join(map(_markdown_item, lines)))
        return "\n\n".join(parts) + "\n"

    def to_html(self, title: str) -> str:
        """Return one page that needs nothing else, runs no script and loads nothing."""
        blocks = list(self.blocks)
        if not (blocks and isinstance(blocks[0], Heading) and blocks[0].level == 1):
            blocks.insert(0, Heading(title, 1))
        body = "\n".join(map(_html_block, blocks))
        return _PAGE.format(title=_escape(title), body=body)


def add_format_arguments(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Declare ``--markdown`` and the like, of which one can be given, and ``--out``."""
    abouts = {
        "markdown": "GitHub's Markdown, for a CI page",
        "html": "one self-contained HTML page",
        "json": "JSON, with every case",
    }
    group = parser.add_mutually_exclusive_group()
    for name in formats:
        group.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, help=abouts[name]
        )
    parser.set_defaults(format="text")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write here, not to the terminal")


def show(document: Document, args: argparse.Namespace, title: str = "") -> None:
    """Print a document, or write it, as the options of `add_format_arguments` say."""
    if args.format == "text" and args.out is None and sys.stdout.isatty():
        _print_in_colour(document.to_text(shutil.get_terminal_size().columns))
        return
    writers = {
        "text": document.to_text,
        "markdown": document.to_markdown,
        "html": lambda: document.to_html(title),
    }
    put(writers[args.format](), args.out)


def put(text: str, path: Path | None) -> None:
    """Write `text` to a file, or to standard output if there is none."""
    if path is None:
        sys.stdout.write(text)
    else:
        write_text(path, text)


def _print_in_colour(text: str) -> None:
    # Imported here: a terminal is the only place that needs it, and it takes its time.
    from rich.console import Console
    from rich.text import Text

    styled = Text(text, end="")
    styles = {
        "PASS": "green",
        "QUALITY": "cyan",
        "CRASH|TIMEOUT|ERROR|ABSENT": "bold magenta",
        "FAIL|FLAKE|ACCEPTED_INVALID|REFUSED|FOLDED": "bold red",
    }
    for words, style in styles.items():
        styled.highlight_regex(rf"\b(?:{words})(?= )", style)
    Console(soft_wrap=True).print(styled)


def _text_table(table: Table) -> str:
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


def _text_items(items: Items, width: int | None) -> str:
    indent = max((len(line.label) for line in items.lines if isinstance(line, Item)), default=0)
    lines = []
    for line in items.lines:
        if isinstance(line, Remark):
            lines.append(f"  {'':{indent}}  {printable(line.text)}")
            continue
        start = f"  {printable(line.label):{indent}}  {printable(line.case)}"
        if line.detail:
            room = LONGEST_DETAIL if width is None else width - len(start) - 2
            # Less would say nothing; the id is needed whole, so the line may have to be longer.
            start += "  " + trim(printable(line.detail), max(room, 30))
        lines.append(start.rstrip())
    return "\n".join(lines)


def _markdown_table(table: Table) -> str:
    marks = ["---" if column < table.names else "---:" for column in range(len(table.header))]
    rows = [[markdown(cell) for cell in row] for row in (table.header, *table.rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], marks, *rows[1:]))


def _markdown_item(line: Item | Remark) -> str:
    if isinstance(line, Remark):
        return f"- {markdown(line.text)}"
    detail = markdown(trim(printable(line.detail), LONGEST_DETAIL))
    parts = (f"**{markdown(line.label)}**" if line.label else "", markdown_code(line.case), detail)
    return "- " + " ".join(filter(None, parts))


def _html_block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_escape(text)}</p>"
        case Table(header, rows, names):
            head = "".join(
                f'<th scope="col"{" class=name" if column < names else ""}>{_escape(cell)}</th>'
                for column, cell in enumerate(header)
            )
            lines = (
                "<tr>"
                + "".join(
                    f'<th scope="row">{_escape(cell)}</th>'
                    if column < names
                    else f"<td>{_escape(cell)}</td>"
                    for column, cell in enumerate(row)
                )
                + "</tr>"
                for row in rows
            )
            return (
                f'<div class="table"><table><thead><tr>{head}</tr></thead>'
                f"<tbody>{''.join(lines)}</tbody></table></div>"
            )
        case Items(lines):
            return f"<ul>{''.join(map(_html_item, lines))}</ul>"


def _html_item(line: Item | Remark) -> str:
    if isinstance(line, Remark):
        return f"<li>{_escape(line.text)}</li>"
    detail = trim(line.detail, LONGEST_DETAIL)
    told = f"<span>{_escape(detail)}</span>" if detail else ""
    return f"<li><b>{_escape(line.label)}</b> <code>{_escape(line.case)}</code> {told}</li>"


def _escape(text: str) -> str:
    return html.escape(printable(text))


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; }}
body {{ padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }}
h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
h3 {{ font-size: 1rem; }}
.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
table {{ margin: 1rem 0; white-space: nowrap; }}
th, td {{ padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid #8884; text-align: right; }}
th[scope=row], th.name {{ text-align: left; }}
th[scope=row] {{ font-weight: normal; }}
tbody th[scope=row] + th[scope=row]:last-child {{ white-space: normal; }}
ul {{ list-style: none; padding: 0; }}
li {{ padding: .3rem 0; border-bottom: 1px solid #8882; overflow-wrap: anywhere; }}
li b {{ display: inline-block; min-width: 4rem; font-size: .8em; }}
li span {{ display: block; font-size: .9em; opacity: .8; }}
code {{ font: 13px/1.4 ui-monospace, monospace; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
