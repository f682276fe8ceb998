"""What two runs differ in, case by case.

Cases are compared on what the device did, not on what was expected of it: expectations may have
changed between the runs, and a defect is no smaller for being known.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.document import Document, Item, Remark, add_format_arguments, put, show
from reports.outcomes import Outcome, conforms, improves, wanted_of
from reports.results import Results, ResultsError, load
from reports.text import count, listing

Record = Mapping[str, Any]
Target = tuple[str, str]

CATEGORIES = {
    "broken": "right before, not any more",
    "refused": "ran before, refused now",
    "worse": "wrong before, worse now",
    "fixed": "wrong before, right now",
    "changed": "ends otherwise, and is no less right and no more",
    "drift": "the error grew",
    "slower": "takes longer",
    "new": "only in the new results",
    "gone": "only in the old results",
}
"""Name: what it means. In the order in which they are told; a case may be in several."""

DEFAULT_FAIL_ON = ("broken", "refused", "worse")
LEAST_FRACTION = 0.05
"""Errors below this share of their bound are alike, whatever their ratio."""
LEAST_SECONDS = 0.05
"""Times below this are alike: they are the machine's, not the device's."""
LINES_PER_CATEGORY = 50
LINES_ON_A_PAGE = 2000


@dataclass(frozen=True)
class Difference:
    """A case in which two runs differ."""

    case: str
    operation: str
    device: str
    profile: str
    categories: tuple[str, ...]
    old: Record | None
    new: Record | None


@dataclass
class Comparison:
    """What two runs differ in."""

    old: Results
    new: Results
    pairs: list[tuple[Target, Target]]
    """The targets compared, old and new."""
    alike: int = 0
    """How many cases do not differ."""
    differences: list[Difference] = field(default_factory=list)
    """Sorted by case, device and profile."""

    def counts(self) -> Counter[str]:
        """Return how many cases are in each category."""
        return Counter(name for one in self.differences for name in one.categories)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports compare``."""
    meanings = "; ".join(f"{name}: {about}" for name, about in CATEGORIES.items())
    parser.description = (
        f"Print what two runs differ in. {meanings}. "
        "Exit code: 0 nothing of --fail-on, 1 something, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("old", metavar="OLD", help="results of the run to compare with")
    parser.add_argument("new", metavar="NEW", help="results of the run to judge")
    parser.add_argument(
        "--fail-on",
        type=_categories,
        default=DEFAULT_FAIL_ON,
        metavar="LIST",
        help=f"categories that make exit code 1, or none (default: {','.join(DEFAULT_FAIL_ON)})",
    )
    for name, about in (("drift", "an error, as a share of its bound,"), ("slower", "a time")):
        parser.add_argument(
            f"--{name}",
            type=_factor,
            default=2.0,
            metavar="FACTOR",
            help=f"{about} counts as {name} beyond this factor (default: 2)",
        )
    add_format_arguments(parser, ("markdown", "json", "html"))


def _categories(text: str) -> tuple[str, ...]:
    if text == "none":
        return ()
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in CATEGORIES:
            raise argparse.ArgumentTypeError(
                f"{name!r} is none of {', '.join(CATEGORIES)}; write none for no category"
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


def run(args: argparse.Namespace) -> int:
    """Print the comparison; return 1 if a category of ``--fail-on`` is not empty."""
    comparison = compare(load(args.old), load(args.new), drift=args.drift, slower=args.slower)
    if args.format == "json":
        put(json.dumps(as_json(comparison), indent=1, allow_nan=False) + "\n", args.out)
    else:
        cap = LINES_ON_A_PAGE if args.format == "html" else LINES_PER_CATEGORY
        show(document(comparison, cap), args, title=_title(comparison))
    counts = comparison.counts()
    return int(any(counts[name] for name in args.fail_on))


def compare(old: Results, new: Results, *, drift: float = 2.0, slower: float = 2.0) -> Comparison:
    """Compare two runs by case id.

    Targets (device, profile) that both have are compared with each other. If they share none, as
    when a CPU is compared with a GPU, targets that correspond are. Raises ResultsError if none do.
    """
    comparison = Comparison(old, new, _pair_targets(old, new))
    old_cases, new_cases = _by_target(old), _by_target(new)
    for old_target, new_target in comparison.pairs:
        before, after = old_cases.pop(old_target, {}), new_cases.pop(new_target, {})
        for case in before.keys() | after.keys():
            _add(comparison, before.get(case), after.get(case), drift, slower)
    for cases in old_cases.values():
        for record in cases.values():
            _add(comparison, record, None, drift, slower)
    for cases in new_cases.values():
        for record in cases.values():
            _add(comparison, None, record, drift, slower)
    comparison.differences.sort(key=lambda one: (one.case, one.device, one.profile))
    return comparison


def differing_categories(
    old: Record | None, new: Record | None, *, drift: float = 2.0, slower: float = 2.0
) -> tuple[str, ...]:
    """Return the categories that two results of one case are in; none if they are alike."""
    if old is None:
        return ("new",)
    if new is None:
        return ("gone",)
    before, after = Outcome(old["outcome"]), Outcome(new["outcome"])
    was_right, is_right = conforms(old), conforms(new)
    wanted = wanted_of(new)
    found = {
        "broken": was_right and not is_right,
        "fixed": is_right and not was_right,
        "refused": after == Outcome.REFUSED != wanted and before in _RAN,
        "worse": not was_right and not is_right and improves(before, after, wanted),
        "drift": was_right == is_right
        and _grew(old["fraction"], new["fraction"], drift, LEAST_FRACTION),
        "slower": was_right == is_right
        and _grew(old["seconds"], new["seconds"], slower, LEAST_SECONDS),
    }
    found["changed"] = before != after and not any(
        found[name] for name in ("broken", "fixed", "refused", "worse")
    )
    return tuple(name for name in CATEGORIES if found.get(name))


_RAN = (Outcome.PASS, Outcome.QUALITY, Outcome.FOLDED, Outcome.FAIL, Outcome.FLAKE)


def _grew(old: float | None, new: float | None, factor: float, least: float) -> bool:
    return old is not None and new is not None and new > factor * max(old, least)


def _add(
    comparison: Comparison, old: Record | None, new: Record | None, drift: float, slower: float
) -> None:
    categories = differing_categories(old, new, drift=drift, slower=slower)
    record = new or old
    if not categories or record is None:
        comparison.alike += 1
        return
    comparison.differences.append(
        Difference(
            record["case"],
            record["operation"],
            record["device"],
            record["profile"],
            categories,
            old,
            new,
        )
    )


def _by_target(results: Results) -> dict[Target, dict[str, Record]]:
    cases: dict[Target, dict[str, Record]] = defaultdict(dict)
    for record in results.records:
        cases[record["device"], record["profile"]][record["case"]] = record
    return cases


def _pair_targets(old: Results, new: Results) -> list[tuple[Target, Target]]:
    """Return the targets to compare: those in both, else those that correspond."""
    before, after = old.targets(), new.targets()
    if not before or not after:
        empty = new if before else old
        raise ResultsError(f"{listing([str(path) for path in empty.paths])}: no case to compare")
    common = [(target, target) for target in before if target in after]
    if common:
        return common
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    old_devices, new_devices = {one[0] for one in before}, {one[0] for one in after}
    if len(old_devices) == len(new_devices) == 1:
        # One device against another: profile by profile.
        pairs = [(one, two) for one in before for two in after if one[1] == two[1]]
        if pairs:
            return pairs
    raise ResultsError(
        f"no device and profile in common: {listing(_target_names(before))} "
        f"in the old results, {listing(_target_names(after))} in the new"
    )


def _target_names(targets: Iterable[Target]) -> list[str]:
    return [f"{device} ({profile})" for device, profile in targets]


def document(comparison: Comparison, lines: int = LINES_PER_CATEGORY) -> Document:
    """Return the comparison as a document, with at most `lines` cases in each category."""
    page = Document()
    page.paragraph(_headline(comparison))
    page.table(*_runs(comparison), names=3)
    for sentence in _remarks(comparison):
        page.paragraph(sentence)
    counts = comparison.counts()
    page.table(*_matrix(comparison, counts))
    for name, about in CATEGORIES.items():
        if not counts[name]:
            continue
        page.heading(f"{count(counts[name], 'case')} {name}: {about}", 3)
        cases = [one for one in comparison.differences if name in one.categories]
        items: list[Item | Remark] = [_item(one, name, comparison) for one in cases[:lines]]
        if len(cases) > lines:
            items.append(Remark(f"… and {len(cases) - lines:,} more"))
        page.items(items)
    return page


def _title(comparison: Comparison) -> str:
    old, new = (
        listing(results.openvino_versions()) for results in (comparison.old, comparison.new)
    )
    return f"OpenVINO {old} and {new} compared"


def _headline(comparison: Comparison) -> str:
    counts = comparison.counts()
    found = [f"{counts[name]:,} {name}" for name in CATEGORIES if counts[name]]
    return f"{', '.join(found) or 'No difference'}; {count(comparison.alike, 'case')} alike"


def _runs(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the table of what the two runs were, of which only differences are told."""
    rows = [
        ["OpenVINO", *(_version(one) for one in (comparison.old, comparison.new))],
        ["targets", *(", ".join(_target_names(one.targets())) for one in _sides(comparison))],
        ["cases", *(f"{len(one.records):,}" for one in _sides(comparison))],
    ]
    for name in ("suite", "processor", "driver", "full_name", "seed", "random"):
        old, new = (_fact(one, name) for one in _sides(comparison))
        if old != new:
            rows.append([name, old or "(not known)", new or "(not known)"])
    return ["", "old", "new"], rows


def _sides(comparison: Comparison) -> tuple[Results, Results]:
    return comparison.old, comparison.new


def _version(results: Results) -> str:
    return ", ".join(results.openvino_versions())


def _fact(results: Results, name: str) -> str:
    """Return what the headers of a run's targets say under `name`, values joined."""
    values = []
    for device, profile in results.targets():
        header = results.header(device, profile)
        values.append(header.get(name))
        values += [
            one.get(name)
            for one in header["targets"]
            if (one["device"], one["profile"]) == (device, profile)
        ]
    return ", ".join(sorted({str(value) for value in values if value not in (None, "")}))


def _remarks(comparison: Comparison) -> list[str]:
    """Return what a reader must know about a comparison of unlike runs."""
    remarks = []
    for old, new in comparison.pairs:
        if old != new:
            old_name, new_name = _target_names((old, new))
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
            told = [
                f"{name} ({settings[0].get(name, 'not set')}, now "
                f"{settings[1].get(name, 'not set')})"
                for name in names
            ]
            remarks.append(f"Settings of {_target_names([new])[0]} that differ: {listing(told)}.")
    for results, which, place in ((comparison.old, "old", 0), (comparison.new, "new", 1)):
        compared = {pair[place] for pair in comparison.pairs}
        alone = [target for target in results.targets() if target not in compared]
        if alone:
            remarks.append(f"Only in the {which} results: {listing(_target_names(alone))}.")
    return remarks


def _settings(results: Results, target: Target) -> Mapping[str, Any]:
    header = results.header(*target)
    return next(
        (one["settings"] for one in header["targets"] if (one["device"], one["profile"]) == target),
        {},
    )


def _matrix(comparison: Comparison, counts: Counter[str]) -> tuple[list[str], list[list[str]]]:
    columns = [name for name in CATEGORIES if counts[name]]
    cells: dict[str, Counter[str]] = defaultdict(Counter)
    for one in comparison.differences:
        cells[one.operation].update(one.categories)
    rows = [
        [operation, *(f"{found[name]:,}" if found[name] else "–" for name in columns)]
        for operation, found in sorted(cells.items())
    ]
    if len(rows) > 1:
        rows.append(["total", *(f"{counts[name]:,}" for name in columns)])
    return ["operation", *columns], rows


def _item(one: Difference, category: str, comparison: Comparison) -> Item:
    old, new = one.old, one.new
    several = len(comparison.new.targets()) > 1 or len(comparison.old.targets()) > 1
    case = f"{one.case} on {one.device} ({one.profile})" if several else one.case
    if old is None or new is None:
        record = new or old or {}
        return Item(record["outcome"], case, record["detail"])
    if category == "drift":
        return Item(
            new["outcome"], case, f"{old['fraction']:.3g} of the bound, now {new['fraction']:.3g}"
        )
    if category == "slower":
        return Item(new["outcome"], case, f"{old['seconds']:.3g} s, now {new['seconds']:.3g} s")
    label = f"{old['outcome']} → {new['outcome']}"
    return Item(label, case, old["detail"] if conforms(new) else new["detail"])


def as_json(comparison: Comparison) -> dict[str, Any]:
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
        "remarks": _remarks(comparison),
        "alike": comparison.alike,
        "counts": {name: counts[name] for name in CATEGORIES},
        "cases": [
            {
                "case": one.case,
                "operation": one.operation,
                "device": one.device,
                "profile": one.profile,
                "categories": list(one.categories),
                "old": _result_json(one.old),
                "new": _result_json(one.new),
            }
            for one in comparison.differences
        ],
    }


def _side_json(results: Results) -> dict[str, Any]:
    return {
        "files": [str(path) for path in results.paths],
        "openvino": results.openvino_versions(),
        "cases": len(results.records),
    }


def _result_json(record: Record | None) -> dict[str, Any] | None:
    names: Sequence[str] = (
        "outcome",
        "detail",
        "gate",
        "fraction",
        "seconds",
        "kernel",
        "precision",
    )
    return None if record is None else {name: record[name] for name in names}
