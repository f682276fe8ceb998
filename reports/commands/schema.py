"""``python -m reports schema``: the JSON Schema of results files, as published in the repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from reports import schema
from reports.documents import put


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports schema``."""
    parser.description = (
        "Print the JSON Schema of results files, which is generated from the types in "
        "reports/records.py. With --write, update reports/results.schema.json. "
        "Exit code: 0 printed or written, 2 wrong usage."
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--out", type=Path, metavar="FILE", help="write to this file instead of the terminal"
    )
    where.add_argument(
        "--write",
        dest="out",
        action="store_const",
        const=schema.SCHEMA_FILE,
        help="write to reports/results.schema.json",
    )


def run(args: argparse.Namespace) -> int:
    """Print or write the schema."""
    put(schema.as_text(), args.out)
    return 0
