"""``python -m reports batch FIX --out DIR``: the acceptance test of one change in OpenVINO."""

from __future__ import annotations

import argparse
import shlex
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from ir_models.asking.id_parts import is_of_graph
from reports.commands.causes import seen_in_baselines
from reports.gate import causes
from reports.gate.baseline import run_of
from reports.gate.causes import Cause, Causes
from reports.results.files.reading import Results, load
from reports.results.records import ResultsError
from reports.results.shared.files import check_is_own, has, write_text
from reports.results.shared.options import add_out_folder
from reports.results.shared.text import count
from reports.views.choosing import add_causes_argument

_HEAD = "# Batch: "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports batch``."""
    parser.description = (
        "Write the acceptance test of one change in OpenVINO into a folder. cases.txt lists the cases that must pass "
        "after the change: those of all causes with this fix. README.md has the commands that test a build: with "
        "these cases, and with all other cases of their operations. Exit code: 0 written, 2 wrong usage."
    )
    add = parser.add_argument
    add("fix", metavar="FIX", help="the fix that causes share, or the id of a cause")
    add(
        "results",
        nargs="*",
        metavar="RESULTS",
        help="results files to take the cases from, instead of the shipped baselines",
    )
    add("--device", help="the device (default: that of the results, else CPU)")
    add_out_folder(parser)
    add_causes_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Write the batch."""
    every = causes.load(*args.causes)
    known = every.by_id
    results = load(args.results) if args.results else None
    device = args.device or (results.targets()[0][0] if results else "CPU")
    chosen = [one for one in known.values() if args.fix in (one.fix, one.id)]
    if not chosen:
        raise ResultsError(f"no cause has the fix or the id {args.fix!r}")
    named = _named_in(results, device, every) if results else _named_in_baselines(device)
    found = {one.id: sorted(named[one.id]) for one in chosen if one.id in named}
    cases = sorted({case for own in found.values() for case in own})
    if not cases:
        raise ResultsError(f"no case of {args.fix} on {device}")
    readme = args.out / "README.md"
    check_is_own(readme, has(_HEAD.encode()), "choose another --out")
    shown = [one for one in chosen if one.id in found]
    write_text(readme, _readme(args.fix, shown, found, cases, device, args.out))
    write_text(args.out / "cases.txt", "".join(f"{case}\n" for case in cases))
    print(
        f"{count(len(cases), 'case')} of {count(len(shown), 'cause')} in {args.out / 'cases.txt'}"
    )
    return 0


def _named_in_baselines(device: str) -> dict[str, list[str]]:
    """The cases of each cause in the baselines that are shipped for a device."""
    return {name: cases for name, (_, cases) in seen_in_baselines(device).items()}


def _named_in(results: Results, device: str, known: Causes) -> dict[str, list[str]]:
    """The cases of each cause in results, those as well that no baseline has, as of an older release."""
    found = defaultdict(list)
    for record in results.records:
        if record.device == device and not record.conforms and not record.outcome.says_nothing:
            run = run_of(results.header(*record.target), *record.target)
            cause = known.name(record, run)
            if cause is not None:
                found[cause.id].append(record.case)
    return found


def _readme(
    fix: str,
    shown: Sequence[Cause],
    found: dict[str, list[str]],
    cases: Sequence[str],
    device: str,
    out: Path,
) -> str:
    operations = sorted({case.partition("/")[0] for case in cases if not is_of_graph(case)})
    has_graphs = any(map(is_of_graph, cases))
    suite = f"python -m pytest tests/conformance --device {shlex.quote(device)} --openvino BUILD"
    folder = shlex.quote(str(out))
    stay = [f"{suite} --operation {' '.join(operations)}"] if operations else []
    stay += [f"{suite} --purpose graphs"] if has_graphs else []
    rows = [
        f"{_HEAD}{fix} on {device}",
        "",
        f"{count(len(cases), 'case')} of {count(len(shown), 'cause')}; BUILD is an installation or a build tree.",
        "",
        "## Must pass after the change",
        "",
        "```sh",
        f"{suite} --cases {folder}/cases.txt --baseline=none --strict-gate",
        "```",
        "",
        "It exits with 0 when each of them passes, and with 1 before.",
        "",
        "## Must stay as before",
        "",
        "```sh",
        *stay,
        "```",
        "",
        "All cases of these operations against the shipped baseline: it exits with 0, and fixes no other cases.",
        "",
        "## Causes",
        "",
    ]
    for one in shown:
        place = one.place_on(device)
        rows += [
            f"- [{one.id}] {one.title}: {count(len(found[one.id]), 'case')}",
            f"  - {one.component or 'component not known'}; place: {f'`{place}`' if place else 'not measured'}",
            f"  - smallest: `{one.smallest}`",
        ]
    return "\n".join(rows) + "\n"
