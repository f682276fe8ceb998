"""``python -m reports causes``: the causes that the suite knows, the most severe first, or how precise they are."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from reports.gate import baseline_files, causes, precision, usage
from reports.gate.baseline import run_of
from reports.gate.causes import (
    CLASSES,
    COMPONENTS,
    MEANINGS,
    PLACES,
    Cause,
    Causes,
    components_help,
    name_of,
)
from reports.gate.measuring import CorpusCase, measured
from reports.gate.precision import NARROW, Share, is_narrow
from reports.gate.quotes import misquoted
from reports.gate.severity import (
    NOT_SEEN,
    SEVERITIES,
    UNUSUAL,
    Severity,
    baseline_lines,
    in_baselines,
    of_records,
    on_device,
    order,
)
from reports.results.files.reading import Results, load
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.matching import names_operation
from reports.results.shared.options import device_of_option, path_of_option
from reports.results.shared.text import count, listing, trim
from reports.views.choosing import add_causes_argument, add_kind_arguments
from reports.views.documents import ReportDocument, add_format_arguments, show

NOT_SEEN_NAME = "not seen"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports causes``."""
    parser.description = (
        "Print why a device departs from the specification: the causes that its shipped baselines show, or those that "
        "results show. The most severe come first, each with the number of its cases; limits of support, defects "
        "below the plugin, and what only one of several OpenCL stacks shows come last. Tables by class, component and "
        "severity, and of the places that were measured, stand before them. A cause is as severe as its most frequent "
        "plain cases in the shipped baselines; if these do not have it, in the results. --history adds causes that no "
        "case shows; a device without a baseline has these in any case. --precision prints the selectors of causes "
        "instead: how many cases of the results each one admits, and how many of these depart as it says. --measure "
        "writes these shares into the shipped baselines of a device, after causes were edited. Exit code: 0 printed, "
        "1 --pages found a quote that no page has, 2 wrong usage."
    )
    add = parser.add_argument
    add(
        "results",
        nargs="*",
        metavar="RESULTS",
        help="results files to read instead of the shipped baselines",
    )
    add(
        "--device",
        type=device_of_option,
        help="the device (default: that of the results, else CPU)",
    )
    add_kind_arguments(parser)
    add(
        "--component",
        nargs="+",
        action="extend",
        choices=tuple(COMPONENTS),
        default=[],
        help=components_help("only causes in these parts of OpenVINO"),
    )
    add("--operation", nargs="+", action="extend", default=[], metavar="NAME",
        help="operations such as Gather-8, or types such as Gather; * and ? are wildcards")  # fmt: skip
    add(
        "--history",
        action="store_true",
        help="also causes that are fixed, or not seen in a baseline",
    )
    add(
        "--precision",
        action="store_true",
        help="print how many of the cases that each selector admits depart, the worst first",
    )
    add(
        "--measure",
        action="store_true",
        help="measure all selectors again on the shipped baselines of the device, over the cases of depth single, and "
        "write their shares: some minutes; no device is needed",
    )
    add(
        "--pages",
        type=path_of_option,
        metavar="DIR",
        help="print instead the quotes in causes that no page of the specification has; DIR has the pages, "
        "docs/articles_en/documentation/openvino-ir-format/operation-sets/operation-specs of OpenVINO",
    )
    add_causes_argument(parser)
    add_format_arguments(parser, ("markdown", "html"))


def run(args: argparse.Namespace) -> int:
    """Print the causes."""
    if args.precision and (not args.results or args.severity or args.operation or args.history):
        raise ResultsError(
            "--precision needs RESULTS, and only --device, --class, --component and --causes go with it"
        )
    known = causes.load(*args.causes)
    if args.pages:
        return _print_misquoted(known, args.pages)
    if args.measure:
        _measure(known, args.device or "CPU")
        return 0
    results = load(args.results) if args.results else None
    device = args.device or (results.targets()[0][0] if results else "CPU")
    families = baseline_files.families_of(device)
    own = [one for one in known.by_id.values() if set(families) & set(one.devices)]
    if not own:
        raise ResultsError(f"no cause names device {device!r}")
    if args.precision and results:
        show(_precision(known, results, device, args), args, title=f"Precision on {device}")
        return 0
    seen = seen_in(results, device) if results else seen_in_baselines(device)
    told = {case.partition("/")[0] for _, found in seen.values() for case in found}
    told |= {
        name for one in own if args.history and one.id not in seen for name in _operations(one)
    }
    for wildcard in args.operation:
        if not any(names_operation([wildcard], name) for name in told):
            raise ResultsError(f"no cause on {device} has a case of an operation {wildcard!r}")
    rows = []
    for one in own:
        severity, found = seen.get(one.id, (NOT_SEEN, []))
        severity = on_device(one, device, severity)
        is_listed = bool(found) or args.history or (not seen and not one.fixed_on(device))
        if args.operation:
            found = [
                case for case in found if names_operation(args.operation, case.partition("/")[0])
            ]
        operations = {case.partition("/")[0] for case in found}
        if one.id not in seen:
            operations = {
                name
                for name in _operations(one)
                if not args.operation or names_operation(args.operation, name)
            }
        if (
            not is_listed
            or not _is_chosen(one, args)
            or (args.severity and not severity.is_one_of(args.severity))
            or (args.operation and not operations)
        ):
            continue
        rows.append((severity, len(found), one, sorted(operations)))
    rows.sort(key=lambda row: order(row[2].cause_class, row[0], row[1], row[2].id))
    report = _document(rows, device)
    if not results and (shown := [each.name for each in baseline_files.folders_of(device)]):
        report.paragraph(f"shown by the shipped baselines {listing(shown)}")
    show(report, args, title=f"Causes on {device}")
    return 0


def _operations(cause: Cause) -> set[str]:
    """The operations of a cause by its smallest case and its selectors, of one that no case shows."""
    named = {name for each in cause.selectors for name in each.conditions.get("operation", ())}
    return {cause.smallest.partition("/")[0], *named} - {""}


def _measure(known: Causes, device: str) -> None:
    """Write the shares of all selectors into the baselines of a device that have some. Raises BaselineError."""
    folders = [
        folder
        for folder in baseline_files.folders_of(device)
        if (folder / baseline_files.PRECISION).exists()
    ]
    if not folders:
        raise ResultsError(f"no baseline of device {device!r} has {baseline_files.PRECISION}")
    print("listing the cases of depth single", file=sys.stderr, flush=True)
    cases = list(_corpus(max(baseline_files.read_run(folder).random for folder in folders)))
    for folder in folders:
        path = folder / baseline_files.PRECISION
        before = precision.from_text(path.read_text("utf-8"))
        after = measured(baseline_files.read_folder(folder), cases, known, before)
        write_text(path, precision.to_text(after))
        narrow = [
            {name for name, share in each.items() if is_narrow(share)} for each in (before, after)
        ]
        print(
            f"{path}: {count(len(after), 'selector')}, {len(narrow[1]):,} narrow "
            f"({len(narrow[1] - narrow[0]):,} more, {len(narrow[0] - narrow[1]):,} no longer)",
            flush=True,
        )


def _corpus(draws: int) -> Iterator[CorpusCase]:
    """The cases of depth single, with so many random layers of each operation."""
    import ir_models  # declarations and patterns: many modules, which other commands do not need
    from ir_models import patterns

    layers = (ir_models.cases(each, (), draws, 0, "single") for each in ir_models.operations())
    graphs = (patterns.cases(each, "single") for each in ir_models.patterns_asked((), ()))
    for case in chain(*layers, *graphs):
        rule = case.broken_rule
        yield CorpusCase(case.id, case.operation.category, rule.id if rule else "", case.graph_text)


def _print_misquoted(known: Causes, pages: Path) -> int:
    if not any(pages.rglob("*.rst")):
        raise ResultsError(f"--pages {pages}: there is no page, *.rst")
    found = misquoted(known.by_id.values(), pages)
    for name, quote in found:
        print(f"{name}: no page has {quote!r}")
    return 1 if found else 0


def _is_chosen(cause: Cause, args: argparse.Namespace) -> bool:
    return (not args.kind or cause.cause_class in args.kind) and (
        not args.component or cause.component in args.component
    )


Seen = dict[str, tuple[Severity, list[str]]]
"""How bad a cause is, and its cases, by its id."""


def seen_in_baselines(device: str) -> Seen:
    """Return what the baselines show that are shipped for a device."""
    lines = baseline_lines(device)
    return {name: (in_baselines(device, name), list(own)) for name, own in lines.items()}


def seen_in(results: Results, device: str) -> Seen:
    """Return what results show of a device. Raises ResultsError if they have no case of it."""
    records = [record for record in results.records if record.device == device]
    if not records:
        raise ResultsError(f"the results have no case of device {device!r}")
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.cause and record.gate.has_cause:
            found[record.cause].append(record)
    return {name: (of_records(own), [one.case for one in own]) for name, own in found.items()}


def _document(rows: list[tuple[Severity, int, Cause, list[str]]], device: str) -> ReportDocument:
    report, met = ReportDocument(), usage.counts()
    cases = sum(number for _, number, _, _ in rows)
    report.paragraph(f"{count(len(rows), 'cause')} on {device} ({count(cases, 'case')})")
    names = [*SEVERITIES, NOT_SEEN_NAME]
    counts = Counter(
        (one.cause_class, one.component, severity.kind or NOT_SEEN_NAME)
        for severity, _, one, _ in rows
    )
    places = Counter(one.place_on(device).partition(" ")[0] for _, _, one, _ in rows)
    columns = [name for name in names if any(name == own for *_, own in counts)]
    keys = sorted(
        {key[:2] for key in counts},
        key=lambda key: (list(CLASSES).index(key[0]), ["", *COMPONENTS].index(key[1])),
    )
    table = [
        [kind, component or "–", *_counted([counts[kind, component, name] for name in columns])]
        for kind, component in keys
    ]
    total = [sum(n for key, n in counts.items() if key[2] == name) for name in columns]
    report.table(
        ["class", "component", *columns, "causes"],
        [*table, ["total", "", *_counted(total)]],
        names=2,
    )
    report.table(
        ["place on", *PLACES, "not measured", "causes"],
        [[device, *_counted([places[kind] for kind in (*PLACES, "")])]],
        names=1,
    )
    for number, told in enumerate((MEANINGS, COMPONENTS)):
        meant = [
            f"{name}: {about}"
            for name, about in told.items()
            if any(key[number] == name for key in keys)
        ]
        if meant:
            report.paragraph("; ".join(meant))
    report.table(
        ["cases", "models", "severity", "class", "component", "since", "cause", "id", "place"],
        [
            [
                f"{number:,}",
                f"{met[one.id].sure:,}" if one.id in met and met[one.id].sure else "–",
                _state(severity, one, device),
                one.cause_class,
                one.component or "–",
                _since(one, device),
                one.title,
                one.id,
                one.place_on(device) or "–",
            ]
            for severity, number, one, _ in rows
        ],
        names=9,
    )
    shown = {kind for severity, *_ in rows for kind in (severity.kind, severity.does)}
    legend = [f"{kind}: {means}" for kind, means in SEVERITIES.items() if kind in shown]
    if any(severity.kind and not severity.is_plausible for severity, *_ in rows):
        legend.append(f"rare layers: {UNUSUAL}")
    if legend:
        report.paragraph(f"severity: {'; '.join(legend)}")
    report.paragraph(
        "since: the first release that was seen to show it (not tried before: no older one was tried; or before: those "
        "that were tried show it too, or lack the operation), and the last one that was seen to do it right; "
        "place: the line of code that a refusal prints, the frame where the process dies (another one may have damaged "
        "its memory), the pass after which the answer is wrong, the function that computes it, or the node with its "
        "kernel"
    )
    report.paragraph(
        f"models: how many of {len(usage.models())} models of packages have a layer that fails so: at least "
        f"{NARROW:.0%} of the cases like it fail, or `python -m devices model` named the cause"
    )
    return report


_MOST = 120
"""Columns of a line of the table of selectors."""


def _precision(
    known: Causes, results: Results, device: str, args: argparse.Namespace
) -> ReportDocument:
    """The selectors, broad ones first, those first that admit the most cases which do not depart so."""
    shares: dict[str, Share] = {}
    for target in results.targets():
        if target[0] == device:
            records = [record for record in results.records if record.target == target]
            run = run_of(results.header(*target), *target)
            for name, share in known.measure(records, run).items():
                before = shares.get(name, Share(0, 0))
                shares[name] = Share(*map(sum, zip(before, share, strict=True)))
    if not shares:
        raise ResultsError(f"no selector admits a case of device {device!r} in the results")
    rows = []
    for cause in known.by_id.values():
        for number, selector in enumerate(cause.selectors, 1):
            own = shares.get(name_of(cause, selector))
            if own and _is_chosen(cause, args):
                rows.append((own, f"{cause.id} {number}", str(selector)))
    rows.sort(key=lambda row: (is_narrow(row[0]), row[0].departing - row[0].admitted, row[1]))
    narrow = sum(is_narrow(share) for share, *_ in rows)
    report = ReportDocument()
    report.paragraph(
        f"{count(len(rows), 'selector')} on {device}; {narrow:,} are narrow: at least {NARROW:.0%} of the cases that "
        "they admit depart so"
    )
    head = ["share", "admitted", "departing", "selector"]
    cells = [[f"{s.share:.0%}", f"{s.admitted:,}", f"{s.departing:,}", name] for s, name, _ in rows]
    left = _MOST - sum(max(map(len, column)) + 2 for column in zip(head, *cells, strict=True))
    report.table(
        [*head, "conditions"],
        [[*each, trim(row[2], max(left, 20))] for each, row in zip(cells, rows, strict=True)],
        names=5,
    )
    return report


def _counted(numbers: list[int]) -> list[str]:
    """The numbers of a line, and their sum."""
    return [f"{number:,}" if number else "–" for number in (*numbers, sum(numbers))]


def _since(cause: Cause, device: str) -> str:
    """Since when a cause is seen, and in which release it was right before."""
    since, good = cause.told_since_on(device), cause.last_good_on(device)
    return f"{since}, right in {good}" if good else since or "–"


def _state(severity: Severity, cause: Cause, device: str) -> str:
    """How bad a cause is; of one that no baseline shows, since when it is fixed."""
    fixed = cause.fixed_on(device)
    if severity != NOT_SEEN:
        return str(severity)
    return f"fixed in {fixed}" if fixed else NOT_SEEN_NAME
