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
from reports.gate.causes import Cause, Causes, unit_of
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
        "after the change: those of all causes with this fix. stay.txt lists the other departures of their operations, "
        "which the change need not mend. README.md has the commands that test a build: with these cases, and with all "
        "other cases of their operations. Exit code: 0 written, 2 wrong usage."
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
    chosen = [one for one in known.values() if args.fix and args.fix in (one.fix, one.id)]
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
    own = set(map(_operation, cases))
    stay = sorted(
        {c for other in named.values() for c in other if _operation(c) in own} - set(cases)
    )
    write_text(readme, _readme(args.fix, shown, found, cases, stay, device, args.out))
    for name, listed in (("cases.txt", cases), ("stay.txt", stay)):
        write_text(args.out / name, "".join(f"{case}\n" for case in listed))
    print(
        f"{count(len(cases), 'case')} of {count(len(shown), 'cause')} in {args.out / 'cases.txt'}; "
        f"{count(len(stay), 'other departure')} of {count(len(own), 'operation')} in {args.out / 'stay.txt'}"
    )
    return 0


def _operation(case: str) -> str:
    return case.partition("/")[0]


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


def _extent(places: set[str], shown: Sequence[Cause]) -> str:
    """How large the change may be, as far as places and guesses tell."""
    components = sorted({one.component for one in shown if one.component}) or [
        "component not known"
    ]
    where = f"{', '.join(components)}; {count(len(places), 'place')} measured"
    if all(one.hint for one in shown):
        return f"{where}; a guess of one line for each cause is below"
    return f"{where}; no guess of one line"


def _readme(
    fix: str,
    shown: Sequence[Cause],
    found: dict[str, list[str]],
    cases: Sequence[str],
    stay: Sequence[str],
    device: str,
    out: Path,
) -> str:
    operations = sorted({_operation(case) for case in cases if not is_of_graph(case)})
    has_graphs = any(map(is_of_graph, cases))
    suite = f"python -m pytest tests/conformance --device {shlex.quote(device)} --openvino BUILD"
    folder = shlex.quote(str(out))
    others = [f"{suite} --operation {' '.join(operations)}"] if operations else []
    others += [f"{suite} --purpose graphs"] if has_graphs else []
    places = {unit_of(place) for one in shown if (place := one.place_on(device))}
    rows = [
        f"{_HEAD}{fix} on {device}",
        "",
        f"{count(len(cases), 'case')} of {count(len(shown), 'cause')}; BUILD is an installation or a build tree.",
        "",
        f"Extent: {_extent(places, shown)}.",
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
        *others,
        "```",
        "",
        "All cases of these operations against the shipped baseline: it exits with 0, and reports as fixed those of "
        f"cases.txt. {count(len(stay), 'other departure')} of these operations, in stay.txt, have other causes.",
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
            *([f"  - a guess at the change, which nobody tried: {one.hint}"] if one.hint else []),
        ]
    return "\n".join(rows) + "\n"
