"""Which known causes the layers of a model could meet, told without running anything.

A cause concerns a layer if cases of it, in the device's baselines or in results, share everything that a model shows by
itself: the operation, the element types, words among the parameters, whether dimensions are unknown, what is constant,
the neighbours. Each of these may be shared with another case, because a case changes one factor at a time; where one
case shares them all the risk is seen in that very form. What a layer has in numbers and sizes can exclude a cause, if
all that was asked of the operation says so: see `reports.risks.features`; or if a statement (``where``) of each of the
cause's selectors is false of them. A cause without any case is told by its
selectors, as far as these are about the layer and not about how it departed; one without cases of the operation as
well, where no baseline's run asked the operation in the layer's way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ir_models.asking.id_parts import IdParts, split_id, typed
from reports.gate import baseline_files, statements
from reports.gate.asked import Asked as AskedCases
from reports.gate.baseline import Line, Run, line_of
from reports.gate.causes import Cause
from reports.gate.selectors import OF_CASE, OF_RUN, Selector
from reports.gate.selectors import Features as FactsOfLayer
from reports.gate.selectors import features_of as facts_of
from reports.gate.severity import Severity, as_regression, of_conditions, of_lines
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from reports.risks.features import Asked, Features, features_of

SEEN, POSSIBLE, SELECTED = "seen", "possible", "selected"
GRADES = {
    SEEN: "a case of the cause has the layer's types, words, shapes and neighbours",
    POSSIBLE: "cases of the cause have each of these, but no case has all of them, or only with numbers of its own",
    SELECTED: "no case at hand shows the cause, or none was asked like the layer; the cause's selectors admit it",
}
"""How certain a risk is, the most certain first."""

MANY_DIMENSIONS = 6
"""Data of so many dimensions is unusual: some kernels end before."""
_SHOWN_BY_MODEL = ("shape", "data", "index", "ir")
_NEIGHBOURS = ("before", "behind")
_WITH_NEIGHBOURS = ("middle", "operand", "number", "also", "constant", "twice", "resize")


class Layer(Protocol):
    """A layer of a model, as `ir_models.models.asked_layers` gives it."""

    @property
    def title(self) -> str:
        """Its name in the model."""

    @property
    def operation(self) -> str:
        """The operation, as its page is named."""

    @property
    def category(self) -> str:
        """The operation's category."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Its data tensors, as case ids have them."""

    @property
    def parameters(self) -> Mapping[str, str]:
        """Attributes, and index inputs of known values."""

    @property
    def how(self) -> Mapping[str, str]:
        """Ways of asking that the model shows: shape, data, index, ir."""

    @property
    def unread(self) -> frozenset[str]:
        """Index inputs whose values are not known."""

    @property
    def before(self) -> Collection[str]:
        """Types of the layers before it, in lower case."""

    @property
    def behind(self) -> Collection[str]:
        """Types of the layers behind it, in lower case."""


@dataclass(frozen=True)
class Risk:
    """A cause that layers of a model could meet."""

    cause: Cause
    severity: Severity
    grade: str
    """One of `GRADES`: of the most certain layer."""
    layers: tuple[Layer, ...]
    needs: str
    """What the cases have that no model shows, such as ``values=special``; "" if one has nothing of that kind."""
    example: str
    """The smallest case that it was told by; "" if it was told by selectors."""


@dataclass(frozen=True)
class _Case:
    """A case of a cause in a baseline."""

    id: str
    line: Line
    parts: IdParts
    architecture: str
    """That of the only baselines that have it, where the device's others are of another one; "" otherwise."""

    @cached_property
    def types(self) -> tuple[str, ...]:
        return tuple(each.element_type for each in self.parts.data)

    @cached_property
    def is_empty(self) -> bool:
        return any(0 in each.shape for each in self.parts.data)

    @cached_property
    def rank(self) -> int:
        return len(self.parts.data[0].shape) if self.parts.data else 0

    @cached_property
    def words(self) -> dict[str, str]:
        return words_of(self.parts.parameters)

    @cached_property
    def needs(self) -> str:
        """The ways of asking that no model shows, and the processor."""
        shown = (*_SHOWN_BY_MODEL, *_NEIGHBOURS, *_WITH_NEIGHBOURS)
        found = [f"{k}={v}" for k, v in self.parts.how.items() if k not in shown]
        return ",".join(
            [*found, *([f"architecture={self.architecture}"] if self.architecture else [])]
        )

    @cached_property
    def features(self) -> tuple[Features, frozenset[str]]:
        """What its numbers and sizes are, and the names of its parameters."""
        parts = self.parts
        return features_of(parts.inputs, parts.parameters, parts.how), frozenset(parts.parameters)


_INTO = "destination_type"
"""The parameter that is one factor with the types of data: a conversion is of two types."""
_WORD = re.compile(r"[A-Za-z][\w-]*")


def words_of(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that are words, such as ``linear``, ``true`` and ``f16``, and no numbers."""
    return {name: text.lower() for name, text in parameters.items() if _WORD.fullmatch(text)}


class Known:
    """The causes of a device in a release, with the cases that its baselines have of them."""

    def __init__(
        self,
        causes: Iterable[Cause],
        device: str,
        release: str,
        profile: str = "",
        records: Iterable[CaseRecord] = (),
        asked: Callable[[str], Iterable[str]] = lambda operation: (),
    ) -> None:
        """``asked`` gives the id of every valid case of an operation; without it no numbers exclude a cause."""
        self._run = Run(device=device, profile=profile, openvino=release)
        self._causes = {one.id: one for one in causes if one.may_show(self._run)}
        self._cases: dict[tuple[str, str], list[_Case]] = defaultdict(list)
        self._asked = asked
        self.excluded: set[str] = set()
        """The causes that the numbers and sizes of layers excluded."""
        self._sets: list[AskedCases] = []
        self.baselines: list[str] = []
        """The baselines that were read."""
        found = [
            (folder.name, baseline_files.read_folder(folder))
            for folder in baseline_files.folders_of(device)
            if not profile or baseline_files.read_run(folder).profile == profile
        ]
        # The baseline that asked the most is that of the usual processor.
        found.sort(key=lambda one: -len(one[1].lines))
        usual: dict[str, set[str]] = defaultdict(set)
        for name, baseline in found:
            self.baselines.append(name)
            if isinstance(baseline.asked, AskedCases):
                self._sets.append(baseline.asked)
            own = baseline.run.architecture
            others = set().union(*(cases for other, cases in usual.items() if other != own))
            departures = baseline.departures()
            for case, line in departures.items():
                if case not in others:
                    self._add(case, line, own if usual.keys() - {own} else "")
            usual[own].update(departures)
        for record in records:
            if not record.conforms and not record.outcome.says_nothing:
                self._add(record.case, line_of(record))
        seen = {cause for _, cause in self._cases}
        self._unseen = [one for name, one in self._causes.items() if name not in seen]

    def _add(self, case: str, line: Line, architecture: str = "") -> None:
        parts = split_id(case)
        if line.cause in self._causes and parts.purpose != "invalid":
            self._cases[parts.operation, line.cause].append(_Case(case, line, parts, architecture))

    def risks(self, layers: Sequence[Layer]) -> list[Risk]:
        """Return the risks of a model's layers, the worst first."""
        found: dict[str, list[tuple[Layer, str, list[_Case]]]] = defaultdict(list)
        operations = {layer.operation for layer in layers}
        of_operation: dict[str, list[tuple[str, list[_Case]]]] = defaultdict(list)
        for (operation, cause), cases in self._cases.items():
            if operation in operations:
                of_operation[operation].append((cause, cases))
        asked = {name: self._asked_of(name) for name in of_operation}
        excluded: set[str] = set()
        for layer in layers:
            own = features_of(layer.inputs, layer.parameters, layer.how)
            given = frozenset(layer.parameters)
            for cause, cases in of_operation[layer.operation]:
                grade, fitting = _fit(layer, cases)
                if not grade:
                    continue
                features = [case.features for case in cases]
                if asked[layer.operation].excludes(
                    own, given, layer.unread, features
                ) or self._contradicts(layer, cause):
                    excluded.add(cause)
                else:
                    found[cause].append((layer, grade, fitting))
            unseen = self._unseen
            if not self._was_asked(layer):
                is_seen = {cause for cause, _ in of_operation[layer.operation]}
                unseen = [one for name, one in self._causes.items() if name not in is_seen]
            for one in unseen:
                if _is_refuted(one.smallest, layer):
                    continue
                if any(self._may_select(each, layer) for each in one.selectors):
                    found[one.id].append((layer, SELECTED, []))
        self.excluded = excluded - found.keys()
        risks = [self._risk(self._causes[name], told) for name, told in found.items()]
        order = list(GRADES)
        return sorted(
            risks,
            key=lambda one: (
                one.severity.rank, order.index(one.grade), bool(one.needs), -len(one.layers), one.cause.id,
            ),
        )  # fmt: skip

    def _asked_of(self, operation: str) -> Asked:
        """What a baseline's run asked of an operation."""
        return Asked(
            (features_of(parts.inputs, parts.parameters, parts.how), frozenset(parts.parameters))
            for case in self._asked(operation)
            if any(case in each for each in self._sets)
            for parts in [split_id(case)]
        )

    def _was_asked(self, layer: Layer) -> bool:
        """Tell whether a baseline's run asked the plain layer in the way of this one: only then its cases tell all."""
        ways = {factor: level for factor, level in layer.how.items() if factor != "ir"}
        return any(
            case in each
            for case in self._asked(layer.operation)
            if split_id(case).purpose == "plain" and split_id(case).how == ways
            for each in self._sets
        )

    def _risk(self, cause: Cause, told: Sequence[tuple[Layer, str, list[_Case]]]) -> Risk:
        grade = min((grade for _, grade, _ in told), key=list(GRADES).index)
        selectors: list[Selector] = []
        cases = {case.id: case for _, own, fitting in told if own == grade for case in fitting}
        if cases:
            severity = of_lines((case.id, case.line) for case in cases.values())
        else:
            selectors = [
                each
                for each in cause.selectors
                if any(self._may_select(each, layer) for layer, _, _ in told)
            ]
            severity = of_conditions(each.conditions for each in selectors)
        severity = as_regression(severity, cause.last_good_on(self._run.device))
        told_needs = {case.needs for case in cases.values()} or {_run_needed(s) for s in selectors}
        needs = sorted(told_needs, key=lambda one: (len(one), one))
        example = min(cases, key=lambda one: (bool(cases[one].needs), len(one), one), default="")
        return Risk(
            cause, severity, grade, tuple(layer for layer, _, _ in told),
            "" if not needs or not needs[0] else " or ".join(needs[:3]), example,
        )  # fmt: skip

    def _facts(self, layer: Layer) -> FactsOfLayer:
        return facts_of(_as_record(layer, self._run.device), self._run)

    def _contradicts(self, layer: Layer, cause: str) -> bool:
        """Tell whether each selector of a cause has a statement that is false of the sizes and numbers of a layer."""
        facts = self._facts(layer)
        part = {name: facts[name] for name in ("operation", "device")}
        own = [each for each in self._causes[cause].selectors if each.admits_part(part)]
        return bool(own) and all(_is_false(each, facts) for each in own)

    def _may_select(self, selector: Selector, layer: Layer) -> bool:
        """Tell whether the conditions on what is asked admit a layer, and those on the device admit this one."""
        conditions = selector.conditions
        if selector.operations is None and "type" not in conditions:
            return False  # told apart by messages alone
        if conditions.get("purpose", ("",)) == ("invalid",) or "rule" in conditions:
            return False
        if set(conditions.get("outcome", ())) <= {str(Outcome.ACCEPTED_INVALID)}:
            return False
        decided = {
            name: patterns
            for name, patterns in conditions.items()
            if (name in OF_CASE and name not in ("purpose", "rule", "where"))
            or name == "device"
            or name.startswith(("parameter.", "input."))
            or name in ("how.shape", "how.data", "how.index")
        }
        if any(name.startswith("how.") and name not in decided for name in conditions):
            return False  # in a way that no model shows
        facts = self._facts(layer)
        return Selector(decided).selects(facts) and not _is_false(selector, facts)


def _is_false(selector: Selector, facts: FactsOfLayer) -> bool:
    """Tell whether the statements of a selector are false of a layer: what the model does not show makes none false."""
    where = selector.conditions.get("where", ())
    return bool(where) and all(statements.is_false(each, facts["where"]) for each in where)


def _as_record(layer: Layer, device: str) -> CaseRecord:
    """A layer as a record, of which the facts say nothing."""
    return CaseRecord(
        case=layer.operation, operation=layer.operation, category=layer.category, purpose="",
        how=dict(layer.how), inputs=list(layer.inputs), parameters=dict(layer.parameters), device=device,
        profile="", outcome=Outcome.PASS, detail="", seconds=0, kernel="", precision="", gate=Gate.PASS,
    )  # fmt: skip


def _fit(layer: Layer, cases: Sequence[_Case]) -> tuple[str, list[_Case]]:
    """How certain it is that a layer meets a cause by its cases of the operation, and the cases that say so."""
    types = tuple(text.partition("[")[0] for text in layer.inputs if "[" in text)
    shapes = [text.partition("[")[2].rstrip("]").split(",") for text in layer.inputs]
    is_empty = any("0" in shape for shape in shapes)
    words = words_of(layer.parameters)
    into = words.get(_INTO, "")
    of_types = [
        case
        for case in cases
        if _same_types(case.types, types) and case.words.get(_INTO, into) == into
    ]
    asked = [
        case
        for case in cases
        if _is_shown(case, layer)
        and (is_empty or not case.is_empty)
        and (case.rank < MANY_DIMENSIONS or len(shapes[0]) >= MANY_DIMENSIONS)
    ]
    if not of_types or not asked:
        return "", []
    is_partly_known = any("-1" not in shape for shape in shapes)
    exact = [
        case
        for case in asked
        if _same_types(case.types, types)
        and all(words.get(name, word) == word for name, word in case.words.items())
        # What a variant is for is in its numbers, which are seldom the layer's.
        and not case.parts.purpose.startswith("variant.")
        and not ("shape" in case.parts.how and len(case.types) > 1 and is_partly_known)
    ]
    if exact:
        return SEEN, exact
    for name, word in words.items():
        # A case that leaves the parameter out says nothing of it.
        if all(case.words.get(name, "") not in ("", word) for case in cases):
            return "", []
    return POSSIBLE, asked


def _is_refuted(smallest: str, layer: Layer) -> bool:
    """Tell whether the smallest case of a cause is of another kind than a layer: of what selectors need not say.

    It has no element, other kinds of numbers or more dimensions than usual, or an input that the model has not.
    """
    if smallest.count("/") < 2:
        return False
    parts = split_id(smallest)
    if not parts.data or not any("[" in text for text in layer.inputs):
        return False
    first = next(text for text in layer.inputs if "[" in text)
    dims = [dim for dim in first.partition("[")[2].rstrip("]").split(",") if dim]
    is_empty = any("0" in text.partition("[")[2].rstrip("]").split(",") for text in layer.inputs)
    if any(0 in each.shape for each in parts.data) and not is_empty:
        return True
    if _kind_of_type(parts.data[0].element_type) != _kind_of_type(first.partition("[")[0]):
        return True
    if len(parts.data[0].shape) >= MANY_DIMENSIONS > len(dims):
        return True
    own = parts.how
    return ("shape" in own and "shape" not in layer.how) or (own.get("data") == "constant")


def _run_needed(selector: Selector) -> str:
    """What a selector says of the machine and the profile: the command does not know these."""
    return ",".join(
        f"{name}={'|'.join(patterns)}"
        for name, patterns in selector.conditions.items()
        if name in OF_RUN and name != "device"
    )


def _kind_of_type(name: str) -> str:
    """Numbers that kernels treat alike: floats from 16 bits on, integers from 8 bits on; each other type alone."""
    if name in ("f16", "bf16", "f32", "f64"):
        return "f"
    return "i" if name in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64") else name


def _same_types(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Tell whether data is of the same types; of lists of tensors, which can be longer, the first counts."""
    if len(one) == len(other):
        return one == other
    return len(set(one)) == len(set(other)) == 1 and one[:1] == other[:1]


def _is_shown(case: _Case, layer: Layer) -> bool:
    """Tell whether a model shows the ways in which a case was asked, as far as a model shows any."""
    how = case.parts.how
    if "shape" in how and "shape" not in layer.how:
        return False
    if "index" in how and "index" not in layer.how:
        return False
    if how.get("shape") == "rank" and layer.how["shape"] != "rank":
        return False
    if "ir" in how and how["ir"] != layer.how.get("ir"):
        return False
    if (
        case.parts.purpose == "left-out"
        and not layer.parameters.keys() <= case.parts.parameters.keys()
    ):
        return False
    for name, value in case.parts.parameters.items():
        kind, _ = typed(value)
        if kind and kind != typed(layer.parameters.get(name, ""))[0]:
            return False
    if "data" in how and how["data"] != layer.how.get("data") and how["data"] != "runtime":
        return False
    for place, types in (("before", layer.before), ("behind", layer.behind)):
        neighbour = how.get(place, "").replace("-", "")
        if neighbour and not any(kind.startswith(neighbour) for kind in types):
            return False
    return True
