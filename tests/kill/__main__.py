"""``python -m tests.kill [OPERATION...]``: the kill table; with ``--bounds`` the trial of bounds,
with ``--source`` changes in the source of references.

Exit code: 0 where every operation catches enough, 1 where one does not, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
import sys
from collections.abc import Sequence

import ir_models
from ir_models import UnknownOperationError
from reference import MissingReferenceError
from reports.gate.baseline import Run
from reports.gate.baseline_files import BaselineError
from reports.gate.causes import CauseError
from reports.results.files import reading as results
from reports.results.records import ResultsError
from tests.kill import gate, known
from tests.kill.bounds import ExcuseError, try_bounds, unexcused, unused
from tests.kill.bounds import render as render_bounds
from tests.kill.source_table import all_told
from tests.kill.source_table import render as render_sources
from tests.kill.source_trial import try_sources
from tests.kill.table import REQUIRED, EquivalentError, render, try_operation


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.kill",
        description="Try wrong references on the cases of each operation: every case set must "
        f"catch {REQUIRED:.0%} of them.",
    )
    parser.add_argument(
        "operations", metavar="OPERATION", nargs="*", help="such as Gather-8 or Gather; default all"
    )
    parser.add_argument(
        "--bounds",
        action="store_true",
        help="try small errors on the bounds of each operation in each floating-point type instead, in every layer",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="with --bounds: on the plain layer of each operation alone, which takes a minute; the default is every "
        "variant and random layer",
    )
    parser.add_argument(
        "--source",
        action="store_true",
        help="try changes of one place in the source of each reference and of shared arithmetic instead",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=_count,
        default=0,
        help="with --source: at most N changes of each file; with --gate: N of the cases, drawn by hash; default all",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument(
        "--gate",
        metavar="RESULTS",
        help="plant faults in the results of a run instead, and see whether the gate finds them",
    )
    parser.add_argument(
        "--known",
        metavar="N",
        type=_count,
        default=0,
        help="with --gate: plant other wrong answers in N known failures of each kind, asked on the device again",
    )
    parser.add_argument(
        "--as",
        dest="other",
        metavar="FIELD=VALUE",
        nargs="+",
        default=[],
        help="with --gate: as if the results were of another run, such as openvino=2026.5.0, isa=avx2 or "
        "profile=INFERENCE_NUM_THREADS=1; at most 1%% of the faults may stay unseen then",
    )
    args = parser.parse_args(arguments)
    if (args.other or args.known) and not args.gate:
        parser.error("--as and --known go with --gate")
    if args.gate:
        return _gate(parser, args)
    if args.plain and not args.bounds:
        parser.error("--plain goes with --bounds")
    if args.sample and not args.source:
        parser.error("--sample goes with --source or --gate")
    try:
        operations = list(ir_models.select(args.operations))
        if args.source:
            found = try_sources(operations, args.sample, shared=not args.operations, report=_tell)
            print(render_sources(found, args.markdown), flush=True)
            return 0 if all_told(found) else 1
        if args.bounds:
            each = (try_bounds(operation, args.plain) for operation in operations)
            tried = [result for results in each for result in results]
            print(render_bounds(tried, args.markdown), flush=True)
            return 1 if unexcused(tried) or unused(tried) else 0
        rows = [try_operation(operation) for operation in operations]
        print(render(rows, args.markdown), flush=True)
    except (
        UnknownOperationError,
        MissingReferenceError,
        EquivalentError,
        ExcuseError,
    ) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as head, has seen enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 1 if any(row.share < REQUIRED for row in rows) else 0


def _tell(line: str) -> None:
    """Say on standard error how far it is."""
    print(line, file=sys.stderr, flush=True)


def _count(text: str) -> int:
    """A number from 1. Raises ValueError, which argparse reports."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def _gate(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Print what the gate does not find; return 1 if that is too much."""
    try:
        chosen = {operation.name for operation in ir_models.select(args.operations)}
        loaded = results.load([args.gate])
        planting = gate.Planting(loaded, other=_fields(args.other))
    except (UnknownOperationError, ResultsError, BaselineError, CauseError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    if args.known:
        tried = known.try_known(loaded, args.known, _tell)
        print(known.render(tried), flush=True)
        return int(any(row.share > known.MOST_UNSEEN[kind] for kind, row in tried.items()))
    records = [record for record in loaded.records if record.operation in chosen]
    if args.sample:
        records.sort(key=lambda record: hashlib.sha256(record.case.encode()).digest())
        records = records[: args.sample]
    rows = planting.rows(records)
    print(gate.render(rows), flush=True)
    return 0 if gate.passes(list(rows.values()), planting.is_other) else 1


def _fields(pairs: Sequence[str]) -> dict[str, str | int]:
    """Fields of a run. Raises ValueError."""
    kinds = {each.name: each.type for each in dataclasses.fields(Run)}
    names = sorted(name for name, kind in kinds.items() if kind in ("str", "int"))
    found: dict[str, str | int] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if name not in names or not equals:
            raise ValueError(f"--as {pair}: expected FIELD=VALUE, a field of {', '.join(names)}")
        if kinds[name] == "int" and not value.isdecimal():
            raise ValueError(f"--as {pair}: expected a whole number")
        found[name] = int(value) if kinds[name] == "int" else value
    return found


if __name__ == "__main__":
    sys.exit(main())
