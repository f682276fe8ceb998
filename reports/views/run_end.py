"""The end of a run: its verdict, what changed, one entry for each group of unexpected departures, the worst causes.

Groups and their names are those of ``python -m reports accept`` (see `reports.gate.grouping`). The tables of all causes
and operations are those of ``python -m reports summary``.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from reports.gate.decision import GateTarget
from reports.gate.known_groups import by_cause, operations_as_text
from reports.gate.severity import SEVERITIES, UNUSUAL
from reports.results.explained.explanations import counted, selected
from reports.results.files.coverage import remark
from reports.results.files.reading import Results
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord, Header
from reports.results.shared.text import count, printable, rounded, trim, wrapped
from reports.views.documents import ReportDocument, as_text
from reports.views.headline import (
    added,
    at_depth,
    changed,
    counts,
    numbered,
    targets_as_text,
    unexpected,
)
from reports.views.unexpected import UnexpectedGroup, unexpected_groups

WHOLE = 10
"""Groups that are shown as a whole; each further one has a line."""
WORST = 5
"""Known causes that are shown."""
_KINDS = {
    "new": "not in the baseline",
    "broken": "passed in the baseline",
    "regressed": "passed in the baseline, of another release",
    "worse": "failed in another way in the baseline",
}
LONGEST = 200
"""Characters of the most frequent reason to skip cases."""
_NO_BREAK = "\xa0"
"""A space at which a line is not wrapped."""
_ENTRY = 4
"""Columns by which the lines of an entry are indented."""

Targets = Mapping[tuple[str, str], GateTarget]


def render(
    results: Results,
    targets: Targets,
    width: int,
    *,
    strict: bool = False,
    green: str = "PASSED",
) -> str:
    """Return the end of a run in lines of at most ``width`` characters; commands are not wrapped.

    ``green`` is the first word if no case fails: a run that was cut off has not passed.
    """
    records = counted(results.records, strict)
    is_red = any(record.gate.is_red_if(strict) for record in records)
    blocks = [_verdict(records, results, width, "" if is_red else green)]
    for name in sorted(targets):
        own, as_counted = (
            [record for record in each if record.target == name]
            for each in (results.records, records)
        )
        groups = unexpected_groups(own, as_counted, targets[name])
        place = f" on {targets_as_text([name])}" if len(targets) > 1 else ""
        blocks += _blocks(groups, targets[name], results, width, place)
    known = next((each.causes.by_id for each in targets.values()), {})
    if causes := by_cause(records, known):
        document = ReportDocument()
        rows = [
            [f"{len(one.records):,}", str(one.severity), operations_as_text(one.operations, 1),
             one.title or "(no title recorded)"]
            for one in causes[:WORST]
        ]  # fmt: skip
        document.table(["cases", "severity", "operations", "cause"], rows, names=4)
        worst = f"The worst {WORST} of {len(causes):,} known causes"
        head = worst if len(causes) > WORST else "Known causes"
        kinds = dict.fromkeys(
            kind
            for one in causes[:WORST]
            for kind in (one.severity.kind, one.severity.does)
            if kind
        )
        means = [f"{kind}: {SEVERITIES[kind]}" for kind in kinds]
        means += [f"rare layers: {UNUSUAL}"] * any(
            " rare " in str(one.severity) for one in causes[:WORST]
        )
        table = as_text(document, width).splitlines()
        blocks.append([f"{head}:", *table, *wrapped(f"({'; '.join(means)})", width)])
    counted_in = [row for text in _counts(records) for row in wrapped(text, width)]
    blocks.append([row.replace(_NO_BREAK, " ") for row in counted_in])
    return "\n\n".join("\n".join(block) for block in blocks)


def _verdict(records: Sequence[CaseRecord], results: Results, width: int, green: str) -> list[str]:
    targets = results.targets()
    lines = [
        f"{green or 'FAILED'}: {unexpected(records)}{at_depth(results)} on "
        f"{targets_as_text(targets)}, OpenVINO {', '.join(results.openvino_versions(targets))}"
    ]
    if not (green or any(record.gate.is_red for record in records)):
        also = Counter(record.gate for record in records if record.gate.is_red_if(True))
        told = ", ".join(numbered(number, _STRICT[gate]) for gate, number in also.items())
        lines.append(f"Fails because of --strict-gate: {told}")
    part = remark([_without_shard(header) for header in results.runs], targets)
    shards = {header.selection.shard for header in results.runs if header.selection} - {"1/1"}
    words = [part] if part else []
    builds = {header.own_openvino for header in results.runs} - {""}
    words += [f"OpenVINO of {place}" for place in sorted(builds)]
    words += ["Shard " + " of ".join(shard.split("/")) for shard in sorted(shards)]
    if words:
        lines.append("; ".join(words))
    by_target: dict[tuple[str, str], list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_target[record.target].append(record)
    by_baseline: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for target in targets:
        if baseline := results.target(*target).baseline:
            by_baseline[baseline].append(target)
    for baseline, own in by_baseline.items():
        name = "Compared" if own == targets else f"{targets_as_text(own)} compared"
        found = changed([record for target in own for record in by_target[target]])
        lines.append(f"{name} with {baseline}{'. Result' if ':' in baseline else ''}: {found}.")
    return [row for line in lines for row in wrapped(printable(line), width)]


_STRICT = {Gate.IMPROVED: "better than in the baseline", Gate.NEW_CASE: "new cases of known causes"}


def _without_shard(header: Header) -> Header:
    asked = header.selection
    return header if asked is None else replace(header, selection=replace(asked, shard="1/1"))


def _counts(records: Sequence[CaseRecord]) -> Iterator[str]:
    each = " · ".join(text.replace(" ", _NO_BREAK) for text, _ in counts(records))
    yield f"{count(len(selected(records)), 'case')}: {each.replace(' ·', f'{_NO_BREAK}·')}"
    if more := added(records):
        yield more
    skipped = Counter(record.detail for record in records if record.gate is Gate.SKIPPED)
    for detail, number in skipped.most_common(1):
        more = f", and {count(len(skipped) - 1, 'other reason')}" if len(skipped) > 1 else ""
        yield trim(printable(f"Skipped: {detail} ({count(number, 'case')}){more}"), LONGEST)


# --- groups -------------------------------------------------------------------------------------


def _blocks(
    groups: Sequence[UnexpectedGroup],
    target: GateTarget,
    results: Results,
    width: int,
    place: str,
) -> Iterator[list[str]]:
    """Yield the lines of each group of a target; ``place`` is where it is, if the run has several targets."""
    for group in groups[:WHOLE]:
        yield _entry(group, target, results, width, place)
    if rest := groups[WHOLE:]:
        lines = [f"{len(each.records):6,}  {each.id}{place}: {each.title}" for each in rest]
        head = f"{count(len(rest), 'more group')}:"
        yield [head, *(trim(printable(line), width) for line in lines)]


def _entry(
    group: UnexpectedGroup, target: GateTarget, results: Results, width: int, place: str
) -> list[str]:
    """A group: what its cases have in common, its shortest example, the factors, how to reproduce it."""
    red, example = group.records, group.example
    head = f"{group.id} · {count(len(red), 'case')}{place}"
    if more := len(group.larger):
        head += f", and {count(more, 'larger case')} due to {'it' if len(red) == 1 else 'them'}"
    if target.claims is not None:
        inside = sum(target.claims.is_inside(record.case) for record in red)
        which = "" if inside in (0, len(red)) else f"{inside:,} of them "
        head += f" · {which}inside the claims" if inside else " · outside the claims"
    elif group.change in _KINDS:
        is_back = group.change == "regressed" and target.is_older
        told = "passed in the newer release of the baseline" if is_back else _KINDS[group.change]
        is_compiled = results.target(*example.target).compile_only
        head += f" · {told.replace('passed', 'compiled') if is_compiled else told}"
    texts = [(rounded(group.title), 3), (example.case, 4)]
    if not _words(example.detail) <= _words(group.title):
        texts.append((rounded(example.detail), 3))
    if group.change == "worse" and example.baseline:
        texts.append((f"in the baseline: {rounded(example.baseline)}", 2))
    texts += [(text, 2) for text in (group.factors, group.known_as) if text]
    lines = [*wrapped(head, width)]
    for text, most in texts:
        lines += [" " * _ENTRY + row for row in _few(printable(text), width - _ENTRY, most)]
    return [*lines, " " * _ENTRY + command_of(example, results)]


def _words(text: str) -> set[str]:
    return {*re.findall(r"[a-z]+", text.lower())}


def _few(text: str, width: int, most: int) -> list[str]:
    """A text in at most so many lines."""
    rows = wrapped(text, width)
    return (
        rows if len(rows) <= most else [*rows[: most - 1], trim(" ".join(rows[most - 1 :]), width)]
    )


def command_of(example: CaseRecord, results: Results) -> str:
    """The command that reproduces a case, or makes a folder that does."""
    own = results.header(*example.target).own_openvino
    words = ["--device", example.device, "--profile", example.profile]
    if results.target(*example.target).compile_only:
        # A script needs the device, or OpenVINO with its compiler.
        command = ["pytest", "tests/conformance", *words, "--case", example.case]
        command += [f"--openvino={own}"] if own else []
    elif (folder := results.folder(example)) and folder.is_dir():
        command = ["python", str(folder / "reproduce.py")]
    else:
        command = ["python", "-m", "devices", "write", example.case, *words, "--out", "case"]
        command += ["--openvino", own] if own else []
    return shlex.join(map(printable, command))
