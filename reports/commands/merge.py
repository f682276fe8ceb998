"""``python -m reports merge``: one results file from many (shards, devices, reruns).

The order of the files does not matter, nor how often a file or a merged file is merged again: the
same results give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from reports.results.failures.own import check_own
from reports.results.files.coverage import gaps
from reports.results.files.locking import InUseError, check_not_in_use
from reports.results.files.processors import with_processor
from reports.results.files.reading import Results, failures_folder, leaf_headers, load
from reports.results.files.writer import is_results
from reports.results.records import SCHEMA, CaseRecord, Header, ResultsError, canonical
from reports.results.shared.files import unusual_kind, write_report
from reports.results.shared.text import count, listing, say
from reports.views.documents import add_out_arguments

CONFLICTS_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports merge``."""
    parser.description = (
        "Join results files into one. Where they disagree on a case, the worst result counts, "
        "the others are recorded with it, and the case is printed to standard error. Results of different processors "
        "are kept apart by the processor's name. All results of one device must be of one build of OpenVINO, one "
        "instruction set and one seed; `compare` and `site` take files that differ in these. "
        "Exit code: 0 merged, 2 wrong usage or an unreadable file."
    )
    parser.add_argument(
        "results", nargs="+", metavar="RESULTS", help="results files, merged or not"
    )
    add_out_arguments(parser, "the merged file; folders above it are made", required=True)
    parser.add_argument(
        "--partial",
        action="store_true",
        help="merge although shards are missing, or a run was cut off (a last line that is cut off is left out)",
    )
    parser.add_argument(
        "--no-folders",
        action="store_true",
        help="do not copy the failure folders",
    )


def run(args: argparse.Namespace) -> int:
    """Write the merged file, and print the conflicts.

    Raises ResultsError for a file that is given twice, for results of one device with several builds of OpenVINO,
    kernels or seeds, and for those that lack a part of what was asked.
    """
    _check_once(args.results)
    results = load(args.results, leave_out_cut=args.partial)
    if not results.records:
        raise ResultsError(
            f"{listing(list(map(str, results.paths)))}: has no case; nothing was tested"
        )
    empty = [f"{path}: has no case" for path in results.empty]
    missing = [*empty, *gaps(results.runs, results.targets())]
    if missing and not args.partial:
        raise ResultsError(f"{'; '.join(missing)}; --partial merges what there is")
    try:
        check_not_in_use(args.out)
    except InUseError as error:
        raise ResultsError(f"{args.out}: {error}: choose another file") from None
    if not args.no_folders:
        check_own(failures_folder(args.out))
    write_report(args.out, merge(results), is_results, force=args.force)
    for path in results.cut:
        say(f"note: {path}: the last line is cut off and was left out")
    for gap in missing:
        say(f"note: {gap}")
    if not args.no_folders:
        _copy_folders(results, args.out)
    _say_conflicts(results.records)
    versions = results.openvino_versions()
    if len(versions) > 1:
        say(f"note: the results are of several OpenVINO versions: {', '.join(versions)}")
    for device, profile in results.targets():
        if len(kernels := results.kernels(device, profile)) > 1:
            say(
                f"note: {device} ({profile}): shards of different instruction sets, {listing(kernels)}"
            )
    return 0


def merge(results: Results) -> str:
    """Return the merged file: one header, then the records sorted by identity."""
    records = [_merged(record, results) for record in results.records]
    header = replace(merged_header(results.runs), cases=len(records))
    lines = [header, *sorted(records, key=lambda one: one.key)]
    return "".join(canonical(line) + "\n" for line in lines)


def _merged(record: CaseRecord, results: Results) -> CaseRecord:
    """Return a record as the merged file has it: with its processor if there are several, and its folder there."""
    folder = _folder(record)
    if folder != record.folder:
        record = replace(record, folder=folder)
    return with_processor(record, results.processors.get(record.key, record.processor))


def _folder(record: CaseRecord) -> str:
    """Return the path of a record's failure folder in the merged file's: each processor has its own."""
    if not record.folder or not record.processor:
        return record.folder
    suffix = f"-{hashlib.sha256(record.processor.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    # A file that was merged before has it.
    return f"{record.folder.removesuffix(suffix)}{suffix}"


def merged_header(runs: Iterable[Header]) -> Header:
    """Return the one header of several runs: the union of the targets, and each header itself.

    A field on which the runs agree has that value. Texts that differ are joined by " | ", other
    values that differ are null.
    """
    merged = _unique(leaf_headers(runs))
    return Header(
        schema=SCHEMA,
        suite=_joined_texts(header.suite for header in merged),
        openvino=_joined_texts(header.openvino for header in merged),
        python=_joined_texts(header.python for header in merged),
        platform=_joined_texts(header.platform for header in merged),
        processor=_joined_texts(header.processor for header in merged),
        started=_joined_texts(header.started for header in merged),
        seed=_common([header.seed for header in merged]),
        random=_common([header.random for header in merged]),
        selection=_common([header.selection for header in merged]),
        targets=_unique(target for header in merged for target in header.targets),
        merged=merged,
    )


T = TypeVar("T")


def _unique(objects: Iterable[T]) -> list[T]:
    """Return the distinct ones among objects, sorted by their canonical JSON."""
    by_content = {canonical(one): one for one in objects}
    return [by_content[content] for content in sorted(by_content)]


def _joined_texts(texts: Iterable[str]) -> str:
    return " | ".join(sorted(set(texts) - {""}))


def _common(values: Sequence[T | None]) -> T | None:
    """Return the value that all have, None if they differ."""
    return values[0] if all(value == values[0] for value in values) else None


def _check_once(paths: Sequence[str]) -> None:
    """Raise ResultsError if two paths are the same file: one of them was meant to be another."""
    seen: dict[tuple[int, int], str] = {}
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue  # `load` tells about it
        file = status.st_dev, status.st_ino
        if file in seen:
            first = f", as {seen[file]}" if seen[file] != path else ""
            raise ResultsError(f"{path}: is given twice{first}")
        seen[file] = path


def _copy_folders(results: Results, out: Path) -> None:
    """Copy the failure folders of the results that the merged file keeps."""
    destination = failures_folder(out)
    for record in results.records:
        source, root = results.folder(record), results.failures(record)
        target = destination / _folder(record)
        if source is None or root is None or not source.is_dir() or target.exists():
            continue
        if not _is_inside(target, destination) or not _is_inside(source, root):
            say(f"{record.case}: folder {record.folder!r} is outside the results; not copied")
            continue
        unusual = _unusual(source)
        if unusual:
            say(f"{record.case}: {unusual} in folder {record.folder!r}; not copied")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".copy.", dir=target.parent))
        try:
            shutil.copytree(source, temporary, symlinks=True, dirs_exist_ok=True)
            os.replace(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _is_inside(path: Path, root: Path) -> bool:
    """Tell whether a path is below `root`, symbolic links followed."""
    return path.resolve().is_relative_to(root.resolve()) and path.resolve() != root.resolve()


def _unusual(folder: Path) -> str:
    """What there is at or below `folder` besides files and folders, such as a symbolic link; else empty."""
    for path in (folder, *folder.rglob("*")):
        kind = unusual_kind(path)
        if kind and not (path.is_dir() and not path.is_symlink()):
            return f"{kind} ({path.name})"
    return ""


def _say_conflicts(records: Iterable[CaseRecord]) -> None:
    conflicting = sorted(
        (record for record in records if record.conflicts), key=lambda one: one.key
    )
    for record in conflicting[:CONFLICTS_SHOWN]:
        answers = " / ".join(
            f"{one.outcome} ({one.detail})" if one.detail else str(one.outcome)
            for one in (record, *record.conflicts)
        )
        device, profile = record.target
        say(f"conflict: {record.case} on {device} ({profile}): {answers}")
    if len(conflicting) > CONFLICTS_SHOWN:
        say(f"... {count(len(conflicting), 'case')} with conflicting results in all")
