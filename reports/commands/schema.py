"""``python -m reports schema``: the JSON Schemas of results files, support and statements."""

from __future__ import annotations

import argparse

from reports.results import schema
from reports.results.records import ResultsError
from reports.results.shared.files import write_text
from reports.support import measured, statement
from reports.views.documents import add_out_arguments, put


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports schema``."""
    parser.description = (
        "Print the JSON Schema of results files, which is generated from the types in "
        "reports/results/records.py; with --support, that of documents of support, with --statement, that of "
        "statements. With --write, update all in the repository. "
        "Exit code: 0 printed or written, 2 wrong usage."
    )
    add_out_arguments(parser)
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--support", action="store_true", help="the schema of documents of support")
    chosen.add_argument("--statement", action="store_true", help="the schema of statements")
    parser.add_argument("--write", action="store_true", help="write all to the repository")


def run(args: argparse.Namespace) -> int:
    """Print or write the schema."""
    if args.write:
        if args.out is not None:
            raise ResultsError("--write and --out exclude each other")
        write_text(schema.SCHEMA_FILE, schema.as_text())
        write_text(measured.SCHEMA_FILE, measured.json_schema())
        write_text(statement.SCHEMA_FILE, statement.json_schema())
    elif args.support:
        put(measured.json_schema(), args)
    else:
        put(statement.json_schema() if args.statement else schema.as_text(), args)
    return 0
