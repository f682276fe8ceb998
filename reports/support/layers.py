"""What support says of a model's layers: the cells that each falls into, and how these are supported.

A layer is *measured* where cases have just its cells: then their state is the answer. Where none has all of them
together, the answer says what each cell is alone, and no more; a layer with a cell that no case has is *not known*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reports.support.measured import (
    PASSES,
    Cell,
    Crossing,
    State,
    Tested,
    crossings_of,
    of_mixed,
    worst,
)
from reports.support.sources import SupportSource

NOT_KNOWN = "not known"
EACH_CONFORMS, EACH_COMPILES = "each cell conforms", "each cell compiles"
ANSWERS = (
    State.UNSAFE, State.WRONG, State.REFUSED, State.MIXED, State.LOWER, NOT_KNOWN, EACH_COMPILES, EACH_CONFORMS,
    State.COMPILES, State.CONFORMS,
)  # fmt: skip
"""What can be told of a layer, the worst first."""


class ModelLayer(Protocol):
    """A layer of a model, as `ir_models.models.asked_layers` gives it."""

    @property
    def title(self) -> str:
        """Its name in the model."""

    @property
    def operation(self) -> str:
        """The operation, as its page is named."""

    @property
    def is_known(self) -> bool:
        """Whether a page has the operation."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Its data tensors, as case ids have them."""

    @property
    def cells(self) -> frozenset[str]:
        """The cells that it falls into."""

    @property
    def plain(self) -> frozenset[str]:
        """The cells of the plain layer of the operation."""

    @property
    def has_shapes(self) -> bool:
        """Whether the file states its dimensions."""

    @property
    def bodies(self) -> bool:
        """Whether it has layers of its own, which are not looked at."""


@dataclass(frozen=True)
class LayerSupport:
    """What support says of a layer."""

    state: str
    """One of `ANSWERS`."""
    why: str
    """The cases or cells that say so."""
    causes: tuple[str, ...] = ()
    """Ids of the known causes that concern it."""


def answer(layer: ModelLayer, source: SupportSource) -> LayerSupport:
    """Return what support says of a layer."""
    support = source.support.operations.get(layer.operation)
    if not layer.is_known:
        return LayerSupport(NOT_KNOWN, "the specification has no page for the operation")
    if support is None:
        return LayerSupport(NOT_KNOWN, "no case of the operation was run")
    together = [case for case in source.cases.get(layer.operation, ()) if case.cells == layer.cells]
    if plain := _plainest(together):
        found = _measured(plain, together)
    else:
        states = {cell: support.state_of(cell) for cell in sorted(layer.cells)}
        unasked = [cell for cell, state in states.items() if state is State.NOT_ASKED]
        parts: list[tuple[State, str, Cell | Crossing]] = [
            (state, cell, support.cell(cell)) for cell, state in states.items()
        ]
        parts += [
            (each.state, " with ".join(each.cells), each)
            for each in crossings_of(support, layer.cells)
        ]
        known = [each for each in parts if each[0] is not State.NOT_ASKED]
        found = _by_parts(known, layer.plain, source)
        if unasked and not isinstance(found.state, State):
            found = LayerSupport(NOT_KNOWN, f"never tested: {', '.join(unasked)}", found.causes)
    is_good = found.state in (State.CONFORMS, State.COMPILES, EACH_CONFORMS, EACH_COMPILES)
    if is_good and not layer.has_shapes:
        return LayerSupport(NOT_KNOWN, f"the model file states no shape; otherwise: {found.state}")
    if layer.bodies and is_good:
        return LayerSupport(
            NOT_KNOWN, f"its body was not looked at; the layer around it: {found.state}"
        )
    return found


def _plainest(cases: Sequence[Tested]) -> list[Tested]:
    """The cases asked in the most usual way, of those that have just the cells of a layer and ordinary sizes."""
    usual = [case for case in cases if not case.kind]
    least = min((len(case.ways) for case in usual), default=0)
    return [case for case in usual if len(case.ways) == least]


def _measured(plain: Sequence[Tested], together: Sequence[Tested]) -> LayerSupport:
    state = worst(case.state for case in plain)
    departing = [case for case in together if case.state not in PASSES]
    why = f"{len(together) - len(departing):,} of {len(together):,} cases with just these cells"
    ways = sorted({way for case in departing for way in case.ways if case not in plain})
    if ways and departing:
        why += f"; others depart with {', '.join(ways)}"
    causes = sorted({case.cause for case in departing if case.cause})
    return LayerSupport(state, why, tuple(causes))


def _by_parts(
    parts: Sequence[tuple[State, str, Cell | Crossing]],
    plain: frozenset[str],
    source: SupportSource,
) -> LayerSupport:
    state = worst(part[0] for part in parts) if parts else State.CONFORMS
    if state in PASSES:
        told = EACH_CONFORMS if state is State.CONFORMS else EACH_COMPILES
        return LayerSupport(
            told, "never tested together" if source.cases else "the document has single cells only"
        )
    own = [part for part in parts if part[0] is state]
    causes = sorted({cause for part in own for cause in source.support.causes_of(part[2])})
    if state is State.MIXED:
        told = "; ".join(f"{name}: {of_mixed(one)}" for _, name, one in own)
        return LayerSupport(state, told, tuple(causes))
    alone = [name for _, name, one in own if name not in plain and isinstance(one, Cell)]
    crossed = [name for _, name, one in own if isinstance(one, Crossing)]
    told = "; ".join(
        [*([f"{', '.join(alone)} in an otherwise plain layer"] if alone else []), *crossed]
    )
    return LayerSupport(state, told or "the plain layer", tuple(causes))
