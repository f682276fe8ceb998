"""Factors that a device sees: of a layer (what) and of how it is given (how)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ir_models import Layer, LayerCase, Operation
from ir_models.asking.how import USUAL, WHOLE_SHAPES, How, levels
from ir_models.asking.neighbours import FIRST, NEIGHBOURS, OF_UNKNOWN
from ir_models.asking.operands import SIZED
from ir_models.corpus.meetings import Meetings
from ir_models.vocabulary.element_types import ElementType, Tensor
from ir_models.vocabulary.layers import can_be_resized, plain_layer
from reference import is_determined


@dataclass(frozen=True)
class Factor:
    """One level of a factor: whether a case has it, and how departures name it (``reports.results.explained.factors``).

    ``names`` are patterns of the texts that name it; ``way`` has the levels of how a case is asked that show it alone.
    ``reported``: patterns of texts beside the factors of a departure that name it (see ``trial.Result``).
    """

    name: str
    is_met: Callable[[LayerCase], bool]
    names: tuple[str, ...]
    way: tuple[tuple[str, str], ...] = ()
    reported: tuple[str, ...] = ()

    def is_named(self, text: str) -> bool:
        """Whether this text names the level."""
        return any(fnmatchcase(text, each) for each in self.names)


# --- what -------------------------------------------------------------------------------------------------------------


def of_layer(layer: Layer) -> Iterator[tuple[str, Factor]]:
    """(factor, level) of all that a layer is: types, rank, sizes of 0 and 1, values of attributes."""
    operation = layer.operation
    named = set()
    for declared in operation.inputs:
        # Inputs of one type variable have one type: it is one factor.
        for tensor in layer.tensors(declared.name)[:1] if declared.types.name not in named else ():
            named.add(declared.types.name)
            sharers = [i.name for i in operation.inputs if i.types.name == declared.types.name]
            yield _type(declared.name, tensor, sharers, declared.types.usual_index)
    first = _first(layer)
    if first is not None:
        yield "rank", _rank(first.rank)
        if 0 in first.shape:
            yield "size 0", _size(0)
        if 1 in first.shape:
            yield "size 1", _size(1)
    for attribute in operation.attributes:
        given = layer.arguments().get(attribute.name, attribute.default)
        if attribute.is_body or given is None:
            continue
        if attribute.is_enumeration or attribute.type is bool:
            yield attribute.name, _value(attribute.name, attribute.default, given)
        elif attribute.default is not None and given != attribute.default:
            yield attribute.name, _not_default(attribute.name, attribute.default)


def _first(layer: Layer) -> Tensor | None:
    return next(
        (t for i in layer.operation.inputs if not i.index for t in layer.tensors(i.name)), None
    )


def _type(
    name: str, tensor: Tensor, sharers: list[str], usual: ElementType | None
) -> tuple[str, Factor]:
    kind = tensor.element_type.name

    def is_met(case: LayerCase) -> bool:
        found = case.layer.tensors(name)
        return bool(found) and found[0].element_type.name == kind

    # Values that the layer states have their type in the parameters, others in the data.
    of_stated = (f"type of {each}={kind}" for each in sharers)
    named = (*of_stated, f"type={kind}", f"type [0-9]*={kind}")
    if tensor.element_type is usual:
        named = (*named, *(f"type of {each}=" for each in sharers))
    return f"type of {name}", Factor(f"{name} of {kind}", is_met, named)


def _rank(rank: int) -> Factor:
    def is_met(case: LayerCase) -> bool:
        first = _first(case.layer)
        return first is not None and first.rank == rank

    return Factor(f"rank {rank}", is_met, (f"rank={rank}",))


def _size(size: int) -> Factor:
    def is_met(case: LayerCase) -> bool:
        first = _first(case.layer)
        return first is not None and size in first.shape

    return Factor(f"a dimension of {size}", is_met, (f"size *={size}",))


def _value(name: str, default: object, value: object) -> Factor:
    def is_met(case: LayerCase) -> bool:
        return bool(case.layer.arguments().get(name, default) == value)

    return Factor(f"{name}={value}", is_met, (f"{name}=*",))


def _not_default(name: str, default: object) -> Factor:
    def is_met(case: LayerCase) -> bool:
        return bool(case.layer.arguments().get(name, default) != default)

    return Factor(f"{name} not {default}", is_met, (f"{name}=*",))


# --- how --------------------------------------------------------------------------------------------------------------


def of_ways(layer: Layer) -> Iterator[tuple[str, Factor]]:
    """(factor, level) of all ways in which a layer may be given to a device beside the usual one."""
    usual = LayerCase(layer, "", USUAL)
    if not usual.is_constant:
        yield from _constants(layer)
        yield from _shapes(layer)
        yield from _neighbours(layer)
    has_indices = any(layer.tensors(each.name) for each in layer.operation.index_inputs)
    if has_indices and layer.operation.takes_values_at_run_time:
        for level in levels("index"):
            yield "index", _how("index", level)


def _constants(layer: Layer) -> Iterator[tuple[str, Factor]]:
    index = {each.name for each in layer.operation.index_inputs}
    for name, tensor in layer.ports():
        is_data = tensor is not None and name not in index and tensor.value is None
        if is_data and not LayerCase(layer, "", How(constant=name)).is_constant:
            yield "constant", _constant(name)


def _constant(name: str) -> Factor:
    def is_met(case: LayerCase) -> bool:
        tensor = dict(case.layer.ports()).get(name)
        return tensor is not None and case.feeds_constant(name, tensor)

    names = (f"constant={name}", "data=constant", "data=first")
    return Factor(f"{name} constant", is_met, names, (("constant", name),))


def _shapes(layer: Layer) -> Iterator[tuple[str, Factor]]:
    if can_be_resized(layer):
        for level in WHOLE_SHAPES:
            if level != "rank" or layer.operation.dynamic_rank:
                yield "shape", _how("shape", level)


def _neighbours(layer: Layer) -> Iterator[tuple[str, Factor]]:
    kinds = layer.operation.output_types(layer)
    for name in FIRST:
        neighbour = NEIGHBOURS[name]
        hides = neighbour.loses and not is_determined(layer.operation.name)
        is_for_sums = neighbour.of_sums and layer.operation.sums is None
        if not hides and not is_for_sums and any(kind in neighbour.types for kind in kinds):
            yield "behind", _how("behind", name)
    for name in (each for each in FIRST if NEIGHBOURS[each].fed is not None):
        if (
            not NEIGHBOURS[name].is_clipping
            and not LayerCase(layer, "", How(before=name)).contradiction
        ):
            yield "before", _how("before", name)


def _how(factor: str, level: str) -> Factor:
    return Factor(
        f"{factor}={level}",
        lambda case: getattr(case.how, factor) == level,
        (f"{factor}={level}",),
        ((factor, level),),
    )


def of_meetings(layer: Layer) -> Iterator[tuple[str, Factor]]:
    """(factor, level) of the ways that meet each other: constants, unknown shapes, neighbours, readers.

    A constant of a neighbour is a factor of a layer behind that has one.
    """
    operation, usual = layer.operation, LayerCase(layer, "", USUAL)
    if usual.is_constant or operation.partner or operation.role or operation.keeps_state:
        return
    is_fixed = is_determined(operation.name)
    kinds = operation.output_types(layer)
    for about, one in of_ways(layer):
        if about != "index":
            yield about, one
    for factor in ("shape", "before", "behind", "operand", "number", "also"):
        for level in levels(factor):
            if factor in ("before", "behind") and level in (*FIRST, *OF_UNKNOWN):
                continue
            neighbour = NEIGHBOURS[level] if factor == "behind" else None
            if neighbour and not any(kind in neighbour.types for kind in kinds):
                continue
            hides = factor in ("operand", "number", "also") or (neighbour and neighbour.loses)
            if hides and not is_fixed:
                continue
            yield factor, _how(factor, level)
    if len(usual.data_ports) > 2:
        yield "constant", _how("data", "first")


def can_meet(layer: Layer, one: Factor, other: Factor) -> bool:
    """Whether a layer can be asked in both ways at once, with a layer behind for the constant of one."""
    chosen = dict((*one.way, *other.way))
    if {"before", "behind"} <= chosen.keys():
        return False  # few of these pairs are chosen by hand, for what they are
    # What may be the constant of a layer beside meets unknown shapes, and no other reader.
    is_apart = "axis-" in chosen.get("shape", "") or chosen.get("operand", "") in SIZED
    names = {"also", "twice"} | ({"shape"} if is_apart else set())
    if {"operand", "number"} & chosen.keys() and names & chosen.keys():
        return False
    if len(chosen) < len(one.way) + len(other.way):
        return False
    if {"operand", "number"} & chosen.keys() and not {"before", "behind"} & chosen.keys():
        chosen["behind"] = "multiply"
    case = LayerCase(layer, "", How(**chosen))
    return not (case.contradiction or case.is_constant or Meetings(layer.operation).why_not(case))


def plain_names(operation: Operation) -> set[str]:
    """The names of the levels that the plain layer has, asked in the usual way."""
    return {level.name for _, level in of_layer(plain_layer(operation))}
