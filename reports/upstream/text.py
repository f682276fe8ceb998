"""The text of an upstream issue about a cause."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ir_models.asking.id_parts import GRAPHS
from reports.gate.baseline import Run, run_of
from reports.gate.causes import COMPONENTS, PLACES, Cause
from reports.gate.known_groups import Group
from reports.gate.precision import NARROW
from reports.gate.selectors import features_of
from reports.gate.severity import SEVERITIES, UNUSUAL, Severity
from reports.gate.usage import POSSIBLE, Usage, counts, models
from reports.results.files.reading import Results
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import count, listing
from reports.upstream.releases import Tried, as_rows, span_of
from reports.upstream.running import ScriptRun

PAGES = (
    "https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs"
)


PAGES_OF: dict[str, str] = json.loads(Path(__file__).with_name("pages.json").read_text("utf-8"))
"""Addresses that are not the words of a name: by type without the version, or by operation with it."""


_OPERATION = re.compile(r"=([A-Z]\w*-\d+)\(")
"""An operation in the text of a graph."""


@dataclass(frozen=True)
class Shown:
    """What shows a cause: a record, and the script that reproduces it, with what it printed."""

    record: CaseRecord
    script: str
    run: ScriptRun | None
    why_none: str = ""
    """Why there is no script, or why it was not run."""
    folder: str = ""
    command: str = ""
    """What writes a script, where none was tried."""
    tried: Sequence[Tried] = ()
    """What the script did on the tested release and on others."""


def page_of(operation: str, category: str) -> str:
    """Return the address of an operation's page."""
    name, _, version = operation.rpartition("-")
    if operation in PAGES_OF:
        return f"{PAGES}/{category}/{PAGES_OF[operation]}.html"
    words = (
        PAGES_OF.get(name)
        or re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()
    )
    return f"{PAGES}/{category}/{words}-{version}.html"


def text_of(
    cause: Cause, severity: Severity, departed: Sequence[CaseRecord], shown: Shown, results: Results
) -> str:
    """Return the text of a cause's issue."""
    target = shown.record.target
    conforming = [
        record
        for record in results.records
        if record.conforms and record.target == target and record.purpose != "invalid"
    ]
    compared = run_of(results.header(*target), *target)
    return issue_text(cause, severity, compared, shown, departed, conforming)


def unscripted(
    known: Mapping[str, Cause], groups: Iterable[Group], results: Results
) -> dict[str, str]:
    """Return the issues of causes by their ids, with scripts that were not run, which takes a device.

    A cause whose example has no failure folder, or does not fit into a script, has the command that writes one.
    """
    found = {}
    by_operation: dict[tuple[tuple[str, str], str], list[CaseRecord]] = defaultdict(list)
    for record in results.records:
        if record.conforms and record.purpose != "invalid":
            by_operation[record.target, record.operation].append(record)
    for group in groups:
        cause = known.get(group.id)
        if cause is None:
            continue
        record = group.example
        conforming = by_operation[record.target, record.operation]
        compared = run_of(results.header(*record.target), *record.target)
        command = f"python -m reports issue {cause.id} {shlex.join(map(str, results.paths))}"
        script = _script_of(record, results)
        why = f"it was made from the case of the run. `{command}` runs it" if script else ""
        shown = Shown(record, script, None, why, command=command)
        found[cause.id] = issue_text(
            cause, group.severity, compared, shown, group.records, conforming
        )
    return found


def _script_of(record: CaseRecord, results: Results) -> str:
    """The script of a case by its failure folder; "" without a folder, without NumPy, or where it does not fit."""
    folder = results.folder(record)
    if folder is None or not folder.is_dir():
        return ""
    try:
        from reports.upstream.script import script_of

        is_value = record.outcome in (Outcome.FAIL, Outcome.FLAKE)
        return script_of(folder, is_value, record.facts.kind.endswith("at reading"))
    except (ImportError, OSError, ValueError):
        return ""


def issue_text(
    cause: Cause,
    severity: Severity,
    compared: Run,
    shown: Shown,
    departed: Sequence[CaseRecord],
    conforming: Iterable[CaseRecord],
) -> str:
    """Return the issue in Markdown: what is wrong, where, how bad, and how to see it."""
    record = shown.record
    rows = [
        f"# {cause.title}",
        "",
        f"- OpenVINO {compared.openvino}, device {record.device}"
        + (
            f" ({compared.full_name}{', ' + compared.isa if compared.isa else ''})"
            if compared.full_name
            else ""
        )
        + (f", profile {compared.profile}" if compared.profile != "accuracy" else ""),
        f"- Severity: {_severity(severity)}",
        f"- Component: {_component(cause.component)}",
        f"- Place: {_place(cause.place_on(record.device), compared)}",
        f"- {_since(cause, shown)}",
        f"- Also seen on: {listing([d for d in cause.devices if d != record.device]) or 'no other device'}",
        f"- Models {met_by(cause.id)}",
        *([f"- A guess at the change, which nobody tried: {cause.hint}"] if cause.hint else []),
        "",
    ]
    if shown.command and not shown.script:
        rows += [
            *("## Steps", ""),
            f"Replace this line by a script: `{shown.command}` makes one, runs it, and writes the whole issue.",
            "",
        ]
    else:
        rows += steps_of(shown.script, compared.openvino, shown.why_none)
    rows += ["## Expected", ""]
    if cause.page:
        rows += [f"The specification says: {cause.page}", ""]
    rows += [*_pages_of(record), ""]
    if record.purpose == "invalid":
        rows += ["The layer is not valid: an exception must refuse it.", ""]
    rows += [
        "## Actual",
        "",
        record.detail or str(record.outcome),
        "",
    ]
    if shown.run is not None:
        if said := shown.run.said:
            rows += [f"The script prints ({shown.run.how}):", "", "```", said, "```", ""]
        else:
            rows += [f"The script prints nothing: {shown.run.how}.", ""]
    elif shown.script:
        rows += [f"The script was not run: {shown.why_none}.", ""]
    if len(shown.tried) > 1:
        rows += ["## What the script does on releases", "", *as_rows(shown.tried), ""]
    rows += ["## Where it is seen", "", *_scope(departed, conforming)]
    if "opencl=" in record.profile:
        rows.append(
            "- no GPU was tried: the plugin ran its generic kernels on an OpenCL for processors"
        )
    rows.append("")
    if cause.nondeterministic:
        rows += [
            f"It is not deterministic: {cause.nondeterministic}. Run the script several times.",
            "",
        ]
    if cause.notes:
        rows += ["## Notes", "", cause.notes.strip(), ""]
    return "\n".join(rows)


def _pages_of(record: CaseRecord) -> list[str]:
    """The addresses of the pages of a record's operation, or of those in its graph; none without NumPy."""
    if record.category != GRAPHS:
        return [page_of(record.operation, record.category)]
    names = dict.fromkeys(_OPERATION.findall(record.graph))
    try:
        import ir_models  # declarations: many modules, which other issues do not need

        return [f"- {page_of(name, ir_models.operation(name).category)}" for name in names]
    except ImportError:
        return []


def met_by(cause: str) -> str:
    """How many of the models that packages ship have a layer that a cause concerns."""
    one, number = counts().get(cause, Usage()), len(models())
    if not one.possible:
        return f"with such a layer: none of {number}"
    seen = f"; seen in {one.seen}" if one.seen else ""
    return (
        f"with a layer that fails so: {one.sure} of {number} (at least {NARROW:.0%} of the cases like it fail{seen}); "
        f"with a layer that may: {one.possible} (at least {POSSIBLE:.0%} fail)"
    )


def _component(name: str) -> str:
    return f"{name} ({COMPONENTS[name]})" if name else "not known"


def steps_of(script: str, openvino: str, why_none: str) -> list[str]:
    """Return how to see a departure: the script, or the folder and why there is no script."""
    if not script:
        return [
            *("## Steps", ""),
            f"There is no short script: {why_none}. The attached folder has the model, the inputs and the "
            "expected outputs; `python reproduce.py` in it needs openvino and numpy alone.",
            "",
        ]
    # 2026.4.1-22982-e213a147257-releases/2026/4 is 2026.4.1 on PyPI; a build of one's own is not there.
    version, _, build = openvino.partition("-")
    how = (
        f"`pip install openvino=={version} numpy`, then run with Python:"
        if "releases/" in build
        else f"Run with a Python that has openvino {openvino} and numpy:"
    )
    return ["## Steps", "", how, "", "```python", script.rstrip(), "```", ""]


def _severity(severity: Severity) -> str:
    """How bad it is, in words; of a regression what it does, too."""
    told = [SEVERITIES[kind] for kind in (severity.kind, severity.does) if kind]
    if not told:
        return "not seen"
    if not severity.is_plausible:
        told.append(UNUSUAL)
    if severity.only_on:
        told.append(
            f"seen on the OpenCL of {severity.only_on} alone, where another one gives the right result"
        )
    return "; ".join(told)


_SETS = ("sse42", "avx2", "avx512")
"""Instruction sets that kernels name, each with those before it."""
_PLUGIN_OF_X86 = "libopenvino_intel_cpu_plugin"


def _place(place: str, compared: Run) -> str:
    """Where in OpenVINO a cause is, what that means, and on which processor if the run's has no such kernels."""
    kind, _, name = place.partition(" ")
    if not kind:
        return "not measured"
    needs = [each for each in _SETS if each in name]
    if needs and any(each in compared.isa for each in _SETS[_SETS.index(needs[-1]) :]):
        needs = []
    elif compared.architecture == "aarch64" and _PLUGIN_OF_X86 in name:
        needs = ["x86_64"]
    measured = f"; measured on a processor with {needs[-1]}, not on this one" if needs else ""
    return f"`{name}`, {PLACES[kind]}{measured}"


def _since(cause: Cause, shown: Shown) -> str:
    """First bad and last good release by runs of the script, and of the suite, which was run on other releases."""
    since = cause.since_on(shown.record.device)
    good = cause.last_good_on(shown.record.device)
    if good:
        by_suite = f"first bad {since}, last good {good}"
    elif cause.is_oldest_tried(shown.record.device):
        by_suite = f"bad in {since}; no older one was tried"
    elif since:
        by_suite = f"bad in {since}; no older one that was tried did it right"
    else:
        by_suite = "not known"
    if len(shown.tried) > 1:
        return f"Releases, by the script: {span_of(shown.tried)}; by runs of the suite: {by_suite}"
    return f"Releases, by runs of the suite: {by_suite}"


def _scope(departed: Sequence[CaseRecord], conforming: Iterable[CaseRecord]) -> list[str]:
    """Where the cause is seen, and where it was looked for and is not."""
    smallest = min(departed, key=lambda one: (len(one.case), one.case))
    operations = sorted({one.operation for one in departed})
    shown = listing(operations[:8] + ([f"{len(operations) - 8} more"] if operations[8:] else []))
    rows = [f"- {count(len(departed), 'case')} of {shown}; the smallest: `{smallest.case}`"]
    own = [one for one in departed if one.operation == smallest.operation]
    asked = {_asked(one) for one in own}
    others = [
        one for one in conforming if one.operation == smallest.operation and _asked(one) in asked
    ]
    verb = "compile" if any(one.outcome is Outcome.COMPILED for one in others) else "conform"
    # By input: a type of indices that conforms says nothing about the same type of data. Inputs behind the first are
    # told where another of theirs conforms.
    for number in range(max(len(one.inputs) for one in own)):
        for name, of in (("element types", _type), ("ranks", _rank)):
            bad = _values(own, number, of)
            good = _values(others, number, of) - bad
            if bad and (good or not (number or smallest.category == GRAPHS)):
                row = f"- {name} of input {number} of {smallest.operation} that fail: {', '.join(sorted(bad))}"
                conform = f"; that {verb} with the same attributes: {', '.join(sorted(good))}"
                none = "; no other was tested with the same attributes"
                rows.append(row + (conform if good else none))
    return rows


def _asked(record: CaseRecord) -> tuple[Hashable, ...]:
    """What is asked of a layer, but for types and ranks: only where that is alike another type tells something."""
    features = features_of(record)
    shapes = (features["dimension"], features["broadcast"], features["inputs"])
    return tuple(sorted(record.how.items())), tuple(sorted(record.parameters.items())), shapes


def _values(records: Iterable[CaseRecord], number: int, of: Callable[[str], str]) -> set[str]:
    """What the input of a number is in some records."""
    inputs = [one.inputs[number] for one in records if number < len(one.inputs)]
    return {of(text) for text in inputs if "[" in text}


def _type(text: str) -> str:
    return text.partition("[")[0]


def _rank(text: str) -> str:
    shape = text.partition("[")[2].rstrip("]")
    return str(len(shape.split(",")) if shape else 0)
