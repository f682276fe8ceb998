"""Where a document goes: the options of a command, the terminal or a file."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from reports.documents.blocks import Document
from reports.documents.html import as_html
from reports.documents.markdown import LEAST_BYTES, as_markdown
from reports.documents.plain import as_text
from reports.files import write_text
from reports.records import ResultsError


def add_format_arguments(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Declare an option for each format, of which one can be given, and ``--out``."""
    abouts = {
        "markdown": "GitHub's Markdown, for a CI summary",
        "html": "one self-contained HTML page",
        "json": "JSON, with every case",
    }
    group = parser.add_mutually_exclusive_group()
    for name in formats:
        group.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, help=abouts[name]
        )
    if "markdown" in formats:
        parser.add_argument(
            "--max-bytes",
            type=_bytes,
            metavar="N",
            help="cut Markdown to N bytes: 65536 for a comment on GitHub, 1048576 for a step summary",
        )
    parser.set_defaults(format="text")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write to this file instead of the terminal"
    )


def show(document: Document, args: argparse.Namespace, title: str = "") -> None:
    """Print or write a document as the options of `add_format_arguments` say."""
    if getattr(args, "max_bytes", None) and args.format != "markdown":
        raise ResultsError("--max-bytes cuts Markdown: add --markdown")
    if args.format == "text" and args.out is None and sys.stdout.isatty():
        _print_in_colour(as_text(document, shutil.get_terminal_size().columns))
        return
    writers = {
        "text": lambda: as_text(document),
        "markdown": lambda: as_markdown(document, args.max_bytes),
        "html": lambda: as_html(document, title),
    }
    put(writers[args.format](), args.out)


def _bytes(text: str) -> int:
    if not text.isdecimal() or len(text) > 18 or int(text) < LEAST_BYTES:
        raise argparse.ArgumentTypeError(
            f"must be a whole number from {LEAST_BYTES} on, got {text!r}"
        )
    return int(text)


def put(text: str, path: Path | None) -> None:
    """Write `text` to a file, or to standard output if there is none."""
    if path is None:
        sys.stdout.write(text)
    else:
        write_text(path, text)


def _print_in_colour(text: str) -> None:
    # Imported here: only a terminal needs it, and the import is slow.
    from rich.console import Console
    from rich.text import Text

    styled = Text(text, end="")
    styles = {
        "PASS": "green",
        "QUALITY": "cyan",
        "CRASH|TIMEOUT|ERROR|ABSENT": "bold magenta",
        "FAIL|FLAKE|ACCEPTED_INVALID|REFUSED|FOLDED": "bold red",
    }
    for outcomes, style in styles.items():
        styled.highlight_regex(rf"\b(?:{outcomes})(?= )", style)
    Console(soft_wrap=True).print(styled)
