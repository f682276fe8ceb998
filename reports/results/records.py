"""The lines of a results file: a header per run, then one record per case.

This module is the only place that names their keys. `reports/results/results.schema.json` publishes the
same as a JSON Schema: see `reports.results.schema`. Keys that are not declared here are
ignored when a line is read.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Annotated, Any, Literal

import msgspec

from reports.results.facts_of_departures import Extent, Facts, extent
from reports.results.outcomes import Gate, Outcome

SCHEMA: Literal[3] = 3
"""Version of the format. Files of another version are refused, with a message that says so."""

Key = tuple[str, str, str, str]
"""The identity of a result: (case, device, profile, processor)."""

NOT_ENDED = " " * 25
"""`Header.ended` of a run that has not ended: the time is written over it, so it has a time's length."""

MOST = 2**53
"""The largest number that a result may hold: JSON readers keep whole numbers exact up to here."""

VARIES = "~"
"""Stands in a digest where another answer to the case, in the same run or in another one, was not the same bit for bit.
Behind it is the digest of what several answers have in common, where that is known."""

NOTHING_SETTLED = "-"
"""Stands behind `VARIES` where what several answers have in common was not always the same."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
NotEmpty = Annotated[str, msgspec.Meta(min_length=1)]


class ResultsError(ValueError):
    """A results file cannot be read, or cannot be continued."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A device with a profile, and what the device reported about itself."""

    device: str
    profile: str
    full_name: str = ""
    driver: str = ""
    isa: str = ""
    """Instruction set of the kernels, read back from the device; empty if unknown."""
    machine: str = ""
    """The architecture of the processor that the plugin was built for, such as x86_64 or aarch64; empty if unknown."""
    compile_only: bool = False
    """Whether layers were compiled and not inferred: nothing is known of their values."""
    capabilities: list[str] = []
    """What the device is optimized for, as it says itself: ``FP16`` where the processor computes in f16."""
    settings: dict[str, str] = {}
    """The device's settings, as OpenVINO takes them."""
    baseline: str = ""
    """What the run was compared with, in words."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which cases a run selected."""

    operations: list[str] = []
    purposes: list[str] = []
    """Names of the operations; empty means all. So with purposes."""
    shard: str = "1/1"
    """Part I of N, as ``I/N``."""
    depth: str = "single"
    """How much of what x how was asked: single, pairs or all. Runs that did not record it asked single."""
    filters: list[str] = []
    """Other options that restrict the cases, such as ``-k word`` or a case's id."""


class Header(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="run"):
    """What a run was: the suite, OpenVINO, the machine, the devices and the options."""

    schema: Literal[3]
    suite: str
    """Version of the suite."""
    openvino: str
    """Version of OpenVINO, with its build number."""
    own_openvino: str = ""
    """Folder of an OpenVINO that was not the installed one (``--openvino``)."""
    python: str = ""
    platform: str = ""
    processor: str = ""
    started: str = ""
    """Start time, ISO 8601."""
    ended: str = ""
    """End time of a run in which every selected case has a result; 25 spaces if it was cut off, empty if unknown."""
    cases: Count = 0
    """Results that the file had at the end; 0 if unknown. A file that has fewer lost lines, and counts as cut off."""
    process: str = ""
    """Id and host of the process that wrote the results."""
    seed: int | None = None
    """Seed of random layers and of all data."""
    random: int | None = None
    """Random layers per operation."""
    selection: Selection | None = None
    targets: list[Target]
    resumed: bool = False
    """Whether the run continued an existing file (``--resume``)."""
    merged: list[Header] = []
    """In a merged file: the headers of the runs. The other fields then summarize these."""

    def target(self, device: str, profile: str) -> Target | None:
        """Return what the header says about a device and profile, None if it names neither.

        The profile may be followed by the run's own processor: see `on_processor`.
        """
        for target in self.targets:
            names = target.profile, on_processor(target.profile, self.processor_of(target))
            if target.device == device and profile in names:
                return target
        return None

    def processor_of(self, target: Target) -> str:
        """Return what a target ran on: the processor of the machine, after the device's own name if that is another."""
        is_processor = target.device.partition(".")[0] == "CPU"
        own = "" if is_processor and self.processor else target.full_name
        return ", ".join(dict.fromkeys(filter(None, (own, self.processor))))


def on_processor(profile: str, processor: str) -> str:
    """Return how a profile is called where results of several processors are together."""
    return f"{profile} on {processor}" if processor else profile


class WorstElement(msgspec.Struct, frozen=True, kw_only=True):
    """The element that exceeds its bound the most. Values are text, in full precision."""

    output: int = 0
    """Output index."""
    index: tuple[int, ...] = ()
    expected: str = ""
    actual: str = ""
    low: str = ""
    """Lowest value allowed."""
    high: str = ""
    """Highest value allowed."""


class CaseRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="case"):
    """The result of one case on one device with one profile."""

    case: NotEmpty
    """The case id: operation, what, data, parameters, how."""
    operation: NotEmpty
    """Type and version, such as ``Gather-8``."""
    category: str = ""
    opset: str = ""
    purpose: str
    """What the case tests, such as ``type`` or ``variant.negative-step``."""
    how: dict[str, str] = {}
    """How the layer was asked: the level of each factor that is not usual, such as ``{"shape": "dims"}``."""
    inputs: list[str] = []
    """The data tensors, ``f32[2,3]``; ``-`` for one left out."""
    parameters: dict[str, str] = {}
    """Index inputs and attributes by name, as the id has them."""
    device: NotEmpty
    profile: str
    processor: str = ""
    """In a file of several machines: what executed the case, as the run's header names it."""
    outcome: Outcome
    expected_outcome: Outcome = Outcome.PASS
    """The outcome that the specification requires: PASS, or FOLDED if all inputs are constants."""
    facts: Facts = Facts()
    """How the case departed, as data."""
    detail: str
    """The same in one line, with values; empty for a plain pass."""
    traceback: str = ""
    """Traceback of an exception of the suite itself; empty unless the outcome is ERROR."""
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    kernel: str
    """Kernel that executed the layer, as the device names it; empty if unknown."""
    precision: str
    """Precision that the layer was executed in; empty if unknown."""
    pack_size: Count | None = None
    """Number of cases compiled together with this one, itself included."""
    gate: Gate
    """What the gate decided."""
    baseline: str = ""
    """What the baseline says of the case where the gate found a difference."""
    reason: str = ""
    """Title of the known cause that the departure belongs to."""
    cause: str = ""
    """Id of that cause: the name of its file."""
    cause_class: str = ""
    """Its class: defect, limit, page, open or stack."""
    since: str = ""
    """Since when the cause is seen: ``2024.0 or before`` where no older release was tried, or none was good."""
    last_good: str = ""
    """Last release that was seen to be right where the cause shows now; empty if none was."""
    explained_by: str = ""
    """Id of the case that departs alike with fewer of its factors; empty if there is none."""
    added: bool = False
    """Whether the run added the case to find which part of a departure fails: it was not selected."""
    rule: str = ""
    """The rule of the page that an invalid layer breaks."""
    fraction: float | None = None
    """Largest error as a fraction of the gate's bound; the largest double stands for infinity."""
    worst: WorstElement | None = None
    wrong: Count | None = None
    """Number of elements outside the bound."""
    relative_error: float | None = None
    """Largest error of the wrong elements relative to the expected ones; the largest double stands for infinity."""
    open: Count | None = None
    """Number of elements that differ from the reference where the page is silent."""
    elements: Count | None = None
    """Number of elements compared."""
    digest: str = ""
    """Digest of all outputs of all inferences of a FAIL, 10 hex characters, and "~" if another answer
    differed in a bit, with the digest of what both have in common where it is known; empty if unknown."""
    clues: dict[str, str] = {}
    """What the wrong elements of an output share, where the baseline does not say that the case departs so: the least
    and the most that they are (``actual``), should be (``expected``), differ by (``error``) and have at their places in
    a data tensor (``input0``) or another output (``output0``), as ``-1,3``; ``unwritten`` is how many of them hold new
    memory; ``missing_rows`` and ``extra_rows`` are how many it has too few or too many at its end, ``lost_rows`` and
    ``other_rows`` how many rows it lacks and has of its own, in any order, and ``lost`` what it lacks; ``shape`` and
    ``right_shape`` stand where these differ."""
    right_with: list[str] = []
    """Parameters with which a wrong answer would be right, one at a time: ``["min_size=0"]``."""
    layer_xml: str = ""
    """The layer as IR XML; empty for a pass, and for a graph."""
    graph: str = ""
    """The graph as text, of a case that is one."""
    folder: str = ""
    """Failure folder, relative to the folder ``<results>.failures``; empty if there is none."""
    conflicts: list[CaseRecord] = []
    """After a merge: other results of this case that disagree, from worst to best."""

    def __post_init__(self) -> None:
        if any(other.key != self.key for other in self.conflicts):
            raise ValueError(
                "conflicts must be results of the same case, device, profile and processor"
            )
        if "\0" in self.folder:
            raise ValueError("folder must be a path, and no path has the character NUL")

    @property
    def key(self) -> Key:
        """The identity of the result."""
        return self.case, self.device, self.profile, self.processor

    @property
    def target(self) -> tuple[str, str]:
        """Device and profile, the profile with the processor where results of several are together."""
        return self.device, on_processor(self.profile, self.processor)

    @property
    def extent(self) -> Extent | None:
        """How wrong a failure is; None where no elements were compared."""
        if self.outcome != Outcome.FAIL:
            return None
        worst = self.worst
        first = f"{','.join(map(str, worst.index))}={worst.actual}" if worst else ""
        return extent(self.wrong, self.elements, self.fraction, first.replace("\t", " "))

    @property
    def how_text(self) -> str:
        """How the case was asked, as its id has it; "" for the usual way."""
        return ",".join(f"{name}={level}" for name, level in self.how.items())

    @property
    def layer(self) -> str:
        """The layer's data and parameters as text."""
        pairs = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return "/".join(filter(None, (",".join(self.inputs), pairs)))

    @property
    def conforms(self) -> bool:
        """Whether the device did what the case requires, within the gate's bound, as far as it was asked.

        A layer that was only compiled does not depart; that it is no pass either is what its gate says.
        """
        right = (self.expected_outcome, Outcome.PASS, Outcome.QUALITY, Outcome.COMPILED)
        return self.outcome in right


Line = Header | CaseRecord


class CauseCount(msgspec.Struct, frozen=True, kw_only=True, rename={"kind": "class"}):
    """A known cause, and how many departures belong to it."""

    id: str
    kind: str
    """Its class: defect, limit, page, open or stack; empty if unknown."""
    title: str
    since: str = ""
    """Since when it is seen, as a record says it; empty if unknown."""
    operations: list[str]
    cases: int
    smallest: str
    """The shortest id of its cases."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What ``python -m reports export --format json`` writes."""

    schema: Literal[3]
    runs: list[Header]
    causes: list[CauseCount] = []
    """The known causes of departures, by class, of each class the most frequent first."""
    cases: list[CaseRecord]


# --- lines as text ------------------------------------------------------------------------------


def canonical(value: Any) -> str:
    """Return JSON that is the same for equal values: keys sorted, ASCII, no spaces."""
    return _dumps(value, sort_keys=True)


def to_line(line: Line) -> str:
    """Return a header or record as one line of JSON in ASCII, without the newline.

    JSON has no infinity: an infinite `fraction` is written as the largest double, NaN as null.
    Raises ResultsError if a field has a value of a wrong type.
    """
    if isinstance(line, CaseRecord):
        for name in ("fraction", "relative_error"):
            number = getattr(line, name)
            if number is not None:
                line = msgspec.structs.replace(line, **{name: _finite(number)})
    try:
        builtins = msgspec.to_builtins(line)
        msgspec.convert(builtins, type(line))
        return _dumps(builtins)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise ResultsError(f"a result of a wrong type: {error}") from None


def from_line(text: str | bytes) -> Line:
    """Return a line of a results file as a header or record.

    Raises ResultsError for text that is not JSON, for a line that is neither, and for another
    version of the format.
    """
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        content = json.loads(decoded, parse_constant=_refuse_constant, parse_float=_finite_number)
    except ResultsError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"not JSON: {error}") from None
    if isinstance(content, dict) and content.get("kind") == "run":
        _check_schema(content.get("schema"))
    try:
        line: Line = msgspec.convert(content, Header | CaseRecord)
    except msgspec.ValidationError as error:
        raise ResultsError(_lower_first(str(error))) from None
    if isinstance(line, CaseRecord) and "/" in line.case:
        named = line.case.partition("/")[0]
        if named != line.operation:
            raise ResultsError(f"the case is of {named[:60]}, operation says {line.operation[:60]}")
    return line


class NotJsonError(ResultsError):
    """A line is not JSON, as one that was cut off."""


def _dumps(value: Any, sort_keys: bool = False) -> str:
    builtins = msgspec.to_builtins(value)
    return json.dumps(builtins, sort_keys=sort_keys, separators=(",", ":"), allow_nan=False)


def _finite(fraction: float) -> float | None:
    if math.isnan(fraction):
        return None
    if math.isinf(fraction):
        return math.copysign(sys.float_info.max, fraction)
    return fraction


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _finite_number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ResultsError(f"number out of range: {text[:40]}")
    return number


def _check_schema(schema: object) -> None:
    if type(schema) is not int or schema != SCHEMA:
        raise ResultsError(
            f"results of schema {json.dumps(schema)[:60]}; this version of the suite reads schema "
            f"{SCHEMA} only: run the suite again, or report with the version that wrote the file"
        )


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
