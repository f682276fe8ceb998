"""The bounds on trial: answers that are a little wrong everywhere, and wrong formulas, which the gate must see.

Each operation whose results are rounded is tried in each floating-point type, with every variant and random layer, or
with its plain layer alone: for a device that says nothing of its arithmetic, and in narrow types once more for a kernel
that says it computed in f32. Errors that no bound can see, because honest arithmetic errs as much, are listed with the
reason in ``bounds.toml``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ir_models
from ir_models import LayerCase, Operation
from ir_models.asking.how import How
from ir_models.declaration import Layer, TypeSet
from ir_models.vocabulary.element_types import ELEMENT_TYPES, Tensor
from ir_models.vocabulary.layers import fitting
from ir_models.vocabulary.rules import is_valid
from reference import Expected, answer, compare, lookup
from reference.accuracy import (
    PRECISIONS,
    Accuracy,
    Choice,
    Decided,
    Distribution,
    Exact,
    Rounded,
    rounded,
)
from reports.results.shared.text import count
from tests.kill.table import table_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXCUSES = Path(__file__).with_name("bounds.toml")
# The relative error that every ordinary element is given, by the type of the output.
PLANTED = {"f32": 1e-4, "f64": 1e-4, "f16": 0.01, "bf16": 0.05}
NARROW = ("f16", "bf16")
# The types of outputs, and the precision that the kernel states.
COLUMNS = ("f64", "f32", "f16", "f16 in f32", "bf16", "bf16 in f32")
# Numbers below this multiple of the smallest normal one are tiny.
TINY = 2.0**10
# Random layers of each operation, where every layer is tried.
DRAWS = 12


@dataclass(frozen=True)
class Asked:
    """The plain layer in one type: inputs, element types of the outputs, and exact outputs with their bounds."""

    case: LayerCase
    column: str
    inputs: list[np.ndarray | None]
    types: list[str]
    expected: list[Expected]

    def planted(self, values: Sequence[np.ndarray]) -> tuple[bool, float]:
        """Whether the gate sees these outputs (float64) each by itself, and the share of elements that fail alone.

        The share is that of the output in which the fewest ordinary elements fail.
        """
        is_seen, least = True, 1.0
        exact = [self._in_type(index, each.value) for index, each in enumerate(self.expected)]
        for index, name in enumerate(self.types):
            ordinary = self.ordinary(index)
            if name not in PLANTED or not ordinary.any():
                continue
            actual = [*exact[:index], self._in_type(index, values[index]), *exact[index + 1 :]]
            # The nearest answer to one output may be another answer in the others.
            of_all = [each.chosen(actual) for each in self.expected]
            pairs = zip(of_all, actual, strict=True)
            is_seen = is_seen and any(compare(each, came).wrong > 0 for each, came in pairs)
            chosen = of_all[index]
            allowed = chosen.allowed_errors()
            error = np.abs(actual[index].astype(np.float64) - chosen.value.astype(np.float64))
            fails = error > (0.0 if allowed is None else allowed)
            least = min(least, float(np.mean(fails[ordinary])))
        return is_seen, least

    def ordinary(self, index: int) -> np.ndarray:
        """Which elements of an output are finite numbers, not tiny, and have a bound."""
        expected, precision = self.expected[index], PRECISIONS.get(self.types[index])
        if precision is None:
            return np.zeros(expected.value.shape, bool)
        size = np.abs(expected.value.astype(np.float64))
        is_bounded = True if expected.bound is None else np.isfinite(expected.bound)
        is_number = (size > TINY * precision.smallest_normal) & (size < precision.largest / 2)
        return is_bounded & is_number

    def _in_type(self, index: int, values: np.ndarray) -> np.ndarray:
        precision = PRECISIONS.get(self.types[index])
        exact = self.expected[index].value
        return exact if precision is None else rounded(values.astype(np.float64), precision.dtype)


def _by_type(operation: Operation) -> dict[str, list[LayerCase]]:
    """The plain layer in each type, by that of its first floating-point output.

    Of a type that only an attribute or another input gives, such as output_type, those of index types and of variants.
    """
    found: dict[str, dict[str, list[LayerCase]]] = {}
    for case in ir_models.cases(operation, draws=0):
        kind = _type_of(case)
        if kind and case.purpose.startswith(("type", "index-type", "variant.")):
            found.setdefault(kind, {}).setdefault(case.purpose, []).append(case)
    return {
        kind: purposes.get("type") or [case for cases in purposes.values() for case in cases]
        for kind, purposes in found.items()
    }


def _type_of(case: LayerCase) -> str:
    """The type of the first floating-point output; none of a case that is not tried."""
    operation = case.operation
    # A layer with a variable is asked in its last inference, which finds what those before it left.
    is_usual = case.how == How(state="kept" if operation.partner else "")
    if case.is_invalid or not is_usual:
        return ""
    kinds = (each.name for each in operation.output_types(case.layer))
    return next((each for each in kinds if each in PLANTED), "")


# Layers of other purposes are few numbers, or none.
_PURPOSES = ("type", "index-type", "left-out", "enumeration", "random", "variant.")


def _every(operation: Operation) -> Iterator[tuple[str, LayerCase]]:
    """Every variant and random layer in each floating-point type that it can have, and the type of its output."""
    known = set()
    for case in ir_models.cases(operation, draws=DRAWS):
        if not _type_of(case) or not case.purpose.startswith(_PURPOSES):
            continue
        for layer in [case.layer, *_in_each_type(case.layer)]:
            typed = LayerCase(layer, case.purpose, case.how)
            kind = _type_of(typed)
            if kind and typed.id not in known:
                known.add(typed.id)
                yield kind, typed


def _in_each_type(layer: Layer) -> Iterator[Layer]:
    """The layer with each floating-point type in place of the ones that it has."""
    sets = [
        type_set
        for type_set in layer.operation.type_sets.values()
        if any(t.element_type.is_float for t in _tensors_of(layer, type_set))
    ]
    for kind in (ELEMENT_TYPES[name] for name in PLANTED):
        chosen = {each.name: kind for each in sets if kind in fitting(layer, each)}
        if chosen:
            typed = layer.with_types(chosen)
            if is_valid(typed):
                yield typed


def _tensors_of(layer: Layer, type_set: TypeSet) -> list[Tensor]:
    names = [i.name for i in layer.operation.inputs if i.types.name == type_set.name]
    return [tensor for name in names for tensor in layer.tensors(name)]


def asked(operation: Operation, plain: bool = True) -> Iterator[Asked]:
    """The plain layer of an operation, or every layer, in each of its floating-point types.

    Each is asked for each statement of a device.
    """
    by_type = _by_type(operation).items() if plain else ()
    of_plain = [(kind, case) for kind, cases in by_type for case in cases]
    for kind, case in of_plain if plain else _every(operation):
        types = [each.name for each in operation.output_types(case.layer)]
        last = case.how.inferences - 1
        arrays, attributes = case.arrays(last), case.arguments(last)
        for kernel in ("", "f32") if kind in NARROW else ("",):
            expected = answer(operation.name, arrays, attributes, types, kernel, bool(kernel))
            column = f"{kind} in {kernel}" if kernel else kind
            yield Asked(case, column, arrays, types, expected)


# --- errors -------------------------------------------------------------------------------------------------------

Wrong = Callable[[Asked], "list[np.ndarray]"]


def _off(errors: dict[str, float]) -> Wrong:
    """Every number of an output off by the relative error of its type, away from zero."""

    def wrong(question: Asked) -> list[np.ndarray]:
        pairs = zip(question.expected, question.types, strict=True)
        return [
            each.value * (1 + errors[kind]) if kind in errors else each.value
            for each, kind in pairs
        ]

    return wrong


def _sigmoid_gelu(question: Asked) -> list[np.ndarray]:
    """x·sigmoid(1.702·x), a well-known approximation that the page does not have."""
    (x,) = question.inputs
    assert x is not None
    values = x.astype(np.float64)
    return [values / (1 + np.exp(-1.702 * values))]


def _sample_variance(question: Asked) -> list[np.ndarray]:
    """MVN with the variance of a sample: divided by N - 1 instead of N."""
    data, axes = question.inputs
    assert data is not None
    assert axes is not None
    values, along = data.astype(np.float64), tuple(axes.tolist())
    attributes = question.case.layer.arguments()
    differences = values - values.mean(axis=along, keepdims=True)
    variance = values.var(axis=along, ddof=1, keepdims=True)
    if attributes["eps_mode"] == "inside_sqrt":
        return [differences / np.sqrt(variance + attributes["eps"])]
    return [differences / (np.sqrt(variance) + attributes["eps"])]


_ONE_PERCENT = dict.fromkeys(NARROW, 0.01)
# Wrong formulas by the operation that they are tried on; those of a percent in narrow types alone.
FORMULAS: dict[str, tuple[str, Wrong]] = {
    "Gelu-7": ("x*sigmoid(1.702x)", _sigmoid_gelu),
    "MVN-6": ("variance by N-1", _sample_variance),
    "Convolution-1": ("off by 1%", _off(_ONE_PERCENT)),
    "GroupConvolution-1": ("off by 1%", _off(_ONE_PERCENT)),
    "MatMul-1": ("off by 1%", _off(_ONE_PERCENT)),
}
OFF = "off everywhere"


def errors_of(operation: Operation) -> Iterator[tuple[str, Wrong]]:
    """The names of all errors that an operation is tried with, and the outputs that they give."""
    yield OFF, _off(PLANTED)
    if operation.name in FORMULAS:
        yield FORMULAS[operation.name]


# --- excuses ------------------------------------------------------------------------------------------------------


class ExcuseError(ValueError):
    """``bounds.toml`` is not as it must be."""


@dataclass(frozen=True)
class Excuse:
    """An error that a bound cannot see in some columns, and why.

    ``layers`` are the purposes whose layers it is about, where the error is seen in the plain one; none: every layer.
    """

    operation: str
    error: str
    columns: tuple[str, ...]
    reason: str
    layers: tuple[str, ...] = ()

    def covers(self, operation: str, error: str, column: str) -> bool:
        """Whether this entry is about the error in this column."""
        return (operation, error) == (self.operation, self.error) and column in self.columns


@cache
def excuses() -> tuple[Excuse, ...]:
    """The entries of ``bounds.toml``. Raises ExcuseError."""
    content: dict[str, Any] = tomllib.loads(EXCUSES.read_text("utf-8"))
    found = []
    for number, entry in enumerate(content.get("excuse", ()), 1):
        required = {"operation", "error", "columns", "reason"}
        if entry.keys() - {"layers"} != required or not entry["reason"]:
            raise ExcuseError(
                f"{EXCUSES.name}: entry {number} needs operation, error, columns and a reason"
            )
        layers = entry.get("layers")
        if layers is not None and not (isinstance(layers, list) and layers):
            raise ExcuseError(f"{EXCUSES.name}: entry {number}: layers is a list of purposes")
        columns = tuple(entry["columns"])
        if not columns or not set(columns) <= set(COLUMNS):
            raise ExcuseError(f"{EXCUSES.name}: entry {number}: columns are {', '.join(COLUMNS)}")
        found.append(
            Excuse(
                entry["operation"],
                entry["error"],
                columns,
                entry["reason"],
                tuple(layers or ()),
            )
        )
    return tuple(found)


# --- the trial ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """Whether an error was seen in each layer; ``share`` of the ordinary elements fail by themselves.

    ``missed`` are the ids of the layers in which it was not, of ``layers``; both of a trial of every layer alone.
    """

    operation: str
    error: str
    column: str
    is_seen: bool
    share: float
    missed: tuple[str, ...] = ()
    layers: int = 0

    @property
    def excuses(self) -> tuple[Excuse, ...]:
        """The entries that say why the error cannot be seen; none unless they cover every layer in which it is not."""
        about = (self.operation, self.error, self.column)
        found = tuple(each for each in excuses() if each.covers(*about))
        of_all = tuple(each for each in found if not each.layers)
        if of_all or not self.layers:
            return of_all
        return () if self.unexcused else found

    @property
    def unexcused(self) -> tuple[str, ...]:
        """The ids of the layers in which the error is not seen, and which no entry covers."""
        about = (self.operation, self.error, self.column)
        found = [each for each in excuses() if each.covers(*about)]
        if any(not each.layers for each in found):
            return ()
        covered = {purpose for each in found for purpose in each.layers}
        return tuple(case for case in self.missed if _purpose(case) not in covered)


def _purpose(case_id: str) -> str:
    return case_id.split("/")[1]


def _computes(accuracy: Accuracy) -> bool:
    """Whether results are rounded: not moved, drawn, or among the numbers that came."""
    while isinstance(accuracy, Choice):
        accuracy = accuracy.within
    if isinstance(accuracy, Rounded):
        return accuracy.quality > 0
    return not isinstance(accuracy, (Exact, Decided, Distribution))


def is_tried(operation: Operation) -> bool:
    """Whether an output of the operation has a bound on rounding errors."""
    accuracy = lookup(operation.name).__dict__["accuracy"]
    return any(map(_computes, accuracy if isinstance(accuracy, tuple) else (accuracy,)))


def try_bounds(operation: Operation, plain: bool = True) -> list[Result]:
    """Try every error in every type, on the plain layer or on every one.

    None for an operation without a bound on rounding errors.
    """
    if not is_tried(operation):
        return []
    found: dict[tuple[str, str], list[tuple[bool, float, str]]] = {}
    for question in asked(operation, plain):
        if not any(question.ordinary(index).any() for index in range(len(question.types))):
            continue
        for name, wrong in errors_of(operation) if plain else [(OFF, _off(PLANTED))]:
            if name == "off by 1%" and question.column.split()[0] not in NARROW:
                continue
            with np.errstate(all="ignore"):
                seen = question.planted(wrong(question))
            tried = (*seen, question.case.id)
            found.setdefault((name, question.column), []).append(tried)
    results = []
    for (name, column), tries in found.items():
        missed = tuple(case for is_seen, _, case in tries if not is_seen)
        least = min(share for _, share, _ in tries)
        rest = ((), 0) if plain else (missed, len(tries))
        results.append(Result(operation.name, name, column, not missed, least, *rest))
    return results


def unexcused(results: Sequence[Result]) -> list[Result]:
    """Errors that the gate does not see and no entry excuses."""
    return [each for each in results if not each.is_seen and not each.excuses]


def unused(results: Sequence[Result]) -> list[Excuse]:
    """Entries about operations that were tried and about an error that was seen, or was not tried, in a column.

    Of entries about some layers also those with a purpose whose layers all show the error in a column.
    """
    tried = {each.operation: bool(each.layers) for each in results}
    missed: dict[tuple[str, str, str], set[str]] = {}
    for each in results:
        if not each.is_seen:
            about = (each.operation, each.error, each.column)
            missed[about] = {_purpose(case) for case in each.missed}
    found = []
    for entry in excuses():
        if entry.operation not in tried or (entry.layers and not tried[entry.operation]):
            continue
        # Formulas are tried on the plain layer alone.
        if entry.error != OFF and tried[entry.operation]:
            continue
        of_columns = [
            missed.get((entry.operation, entry.error, column)) for column in entry.columns
        ]
        if not all(each is not None and each >= set(entry.layers) for each in of_columns):
            found.append(entry)
    return found


def render(results: Sequence[Result], markdown: bool = False) -> str:
    """The table, errors that are not seen, and those that cannot be seen."""
    rows = list(dict.fromkeys((each.operation, each.error) for each in results))
    by_place = {(each.operation, each.error, each.column): each for each in results}
    cells = [["operation", "error", *COLUMNS]]
    for row in rows:
        found = [by_place.get((*row, column)) for column in COLUMNS]
        cells.append([*row, *("" if each is None else _cell(each) for each in found)])
    missed = [
        f"{r.operation}: {r.error} in {r.column}"
        + (f", of {count(len(r.unexcused), 'layer')} such as {r.unexcused[0]}" if r.missed else "")
        for r in unexcused(results)
    ]
    excused = [
        f"{each.operation}: {each.error} in {', '.join(each.columns)}"
        + (f", of {', '.join(each.layers)}" if each.layers else "")
        + f": {each.reason}"
        for each in excuses()
        if any(each in r.excuses and not r.is_seen for r in results)
    ]
    needless = [
        f"{each.operation}: {each.error} in {', '.join(each.columns)}" for each in unused(results)
    ]
    lists = {
        "Not seen": missed,
        f"Entries of {EXCUSES.name} that are not needed": needless,
        "What no bound can see": excused,
    }
    return table_text(cells, lists, markdown)


def _cell(result: Result) -> str:
    if result.layers:
        return f"{result.layers - len(result.missed)}/{result.layers}"
    if result.is_seen:
        return f"{result.share:.0%}"
    return "excused" if result.excuses else "NOT SEEN"
