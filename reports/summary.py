"""The summary of a run: what departs, in a table and then case by case."""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from reports.document import Document, Item, Remark, add_format_arguments, show
from reports.outcomes import Gate, Outcome
from reports.results import Results, ResultsError, load
from reports.text import count, listing

Record = Mapping[str, Any]

LINES_IN_ALL = 300
"""Departures listed over all operations, about; an operation gets its share of them."""
LINES_PER_OPERATION = range(3, 21)
"""The least and the most that an operation's share of lines can be."""
OTHER_LINES = 20
"""Improved and conflicting cases listed; the rest are counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports summary``."""
    parser.description = (
        "Print what departs, as a table and then case by case. "
        "Exit code: 0 nothing departs, 1 something does, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    add_format_arguments(parser, ("markdown",))
    parser.add_argument("--strict", action="store_true", help="improved cases make exit code 1 too")


def run(args: argparse.Namespace) -> int:
    """Print the summary; return 1 if something departs."""
    results = load(args.results)
    if not results.records:
        raise ResultsError(f"{listing(args.results)}: a header and no case; nothing was tested")
    show(_document(results), args)
    red = {Gate.DEPARTURE, Gate.IMPROVED} if args.strict else {Gate.DEPARTURE}
    return int(any(record["gate"] in red for record in results.records))


def render(results: Results, markdown: bool = False, width: int | None = None) -> str:
    """Return the summary as plain text, or as Markdown.

    `width` is the terminal's, to which the details in plain text are trimmed; None for no
    terminal, where they are trimmed only if they are very long.
    """
    document = _document(results)
    return document.to_markdown() if markdown else document.to_text(width)


def _document(results: Results) -> Document:
    document = Document()
    targets = results.targets()
    by_target: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in results.records:
        by_target[record["device"], record["profile"]].append(record)
    document.paragraph(headline(results.records, targets, results))
    for target in targets:
        if len(targets) > 1:
            document.heading(headline(by_target[target], [target], results))
        _add_target(document, by_target[target])
    return document


def headline(
    records: Sequence[Record], targets: Sequence[tuple[str, str]], results: Results
) -> str:
    """Return ``6 of 4,213 cases depart on CPU (accuracy), OpenVINO 2026.4.1; 12 expected``."""
    gates = Counter(record["gate"] for record in records)
    profiles: dict[str, list[str]] = defaultdict(list)
    for device, profile in targets:
        profiles[device].append(profile)
    devices = listing([f"{device} ({', '.join(names)})" for device, names in profiles.items()])
    departures = gates[Gate.DEPARTURE]
    others = [
        f"{gates[gate]:,} {word}"
        for gate, word in (
            (Gate.EXPECTED, "expected"),
            (Gate.IMPROVED, "improved"),
            (Gate.SKIPPED, "skipped"),
        )
        if gates[gate]
    ]
    return (
        f"{departures:,} of {count(len(records), 'case')} "
        f"{'departs' if departures == 1 else 'depart'} on {devices or 'no device'}, "
        f"OpenVINO {listing(results.openvino_versions(targets))}"
        + (f"; {', '.join(others)}" if others else "")
    )


def _add_target(document: Document, records: Sequence[Record]) -> None:
    document.table(*_matrix(records))
    by_gate: dict[Gate, list[Record]] = defaultdict(list)
    for record in records:
        by_gate[Gate(record["gate"])].append(record)
    if by_gate[Gate.DEPARTURE]:
        document.heading(count(len(by_gate[Gate.DEPARTURE]), "departure"), 3)
        document.items(_departures(by_gate[Gate.DEPARTURE]))
    if by_gate[Gate.IMPROVED]:
        document.heading(f"{count(len(by_gate[Gate.IMPROVED]), 'case')} better than expected", 3)
        document.items(_capped(by_gate[Gate.IMPROVED], "reason"))
    if by_gate[Gate.EXPECTED]:
        document.heading(count(len(by_gate[Gate.EXPECTED]), "expected departure"), 3)
        document.table(*_reasons(by_gate[Gate.EXPECTED]), names=4)
    conflicting = [record for record in records if record.get("conflicts")]
    if conflicting:
        document.heading(f"{count(len(conflicting), 'case')} with conflicting results", 3)
        document.items(_capped(conflicting, "detail"))


def _matrix(records: Sequence[Record]) -> tuple[list[str], list[list[str]]]:
    """Return the table operation x outcome, with the outcomes that occur and a line of totals."""
    cells: dict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for record in records:
        # A refusal of an invalid layer is a right answer, and belongs with those.
        column = "PASS" if record["gate"] == Gate.PASS else record["outcome"]
        for counter in (cells[record["operation"]], total):
            counter.update(("cases", column))
            if record["gate"] in (Gate.DEPARTURE, Gate.IMPROVED):
                counter[f"{record['gate']}"] += 1
    columns = ["cases", *(str(outcome) for outcome in Outcome if total[outcome.value])]
    columns += [str(gate) for gate in (Gate.DEPARTURE, Gate.IMPROVED) if total[gate.value]]
    titles = {"departure": "departures"}
    rows = [
        [name, *(f"{counter[column]:,}" if counter[column] else "–" for column in columns)]
        for name, counter in [*sorted(cells.items()), ("total", total)]
    ]
    return ["operation", *(titles.get(column, column) for column in columns)], rows


def _departures(records: Sequence[Record]) -> list[Item | Remark]:
    """Return a line for each departure; where an operation has many, a few of each kind."""
    by_operation: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_operation[record["operation"]].append(record)
    share = LINES_IN_ALL // len(by_operation)
    share = min(max(share, LINES_PER_OPERATION[0]), LINES_PER_OPERATION[-1])
    lines: list[Item | Remark] = []
    for operation in sorted(by_operation):
        lines += _operation_lines(operation, by_operation[operation], share)
    return lines


def _operation_lines(operation: str, records: Sequence[Record], share: int) -> list[Item | Remark]:
    kinds: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        kinds[record["outcome"], _without_numbers(record["detail"])].append(record)
    ordered = sorted(
        kinds.values(), key=lambda kind: (-Outcome(kind[0]["outcome"]).badness, -len(kind))
    )
    shown = _shares([len(kind) for kind in ordered], share)
    lines: list[Item | Remark] = []
    for kind, number in zip(ordered, shown, strict=True):
        lines += [_item(record, record["detail"]) for record in kind[:number]]
        if 0 < number < len(kind):
            lines.append(Remark(f"… and {len(kind) - number:,} more {kind[0]['outcome']} like it"))
    unseen = [kind for kind, number in zip(ordered, shown, strict=True) if number == 0]
    if unseen:
        left = sum(map(len, unseen))
        lines.append(
            Remark(f"… and {left:,} more of {operation}, in {count(len(unseen), 'other way')}")
        )
    return lines


def _shares(sizes: Sequence[int], share: int) -> list[int]:
    """Deal `share` lines out to kinds of these sizes, one each in turn."""
    dealt = [0] * len(sizes)
    left = min(share, sum(sizes))
    while left:
        for place, size in enumerate(sizes):
            if left and dealt[place] < size:
                dealt[place] += 1
                left -= 1
    # A line that says "one more" takes as much room as that one.
    return [
        size if number and size - number == 1 else number
        for size, number in zip(sizes, dealt, strict=True)
    ]


def _without_numbers(detail: str) -> str:
    """Return what details of one kind of defect share: the text around numbers, types and shapes."""
    marked = re.sub(r"[\w.+-]*\d[\w.+-]*|-?\b(?:nan|inf)\b", "#", detail)
    return re.sub(r"#(?:, ?#)+", "#", marked)


def _capped(records: Sequence[Record], about: str) -> list[Item | Remark]:
    lines: list[Item | Remark] = [_item(record, record[about]) for record in records[:OTHER_LINES]]
    if len(records) > OTHER_LINES:
        lines.append(Remark(f"… and {len(records) - OTHER_LINES:,} more"))
    return lines


def _item(record: Record, detail: str) -> Item:
    outcomes = [record["outcome"], *(other["outcome"] for other in record.get("conflicts", ()))]
    return Item("/".join(dict.fromkeys(outcomes)), record["case"], detail)


def _reasons(records: Sequence[Record]) -> tuple[list[str], list[list[str]]]:
    """Return the expected departures by reason, the most frequent first."""
    by_reason: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_reason[record["reason"]].append(record)
    rows = []
    for reason, covered in sorted(by_reason.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        outcomes = ", ".join(sorted({record["outcome"] for record in covered}))
        operations = sorted({record["operation"] for record in covered})
        shown = ", ".join(operations[:3]) + (
            f" and {len(operations) - 3} more" if len(operations) > 3 else ""
        )
        rows.append([f"{len(covered):,}", outcomes, shown, reason or "(no reason recorded)"])
    return ["cases", "outcome", "operations", "reason"], rows
