"""One results file out of many: shards, devices, reruns.

The order of the files does not matter, nor how often a file or a merged file is merged again: the
same results give the same bytes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reports.files import write_text
from reports.results import Results, canonical, failures_folder, key, leaf_headers, load
from reports.schema import SCHEMA
from reports.text import count, say

CONFLICTS_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports merge``."""
    parser.description = (
        "Join results files into one. Where they disagree on a case, the worst result stands, "
        "the others are kept with it, and the case is named on standard error. "
        "Exit code: 0 merged, 2 wrong usage or an unreadable file."
    )
    parser.add_argument(
        "results", nargs="+", metavar="RESULTS", help="results files, merged or not"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the merged file")
    parser.add_argument(
        "--no-folders",
        action="store_true",
        help="leave the failure folders where they are; otherwise they are copied along",
    )


def run(args: argparse.Namespace) -> int:
    """Write the merged file, and say what conflicts."""
    results = load(args.results)
    write_text(args.out, merge(results))
    if not args.no_folders:
        _copy_folders(results, args.out)
    _say_conflicts(results.records)
    versions = results.openvino_versions()
    if len(versions) > 1:
        say(f"note: these are results of several OpenVINO versions: {', '.join(versions)}")
    return 0


def merge(results: Results) -> str:
    """Return the merged file: one header, then the records sorted by identity."""
    lines = [merged_header(results.runs), *sorted(results.records, key=key)]
    return "".join(canonical(line) + "\n" for line in lines)


def merged_header(runs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the one header of several runs: the union of the targets, and each header itself.

    What the runs agree on is said once more at the top. Texts that differ are joined by " | ",
    other values that differ are null.
    """
    merged = _unique(leaf_headers(runs))
    targets = _unique(target for header in merged for target in header["targets"])
    names = sorted(set().union(*merged) - {"kind", "schema", "targets", "resumed"})
    joined = {name: _joined([header.get(name) for header in merged]) for name in names}
    return {"kind": "run", "schema": SCHEMA, **joined, "targets": targets, "merged": merged}


def _unique(objects: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the distinct ones among JSON objects, sorted."""
    by_content = {canonical(one): dict(one) for one in objects}
    return [by_content[content] for content in sorted(by_content)]


def _joined(values: Sequence[Any]) -> Any:
    if len({canonical(value) for value in values}) == 1:
        return values[0]
    if all(isinstance(value, str) for value in values):
        return " | ".join(sorted(filter(None, set(values))))
    return None


def _copy_folders(results: Results, out: Path) -> None:
    """Copy the failure folders of the records that stand beside the merged file."""
    destination = failures_folder(out)
    for record in results.records:
        source = results.folder(record)
        target = destination / record["folder"]
        if source is None or not source.is_dir() or target.exists():
            continue
        if not target.resolve().is_relative_to(destination.resolve()):
            say(f"{record['case']}: folder {record['folder']!r} leads out of the results; left out")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".copy.", dir=target.parent))
        try:
            shutil.copytree(source, temporary, dirs_exist_ok=True)
            os.replace(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _say_conflicts(records: Iterable[Mapping[str, Any]]) -> None:
    conflicting = [record for record in sorted(records, key=key) if record.get("conflicts")]
    for record in conflicting[:CONFLICTS_SHOWN]:
        answers = " / ".join(
            f"{one['outcome']} ({one['detail']})" if one["detail"] else one["outcome"]
            for one in (record, *record["conflicts"])
        )
        say(f"conflict: {record['case']} on {record['device']} ({record['profile']}): {answers}")
    if len(conflicting) > CONFLICTS_SHOWN:
        say(f"... {count(len(conflicting), 'case')} with conflicting results in all")
