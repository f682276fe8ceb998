"""``expectations show``: print a device's entries."""

from __future__ import annotations

import argparse

from reports.documents import Document, add_format_arguments
from reports.documents import show as show_document
from reports.expectation_files import load, paths_for
from reports.text import count

HELP = "print a device's entries, in the order in which they are tried"
DESCRIPTION = "Print a device's entries, in the order in which they are tried."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--device", required=True, help="the device")
    add_format_arguments(parser, ("markdown",))


def run(args: argparse.Namespace) -> int:
    """Print the entries."""
    page = Document()
    for path in paths_for(args.device, args.directory):
        if not path.exists():
            continue
        rows = [
            [
                entry.id,
                entry.kind,
                "; ".join(
                    f"{' or '.join(map(str, cover.outcomes))}: {cover.selector}"
                    for cover in entry.covers[:2]
                )
                + (f" and {len(entry.covers) - 2:,} more" if len(entry.covers) > 2 else ""),
                entry.title + (f" ({entry.link})" if entry.link else ""),
            ]
            for entry in load(path).entries
        ]
        page.heading(f"{path.name}: {count(len(rows), 'entry', 'entries')}")
        page.table(["id", "class", "covers", "title"], rows, names=4)
    if not page.blocks:
        page.paragraph(f"No departure of {args.device} is expected: there is no expectations file.")
    show_document(page, args)
    return 0
