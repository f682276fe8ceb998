"""``python -m reports batch FIX --out DIR``: the acceptance test of one change in OpenVINO."""

from __future__ import annotations

import argparse
import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from ir_models.asking.id_parts import is_of_graph
from reports.gate import baseline_files, causes
from reports.gate.baseline import run_of
from reports.gate.baseline_files import families_of
from reports.gate.causes import Cause, Causes, unit_of
from reports.results.files.reading import Results, load
from reports.results.records import ResultsError
from reports.results.shared.files import check_is_own, has, write_text
from reports.results.shared.matching import numbers_of
from reports.results.shared.options import add_out_folder, device_of_option
from reports.results.shared.text import count, listing
from reports.views.choosing import add_causes_argument

_HEAD = "# Batch: "
USUAL = "accuracy"
"""The profile of a run without --profile."""
NEAR = 3
"""Names at most that are proposed for one that is unknown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports batch``."""
    parser.description = (
        "Write the acceptance test of one change in OpenVINO into a folder. cases.txt lists the cases that must pass "
        "after the change: those of all causes with this fix; cases-PROFILE.txt those that only this profile shows. "
        "README.md has the commands that test a build: with these cases, and with all other cases of their operations. "
        "Exit code: 0 written, 2 wrong usage."
    )
    add = parser.add_argument
    add(
        "fix",
        metavar="FIX",
        nargs="?",
        help="the fix that causes share (--list), or the id of a cause (python -m reports causes)",
    )
    add(
        "results",
        nargs="*",
        metavar="RESULTS",
        help="results files to take the cases from, instead of the shipped baselines",
    )
    add(
        "--device",
        type=device_of_option,
        help="the device (default: that of the results, else CPU)",
    )
    add_out_folder(parser, is_required=False)
    add("--list", action="store_true", help="print instead each fix with its causes")
    add_causes_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Write the batch."""
    every = causes.load(*args.causes)
    if args.list:
        _print_fixes(every.by_id.values(), args.device or "CPU")
        return 0
    if not args.fix or args.out is None:
        raise ResultsError("a batch needs FIX and --out DIR; --list prints each FIX")
    results = load(args.results) if args.results else None
    device = args.device or (results.targets()[0][0] if results else "CPU")
    chosen = [one for one in every.by_id.values() if args.fix in (one.fix, one.id)]
    if not chosen:
        raise ResultsError(f"no cause has the fix or the id {args.fix!r}{_near(args.fix, every)}")
    named = _named_in(results, device, every) if results else _named_in_baselines(device)
    found = {one.id: named[one.id] for one in chosen if one.id in named}
    profiles = {case: profile for own in found.values() for case, profile in own.items()}
    if not profiles:
        fixed = sorted({one.fixed_on(device) for one in chosen}, key=numbers_of)
        is_done = f": it is fixed in {fixed[-1]}" if all(fixed) else ""
        raise ResultsError(f"no case of {args.fix} on {device}{is_done}")
    readme = args.out / "README.md"
    check_is_own(readme, has(_HEAD.encode()), "choose another --out")
    shown = [one for one in chosen if one.id in found]
    own = set(map(_operation, profiles))
    others = {c for other in named.values() for c in other if _operation(c) in own} - set(profiles)
    cases = {
        profile: sorted(case for case, other in profiles.items() if other == profile)
        for profile in sorted({*profiles.values()}, key=_after_usual)
    }
    for old in args.out.glob("cases*.txt"):
        old.unlink()
    write_text(readme, _readme(args.fix, shown, found, cases, len(others), device, args.out))
    files = {_file_of(profile): each for profile, each in cases.items()}
    for name, listed in files.items():
        write_text(args.out / name, "".join(f"{case}\n" for case in listed))
    print(
        f"{count(len(profiles), 'case')} of {count(len(shown), 'cause')} in "
        f"{listing([str(args.out / name) for name in files])}"
    )
    return 0


def _near(name: str, known: Causes) -> str:
    """What may be meant by a name that is none of a fix and none of a cause, as the end of a sentence."""
    names = {text for one in known.by_id.values() for text in (one.fix, one.id) if text}
    near = [each for each in sorted(names) if name in each] if len(name) > 3 else []
    near = near[:NEAR] or get_close_matches(name, sorted(names), n=NEAR)
    told = f"; near: {', '.join(near)}" if near else ""
    return f"{told}; --list prints each fix"


def _print_fixes(known: Iterable[Cause], device: str) -> None:
    """Print the fixes of a device that are not done, each with its causes."""
    own = {*families_of(device)}
    found: dict[str, list[str]] = defaultdict(list)
    for one in known:
        if one.fix and own.intersection(one.devices) and not one.fixed_on(device):
            found[one.fix].append(one.id)
    for fix, names in sorted(found.items()):
        print(f"{fix}: {', '.join(names)}")


def _after_usual(profile: str) -> tuple[bool, str]:
    """Sort key of profiles: the usual one first."""
    return profile != USUAL, profile


def _file_of(profile: str) -> str:
    """The file of the cases of a profile."""
    return (
        "cases.txt"
        if profile == USUAL
        else f"cases-{re.sub(r'[^A-Za-z0-9=.,-]', '_', profile)}.txt"
    )


def _operation(case: str) -> str:
    return case.partition("/")[0]


def _named_in_baselines(device: str) -> dict[str, dict[str, str]]:
    """The cases of each cause in the baselines that are shipped for a device, with a profile that shows each."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    runs = {folder: baseline_files.read_run(folder) for folder in baseline_files.folders_of(device)}
    for folder in sorted(runs, key=lambda one: (*_after_usual(runs[one].profile), one.name)):
        for case, line in baseline_files.read_folder(folder).lines.items():
            found[line.cause].setdefault(case, runs[folder].profile)
    return found


def _named_in(results: Results, device: str, known: Causes) -> dict[str, dict[str, str]]:
    """The same of results, with the cases as well that no baseline has, as of an older release."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for record in sorted(results.records, key=lambda one: _after_usual(one.profile)):
        if record.device == device and not record.conforms and not record.outcome.says_nothing:
            run = run_of(results.header(*record.target), *record.target)
            cause = known.name(record, run)
            if cause is not None:
                found[cause.id].setdefault(record.case, record.profile)
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
    found: Mapping[str, Mapping[str, str]],
    cases: Mapping[str, Sequence[str]],
    others_fail: int,
    device: str,
    out: Path,
) -> str:
    change, others = [], []
    for profile, own in cases.items():
        suite = (
            f"python -m pytest tests/conformance --device {shlex.quote(device)} --openvino BUILD"
        )
        if profile != USUAL:
            suite += f" --profile {shlex.quote(profile)}"
        file = shlex.quote(str(out / _file_of(profile)))
        name = shlex.quote(f"results/{out.name}-{Path(_file_of(profile)).stem}")
        change.append(
            f"{suite} --cases {file} --baseline=none --strict-gate --results {name}.jsonl"
        )
        operations = sorted({_operation(case) for case in own if not is_of_graph(case)})
        if operations:
            others.append(
                f"{suite} -n auto --operation {' '.join(operations)} --results {name}-others.jsonl"
            )
        if any(map(is_of_graph, own)):
            others.append(f"{suite} -n auto --purpose graphs --results {name}-graphs.jsonl")
    places = {unit_of(place) for one in shown if (place := one.place_on(device))}
    total = sum(map(len, cases.values()))
    rows = [
        f"{_HEAD}{fix} on {device}",
        "",
        f"{count(total, 'case')} of {count(len(shown), 'cause')}; BUILD is an installation or a build tree.",
        "",
        f"Extent: {_extent(places, shown)}.",
        "",
        "## Must pass after the change",
        "",
        *("```sh", *change, "```"),
        "",
        "It exits with 0 when each of them passes, and with 1 before. A case that then fails in another way has a "
        "second cause.",
        "",
        "## Must stay as before",
        "",
        *("```sh", *others, "```"),
        "",
        "All cases of these operations, and all graphs if the change concerns one, which take some minutes. They are "
        "compared with the shipped baseline: the run exits with 0, and reports as fixed what the change mends. "
        f"Of these operations {count(others_fail, 'other departure')} with other causes must fail as before.",
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
