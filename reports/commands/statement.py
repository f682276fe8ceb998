"""``python -m reports statement``: what a device claims with what a run showed of it, to publish; and its check."""

from __future__ import annotations

import argparse
import datetime
import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from reports.gate import causes
from reports.results.records import ResultsError
from reports.results.shared.files import NotReplacedError, write_text
from reports.results.shared.options import device_of_option, path_of_option, profile_of_option
from reports.results.shared.text import count
from reports.support import statement
from reports.support.statement import CLAIMS, JSON, MEANINGS, REPORT, Missing, Numbers, Statement
from reports.views.choosing import add_causes_argument
from reports.views.documents import ReportDocument, as_html

SHOWN = 40
"""Lines of what a level lacks, and of what is red, that the report shows; ``statement.json`` has all."""


NAMED = 3
"""Causes that a line names."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports statement``."""
    parser.description = (
        "Write a statement of what a device claims to run and what a run showed of it: a folder with an "
        "HTML file, JSON "
        "and the claims. --verify checks a statement against its results, its claims and the date. Exit code: 0 the "
        "claims hold, or the statement agrees with its results; 1 otherwise; 2 wrong usage or a file that cannot be "
        "used."
    )
    add = parser.add_argument
    add("sources", nargs="*", type=path_of_option, metavar="RESULTS",
        help="results files of the run; with --verify: the results files, if they are not where the "
        "statement says")  # fmt: skip
    add(
        "--claims",
        type=path_of_option,
        metavar="FILE",
        help="the file of claims, such as `python -m reports claim` drafts",
    )
    add("--out", type=path_of_option, metavar="DIR", help="the folder to write")
    add("--verify", type=path_of_option, metavar="DIR", help="the folder of a statement to check")
    add(
        "--device",
        type=device_of_option,
        help="the device, if the results have several",
    )
    add(
        "--profile",
        type=profile_of_option,
        help="the profile, if the results have several",
    )
    add_causes_argument(parser, "a folder of causes of your own, which waivers name")


def run(args: argparse.Namespace) -> int:
    """Write a statement, or check one."""
    try:
        from ir_models import models
    except ImportError as error:
        raise ResultsError(f"statements need {error.name}: pip install '.[run]'") from None
    known = causes.load(*args.causes)
    if args.verify is not None:
        if args.out or args.claims or args.device or args.profile:
            raise ResultsError("--verify takes only results files and --causes")
        return _verify(args.verify, args.sources, known, models)
    if not args.sources or args.claims is None or args.out is None:
        raise ResultsError(
            "a statement needs RESULTS, --claims FILE and --out DIR; or --verify DIR"
        )
    _check_is_statement(args.out)
    made = statement.make(
        args.sources,
        args.claims,
        args.out,
        known,
        models,
        today(),
        args.device or "",
        args.profile or "",
    )
    _write(made, args.claims, args.out)
    levels = ", ".join(each.name for each in made.levels if each.reached) or "none"
    print(
        f"{args.out / REPORT}: {_verdict(made)} "
        f"{made.inside.conforms:,} of {count(made.inside.asked, 'case')} inside the claims conform. Levels: {levels}"
    )
    return 0 if made.holds else 1


def today() -> datetime.date:
    """Return the day by which waivers end."""
    return datetime.date.today()


def _verify(
    folder: Path, paths: Sequence[Path], known: causes.Causes, declared: statement.DeclaredSuite
) -> int:
    found = statement.differences(folder, paths, known, declared, today())
    report = folder / REPORT
    try:
        shown = report.read_bytes()
    except OSError as error:
        raise ResultsError(f"{report}: cannot be read: {error.strerror}") from None
    if shown != _html(statement.read(folder)).encode():
        found.append(f"{report}: is not the report of {JSON}")
    for text in found:
        print(text)
    if not found:
        print(f"{folder}: agrees with its results")
    return 1 if found else 0


def _check_is_statement(out: Path) -> None:
    """Raise NotReplacedError if something is in the folder that is no statement."""
    if not out.is_symlink() and (not out.exists() or (out.is_dir() and not any(out.iterdir()))):
        return
    is_folder = out.is_dir() and not out.is_symlink()
    if not is_folder or {each.name for each in out.iterdir()} - {JSON, REPORT, CLAIMS}:
        raise NotReplacedError(
            errno.EEXIST, "is not the folder of a statement, so it is not replaced", str(out)
        )


def _write(made: Statement, claims: Path, out: Path) -> None:
    """Write the folder at once, in the place of an earlier statement."""
    content = claims.read_text("utf-8")
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{out.name[:100]}.", dir=out.parent))
    try:
        new, old = temporary / "new", temporary / "old"
        for name, text in (
            (JSON, statement.as_json(made)),
            (REPORT, _html(made)),
            (CLAIMS, content),
        ):
            write_text(new / name, text)
        if out.exists():
            os.replace(out, old)
        try:
            os.replace(new, out)
        except OSError:
            if old.exists():
                os.replace(old, out)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# --- the report ---------------------------------------------------------------------------------------------------


def _verdict(made: Statement) -> str:
    return "The claims hold." if made.holds else "The claims do not hold."


def _add_claims(report: ReportDocument, made: Statement) -> None:
    """What is waived, what is claimed, and what of it nobody tested."""
    report.heading("Waivers")
    report.table(
        ["cause", "title", "reason", "until", "cases"],
        [
            [one.cause, one.title, one.reason, f"{one.until}{' (ended)' if one.ended else ''}", f"{one.cases:,}"]
            for one in made.waivers
        ],
        names=4,
    )  # fmt: skip
    if not made.waivers:
        report.paragraph("None.")
    report.heading("Claims")
    report.table(
        ["operations", "what is claimed"],
        [
            [", ".join(each.operations), "; ".join(map(_row, each.rows.items())) or "all"]
            for each in made.claims
        ],
        names=2,
    )
    if made.not_asked:
        report.heading("Claimed, and not tested")
        report.table(
            ["operation", "cells"],
            [[name, ", ".join(cells)] for name, cells in made.not_asked.items()],
            names=2,
        )


def _html(made: Statement) -> str:
    report = ReportDocument()
    report.heading(f"Statement: {made.title}", 1)
    report.paragraph(f"{_verdict(made)} Made on {made.made}, from a run of {made.started[:10]}.")
    if made.compile_only:
        report.paragraph("Layers were compiled and not inferred: no value was checked.")
    if made.part:
        report.paragraph(f"{made.part}.")
    report.table(
        ["level", "", "means", "cases"],
        [
            [each.name, "reached" if each.reached else "not reached", MEANINGS[each.name], f"{each.cases:,}"]
            for each in made.levels
        ],
        names=3,
    )  # fmt: skip
    report.heading("Cases")
    report.table(
        ["", "tested", "conform", "compiled", "waived", "refused, not claimed", "red"],
        [
            _counts("inside the claims", made.inside),
            _counts("outside", made.outside),
            _counts("graphs", made.graphs),
        ],
    )
    if made.red:
        report.heading("Cases that break the claims")
        _add_missing(report, made.red)
    for level in made.levels:
        if level.missing:
            report.heading(f"Not reached: {level.name}")
            _add_missing(report, level.missing)
    _add_claims(report, made)
    report.heading("Operations claimed")
    report.table(
        ["operation", "tested", "conform", "compiled", "waived", "refused, not claimed", "red"],
        [_counts(name, own) for name, own in made.operations.items()],
    )
    report.heading("What was run")
    report.table(["", ""], [[name, value] for name, value in _facts(made) if value], names=2)
    report.paragraph("To check this folder: python -m reports statement --verify DIR")
    return as_html(report, f"Statement: {made.title}")


def _row(claimed: tuple[str, Sequence[str]]) -> str:
    row, values = claimed
    return f"{row}: {' '.join(values)}"


def _counts(name: str, own: Numbers) -> list[str]:
    numbers = (own.asked, own.conforms, own.compiled, own.waived, own.not_claimed, own.red)
    return [name, *(f"{each:,}" for each in numbers)]


def _add_missing(report: ReportDocument, missing: Sequence[Missing]) -> None:
    report.table(
        ["why", "operation", "example", "causes", "cases"],
        [
            [each.why, each.operation, each.example, _named(each.causes), f"{each.cases:,}" if each.cases else ""]
            for each in missing[:SHOWN]
        ],
        names=4,
    )  # fmt: skip
    if len(missing) > SHOWN:
        report.paragraph(f"{count(len(missing) - SHOWN, 'line')} more: {JSON}")


def _named(causes: Sequence[str]) -> str:
    more = f" and {len(causes) - NAMED} more" if len(causes) > NAMED else ""
    return ", ".join(causes[:NAMED]) + more


def _facts(made: Statement) -> list[tuple[str, str]]:
    return [
        ("device", made.full_name), ("driver", made.driver), ("processor", made.processor),
        ("instruction set", made.isa), ("profile", made.profile),
        ("settings", ", ".join(f"{key}={value}" for key, value in made.settings.items())),
        ("OpenVINO", made.openvino), ("specification", made.specification), ("suite", made.suite),
        ("depth", f"{made.depth}, seed {made.seed}, {made.random} random layers per operation"),
        ("started", made.started), ("ended", made.ended),
        *((f"results: {each.name}", f"{each.bytes:,} bytes, sha256 {each.sha256}") for each in made.results),
        (f"claims: {made.claims_file.name}", f"{made.claims_file.bytes:,} bytes, sha256 {made.claims_file.sha256}"),
    ]  # fmt: skip
