"""What a cause can tell departures by: conditions on the facts of a record and of its run.

Each condition names a field and admits wildcards of its value; of a field with several values one must be admitted.
A wildcard behind ! excludes, and several exclude what any of them matches.
``<8`` and ``>8`` match numbers below and above 8.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import get_args

from ir_models.asking.id_parts import ABSENT, AS_TEXT, GRAPHS, MODEL
from reports.gate import statements
from reports.gate.baseline import Run, unnumbered
from reports.results.explained.factors import tensors_of, typed
from reports.results.facts_of_departures import Kind, Stage
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.results.shared.matching import matches_any

# In the text of a graph, c=ReduceSum-1(a,axes).
_LAYER = re.compile(r"(?:^|; )(\w+)=([A-Z]\w*-\d+)\(([^)]*)\)")
_UNKNOWN = re.compile(r"(?:^|; )\w+=\w+\[[^\]]*\?")
_RETURN = re.compile(r"(?:^|; )return ([^;]*)$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_COMPARISON = re.compile(f"[<>]{_NUMBER.pattern}")

Values = tuple[str, ...]
Features = dict[str, Values]

OF_CASE = (
    "operation", "category", "purpose", "type", "index_type", "rank", "dimension", "inputs", "broadcast", "rule",
    "layers", "graph", "types", "where",
)  # fmt: skip
"""Fields of what is asked. ``where`` has statements about shapes and parameters: see `reports.gate.statements`.

``inputs`` counts the data tensors, ``broadcast`` says how their shapes differ.

``types`` are those of all data tensors in one text, ``f16,f64``, so that ``!*f64*`` excludes f64 beside others, too.

Of a graph ``operation`` is its pattern, ``parameter`` has what is off it, ``layers`` are its operations in their order,
each with a space behind it, and ``graph`` is its text. ``layers`` has the order of the text, and those in which each
layer follows what it reads, the first input first or the last one. ``dimension`` is ``unknown`` as well where an input
has an unknown one: ``?`` of the text would be any character in a wildcard.
"""
OF_FACTS = (
    "outcome", "stage", "kind", "output", "inference", "signal", "message", "computed_as", "kernel", "fraction",
    "clues", "right_with",
)  # fmt: skip
"""Fields of how the case departed, and of what executed it.

``fraction`` is the largest error as a fraction of the bound: ``fraction = ["<10"]``.

``clues`` has statements about what all wrong elements of an output share: ``clues = ["all(expected == 0)"]``.
``right_with`` are parameters with which the answer would be right: ``right_with = ["min_size=0"]``. A run has both of
a wrong answer that its baseline does not know.
"""
OF_RUN = ("device", "profile", "isa", "driver", "full_name", "architecture", "capabilities")
"""Fields of the run."""
STATEMENTS = ("where", "clues")
"""Fields whose wildcards are statements."""
CORE = "CORE"
"""The device that is core alone. What a model's reading does is core's on every device."""
TABLES = ("how", "parameter", "input")
"""Tables: ``how = { shape = "dims" }``, ``parameter = { mode = "reflect" }``, ``input = { 1 = "u32[*" }``.

The last one is a second input of u32.
"""
NAMES = (*OF_CASE, *OF_FACTS, *OF_RUN)
FIRST = ("operation", "outcome", "kind", "stage", "purpose")
"""Fields whose conditions are checked once for all departures that have the same values of them.

Purposes are many: they are checked last, of the few selectors that are left.
"""


def is_of_case(name: str) -> bool:
    """Tell whether a condition is known of cases that conform, too: what is tested, and the kernel that executed it."""
    return name in OF_CASE or name == "kernel" or name.partition(".")[0] in TABLES


_OF_INVALID = frozenset(("ACCEPTED_INVALID", "FLAKE", "TIMEOUT", "CRASH"))


def may_end(features: Mapping[str, Values], outcomes: Values) -> bool:
    """Tell whether a case can depart with one of these outcomes; an invalid layer that is refused conforms."""
    possible = _OF_INVALID if any(features["rule"]) else _OF_VALID
    return any(_admits(outcomes, outcome) for outcome in possible)


@dataclass(frozen=True)
class Selector:
    """Departures by their fields: each condition must hold, by one of its wildcards. ``how.shape`` is one of a table.

    A wildcard that begins with ``!`` admits what does not match the rest.
    """

    conditions: Mapping[str, Values]

    def selects(self, features: Mapping[str, Values]) -> bool:
        """Tell whether a departure with these values is selected."""
        return all(_holds(name, wildcards, features) for name, wildcards in self.conditions.items())

    def selects_by_others(self, features: Mapping[str, Values]) -> bool:
        """Tell whether the conditions on other fields than `FIRST` hold."""
        for name, wildcards in self._others:  # noqa: SIM110 (half the time of a generator)
            if not _holds(name, wildcards, features):
                return False
        return True

    def admits_case(self, features: Mapping[str, Values], *, knows_kernel: bool = True) -> bool:
        """Tell whether the conditions on the case hold, however it ended, and it can end as the selector says.

        Without ``knows_kernel`` nothing ran the case, and any kernel may.
        """
        wildcards = self.conditions.get("outcome")
        return (wildcards is None or may_end(features, wildcards)) and all(
            _holds(*condition, features)
            for condition in self._of_case
            if knows_kernel or condition[0] != "kernel"
        )

    def admits_part(self, features: Mapping[str, Values]) -> bool:
        """Tell whether the conditions on these fields hold, whatever the others are."""
        for name in features:
            wildcards = self.conditions.get(name)
            if wildcards is not None and not _holds(name, wildcards, features):
                return False
        return True

    @cached_property
    def key(self) -> str:
        """A short digest of the conditions: it changes when one of them does."""
        conditions = sorted((name, sorted(each)) for name, each in self.conditions.items())
        return hashlib.sha256(repr(conditions).encode()).hexdigest()[:10]

    @cached_property
    def _of_case(self) -> tuple[tuple[str, Values], ...]:
        return tuple(each for each in self.conditions.items() if is_of_case(each[0]))

    @cached_property
    def _others(self) -> tuple[tuple[str, Values], ...]:
        return tuple(each for each in self.conditions.items() if each[0] not in FIRST)

    @property
    def shows_itself(self) -> bool:
        """Whether the answer itself is to show the cause: as right for other inputs or parameters, or by its clues."""
        wildcards = self.conditions.get("computed_as")
        by_inputs = wildcards is not None and not _admits(wildcards, "")
        return by_inputs or self.needs_clues

    @property
    def needs_clues(self) -> bool:
        """Whether it asks for what a run has of answers alone that its baseline does not know."""
        return not {"clues", "right_with"}.isdisjoint(self.conditions)

    @property
    def operations(self) -> Values | None:
        """The operations that it names, None if it may select any."""
        wildcards = self.conditions.get("operation", ())
        if not wildcards or any(set(wildcard) & set("*?!") for wildcard in wildcards):
            return None
        return wildcards

    def __str__(self) -> str:
        return " ".join(f"{n}={'|'.join(p)}" for n, p in self.conditions.items()) or "everything"


def _holds(name: str, wildcards: Values, features: Mapping[str, Values]) -> bool:
    if name in STATEMENTS:
        return any(statements.holds(each, features[name]) for each in wildcards)
    # Mostly one value: a loop takes half the time of a generator.
    for value in features.get(name) or (("",) if name.startswith("how.") else (ABSENT,)):
        if _admits(wildcards, value):
            return True
    return False


@lru_cache(maxsize=1 << 16)
def _admits(wildcards: Values, value: str) -> bool:
    excluded = [wildcard[1:] for wildcard in wildcards if wildcard.startswith("!")]
    included = [wildcard for wildcard in wildcards if not wildcard.startswith("!")]
    return not _matches_any(excluded, value) and (not included or _matches_any(included, value))


def _matches_any(wildcards: list[str], value: str) -> bool:
    return any(_compares(wildcard, value) for wildcard in wildcards) or matches_any(
        wildcards, value
    )


def _compares(wildcard: str, value: str) -> bool:
    """Tell whether a wildcard such as ``<8`` compares a number, and the value is one that it admits."""
    if not (_COMPARISON.fullmatch(wildcard) and _NUMBER.fullmatch(value)):
        return False
    bound, number = float(wildcard[1:]), float(value)
    return number < bound if wildcard[0] == "<" else number > bound


def features_of(record: CaseRecord, run: Run | None = None) -> Features:
    """Return the values of every field that a condition can name."""
    facts = record.facts
    # Layers of a model that were judged together are a graph as well.
    is_together = record.purpose == MODEL and bool(record.graph)
    found = {
        **_of_inputs(tuple(record.inputs)),
        **{f"input.{number}": (text,) for number, text in enumerate(record.inputs)},
        **{f"how.{name}": (level,) for name, level in record.how.items()},
        **{f"parameter.{name}": (value,) for name, value in record.parameters.items()},
        "index_type": _index_types(record.parameters),
        "operation": (record.operation, *((AS_TEXT,) if is_together else ())),
        "category": (record.category,),
        "purpose": (record.purpose, *((GRAPHS,) if is_together else ())),
        "rule": (facts.rule,),
        "layers": _layers(record.graph),
        "graph": (record.graph,),
        "where": _assignments(tuple(record.inputs), record.parameters),
        "outcome": (str(record.outcome),),
        "stage": (facts.stage,),
        "kind": (facts.kind,),
        "output": (str(facts.output or 0),),
        "inference": (str(facts.inference or 1),),
        "signal": (facts.signal,),
        "message": (facts.message,),
        "computed_as": (facts.computed_as,),
        "kernel": (record.kernel,),
        "clues": _clues(record),
        "right_with": tuple(record.right_with),
        "fraction": () if record.fraction is None else (f"{record.fraction:.6g}".replace("+", ""),),
    }
    if _UNKNOWN.search(record.graph):
        found["dimension"] += ("unknown",)
    if run is not None:
        found |= features_of_run(run, is_at_reading=facts.is_at_reading)
    return found


def features_of_run(run: Run, *, is_at_reading: bool) -> Features:
    """Return the values of the fields of a run. What a model's reading does is core's on every device."""
    # GPU.1 is a GPU.
    devices = (run.device, unnumbered(run.device), *((CORE,) if is_at_reading else ()))
    return {
        "device": tuple(dict.fromkeys(devices)),
        "profile": (run.profile,),
        "isa": (run.isa,),
        "driver": (run.driver,),
        "full_name": (run.full_name,),
        "architecture": (run.architecture,),
        "capabilities": ("FP16" if run.f16 else "",),
    }


def _clues(record: CaseRecord) -> Values:
    """What statements about a wrong answer can name, with the values."""
    found = dict(record.clues)
    if found and record.relative_error is not None:
        found["relative_error"] = str(record.relative_error)
    return tuple(f"{name}={text}" for name, text in found.items())


@lru_cache(maxsize=4096)
def _layers(graph: str) -> Values:
    """The operations of a graph in the order of its text, and in those that follow from what reads what."""
    steps = {name: (kind, inputs.split(",")) for name, kind, inputs in _LAYER.findall(graph)}
    ends = _RETURN.search(graph)
    orders = [list(steps)]
    for step in (1, -1):
        order: list[str] = []

        def visit(value: str, order: list[str] = order, step: int = step) -> None:
            name = value.partition(":")[0]
            if name in steps and name not in order:
                for each in steps[name][1][::step]:
                    visit(each)
                order.append(name)

        for value in ends[1].split(",") if ends else ():
            visit(value)
        # What leads to no result, such as a layer that sets a variable.
        orders.append(order + [name for name in steps if name not in order])
    texts = ("".join(f"{steps[name][0]} " for name in order) for order in orders)
    return tuple(dict.fromkeys(texts))


def _index_types(parameters: Mapping[str, str]) -> Values:
    return tuple(dict.fromkeys(kind for kind, _ in typed(parameters.items()).values() if kind))


def _assignments(inputs: Values, parameters: Mapping[str, str]) -> Values:
    """Return the names that statements are about, with their values."""
    shapes = {
        f"shape{number}": ",".join(map(str, tensor.shape))
        for number, tensor in enumerate(tensors_of(inputs))
        # A layer of a model may have unknown dimensions.
        if tensor is not None and min(tensor.shape, default=0) >= 0
    }
    values = {name: value.strip("[]") for name, (_, value) in typed(parameters.items()).items()}
    labels = _labels(parameters.get("equation", ""))
    return tuple(f"{name}={value}" for name, value in (shapes | values | labels).items())


@lru_cache(maxsize=4096)
def _labels(equation: str) -> dict[str, str]:
    """Return how often each label occurs in the inputs of an equation, and in how many of them.

    ``label_kept``: whether it is in the output; ``label_leads``: whether the ellipsis of the first input is behind it.
    """
    inputs, _, output = equation.partition("->")
    leading = inputs.partition(",")[0].rpartition("...")[0]
    subscripts = re.sub(r"[^\w,]", "", inputs).split(",")
    labels = dict.fromkeys("".join(subscripts))
    if not labels:
        return {}
    counts = {
        "label_counts": [sum(each.count(label) for each in subscripts) for label in labels],
        "label_subscripts": [sum(label in each for each in subscripts) for label in labels],
        "label_kept": [int(label in output) for label in labels],
        "label_leads": [int(label in leading) for label in labels],
    }
    return {name: ",".join(map(str, numbers)) for name, numbers in counts.items()}


@lru_cache(maxsize=4096)
def _of_inputs(inputs: Values) -> Features:
    tensors = [tensor for tensor in tensors_of(inputs) if tensor is not None]
    shapes = [each.shape for each in tensors]
    return {
        "type": tuple(dict.fromkeys(each.element_type for each in tensors)),
        "types": (",".join(dict.fromkeys(each.element_type for each in tensors)),),
        "rank": tuple(dict.fromkeys(str(len(shape)) for shape in shapes)),
        "inputs": (str(len(tensors)),),
        "broadcast": (_broadcast(shapes),),
        # Only the sizes that kernels treat apart.
        "dimension": tuple(
            dict.fromkeys(str(size) for shape in shapes for size in shape if size in (0, 1))
        ),
    }


def _broadcast(shapes: list[tuple[int, ...]]) -> str:
    """Return how later shapes differ from the first.

    ``equal``; ``ones``: fewer dimensions, all of them 1; ``either``: fewer dimensions, which fit the first shape from
    the left as well; ``trailing``: fewer dimensions, which fit it only from the right; ``other``.
    """
    first, *others = shapes or [()]
    if all(shape == first for shape in others):
        return "equal"
    shorter = [shape for shape in others if len(shape) < len(first)]
    if all(set(shape) <= {1} for shape in shorter):
        return "ones" if shorter else "other"
    left = all(size in (1, first[axis]) for shape in shorter for axis, size in enumerate(shape))
    return "either" if left else "trailing"


OUTCOMES = tuple(map(str, Outcome))
_OF_VALID = frozenset(OUTCOMES) - {"ACCEPTED_INVALID"}
STAGES = get_args(Stage)
KINDS = get_args(Kind)
