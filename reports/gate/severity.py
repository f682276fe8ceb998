"""How bad a cause is, by rule: what its usual cases did, and whether models have such layers.

A cause is as bad as its usual cases are, not as the worst of them: of the cases that models have, else of all, the
plain ones if there are some, and the most frequent kind of these; one that damages the heap is a crash, whatever its
cases show. What is right at the first inference and wrong at a later one is as bad as a crash, and stands before it: no
check of one inference finds it.

Regressions come first, of one kind the newest, then what models have, then crashes and what contradicts the page before
what the page leaves open, then the kinds in the order of `SEVERITIES`; of one kind valid layers before invalid ones,
what layers with elements show before what empty ones alone show. Limits of support, defects below the plugin, and what
only one of several OpenCL stacks shows are listed after all others. Of equally bad ones those come first that the most
models of packages meet.

What the shipped baselines of a device show decides wherever a cause is shown; the records of a run count for a cause
that none of them has.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ir_models.asking.id_parts import GRAPHS, MODEL, DataPart, IdParts, segments, split_id, tensors
from reports.gate import baseline_files
from reports.gate.baseline import Line
from reports.gate.causes import Cause
from reports.gate.usage import Usage, counts, rare
from reports.results.explained.alike import PRECISE
from reports.results.facts_of_departures import Facts, is_unsafe
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.results.shared.matching import numbers_of

SEVERITIES = {
    "regression": "an earlier release did it right",
    "crash": "the process ends or hangs, or memory is damaged",
    "silent": "a wrong value, shape or type without an error message",
    "refusal": "a valid layer is refused",
    "unchecked": "an invalid layer is not refused",
    "accuracy": "values that are less exact than the bound",
    "folded": "the layer was folded to a constant, and the device did not run it",
}
"""The kinds, with what they mean; the worst first."""

APART = ("limit", "stack")
"""Classes of causes that are listed after all others: what a plugin does not claim, and what it cannot mend."""

UNUSUAL = "seen only in layers that models rarely have"
"""What is said of a cause that none of its cases makes plausible."""

_USUAL = frozenset(("f32", "f16", "bf16", "i8", "u8", "i32", "i64", "boolean"))
"""Element types of tensors between the layers of models."""
_COMPRESSED = frozenset(("i4", "u4", "nf4", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0"))
"""Element types of weights, which graphs have."""
_OF_INDICES = frozenset(("i32", "i64", "f32", "f16", "bf16", "boolean"))
"""Element types of axes, shapes and thresholds. Converters of models write no others."""
_UNUSUAL_VALUES = frozenset(
    ("pdpd", "u1", "u2", "u3", "u6", "i16", "u16", "u32", "u64", "f64", *_COMPRESSED)
)
"""Values of attributes that models hardly have: converters write broadcasts out, and ask for usual types."""
_RANKS = 6
"""Dimensions that a tensor of a model has at most: images in windows have six."""
_INTEGERS = frozenset(("i8", "u8", "i32", "i64"))
_STEPS = ("start", "step", "stride", "shift")
_EXTREME = re.compile(r"\d{10}")
_EXTREME_NUMBERS = frozenset(("large", "least", "most", "small", "subnormal"))


class Severity(NamedTuple):
    """How bad a cause is, or a departure."""

    kind: str
    """One of `SEVERITIES`; "" without a case."""
    is_plausible: bool
    """Whether models have such layers."""
    does: str = ""
    """Of a regression the kind that it would have otherwise."""
    last_good: str = ""
    """Of a regression the last release that did it right."""
    only_on: str = ""
    """The only one of several OpenCL stacks that shows it."""
    is_invalid: bool = False
    """Whether the layer is invalid, and the device should have refused it."""
    is_later: bool = False
    """Whether a later inference is wrong, and the first one right, in all of several cases."""
    is_empty: bool = False
    """Whether a tensor without elements is an input of each case."""

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key, the worst first. That an invalid layer is not refused harms no model, in no release."""
        kinds = ["", *SEVERITIES]
        kind = self.does or self.kind
        is_rare = not self.is_plausible or kind == "unchecked"
        is_regression = self.kind == "regression"
        newest = (*(-number for number in numbers_of(self.last_good)), 0)
        as_bad = "crash" if self.is_later and kind == "silent" else kind
        return (
            not is_regression or kind == "unchecked",
            is_rare,
            kinds.index(as_bad) or len(kinds),
            self.is_invalid,
            not is_regression,
            newest,
            self.is_empty,
            not self.is_later,
        )

    def is_one_of(self, kinds: Iterable[str]) -> bool:
        """Tell whether it is of one of these kinds; a regression is of two."""
        return not {self.kind, self.does}.isdisjoint(filter(None, kinds))

    def __str__(self) -> str:
        if not self.kind:
            return "not seen"
        kind = f"{self.kind}: {self.does}" if self.does else self.kind
        rare = "" if self.is_plausible else ", rare layers"
        return f"{kind}{rare}, {self.only_on} alone" if self.only_on else f"{kind}{rare}"


NOT_SEEN = Severity("", False)


def order(cause_class: str, severity: Severity, cases: int, name: str) -> tuple[object, ...]:
    """Return the sort key of a cause, wherever causes are listed.

    A gap of the page is no fault of the device: it stands behind the defects that are as usual, of any kind, unless
    the process ends.
    """
    met = counts().get(name, Usage()).sure
    is_apart = cause_class in APART or bool(severity.only_on)
    not_first, is_rare, *rest = severity.rank
    is_gap = cause_class != "defect"
    is_behind = is_gap and "crash" not in (severity.kind, severity.does)
    return is_apart, not_first, is_rare, is_behind, rest, is_gap, -met, -cases, name


def of_cause(cause: Cause | None, records: Iterable[CaseRecord]) -> Severity:
    """Return the severity of a cause by its departures; the worst, if they are of several devices.

    Without the cause, which may be in no folder that is read, the records alone decide.
    """
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        found[record.device].append(record)
    severities = [
        own if cause is None else on_device(cause, device, own)
        for device, some in found.items()
        for own in [of_records(some)]
    ]
    return min(severities, key=lambda one: one.rank, default=NOT_SEEN)


def on_device(cause: Cause, device: str, found: Severity) -> Severity:
    """Return the severity of a cause on a device.

    The shipped baselines of the device decide; `found` counts for a cause that none of them has.
    """
    if not found.kind:
        return found
    shown = in_baselines(device, cause.id)
    shown = shown if shown.kind else found
    if cause.corrupts_on(device):
        shown = shown._replace(kind="crash", does="")
    return as_regression(shown, cause.last_good_on(device))._replace(only_on=cause.only_on)


@cache
def baseline_lines(device: str) -> Mapping[str, Mapping[str, Line]]:
    """Return the lines of the baselines that are shipped for a device, by cause and case."""
    found: dict[str, dict[str, Line]] = defaultdict(dict)
    for folder in baseline_files.folders_of(device):
        for case, line in baseline_files.own_lines(folder).items():
            found[line.cause][case] = line
    return dict(found)


@cache
def in_baselines(device: str, cause: str) -> Severity:
    """Return the severity of a cause by the baselines that are shipped for a device."""
    return of_lines(baseline_lines(device).get(cause, {}).items())


def kind_of(outcome: Outcome, facts: Facts, relative_error: float | None = None) -> str:
    """Return the kind of one departure; "" for one that says nothing about the device.

    Baselines tell no relative errors: every wrong value of them counts as wrong.
    """
    if is_unsafe(outcome, facts):
        return "crash"
    if outcome is Outcome.ACCEPTED_INVALID:
        return "unchecked"
    if outcome is Outcome.REFUSED:
        return "refusal"
    if outcome is Outcome.FOLDED:
        return "folded"
    if outcome not in (Outcome.FAIL, Outcome.FLAKE):
        return ""
    is_inexact = facts.kind == "value" and relative_error is not None and relative_error < PRECISE
    return "accuracy" if is_inexact else "silent"


def as_regression(severity: Severity, last_good: str) -> Severity:
    """Return the severity of what an earlier release did right, if there is such a release."""
    if not (last_good and severity.kind):
        return severity
    does = severity.does or severity.kind
    return severity._replace(kind="regression", does=does, last_good=last_good)


def of_record(record: CaseRecord) -> Severity:
    """Return the severity of one departure."""
    kind = kind_of(record.outcome, record.facts, record.relative_error)
    severity = Severity(
        kind, is_plausible(_parts_of(record)), is_invalid=record.purpose == "invalid"
    )
    return as_regression(severity, record.last_good)


def of_records(records: Iterable[CaseRecord]) -> Severity:
    """Return the severity of the cause that these departures belong to."""
    return usual(
        (
            of_record(record)._replace(
                is_later=record.facts.inference > 1, is_empty=_is_empty(_parts_of(record))
            ),
            not record.how,
        )
        for record in records
    )


def of_lines(lines: Iterable[tuple[str, Line]]) -> Severity:
    """Return the same by lines of a baseline; they do not say whether it is a regression."""
    by_how: dict[bool, list[tuple[str, Line]]] = {True: [], False: []}
    for case, line in lines:
        by_how[not segments(case)[1]].append((case, line))
    plain = _severities(by_how[True])
    # `usual` takes plausible plain cases alone if there are any: the others, most of the lines, need no reading then.
    is_usual = any(each.kind and each.is_plausible for each in plain)
    others = [] if is_usual else _severities(by_how[False])
    return usual([*((each, True) for each in plain), *((each, False) for each in others)])


def _severities(lines: Iterable[tuple[str, Line]]) -> list[Severity]:
    found = []
    for case, line in lines:
        parts = split_id(case)
        of_case = Severity(
            "",
            is_plausible(parts),
            is_invalid=parts.purpose == "invalid",
            is_empty=_is_empty(parts),
        )
        found += [
            of_case._replace(kind=kind_of(*ending), is_later=ending.facts.inference > 1)
            for ending in line.endings
        ]
    return found


def usual(found: Iterable[tuple[Severity, bool]]) -> Severity:
    """Return the most frequent of the usual severities; beside each of them stands whether its case is plain.

    Of equally frequent ones the worst is returned.
    """
    counts = Counter(one for one in found if one[0].kind)
    for is_had, is_plain in ((True, True), (True, False), (False, True), (False, False)):
        some: Counter[Severity] = Counter()
        later: Counter[Severity] = Counter()
        empty: Counter[Severity] = Counter()
        for (severity, plain), number in counts.items():
            if (severity.is_plausible, plain) == (is_had, is_plain):
                alike = severity._replace(is_later=False, is_empty=False)
                some[alike] += number
                later[alike] += number * severity.is_later
                empty[alike] += number * severity.is_empty
        if some:
            most = min(some, key=lambda one: (-some[one], one.rank))
            return most._replace(
                is_later=some[most] == later[most] > 1, is_empty=some[most] == empty[most]
            )
    return NOT_SEEN


def is_plausible(case: IdParts) -> bool:
    """Tell whether models have such a layer: its types, dimensions, values, constants, and its mistake if it has one.

    The layers of a user's model are there. An invalid layer is one that a program may have if its mistake comes with
    run-time data, such as an index out of bounds.
    """
    if case.purpose == MODEL:
        return True
    if case.purpose == "invalid" and not _may_be_invalid(case):
        return False
    types = _USUAL
    if case.purpose == GRAPHS:
        types |= _COMPRESSED
    if case.purpose != "type":
        # An operation whose other layers have strings takes nothing else.
        types |= {"string"}
    return (
        "values" not in case.how
        and case.operation not in rare().replaced
        and _has_usual_numbers(case)
        and _has_usual_inputs(case)
        and _UNUSUAL_VALUES.isdisjoint(case.parameters.values())
        and all(each.element_type in types and _has_usual_shape(each) for each in case.data)
        and _OF_INDICES.issuperset(case.index_types)
    )


def _may_be_invalid(case: IdParts) -> bool:
    """Whether data that come at run time make the layer invalid."""
    is_at_run_time = "index" in case.how or "runtime" in case.how.values()
    return is_at_run_time and _type_of(case) not in rare().valid_with_any_data


def _has_usual_numbers(case: IdParts) -> bool:
    """Whether models have such constants, steps and attributes."""
    return (
        case.how.get("number") not in _EXTREME_NUMBERS
        and not any(name.endswith(".extreme") for name in case.parameters)
        and not any(_EXTREME.search(case.parameters.get(name, "")) for name in _STEPS)
        and all(
            set(case.parameters.get(name, "")) <= set("0,[]-")
            for name in rare().zero.get(_type_of(case), ())
        )
        and rare().written.get(case.operation, frozenset()) <= case.parameters.keys()
        and rare()
        .factors.get(case.operation, frozenset())
        .isdisjoint((*case.parameters, *map("=".join, case.parameters.items())))
    )


def _has_usual_inputs(case: IdParts) -> bool:
    """Whether models give such an operation inputs of these types, at run time."""
    own = _type_of(case)
    constants = rare().constant.get(own, ())
    is_constant = case.how.get("data") == "constant" or {case.how.get("constant")} >= {*constants}
    if any(each.element_type in _INTEGERS for each in case.data):
        whole = (case.parameters.get(name, "0") for name in rare().whole.get(own, ()))
        if own in rare().of_fractions or not all(float(each).is_integer() for each in whole):
            return False
    return is_constant and not ("index" in case.how and own in rare().of_constants)


def _type_of(case: IdParts) -> str:
    return case.operation.rpartition("-")[0]


def _has_usual_shape(tensor: DataPart) -> bool:
    """Whether models have such a shape at some inference.

    No batch, box or token is usual: the first dimension is 0; no step of a cache or a sequence, too: that is the second
    of two, or the one before the last.
    """
    shape = tensor.shape
    if len(shape) > _RANKS:
        return False
    empty = [axis for axis, size in enumerate(shape) if size == 0]
    return not empty or (len(empty) == 1 and (empty[0] in (0, len(shape) - 2) or len(shape) == 2))


def _is_empty(case: IdParts) -> bool:
    return any(0 in tensor.shape for tensor in case.data)


def _parts_of(record: CaseRecord) -> IdParts:
    data = tensors(",".join(record.inputs))
    return IdParts(record.operation, record.purpose, data, record.parameters, record.how)
