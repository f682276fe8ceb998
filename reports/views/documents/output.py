"""Where a document goes: the options of a command, the terminal or a file."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence

from reports.results.records import ResultsError
from reports.results.shared.files import GENERATOR, has, write_report
from reports.results.shared.options import path_of_option, whole_of_option
from reports.views.documents.blocks import ReportDocument
from reports.views.documents.html import as_html
from reports.views.documents.markdown import LEAST_BYTES, as_markdown
from reports.views.documents.plain import as_text

# How a JUnit file begins: see `reports.views.junit`.
_JUNIT = '<testsuites name="conformance">'


def add_format_arguments(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Declare an option for each format, which exclude each other, and ``--out``."""
    abouts = {
        "markdown": "GitHub's Markdown, for a CI summary",
        "html": "one self-contained HTML report",
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
            type=whole_of_option(LEAST_BYTES, 10**18 - 1),
            metavar="N",
            help="cut Markdown to N bytes: 65536 for a comment on GitHub, 1048576 for a step summary",
        )
    parser.set_defaults(format="text")
    add_out_arguments(parser)


def add_out_arguments(
    parser: argparse.ArgumentParser,
    about: str = "write to this file instead of the terminal",
    required: bool = False,
) -> None:
    """Declare ``--out`` and ``--force``."""
    parser.add_argument("--out", type=path_of_option, metavar="FILE", required=required, help=about)
    parser.add_argument(
        "--force",
        action="store_true",
        help="with --out: replace a file even if it is not recognized as an earlier report. HTML, JSON, CSV, JUnit and "
        "results files are recognized, text and Markdown are not",
    )


def show(document: ReportDocument, args: argparse.Namespace, title: str = "") -> None:
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
    put(writers[args.format](), args)


def put(text: str, args: argparse.Namespace) -> None:
    """Write `text` where the options of `add_out_arguments` say, else to standard output.

    An earlier report is replaced if it begins as this one does. Raises NotReplacedError if something else is there.
    """
    if args.out is None:
        sys.stdout.write(text)
    else:
        write_report(args.out, text, _like(text), force=args.force)


def _like(text: str) -> Callable[[bytes], bool]:
    """A test whether a file is an earlier report of the same kind as `text`, by how both begin."""
    start = text[:1000]
    for mark in (GENERATOR, _JUNIT):
        if mark in start:
            return has(mark.encode())
    first, second = [*start.split("\n", 2), ""][:2]
    # CSV has its columns in the first line, JSON its first key in the second.
    if first == "{":
        key = second.partition(":")[0]
        return lambda head: head.startswith(f"{{\n{key}:".encode())
    if first.count(",") > 5:
        return lambda head: head.startswith(f"{first}\n".encode())
    return lambda head: False


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
