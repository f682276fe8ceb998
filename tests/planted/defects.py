"""Draws defects: what a device does wrong where two factors meet."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ir_models import Layer, LayerCase, Operation
from ir_models.vocabulary import rules
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.layers import fitting, plain_layer, random_layer
from tests.planted.factors import (
    Factor,
    can_meet,
    of_layer,
    of_meetings,
    of_ways,
    plain_names,
)

# What a device does where the factors meet.
EFFECTS = ("wrong value", "wrong shape", "refusal", "death")
# Layers, from the whole space of valid ones, that show which levels can meet. Their seed is no run's.
WITNESSES = 150
_SEED = "planted"
# Pairs of ways to draw from.
WAYS = 60


@dataclass(frozen=True)
class Defect:
    """A device is wrong about an operation where all factors meet, two as a rule; ``output`` is what is wrong."""

    operation: Operation
    kind: str
    factors: tuple[Factor, ...]
    effect: str
    output: int = 0

    def strikes(self, case: LayerCase) -> bool:
        """Whether the device is wrong about a case."""
        return all(factor.is_met(case) for factor in self.factors)

    def __str__(self) -> str:
        names = " and ".join(factor.name for factor in self.factors)
        return f"{self.operation.name}: {names} ({self.effect})"


KINDS = ("what x how", "what x what", "how x how")


class Drawing:
    """Draws defects of one operation. That two levels can meet is shown by a random layer that has them."""

    def __init__(self, operation: Operation, seed: int) -> None:
        self._operation = operation
        self._random = random.Random(f"{operation.name}/{_SEED}/{seed}")
        self._plain = plain_names(operation)
        self._pairs: dict[str, dict[tuple[str, str], tuple[Factor, Factor]]] = {
            k: {} for k in KINDS
        }
        self._seen: list[set[str]] = []
        for number in range(WITNESSES):
            draw = Draw(random.Random(f"{operation.name}/{_SEED}/{seed}/{number}"))
            self._add(self._in_any_types(random_layer(operation, draw)))
        self._drop_what_is_one()
        self._add_ways()

    def _in_any_types(self, layer: Layer) -> Layer:
        """A layer in types drawn from all that hold its values."""
        sets = self._operation.type_sets
        chosen = {name: self._random.choice(fitting(layer, each)) for name, each in sets.items()}
        typed = layer.with_types(chosen)
        return typed if rules.is_valid(typed) else layer

    def _add(self, layer: Layer) -> None:
        self._seen.append({level.name for _, level in of_layer(layer)})
        unusual = [
            (about, level) for about, level in of_layer(layer) if level.name not in self._plain
        ]
        pairs = self._pairs["what x how"]
        for _, one in unusual:
            for _, other in of_ways(layer) if len(pairs) < 10_000 else ():
                pairs[one.name, other.name] = one, other
        pairs = self._pairs["what x what"]
        for number, (about, one) in enumerate(unusual):
            for other_about, other in unusual[:number]:
                if other_about != about:
                    pairs[one.name, other.name] = one, other

    def _drop_what_is_one(self) -> None:
        """Drop pairs whose levels never come without each other: they are one factor."""
        pairs = self._pairs["what x what"]
        for one, other in list(pairs):
            has_one = any(one in names and other not in names for names in self._seen)
            has_other = any(other in names and one not in names for names in self._seen)
            if not (has_one and has_other):
                del pairs[one, other]

    def _add_ways(self) -> None:
        """Pairs of ways that the plain layer, or one of another type, can be asked in at once."""
        layer = plain_layer(self._operation)
        ways = list(of_meetings(layer))
        self._random.shuffle(ways)
        pairs = self._pairs["how x how"]
        for number, (about, one) in enumerate(ways):
            for other_about, other in ways[:number]:
                if len(pairs) < WAYS and about != other_about and can_meet(layer, one, other):
                    pairs[one.name, other.name] = one, other

    def draw(self, kind: str, count: int) -> list[Defect]:
        """At most so many defects of a kind, all of different factors."""
        pairs = self._pairs[kind]
        names = self._random.sample(sorted(pairs), min(count, len(pairs)))
        return [
            Defect(self._operation, kind, pairs[name], self._effect(pairs[name])) for name in names
        ]

    def _effect(self, pair: Sequence[Factor]) -> str:
        # Tensors without an element have no value that could be wrong.
        is_empty = any(factor.name == "a dimension of 0" for factor in pair)
        return self._random.choice(EFFECTS[1:] if is_empty else EFFECTS)
