"""``python -m reports schema``: the JSON Schema of results files, as published in the repository."""

from __future__ import annotations

import argparse

from reports.results import schema
from reports.results.records import ResultsError
from reports.results.shared.files import write_text
from reports.views.documents import add_out_arguments, put


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports schema``."""
    parser.description = (
        "Print the JSON Schema of results files, which is generated from the types in "
        "reports/results/records.py. With --write, update reports/results/results.schema.json. "
        "Exit code: 0 printed or written, 2 wrong usage."
    )
    add_out_arguments(parser)
    parser.add_argument(
        "--write", action="store_true", help="write to reports/results/results.schema.json"
    )


def run(args: argparse.Namespace) -> int:
    """Print or write the schema."""
    if args.write:
        if args.out is not None:
            raise ResultsError("--write and --out exclude each other")
        write_text(schema.SCHEMA_FILE, schema.as_text())
    else:
        put(schema.as_text(), args)
    return 0
