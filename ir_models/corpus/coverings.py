"""Pairs of two *whats*: types, ranks, attribute values, parts left out, dimensions and variants, two at a time.

The pairs of one operation come in a covering array of strength 2: few layers that each have many of them. A layer that
breaks a rule is adapted as its declaration says, then one of its factors is given up, and only a pair that alone breaks
a rule as well is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from covertable import make_async
from covertable.criteria import simple

from ir_models.vocabulary import layers, rules
from ir_models.vocabulary.element_types import ElementType, Tensor
from ir_models.vocabulary.layers import plain_layer, suited
from ir_models.vocabulary.operation import Layer, Operation

HIGHEST_RANK = 8
# Of a variant with more layers these many, evenly chosen.
VARIANT_LAYERS = 3

Row = Mapping[str, int]
Pair = tuple[tuple[str, int], tuple[str, int]]


@dataclass
class LayerFactor:
    """One factor of a layer with its levels; level 0 is that of the plain layer."""

    name: str
    kind: str
    levels: list[Any] = field(default_factory=lambda: [None])


class Covering:
    """The layers of one operation that have all pairs of levels of its factors that the page allows."""

    def __init__(self, operation: Operation, dropped: Counter[str] | None = None) -> None:
        self._operation, self._dropped = operation, Counter() if dropped is None else dropped
        self._plain = plain_layer(operation)
        self._bases: dict[tuple[int | None, int], Layer] = {}
        self._changed: dict[int, list[tuple[str, Any]]] = {}
        self._factors = {each.name: each for each in _factors(operation, self._plain)}

    def layers(self) -> Iterator[Layer]:
        """The layers, each with two levels at least that are not the plain layer's."""
        usable = {name: each for name, each in self._factors.items() if len(each.levels) > 1}
        if len(usable) < 2:
            return
        wanted = {
            ((one, i), (two, j))
            for one, two in combinations(usable, 2)
            for i in range(1, len(usable[one].levels))
            for j in range(1, len(usable[two].levels))
        }
        levels = {name: list(range(len(each.levels))) for name, each in usable.items()}
        for row in make_async(levels, strength=2, criterion=simple):
            found = self._repaired(row)
            if found is not None:
                layer, covered = found
                if covered & wanted:
                    wanted -= covered
                    yield layer
        for pair in sorted(wanted):
            alone, why = self._built(dict(pair))
            if alone is not None and pair in self._pairs(dict(pair), alone):
                yield alone
            else:
                self._dropped[f"two whats: {why or 'one undoes the other'}"] += 1

    def parts(self, layer: Layer, most: int) -> Iterator[Layer]:
        """The layers with one level that another layer has, then those with up to ``most`` of its levels."""
        held = [
            (name, level)
            for name, factor in self._factors.items()
            for level in range(1, len(factor.levels))
            if self._shows(layer, name, level)
        ]
        for count in range(1, most + 1):
            for chosen in combinations(held, count):
                row = dict(chosen)
                built = self._built(row)[0] if len(row) == count else None
                if built is not None and len(self._kept(row, built)) == count:
                    yield built

    def _shows(self, layer: Layer, name: str, level: int) -> bool:
        factor = self._factors[name]
        if factor.kind != "dimension":
            return self._has(layer, name, level)
        data = (each.name for each in self._operation.inputs if not each.index)
        return any(factor.levels[level] in t.shape for each in data for t in layer.tensors(each))

    def _repaired(self, row: Row) -> tuple[Layer, set[Pair]] | None:
        """The layer of a row, or of the row without one of its factors, with the pairs that it has."""
        for left_out in (None, *row):
            if left_out is not None and not row[left_out]:
                continue
            kept = {name: level for name, level in row.items() if name != left_out and level}
            layer, _ = self._built(kept)
            if layer is not None:
                return layer, self._pairs(kept, layer)
        return None

    def _pairs(self, row: Row, layer: Layer) -> set[Pair]:
        names = self._kept(row, layer)
        return {((one, row[one]), (two, row[two])) for one, two in combinations(names, 2)}

    def _kept(self, row: Row, layer: Layer) -> list[str]:
        """The factors of a row whose levels its layer still has."""
        return [
            name for name in self._factors if row.get(name) and self._has(layer, name, row[name])
        ]

    def _built(self, row: Row) -> tuple[Layer | None, str]:
        """The layer with these levels; or None, and the rule that it breaks."""
        chosen = {name: self._factors[name].levels[level] for name, level in row.items() if level}
        try:
            layer = self._base(chosen.get("rank"), row.get("variant", 0))
            for name, value in chosen.items():
                kind = self._factors[name].kind
                if kind == "value":
                    layer = layer.replace(**{name: value[0]})
                elif kind == "type":
                    layer = layer.with_types({name: value})
            layer = suited(layer)
            if "dimension" in chosen:
                layer = _with_dimension(layer, chosen["dimension"])
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
            return None, f"it cannot be made: {type(error).__name__}"
        broken = rules.broken_rule(layer)
        if broken is not None:
            return None, broken.text
        if not _holds_its_values(layer):
            return None, "the element type does not hold the stated values"
        return layer, ""

    def _has(self, layer: Layer, name: str, level: int) -> bool:
        """Whether a layer has a level of a factor, which another factor may have undone."""
        factor = self._factors[name]
        value = factor.levels[level]
        if factor.kind == "rank":
            first = next(_data(layer), None)
            return first is not None and first.rank == value
        if factor.kind == "dimension":
            return True
        if factor.kind == "type":
            inputs = [i.name for i in self._operation.inputs if i.types.name == name]
            return all(t.element_type is value for each in inputs for t in layer.tensors(each))
        if factor.kind == "value":
            return _same(_parameter(layer, name), value[0])
        return all(_same(_parameter(layer, n), wanted) for n, wanted in self._varied(level))

    def _base(self, rank: int | None, variant: int) -> Layer:
        """The plain layer of a rank, with the changes of a variant. Raises what making it raises."""
        if (rank, variant) not in self._bases:
            layer = self._plain if rank is None else plain_layer(self._operation, rank)
            if variant:
                layer = suited(layer.changed(self._factors["variant"].levels[variant][1]))
            self._bases[rank, variant] = layer
        return self._bases[rank, variant]

    def _varied(self, variant: int) -> list[tuple[str, Any]]:
        """The parameters that a variant changes, with their values."""
        if variant not in self._changed:
            varied = self._base(None, variant)
            names = [*varied.inputs, *(a.name for a in self._operation.attributes)]
            pairs = [(n, _parameter(varied, n)) for n in names]
            self._changed[variant] = [
                (n, given) for n, given in pairs if not _same(given, _parameter(self._plain, n))
            ]
        return self._changed[variant]


def _factors(operation: Operation, plain: Layer) -> Iterator[LayerFactor]:
    if layers.has_ranks(operation):
        declared = next(i.rank for i in operation.inputs if not i.index)
        most = HIGHEST_RANK if declared.most is None else min(declared.most, HIGHEST_RANK)
        usual_rank = next(_data(plain)).rank
        ranks = [rank for rank in range(declared.least, most + 1) if rank != usual_rank]
        yield LayerFactor("rank", "rank", [None, *ranks])
    for type_set in operation.type_sets.values():
        sharers = [each.name for each in operation.inputs if each.types.name == type_set.name]
        usual = {tensor.element_type for name in sharers for tensor in plain.tensors(name)}
        types = [kind for kind in type_set.types if kind not in usual]
        yield LayerFactor(type_set.name, "type", [None, *types])
    for attribute in operation.attributes:
        values: list[Any] = []
        if attribute.is_enumeration or attribute.is_body:
            values = list(attribute.type)
        elif attribute.type is bool:
            values = [False, True]
        elif attribute.types is not None:
            values = list(attribute.types.types)
        given = plain.attributes.get(attribute.name)
        values = [value for value in values if value != given]
        if not attribute.required and given is not None:
            values.append(None)
        yield LayerFactor(attribute.name, "value", [None, *((value,) for value in values)])
    for each in operation.inputs:
        if each.optional and plain.inputs[each.name] is not None:
            yield LayerFactor(each.name, "value", [None, (None,)])
    found: list[tuple[str, Any]] = []
    for variant in operation.variants:
        step = max(-(-len(variant.changes) // VARIANT_LAYERS), 1)
        found.extend((variant.name, changes) for changes in variant.changes[::step])
    yield LayerFactor("variant", "variant", [None, *found])
    yield LayerFactor("dimension", "dimension", [None, 0, 1])


def _data(layer: Layer) -> Iterator[Tensor]:
    """The tensors of data; a layer whose inputs are all optional may have none."""
    for declared in layer.operation.inputs:
        if not declared.index:
            yield from layer.tensors(declared.name)


def _with_dimension(layer: Layer, size: int) -> Layer:
    """The layer with its first dimension that can have this size. Raises ValueError where there is none."""
    for declared in layer.operation.inputs:
        for tensor in () if declared.index else layer.tensors(declared.name)[:1]:
            for axis in range(tensor.rank):
                found = layers.with_size(layer, declared.name, axis, size)
                if found is not None and found != layer:
                    return found
    raise ValueError(f"no dimension can become {size}")


def _holds_its_values(layer: Layer) -> bool:
    tensors = [tensor for _, tensor in layer.ports() if tensor is not None]
    try:
        with np.errstate(over="raise"):
            return all(tensor.fits(tensor.element_type) for tensor in tensors)
    except FloatingPointError:
        return False


def _parameter(layer: Layer, name: str) -> Any:
    return layer.inputs[name] if name in layer.inputs else layer.attributes.get(name)


def _same(one: Any, other: Any) -> bool:
    """Whether parameters are the same but for element types of tensors."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return all(_same(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.shape == other.shape and str(one.value) == str(other.value)
    if isinstance(one, ElementType) or isinstance(other, ElementType):
        return one is other
    return bool(one == other)
