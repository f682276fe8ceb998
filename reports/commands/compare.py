"""``python -m reports compare``: a comparison of two runs as a document or as JSON."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reports.gate import causes
from reports.gate.selectors import features_of
from reports.results.explained.alike import described
from reports.results.files.coverage import gaps
from reports.results.files.reading import Results, load
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.options import path_of_option
from reports.results.shared.text import count, listing, rounded
from reports.views.choosing import add_causes_argument
from reports.views.comparing.comparison import (
    CATEGORIES,
    FAILING,
    Difference,
    RunComparison,
    TargetKey,
    compare,
    target_names,
)
from reports.views.documents import (
    Item,
    Link,
    Remark,
    ReportDocument,
    add_format_arguments,
    put,
    show,
)
from reports.views.site import address_of_comparison

UNEVEN_PACE = 1.2
"""A run that took this many times as long as the other, case by case, is told."""
LINES_PER_CATEGORY = 50
LINES_ON_A_PAGE = 2000


_DESCRIPTION = """\
Print the cases in which two runs differ, in the categories that stand below.
Exit code: 0 no case is in a category of --fail-on; 1 one is, or a run was cut
off or lacks a shard; 2 wrong usage or an unreadable file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports compare``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _DESCRIPTION
    parser.epilog = "\n".join(
        ["categories:", *(f"  {name:11}  {about}" for name, about in CATEGORIES.items())]
    )
    parser.add_argument("old", metavar="OLD", help="results of the earlier run")
    parser.add_argument("new", metavar="NEW", help="results of the later run")
    parser.add_argument(
        "--fail-on",
        type=_categories,
        default=FAILING,
        metavar="LIST",
        help=f"categories that make exit code 1; none: the exit code is 0 in any case (default: "
        f"{','.join(FAILING)}, as in a run with --baseline OLD)",
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="do not exit with 1 because a run was cut off or a shard is missing",
    )
    for name, about in (("drift", "an error, as a fraction of its bound,"), ("slower", "a time")):
        parser.add_argument(
            f"--{name}",
            type=_factor,
            default=2.0,
            metavar="FACTOR",
            help=f"{about} counts as {name} beyond this factor (default: 2)",
        )
    add_causes_argument(parser)
    group = parser.add_argument_group(
        "a line with a link to this comparison on a site",
        "both files must be part of the site (`python -m reports site`)",
    )
    group.add_argument("--site", type=path_of_option, metavar="DIR", help="the folder of the site")
    group.add_argument(
        "--url",
        type=_url,
        metavar="URL",
        help="where the folder or its index.html will be, such as https://host/site/",
    )
    add_format_arguments(parser, ("markdown", "json", "html"))


def _categories(text: str) -> tuple[str, ...]:
    if text == "none":
        return ()
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in CATEGORIES:
            raise argparse.ArgumentTypeError(
                f"{name!r} is not one of {', '.join(CATEGORIES)}, none"
            )
    return names


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not factor > 1:
        raise argparse.ArgumentTypeError(f"must be a number above 1, got {text!r}")
    return factor


def _url(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s#?<>\"\\]+", text):
        raise argparse.ArgumentTypeError(
            f"must be an address such as https://host/site/, got {text!r}"
        )
    return text if text.endswith(("/", ".html")) else f"{text}/"


def run(args: argparse.Namespace) -> int:
    """Print the comparison; return 1 if a category of ``--fail-on`` is not empty, or a run is incomplete."""
    if (args.site is None) != (args.url is None):
        raise ResultsError(
            "--site DIR and --url ADDRESS are given together: the folder of the site, and where it is published"
        )
    known = causes.load(*args.causes)
    comparison = compare(
        load(args.old), load(args.new), drift=args.drift, slower=args.slower, causes=known
    )
    if args.format == "json":
        put(json.dumps(as_json(comparison), indent=1, allow_nan=False) + "\n", args)
    else:
        cap = LINES_ON_A_PAGE if args.format == "html" else LINES_PER_CATEGORY
        report = document(comparison, cap)
        if args.site is not None:
            # Above all else, so that what is cut is not this.
            report.blocks[1:1] = _links(comparison, args)
        show(report, args, title=_title(comparison))
    counts = comparison.counts()
    is_incomplete = bool(args.fail_on) and not args.partial and bool(_incomplete(comparison))
    return int(is_incomplete or any(counts[name] for name in args.fail_on))


def document(comparison: RunComparison, lines: int = LINES_PER_CATEGORY) -> ReportDocument:
    """Return the comparison as a document, with at most `lines` cases in each category."""
    report = ReportDocument()
    report.paragraph(_headline(comparison))
    for sentence in _cautions(comparison):
        report.paragraph(sentence)
    report.table(*_runs(comparison), names=3)
    for sentence in _remarks(comparison):
        report.paragraph(sentence)
    counts = comparison.counts()
    report.table(*_matrix(comparison, counts))
    for name, about in CATEGORIES.items():
        if not counts[name]:
            continue
        report.heading(f"{name} ({count(counts[name], 'case')}): {about}", 3)
        cases = [one for one in comparison.differences if name in one.categories]
        shown = _without_explained(cases)
        items = _by_reason(shown, name, comparison, lines)
        if len(shown) < len(cases):
            items.append(Remark(f"and {len(cases) - len(shown):,} due to these"))
        report.items(items)
    return report


def _links(comparison: RunComparison, args: argparse.Namespace) -> list[Link]:
    """A link for each device and profile that both runs have."""
    found = []
    for old, new in comparison.pairs:
        numbers = (comparison.old.targets().index(old), comparison.new.targets().index(new))
        address = address_of_comparison(args.site, Path(args.old), Path(args.new), numbers)
        name = f" on {target_names([new])[0]}" if len(comparison.pairs) > 1 else ""
        found.append(Link(f"This comparison case by case{name}", f"{args.url}{address}"))
    return found


def _by_reason(
    cases: Sequence[Difference], category: str, comparison: RunComparison, lines: int
) -> list[Item | Remark]:
    """Return lines about cases, one for each reason where there are many; at most ``lines``, remarks left out."""
    groups: dict[str, list[Difference]] = defaultdict(list)
    for one in cases:
        groups[_reason(one)].append(one)
    ordered = sorted(groups.values(), key=lambda group: -len(group))
    each = (
        max(1, lines // max(len(ordered), 1)) if len(cases) > lines or len(ordered) > 1 else lines
    )
    items: list[Item | Remark] = []
    for group in ordered[:lines]:
        items += [_item(one, category, comparison) for one in group[:each]]
        records = [record for one in group if (record := one.new or one.old)]
        shared = ", ".join(_shared(records)[:4])
        if len(group) > each:
            said = f", all {shared}" if shared else ""
            items.append(Remark(f"… {count(len(group), 'case')} of this reason in total{said}"))
        elif len(group) > 1 and shared:
            items.append(Remark(f"all {shared}"))
    if len(ordered) > lines:
        items.append(Remark(f"… and {len(ordered) - lines:,} more reasons"))
    return items


def _reason(one: Difference) -> str:
    """What cases of one reason have in common: how they departed, and the operation where there is no message."""
    record = one.old if one.new is None or one.new.conforms else one.new
    if record is None:
        return ""
    text = described(record)
    return text if record.facts.message else f"{text} of {record.operation}"


def _without_explained(cases: Sequence[Difference]) -> list[Difference]:
    """Return the cases of a category but for those that another one of them explains."""
    there = {(one.case, one.device, one.profile) for one in cases}
    shown = []
    for one in cases:
        # What was fixed was explained before.
        now = one.old if one.new is None or one.new.conforms else one.new
        part = now.explained_by if now is not None else ""
        if (part, one.device, one.profile) not in there:
            shown.append(one)
    return shown


def _title(comparison: RunComparison) -> str:
    old, new = (
        listing(results.openvino_versions()) for results in (comparison.old, comparison.new)
    )
    return f"OpenVINO {old} and {new} compared"


def _headline(comparison: RunComparison) -> str:
    counts = comparison.counts()
    found = [f"{counts[name]:,} {name}" for name in CATEGORIES if counts[name]]
    return f"{', '.join(found) or 'No difference'}; {count(comparison.same, 'case')} without a difference"


def _runs(comparison: RunComparison) -> tuple[list[str], list[list[str]]]:
    """Return the table that describes the two runs; facts that are the same are omitted."""
    rows = [
        ["OpenVINO", *(_version(one) for one in (comparison.old, comparison.new))],
        ["targets", *(", ".join(target_names(one.targets())) for one in _sides(comparison))],
        ["cases", *(f"{len(one.records):,}" for one in _sides(comparison))],
    ]
    old_facts, new_facts = map(_facts, _sides(comparison))
    for name in old_facts:
        old, new = old_facts[name], new_facts[name]
        if old != new:
            rows.append([name, old or "(unknown)", new or "(unknown)"])
    return ["", "old", "new"], rows


def _sides(comparison: RunComparison) -> tuple[Results, Results]:
    return comparison.old, comparison.new


def _version(results: Results) -> str:
    return ", ".join(results.openvino_versions())


def _facts(results: Results) -> dict[str, str]:
    """Return what the headers of a run's targets state, by name, different values joined."""
    facts: dict[str, set[str]] = defaultdict(set)
    for target in results.targets():
        header, stated = results.header(*target), results.target(*target)
        facts["suite"].add(header.suite)
        facts["processor"].add(header.processor)
        facts["driver"].add(stated.driver)
        facts["full_name"].add(stated.full_name)
        facts["kernels"].update(results.kernels(*target))
        facts["depth"].add(header.selection.depth if header.selection else "")
        facts["seed"].add("" if header.seed is None else str(header.seed))
        facts["random"].add("" if header.random is None else str(header.random))
    return {name: ", ".join(sorted(values - {""})) for name, values in facts.items()}


def _incomplete(comparison: RunComparison) -> list[str]:
    """Return what the runs asked for and the results lack, in words."""
    sides = (comparison.old, "old"), (comparison.new, "new")
    return [
        f"INCOMPLETE, the {which} results: {'; '.join(lacking)}."
        for results, which in sides
        if (lacking := gaps(results.runs, results.targets()))
    ]


def _cautions(comparison: RunComparison) -> list[str]:
    """Return what a reader must know before the numbers: what is incomplete, and kernels that are not the same."""
    cautions = _incomplete(comparison)
    for old, new in comparison.pairs:
        about = comparison.new.target(*new)
        if about.compile_only:
            cautions.append(
                f"{target_names([new])[0]}: compiled, values not checked. fixed: it compiles now; broken or regressed: "
                "it no longer compiles."
            )
        before, after = comparison.old.kernels(*old), comparison.new.kernels(*new)
        if before and after and before != after:
            cautions.append(
                f"The instruction sets of {target_names([new])[0]} differ: {listing(before)} in the old results, "
                f"{listing(after)} in the new."
            )
    return cautions


def _remarks(comparison: RunComparison) -> list[str]:
    """Return what else a reader must know when the runs differ in targets or settings."""
    remarks = []
    for old, new in comparison.pairs:
        if old != new:
            old_name, new_name = target_names((old, new))
            remarks.append(f"{old_name} of the old results is compared with {new_name} of the new.")
        settings = [
            _settings(results, target)
            for results, target in zip(_sides(comparison), (old, new), strict=True)
        ]
        if settings[0] != settings[1]:
            names = sorted(
                name
                for name in settings[0].keys() | settings[1].keys()
                if settings[0].get(name) != settings[1].get(name)
            )
            differing = [
                f"{name} ({settings[0].get(name, 'not set')}, now "
                f"{settings[1].get(name, 'not set')})"
                for name in names
            ]
            remarks.append(
                f"Settings of {target_names([new])[0]} that differ: {listing(differing)}."
            )
    for results, which, side in ((comparison.old, "old", 0), (comparison.new, "new", 1)):
        compared = {pair[side] for pair in comparison.pairs}
        unpaired = [target for target in results.targets() if target not in compared]
        if unpaired:
            remarks.append(f"Only in the {which} results: {listing(target_names(unpaired))}.")
    if not 1 / UNEVEN_PACE < comparison.pace < UNEVEN_PACE:
        remarks.append(
            f"{count(comparison.timed, 'case')} were timed one by one in both runs. In the new run they took "
            f"{comparison.pace:.2g} times as long (median). A case counts as slower only if it slowed down "
            "more than the cases that ran at about the same time."
        )
    return remarks


def _settings(results: Results, target: TargetKey) -> Mapping[str, str]:
    return results.target(*target).settings


def _matrix(comparison: RunComparison, counts: Counter[str]) -> tuple[list[str], list[list[str]]]:
    """Return the number of cases by operation and category; of several machines there is a column for each."""
    machines = [target for target in comparison.new.targets() if _is_of_machine(target, comparison)]
    cells: dict[str, Counter[tuple[str, TargetKey | None]]] = defaultdict(Counter)
    totals: Counter[tuple[str, TargetKey | None]] = Counter()
    for one in comparison.differences:
        target = one.device, one.profile
        found = [(name, target if target in machines else None) for name in one.categories]
        cells[one.operation].update(found)
        totals.update(found)
    # A machine on which nothing differs has its column, too.
    columns = [
        (name, each)
        for name in CATEGORIES
        if counts[name]
        for each in (*machines, None)
        if each or totals[name, None]
    ]
    rows = [
        [operation, *(f"{found[each]:,}" if found[each] else "–" for each in columns)]
        for operation, found in sorted(cells.items())
    ]
    if len(rows) > 1:
        rows.append(["total", *(f"{totals[each]:,}" for each in columns)])
    titles = [f"{name}: {target_names([each])[0]}" if each else name for name, each in columns]
    return ["operation", *titles], rows


def _is_of_machine(target: TargetKey, comparison: RunComparison) -> bool:
    """Tell whether results name the processor of a target, as those of several machines do."""
    return comparison.new.target(*target).profile != target[1]


def _shared(records: Sequence[CaseRecord]) -> list[str]:
    """What cases have in common: ``type=f64``, ``mode=reflect``, ``shape=dims``; f32 says nothing."""
    features = [features_of(record) for record in records]
    shared = []
    for name in sorted(set.intersection(*(set(each) for each in features))):
        if not name.startswith(("parameter.", "how.")) and name != "type":
            continue
        values = {each[name] for each in features}
        if len(values) == 1 and (name != "type" or values != {("f32",)}):
            value = ",".join(next(iter(values)))
            shared.append(f"{name.partition('.')[2] or name}={value}")
    return shared


def _item(one: Difference, category: str, comparison: RunComparison) -> Item:
    old, new = one.old, one.new
    several = len(comparison.new.targets()) > 1 or len(comparison.old.targets()) > 1
    case = f"{one.case} on {one.device} ({one.profile})" if several else one.case
    if old is None or new is None:
        only = new or old
        assert only is not None
        return Item(str(only.outcome), case, rounded(only.detail))
    if category == "drift":
        detail = f"{old.fraction:.3g} of the bound, now {new.fraction:.3g}"
        return Item(str(new.outcome), case, detail)
    if category == "slower":
        return Item(str(new.outcome), case, f"{old.seconds:.3g} s, now {new.seconds:.3g} s")
    label = f"{old.outcome} → {new.outcome}"
    before, after = old.extent, new.extent
    if category == "worse" and old.outcome is new.outcome:
        if before is not None and after is not None and before.is_exceeded_by(after):
            return Item(str(new.outcome), case, f"{before}, now {after}: {rounded(new.detail)}")
        return Item(label, case, rounded(f"{old.detail}; now {new.detail}"))
    return Item(label, case, rounded(old.detail if new.conforms else new.detail))


def as_json(comparison: RunComparison) -> dict[str, Any]:
    """Return the comparison as JSON: what was compared, the counts, and every difference."""
    counts = comparison.counts()
    return {
        "old": _side_json(comparison.old),
        "new": _side_json(comparison.new),
        "compared": [
            {
                "old": dict(zip(("device", "profile"), old, strict=True)),
                "new": dict(zip(("device", "profile"), new, strict=True)),
            }
            for old, new in comparison.pairs
        ],
        "remarks": [*_cautions(comparison), *_remarks(comparison)],
        "same": comparison.same,
        "counts": {name: counts[name] for name in CATEGORIES},
        "cases": [
            {
                "case": one.case,
                "operation": one.operation,
                "device": one.device,
                "profile": one.profile,
                "processor": _processor(one),
                "categories": list(one.categories),
                "old": _result_json(one.old),
                "new": _result_json(one.new),
            }
            for one in comparison.differences
        ],
    }


def _processor(one: Difference) -> str:
    record = one.new or one.old
    return record.processor if record is not None else ""


def _side_json(results: Results) -> dict[str, Any]:
    return {
        "files": [str(path) for path in results.paths],
        "openvino": results.openvino_versions(),
        "cases": len(results.records),
    }


def _result_json(record: CaseRecord | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {
        "outcome": str(record.outcome),
        "detail": record.detail,
        "gate": str(record.gate),
        "explained_by": record.explained_by,
        "fraction": record.fraction,
        "seconds": record.seconds,
        "kernel": record.kernel,
        "precision": record.precision,
    }
