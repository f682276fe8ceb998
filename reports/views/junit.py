"""Results as JUnit XML: a suite for each device and profile, a class for each operation, a test for each case.

CI systems tell tests apart by class and name, fold them by class, and add up the times of a class. So the class names
device, profile and operation, and a time is what OpenVINO took for the case, a pack's time being shared by its cases.
A departure is a failure, no verdict is an error, and a known departure is skipped, with its cause; so is an
explained one, with the case that explains it, which is a failure unless it is known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from reports.gate.known_groups import counts_of
from reports.results.explained.explanations import counted
from reports.results.files.coverage import remark
from reports.results.files.reading import Results
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import printable
from reports.views.headline import headline

START = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="conformance">'
"""How a file begins."""
SUITE_OF_OTHERS = "outside of cases"


class OtherError(NamedTuple):
    """An error of the run that belongs to no case, such as one of collection."""

    name: str
    message: str
    text: str


def as_junit(
    results: Results,
    *,
    strict: bool = False,
    prefix: str = "",
    others: Sequence[OtherError] = (),
) -> str:
    """Return JUnit XML of all cases.

    With `strict` a case better than in the baseline is a failure, and so is a new case of a known cause. `prefix` goes
    before all names of classes.
    """
    lines = START.splitlines()
    by_target: dict[tuple[str, str], list[CaseRecord]] = defaultdict(list)
    for record in counted(results.records, strict):
        by_target[record.target].append(record)
    for target in results.targets():
        lines += _suite(results, target, by_target[target], strict, prefix)
    if others or not by_target:
        lines += _others(others, prefix)
    lines.append("</testsuites>\n")
    return "\n".join(lines)


def _suite(
    results: Results,
    target: tuple[str, str],
    records: Sequence[CaseRecord],
    strict: bool,
    prefix: str,
) -> Iterator[str]:
    tags = Counter(_verdict_tag(record, strict) for record in records)
    yield _open_suite(
        _target_name(*target),
        tests=len(records),
        tags=tags,
        seconds=sum(record.seconds for record in records),
        started=results.header(*target).started,
    )
    yield " <properties>"
    yield _property("summary", headline(records, [target], results))
    part = remark(results.runs, [target])
    if part:
        yield _property("part", part)
    for one in counts_of(records):
        yield _property(f"causes: {one.name}", f"{one.causes}")
        yield _property(f"cases: {one.name}", f"{one.cases}")
    yield " </properties>"
    for record in sorted(records, key=lambda one: (one.operation, one.case)):
        yield from _case(results, record, strict, prefix)
    yield "</testsuite>"


def _case(results: Results, record: CaseRecord, strict: bool, prefix: str) -> Iterator[str]:
    names = (prefix, _target_name(*record.target).replace(".", "_"), record.operation)
    start = (
        f" <testcase classname={_quoted('.'.join(filter(None, names)))} "
        f'name={_quoted(record.case)} time="{record.seconds:.6f}"'
    )
    tag = _verdict_tag(record, strict)
    if tag is None:
        yield f"{start}/>"
        return
    yield f"{start}>"
    if tag == "skipped":
        kind = record.cause_class or str(record.gate)
        message = f"{record.outcome}: {record.reason or record.detail}"
        if record.outcome is Outcome.COMPILED:
            message = "compiled, values not checked"
        if record.gate == Gate.EXPLAINED:
            message += f"; due to {record.explained_by}, which fails"
        if record.gate is Gate.ADDED:
            message = f"added to find which part of a departure fails: {record.outcome}"
        yield f"  <skipped type={_quoted(kind)} message={_quoted(message)}/>"
    else:
        if record.gate == Gate.IMPROVED:
            message = f"{record.outcome}: better than the baseline says ({record.baseline}): {record.reason}"
        else:
            message = f"{record.outcome}: {record.detail}"
        text = escape("\n".join(map(printable, _evidence(results, record))))
        kind = str(record.outcome)
        yield f"  <{tag} type={_quoted(kind)} message={_quoted(message)}>{text}</{tag}>"
    yield " </testcase>"


def _verdict_tag(record: CaseRecord, strict: bool) -> str | None:
    """Return the element that tells the verdict on a case, None for a test that passes."""
    if record.gate.is_red:
        return "error" if record.outcome == Outcome.ERROR else "failure"
    if record.gate.is_red_if(strict):
        return "failure"
    not_passed = (
        Gate.KNOWN, Gate.REWORDED, Gate.NEW_CASE, Gate.EXPLAINED, Gate.ADDED, Gate.NOT_CLAIMED, Gate.SKIPPED,
    )  # fmt: skip
    is_skipped = record.outcome is Outcome.COMPILED or record.gate in not_passed
    return "skipped" if is_skipped else None


def _evidence(results: Results, record: CaseRecord) -> Iterator[str]:
    """Yield what one needs to look into a departure."""
    yield record.case
    yield f"{record.outcome}: {record.detail}"
    if record.worst is not None:
        worst = record.worst
        index = ", ".join(map(str, worst.index))
        yield (
            f"output {worst.output}, index [{index}]: actual {worst.actual}, expected "
            f"{worst.expected}, allowed {worst.low} to {worst.high}"
        )
    if record.kernel:
        yield f"kernel: {record.kernel}"
    folder = results.folder(record)
    if folder is not None:
        yield f"reproduce: python {folder / 'reproduce.py'}"


def _others(others: Sequence[OtherError], prefix: str) -> Iterator[str]:
    yield _open_suite(
        SUITE_OF_OTHERS, tests=len(others), tags={"error": len(others)}, seconds=0.0, started=""
    )
    classname = ".".join(filter(None, (prefix, SUITE_OF_OTHERS)))
    for other in others:
        text = escape("\n".join(map(printable, other.text.splitlines())))
        yield (
            f' <testcase classname={_quoted(classname)} name={_quoted(other.name)} time="0">'
            f"<error message={_quoted(other.message)}>{text}</error></testcase>"
        )
    yield "</testsuite>"


def _open_suite(
    name: str, *, tests: int, tags: Mapping[str | None, int], seconds: float, started: str
) -> str:
    timestamp = f" timestamp={_quoted(started)}" if started else ""
    return (
        f'<testsuite name={_quoted(name)} tests="{tests}" failures="{tags.get("failure", 0)}" '
        f'errors="{tags.get("error", 0)}" skipped="{tags.get("skipped", 0)}" '
        f'time="{seconds:.6f}"{timestamp}>'
    )


def _property(name: str, value: str) -> str:
    return f"  <property name={_quoted(name)} value={_quoted(value)}/>"


def _target_name(device: str, profile: str) -> str:
    return device if profile == "accuracy" else f"{device}({profile})"


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
