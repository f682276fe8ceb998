"""``python -m reports export``: CSV for spreadsheets, JSON, JUnit XML and CTRF for test dashboards."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

import msgspec

from reports.gate import causes
from reports.gate.known_groups import by_cause, counts_of
from reports.results.explained.explanations import counted
from reports.results.files.reading import Results, leaf_headers, load
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import SCHEMA, CaseRecord, CauseCount, Document
from reports.results.shared.text import printable
from reports.views.documents import add_out_arguments, put, spreadsheet
from reports.views.junit import as_junit

COLUMNS = (
    "case",
    "operation",
    "category",
    "opset",
    "purpose",
    "how",
    "device",
    "profile",
    "openvino",
    "outcome",
    "gate",
    "stage",
    "inference",
    "output",
    "kind",
    "signal",
    "message",
    "detail",
    "baseline",
    "cause",
    "cause_class",
    "reason",
    "since",
    "explained_by",
    "rule",
    "fraction",
    "wrong",
    "open",
    "elements",
    "seconds",
    "kernel",
    "precision",
    "layer",
    "folder",
    "processor",
)
"""The columns of the CSV."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports export``."""
    parser.description = (
        "Write results as CSV (a row per case), as one JSON document (reports/results/results.schema.json "
        "describes it), as JUnit XML or as CTRF. Exit code: 0 written, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    parser.add_argument("--format", choices=("csv", "json", "junit", "ctrf"), required=True)
    add_out_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the results in the format chosen."""
    results = load(args.results)
    results.records = counted(results.records)
    if args.format == "csv":
        text = as_csv(results)
    elif args.format == "junit":
        text = as_junit(results)
    else:
        content = as_json(results) if args.format == "json" else as_ctrf(results)
        text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    put(text, args)
    return 0


def as_csv(results: Results) -> str:
    """Return a header row and a row per case; empty where a value does not apply."""
    versions = {target: results.header(*target).openvino for target in results.targets()}
    return spreadsheet.as_csv(COLUMNS, (_row(record, versions) for record in results.records))


def _row(record: CaseRecord, versions: Mapping[tuple[str, str], str]) -> list[object]:
    facts = {name: getattr(record.facts, name) for name in record.facts.__struct_fields__}
    values = {
        **msgspec.to_builtins(record),
        **facts,
        "how": record.how_text,
        "layer": record.layer,
        "rule": record.rule,
        "openvino": versions[record.target],
    }
    return [values[name] for name in COLUMNS]


def as_json(results: Results) -> dict[str, Any]:
    """Return headers and records as one object, as `reports.results.records.Document` declares it."""
    counts = [
        CauseCount(
            id=one.id,
            kind=one.cause_class,
            title=one.title,
            since=one.since,
            operations=one.operations,
            cases=len(one.records),
            smallest=one.smallest,
        )
        for one in by_cause(results.records, causes.load().by_id)
    ]
    document = Document(schema=SCHEMA, runs=results.runs, causes=counts, cases=results.records)
    content: dict[str, Any] = msgspec.to_builtins(document)
    return content


def as_ctrf(results: Results) -> dict[str, Any]:
    """Return a report in the Common Test Report Format (ctrf.io), times in milliseconds."""
    statuses = Counter(map(_status, results.records))
    headers = list(leaf_headers(results.runs))
    start = min(_milliseconds(header.started) for header in headers)
    duration = sum(record.seconds for record in results.records)
    return {
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "results": {
            "tool": {"name": "openvino-layer-conformance", "version": headers[-1].suite},
            "summary": {
                "tests": len(results.records),
                **{status: statuses[status] for status in _STATUSES},
                "start": start,
                "stop": start + round(duration * 1000),
                "extra": {
                    "causes": [
                        {
                            "class": one.cause_class or "unknown",
                            "causes": one.causes,
                            "cases": one.cases,
                        }
                        for one in counts_of(results.records)
                    ]
                },
            },
            "tests": [_ctrf_test(record) for record in results.records],
        },
    }


_STATUSES = ("passed", "failed", "pending", "skipped", "other")
_STATUS = {
    Gate.PASS: "passed",
    Gate.QUALITY: "passed",
    Gate.IMPROVED: "passed",
    Gate.KNOWN: "other",
    Gate.REWORDED: "other",
    Gate.NEW_CASE: "other",
    Gate.EXPLAINED: "other",
    Gate.ADDED: "other",
    Gate.NOT_CLAIMED: "other",
    Gate.SKIPPED: "skipped",
    Gate.COMPILED: "other",
    **dict.fromkeys(RED, "failed"),
}


def _status(record: CaseRecord) -> str:
    """A layer that was only compiled has not passed, though that may be better than the baseline says."""
    return "other" if record.outcome is Outcome.COMPILED else _STATUS[record.gate]


def _ctrf_test(record: CaseRecord) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": printable(record.case),
        "status": _status(record),
        "duration": round(record.seconds * 1000),
        "suite": printable(f"{record.operation} on {record.target[0]} ({record.target[1]})"),
        "rawStatus": str(record.outcome),
    }
    message = "; ".join(filter(None, (record.detail, record.reason)))
    return {**test, "message": printable(message)} if message else test


def _milliseconds(started: str) -> int:
    """Return an ISO time as milliseconds since 1970, 0 if there is none."""
    try:
        time = datetime.fromisoformat(started.replace("Z", "+00:00"))
    except ValueError:
        return 0
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    return round(time.timestamp() * 1000)
