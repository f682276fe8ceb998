"""Where several ways of asking meet each other, and layers: constants, neighbours, unknown shapes.

``ir_models.corpus.crossings`` asks a layer in one way after another. Defects also live where two ways meet: a fusion
forgets that a shape may be unknown, or that the constant of a neighbour is no scalar. The product of all of them is
too large, so that covering arrays choose: of each two factors below, the layer being one, each two levels meet in some
case of the operation, as far as they can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

from covertable import make
from covertable.criteria import simple

from ir_models.asking import ids, values
from ir_models.asking.case import Case
from ir_models.asking.how import HOWS, USUAL, WHOLE_SHAPES, How, levels
from ir_models.asking.neighbours import EXACT_BEFORE, NEIGHBOURS
from ir_models.asking.operands import MOST_AXES, NUMBERS, SHAPES
from ir_models.corpus.crossings import Dropped, data_ports, declared_at, takes_any_number
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.operation import Operation
from reference import is_determined

# Layers of more elements take too long to meet so much.
MOST_ELEMENTS = 20_000
# Purposes whose layers are one level: they take turns.
_KINDS = (
    ("plain",),
    ("type",),
    ("rank",),
    ("dim-0", "dim-1", "tiny"),
    ("example", "left-out", "enumeration", "index-type"),
    (),  # variants
)

_WITH_CONSTANT = tuple(name for name, each in NEIGHBOURS.items() if each.usual is not None)
# What stands before and behind, one of it or both.
_PLACES = ("behind", "before", "both")


class Meetings:
    """The cases of an operation in which several ways meet. ``dropped`` counts, by reason, what cannot be asked."""

    def __init__(self, operation: Operation, dropped: Dropped | None = None) -> None:
        self._operation = operation
        self._dropped: Dropped = Counter() if dropped is None else dropped
        self._is_determined = is_determined(operation.name)
        self._resized: dict[tuple[str, str, tuple[str, ...]], bool] = {}

    def cases(self, layers: Sequence[Case]) -> Iterator[Case]:
        """The cases for layers that are asked in the usual way, each of them with its purpose."""
        chosen = _chosen(self._operation, layers)
        floats = [each for each in chosen if _has_float_output(each)]
        if floats:
            yield from self._of(self._arithmetic(floats), floats)
        if chosen:
            yield from self._of(self._shapes(chosen), chosen)

    def _of(self, factors: dict[str, list[Any]], chosen: Sequence[Case]) -> Iterator[Case]:
        turns = [cycle(each) for each in _by_kind(chosen)]
        factors = {"layer": turns, **factors}
        usable = {name: each for name, each in factors.items() if len(each) > 1}
        if len(usable) < 2:
            return
        rows = make(
            {name: list(range(len(each))) for name, each in usable.items()},
            strength=2,
            criterion=simple,
        )
        seen: set[str] = set()
        for row in rows:
            levels_of = {name: factors[name][row.get(name, 0)] for name in factors}
            found = self._asked(next(levels_of.pop("layer")), levels_of)
            if found is not None and found.id not in seen:
                seen.add(found.id)
                yield found

    def _asked(self, case: Case, row: dict[str, Any]) -> Case | None:
        """The layer in the ways of a row; without one of them where they cannot meet, None where none is left.

        A way that is given up is one that contradicts the layer, or another one.
        """
        why = ""
        for left_out in (None, *row):
            if left_out is not None and not row[left_out]:
                continue
            how = _how({name: level for name, level in row.items() if name != left_out})
            if how == USUAL:
                continue
            found = Case(case.layer, case.purpose, how)
            reason = self._why_not(found)
            if not reason:
                return case.asked(how)
            why = why or reason
        self._dropped[f"meetings: {why or 'the usual way'}"] += 1
        return None

    def _why_not(self, case: Case) -> str:
        how, layer = case.how, case.layer
        if case.contradiction:
            return case.contradiction
        if case.is_constant:
            return "all is constant"
        if how.before and not self._takes(case):
            return "the input does not take every number"
        hides = how.behind and (NEIGHBOURS[how.behind].loses or how.operand or how.number)
        if (hides or how.also) and not self._is_determined:
            return "it would hide which output was chosen"
        if how.twice:
            names = [declared_at(layer, port) for port in case.fed_by.items() for port in port]
            if not all(values.takes_any(each, layer) for each in names):
                return "the inputs take different numbers"
        if how.shape and not self._is_resized(case):
            return "the dimension cannot change"
        return ""

    def _is_resized(self, case: Case) -> bool:
        """Whether there is a second layer for the shape that is not known, which takes time to find."""
        kind = case.how.shape if case.how.shape not in WHOLE_SHAPES else "dims"
        asked = (ids.write(case.layer, "", USUAL), kind, case.constants)
        if asked not in self._resized:
            try:
                _ = case.layers
            except ValueError:
                self._resized[asked] = False
            else:
                self._resized[asked] = True
        return self._resized[asked]

    def _takes(self, case: Case) -> bool:
        """Whether the input takes what the layer before it gives."""
        neighbour, port = NEIGHBOURS[case.how.before], case.before_port
        assert port is not None
        changes = case.how.before in EXACT_BEFORE and neighbour.fed is None
        if not (neighbour.is_clipping or changes or case.how.operand or case.how.number):
            return True
        declared = declared_at(case.layer, port)
        kind = case.layer_tensors[port].element_type
        return takes_any_number(declared, case.layer, kind)

    # --- factors ------------------------------------------------------------------------------------------------------

    def _arithmetic(self, chosen: Sequence[Case]) -> dict[str, list[Any]]:
        """Layers with a constant before and behind, which has each shape and each number."""
        rank = max((t.rank for each in chosen for t in each.layer_tensors if t), default=0)
        axes = {f"axis-{axis}" for axis in range(rank, MOST_AXES)}
        return {
            "kind": list(_WITH_CONSTANT),
            "place": list(_PLACES),
            "operand": ["", *(each for each in SHAPES if each not in axes)],
            "number": ["", *NUMBERS],
            "given": self._given(chosen),
            "shape": ["", "dims"],
        }

    def _shapes(self, chosen: Sequence[Case]) -> dict[str, list[Any]]:
        """Layers that move elements or change the shape, another reader, one tensor twice, one dimension unknown."""
        rank = max((t.rank for each in chosen for t in each.layer_tensors if t), default=0)
        axes = [f"axis-{axis}" for axis in range(min(rank, MOST_AXES))]
        outputs = {k for each in chosen for k in self._operation.output_types(each.layer)}
        inputs = {t.element_type for each in chosen for t in each.layer_tensors if t}
        return {
            "neighbours": [
                {},
                *({"behind": name} for name in levels("behind") if self._is_of(name, outputs)),
                *({"before": name} for name in levels("before") if self._is_of(name, inputs)),
                {"before": "multiply", "behind": "multiply"},
                {"before": "slice", "behind": "keep-two"},
                {"before": "transpose", "behind": "reduce-max"},
            ],
            "given": self._given(chosen),
            "shape": ["", "dims", *axes, "bounds", "rank"],
            "also": ["", *HOWS["also"]],
            "twice": ["", *HOWS["twice"]] if self._has_two_inputs(chosen) else [""],
            "index": ["", *(HOWS["index"] if self._operation.takes_values_at_run_time else ())],
        }

    def _is_of(self, name: str, kinds: Collection[ElementType]) -> bool:
        """Whether a neighbour takes one of these types, and shows which output was chosen."""
        neighbour = NEIGHBOURS[name]
        is_hidden = neighbour.loses and not self._is_determined
        return not is_hidden and any(kind in neighbour.types for kind in kinds)

    def _given(self, chosen: Sequence[Case]) -> list[dict[str, str]]:
        """Which data is constant: none, all but the first, each input alone."""
        names = list(dict.fromkeys(n for each in chosen for n in data_ports(each.layer)))
        if len(names) < 2:
            return [{}]
        found = [{"constant": name} for name in names]
        return [{}, *([{"data": "first"}] if len(names) > 2 else []), *found]

    def _has_two_inputs(self, chosen: Sequence[Case]) -> bool:
        return any(not Case(each.layer, "", How(twice="plain")).contradiction for each in chosen)


def _how(row: Mapping[str, Any]) -> How:
    """The way of asking of a row."""
    chosen: dict[str, str] = {}
    for name, level in row.items():
        if isinstance(level, dict):
            chosen |= level
        elif name not in ("kind", "place") and level:
            chosen[name] = level
    kind, place = row.get("kind"), row.get("place")
    if kind and place:
        before = kind if kind in EXACT_BEFORE else "multiply"
        chosen |= {"behind": kind} if place != "before" else {}
        chosen |= {"before": before} if place != "behind" else {}
    return How(**chosen)


def _has_float_output(case: Case) -> bool:
    taken = NEIGHBOURS["multiply"].types
    return any(kind in taken for kind in case.operation.output_types(case.layer))


def _chosen(operation: Operation, layers: Sequence[Case]) -> list[Case]:
    """The layers that are small enough and given data at run time, each once."""
    if operation.partner or operation.role or operation.keeps_state:
        return []
    found: dict[str, Case] = {}
    for each in layers:
        size = sum(t.size for t in each.layer_tensors if t is not None)
        if each.how == USUAL and size <= MOST_ELEMENTS and not each.is_constant:
            found.setdefault(each.id.split("/", 2)[2], each)
    return list(found.values())


def _by_kind(chosen: Sequence[Case]) -> list[list[Case]]:
    """The layers by kind of their purposes, those kinds of which there are any."""
    kinds = {purpose: kind for kind in _KINDS for purpose in kind}
    found: dict[tuple[str, ...], list[Case]] = {kind: [] for kind in _KINDS}
    for each in chosen:
        found[kinds.get(each.purpose, ())].append(each)
    return [each for each in found.values() if each]
