"""Where cases come from: what is asked of an operation (its purposes), and how.

Every operation gets all of these from its declaration. A purpose other than ``example`` and ``random`` varies exactly
one factor of the plain layer; a candidate that breaks a rule of the page (a dimension of 1 that a block does not
divide, say) is adapted where the declaration says how, and else is not a case.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from typing import Any

from ir_models import catalog
from ir_models.asking import sweeps, values
from ir_models.asking.case import VARIANT, LayerCase
from ir_models.asking.how import USUAL, WHOLE_SHAPES, How, levels
from ir_models.asking.id_parts import GRAPHS
from ir_models.asking.sums import SETS
from ir_models.corpus.coverings import Covering
from ir_models.corpus.crossings import Crossings, Dropped
from ir_models.corpus.meetings import Meetings
from ir_models.corpus.unknown import UnknownShapes
from ir_models.corpus.violations import invalid_layers
from ir_models.vocabulary import layers, rules
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import (
    FLOATS,
    ElementType,
    Tensor,
    f16,
    f32,
    f64,
    i8,
    i64,
    u8,
    u64,
)
from ir_models.vocabulary.layers import plain_layer
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.type_sets import TypeSet

PURPOSES: dict[str, str] = {
    "example": "each example of the page, literally",
    "plain": "the layer that other purposes vary",
    "type": "each element type of data",
    "index-type": "each element type of index inputs",
    "left-out": "each optional attribute and input absent, alone and all together",
    "defaults": "all optional attributes absent and all inputs there, where left-out has no such layer",
    "enumeration": "each enumeration value",
    "rank": "each rank from the page's least to 8",
    "dim-1": "each dimension of data set to 1",
    "dim-0": "each dimension of data set to 0",
    "tiny": "every dimension of data at most 2",
    "equal-sizes": "two dimensions of data that are equal, each two, and all",
    "equal-inputs": "two index inputs of one value",
    "unequal-ranks": "an input of data without its first dimensions, beside another one that has them",
    "index-values": "an index input all of whose numbers are its largest one",
    "limits": "values at the limits of rules: the least number, the first and the last axis",
    "lengths": "sizes at which loops over vectors have a tail: last dimensions, and channels",
    "large-output": "an output of over a megabyte, split over threads",
    "sums": "sums of many terms, a thousand outputs and more",
    "sweep": "a function of every number of f16 and bf16, and of hard ones of f32",
    "random": "draws from the whole space of valid layers",
    "invalid": "each rule of the page broken",
    "covering": "two factors of the layer at once, at depth all: types, ranks, attributes, variants, dimensions",
}

OF_GRAPHS = {
    GRAPHS: "patterns of layers that plugins fuse, and what is off them; in a run of all operations, or by this name",
}
"""Purposes of cases that are no layers."""

# The purposes whose layers are crossed each alone with every how.
_CROSSED_EACH = frozenset(
    (
        "example",
        "plain",
        "type",
        "index-type",
        "left-out",
        "enumeration",
        "rank",
        "dim-1",
        "dim-0",
        "tiny",
    )
)

# Those whose layers share the ways of asking, as those of a variant do.
_SHARING = frozenset(("random", "equal-sizes", "defaults"))

HIGHEST_RANK = 8

Found = Iterator[tuple[Layer, How]]


class UnknownPurposeError(ValueError):
    """No operation has cases of this purpose."""


def all_purposes(operations: Iterable[Operation]) -> dict[str, str]:
    """The purposes of every operation, of graphs, then the variants of these operations, with a line on each."""
    own: dict[str, list[str]] = {}
    for operation in operations:
        for each in operation.variants:
            own.setdefault(VARIANT + each.name, []).append(operation.name)
    return {
        **PURPOSES,
        **OF_GRAPHS,
        **{name: f"a factor of {', '.join(own[name])}" for name in sorted(own)},
    }


def check(purposes: Sequence[str], operations: Callable[[], Iterable[Operation]]) -> None:
    """Raise UnknownPurposeError for a purpose that is neither general nor a variant of one of ``operations``."""
    if all(purpose in PURPOSES or purpose in OF_GRAPHS for purpose in purposes):
        return
    known = all_purposes(operations())
    for purpose in purposes:
        if purpose not in known:
            close = get_close_matches(purpose, known, n=3)
            hint = f"did you mean {' or '.join(close)}? " if close else ""
            raise UnknownPurposeError(
                f"unknown purpose {purpose!r}; {hint}known: {', '.join(PURPOSES)}, and variants of single operations, "
                "which `python -m ir_models purposes` lists"
            )


def _asked(
    operation: Operation, purpose: str, draws: int, seed: int
) -> Iterable[tuple[Layer, How]]:
    """The layers of a purpose, and how each is asked."""
    if purpose == "random":
        return ((layer, USUAL) for layer in _random(operation, draws, seed))
    if purpose in _ASKED:
        return _ASKED[purpose](operation)
    return _variant(operation, purpose.removeprefix(VARIANT))


def cases(
    operation: Operation,
    purposes: Sequence[str] = (),
    draws: int = 0,
    seed: int = 0,
    depth: str = "single",
    dropped: Dropped | None = None,
) -> Iterator[LayerCase]:
    """The cases of an operation, each id once.

    ``purposes`` selects, ``draws`` is the number of random layers. ``depth`` is one of ``DEPTHS``; what it leaves out
    is counted in ``dropped``, by reason.

    Raises catalog.DeclarationError for a mistake of the declaration.
    """
    try:
        yield from _cases(operation, purposes, draws, seed, depth, dropped)
    except catalog.MISTAKES as error:
        place = catalog.place(error)
        if not place and not isinstance(error, ValueError):
            raise
        told = f"{place}: {catalog.told(error)}" if place else str(error)
        raise catalog.DeclarationError(told) from error


def _cases(
    operation: Operation,
    purposes: Sequence[str],
    draws: int,
    seed: int,
    depth: str,
    dropped: Dropped | None,
) -> Iterator[LayerCase]:
    every = (*PURPOSES, *(VARIANT + each.name for each in operation.variants))
    seen: set[str] = set()

    def unseen(found: Iterable[LayerCase]) -> Iterator[LayerCase]:
        for case in found:
            if case.id not in seen:
                seen.add(case.id)
                yield case

    crossing = _Crossing(operation, dropped) if depth != "single" else None
    met: list[LayerCase] = []
    equal: list[LayerCase] = []
    chosen = [each for each in dict.fromkeys(purposes or every) if each in every]
    if not chosen:
        return
    for purpose in dict.fromkeys([*chosen, *every]):
        is_asked = purpose in chosen
        # Which ways meet in a layer hangs on all layers: a selection has no meetings of its own.
        if not is_asked and (crossing is None or purpose == "random"):
            continue
        for layer, how in _asked(operation, purpose, draws, seed):
            # Examples are asked as the page prints them, slips included.
            if purpose not in ("example", "invalid") and not rules.is_valid(layer):
                continue
            if operation.partner and how.requests:
                continue  # its levels of state say which requests there are
            for case in unseen([LayerCase(layer, purpose, usually(operation, purpose, how))]):
                if is_asked:
                    yield case
                if how == USUAL:
                    (equal if purpose == "equal-sizes" else met).append(case)
                    if is_asked and crossing is not None:
                        crossing.add(LayerCase(layer, purpose))
        if crossing is not None:
            yield from unseen(crossing.cases())
    met.sort(key=lambda case: every.index(case.purpose))
    meetings = _meetings(operation, depth, _meeting(operation, met), dropped)
    yield from unseen(case for case in meetings if case.purpose in chosen)
    if depth != "single" and "equal-sizes" in chosen:
        yield from unseen(Meetings(operation, dropped).of_equal_sizes(equal))
    unknown = UnknownShapes(operation, dropped)
    plain = [case for case in met if case.purpose == "plain"]
    for each in plain[:1] if "plain" in chosen else ():
        yield from unseen(unknown.of_plain(each))
    if depth != "single":
        crossed = unknown.cases(met, is_whole=depth == "all")
        yield from unseen(case for case in crossed if case.purpose in chosen)
    if depth == "all" and (not purposes or "covering" in purposes):
        how = usually(operation, "covering", USUAL)
        layers = Covering(operation, dropped).layers()
        yield from unseen(LayerCase(layer, "covering", how) for layer in layers)


def _meetings(
    operation: Operation, depth: str, layers_: Sequence[LayerCase], dropped: Dropped | None
) -> Iterator[LayerCase]:
    """The cases in which several ways meet: of the plain layer a few, beyond depth single of every kind of layer."""
    meetings = Meetings(operation, dropped)
    for each in layers_:
        if each.purpose == "plain":
            yield from meetings.of_plain(each)
    if depth != "single":
        yield from meetings.cases(layers_, is_whole=depth == "all")


def _meeting(operation: Operation, met: Sequence[LayerCase]) -> list[LayerCase]:
    """The layers that meet several ways: those of purposes that are crossed, the plain one once."""
    plain = plain_layer(operation)
    return [
        each
        for each in met
        if (each.purpose in _CROSSED_EACH or each.variant)
        and (each.purpose == "plain" or each.layer != plain)
    ]


def usually(operation: Operation, purpose: str, how: How) -> How:
    """The way to ask; a layer with a variable shows what it does over several inferences alone."""
    if not operation.partner or how.state or purpose == "invalid":
        return how
    return replace(how, state="kept")


class _Crossing:
    """Collects the layers of one purpose, and asks each in every other way that it can have.

    A variant, all random layers together, and all with equal sizes are one *what*: their layers share the ways, so that
    each way is asked of one of them at least. The layers of other purposes are asked in every way each.
    """

    def __init__(self, operation: Operation, dropped: Dropped | None) -> None:
        self._plain = plain_layer(operation)
        self._crossings = Crossings(dropped)
        self._found: list[LayerCase] = []

    def add(self, case: LayerCase) -> None:
        """A layer that is asked in the usual way."""
        # Another purpose that comes to the plain layer would ask the same again.
        if case.purpose in _CROSSED_EACH and case.layer == self._plain and case.purpose != "plain":
            return
        if case.purpose in _CROSSED_EACH or case.purpose in _SHARING or case.variant:
            self._found.append(case)

    def cases(self) -> Iterator[LayerCase]:
        """The crossings of the layers that were added since the last call."""
        found, self._found = self._found, []
        asked: Counter[How] = Counter()
        for case in found:
            if case.purpose in _CROSSED_EACH or len(found) == 1:
                hows = self._crossings.of(case.layer)
            else:
                hows = self._crossings.of(case.layer, len(found), asked)
                asked.update(hows)
            for how in hows:
                yield case.asked(usually(case.operation, case.purpose, how))


# --- what ---------------------------------------------------------------------------------------------------------


def _example(operation: Operation) -> Found:
    for each in operation.examples:
        layer = operation.layer(**operation.parameters(each.layer))
        yield layer, USUAL
        if layer.states_data:
            yield layer, How(data="runtime")
        if each.unknown:
            yield layer, How(shape="dims")


def _plain(operation: Operation) -> Found:
    layer = plain_layer(operation)
    yield layer, USUAL
    yield from _with_values(operation, layer, lambda type_set: [type_set.default])
    if any(True for _ in layer.ports()) and operation.role not in ("constant", "parameter"):
        yield layer, How(data="constant")
    if operation.takes_values_at_run_time:
        yield from ((layer, How(index=index)) for index in levels("index"))
    if operation.role != "constant":  # which takes no tensor
        yield from _with_unknown_shapes(layer)
        yield from ((layer, How(memory=memory)) for memory in levels("memory"))
    yield from ((layer, How(requests=requests)) for requests in levels("requests"))
    if operation.partner:
        yield from ((layer, How(state=state)) for state in levels("state"))
    yield from _written(layer)


def _type(operation: Operation) -> Found:
    layer = plain_layer(operation)
    for type_set in operation.type_sets.values():
        if not _is_index_set(operation, type_set.name):
            # What cannot hold a value that the layer states has a variant of its own.
            for kind in layers.fitting(layer, type_set):
                yield layer.with_types({type_set.name: kind}), USUAL
    for attribute in operation.attributes:
        for kind in attribute.types.types if attribute.types else ():
            yield layer.replace(**{attribute.name: kind}), USUAL
    # The plain layer has the default types in every set of values.
    yield from _with_values(
        operation, layer, lambda s: [kind for kind in s.types if kind is not s.default]
    )


def _is_index_set(operation: Operation, name: str) -> bool:
    return all(i.index for i in operation.inputs if i.types.name == name)


def _index_type(operation: Operation) -> Found:
    layer = plain_layer(operation)
    for type_set in operation.type_sets.values():
        if _is_index_set(operation, type_set.name):
            for kind in layers.fitting(layer, type_set):
                typed = layer.with_types({type_set.name: kind})
                yield typed, USUAL
                if operation.takes_values_at_run_time:
                    yield from ((typed, How(index=index)) for index in levels("index"))


def _left_out(operation: Operation) -> Found:
    layer = plain_layer(operation)
    optional = [
        a.name for a in operation.attributes if not a.required and a.name in layer.attributes
    ]
    optional += [
        i.name for i in operation.inputs if i.optional and layer.inputs[i.name] is not None
    ]
    for name in optional:
        yield layer.replace(**{name: None}), USUAL
    if len(optional) > 1:
        yield layer.replace(**dict.fromkeys(optional)), USUAL


def _defaults(operation: Operation) -> Found:
    """The layer as most models have it: what is off the defaults elsewhere would hide how these are computed."""
    layer = plain_layer(operation)
    optional = [
        a.name for a in operation.attributes if not a.required and a.name in layer.attributes
    ]
    try:
        found = layers.suited(layer.replace(**dict.fromkeys(optional)))
    except (ValueError, TypeError):
        return  # what is adapted needs an attribute that has no default
    if found not in (layer, *(each for each, _ in _left_out(operation))):
        yield found, USUAL


def _enumeration(operation: Operation) -> Found:
    layer = plain_layer(operation)
    for attribute in operation.attributes:
        allowed: Sequence[Any] = tuple(attribute.type) if attribute.is_enumeration else ()
        if attribute.is_body:
            allowed = tuple(attribute.type)
        if attribute.type is bool:
            allowed = (False, True)
        for value in allowed:
            yield layers.suited(layer.replace(**{attribute.name: value})), USUAL


def _rank(operation: Operation) -> Found:
    if not layers.has_ranks(operation):
        return
    declared = next(i.rank for i in operation.inputs if not i.index)
    most = HIGHEST_RANK if declared.most is None else min(declared.most, HIGHEST_RANK)
    for rank in range(declared.least, most + 1):
        yield plain_layer(operation, rank), USUAL


def _dimension(size: int) -> Callable[[Operation], Found]:
    def asked(operation: Operation) -> Found:
        layer = plain_layer(operation)
        for declared in operation.inputs:
            if not declared.index:
                for tensor in layer.tensors(declared.name)[:1]:
                    for axis in range(tensor.rank):
                        found = layers.with_size(layer, declared.name, axis, size)
                        if found is not None:
                            yield found, USUAL

    return asked


def _tiny(operation: Operation) -> Found:
    found = plain = plain_layer(operation)
    for declared in operation.inputs:
        if not declared.index:
            for tensor in plain.tensors(declared.name)[:1]:
                for axis in range(tensor.rank):
                    # A neighbour may have changed this axis already.
                    if found.tensors(declared.name)[0].shape[axis] > 2:
                        found = layers.with_size(found, declared.name, axis, 2) or found
    if found != plain:
        yield found, USUAL


def _equal_sizes(operation: Operation) -> Found:
    """Each two sizes of data that differ made one, at the first places that have them; then all, as far as they may be.

    Fusions tell an axis by its size, in one input or across two.
    """
    plain = plain_layer(operation)
    places: dict[int, tuple[str, int]] = {}
    for declared in operation.inputs:
        for tensor in () if declared.index else plain.tensors(declared.name)[:1]:
            for axis, size in enumerate(tensor.shape) if tensor.value is None else ():
                if size > 1:
                    places.setdefault(size, (declared.name, axis))
    for one, two in combinations(places, 2):
        for size, other in ((one, two), (two, one)):
            found = layers.with_size(plain, *places[other], size)
            if found is not None and _size_at(found, places[size]) == size:
                yield found, USUAL
                break
    found, size = plain, min((size for size in places if size > 2), default=0)
    for place in places.values() if size else ():
        found = layers.with_size(found, *place, size) or found
    # The shape of such data shows nothing.
    if found != plain and not operation.reads_shapes_alone:
        yield found, USUAL


def _size_at(layer: Layer, place: tuple[str, int]) -> int:
    name, axis = place
    return layer.tensors(name)[0].shape[axis]


def _unequal_ranks(operation: Operation) -> Found:
    """One input of data without its first dimensions, so many as the page lets it lack beside the others."""
    plain = plain_layer(operation)
    names = [
        i.name for i in operation.inputs if not i.index and not i.many and plain.tensors(i.name)
    ]
    # What the ranks inside a body follow from, no rule says.
    for name in names if len(names) > 1 and not operation.bodies else ():
        (tensor,) = plain.tensors(name)
        for first in range(1, tensor.rank) if tensor.value is None else ():
            yield plain.replace(**{name: tensor.with_shape(*tensor.shape[first:])}), USUAL


def _index_values(operation: Operation) -> Found:
    """Index inputs whose numbers are all alike: each axis is repeated, padded, cut as the one is that is so most."""
    plain = plain_layer(operation)
    for declared in operation.index_inputs:
        for tensor in () if declared.many else plain.tensors(declared.name):
            numbers = tensor.value
            if tensor.rank == 1 and isinstance(numbers, tuple) and len({*numbers}) > 1:
                alike = replace(tensor, value=(max(numbers),) * len(numbers))
                yield plain.replace(**{declared.name: alike}), USUAL


def _limits(operation: Operation) -> Found:
    """Each value at the limit of its rule; what changes a dimension with it, such as a rank, is adapted."""
    plain = plain_layer(operation)
    for changes in rules.at_limits(plain):
        try:
            found = layers.suited(plain.changed(changes))
        except ValueError:
            continue  # the value takes another type than the input has
        if found != plain:
            yield found, USUAL


# Last dimensions: a tail of a vector, whole vectors, and both, in types of a byte as well.
_LENGTHS = (17, 64, 70, 130)
# Those that every type is asked; the others are those of types that kernels are written for.
_OF_EACH_TYPE = (70, 130)
_OF_KERNELS = (f32, f16, i8, u8)
# More channels than a block of any instruction set has, which no block divides.
_CHANNELS = 180


def _lengths(operation: Operation) -> Found:
    """Last dimensions of the first data input in each type, also beside another input that has 1; many channels."""
    plain = plain_layer(operation)
    names = [i.name for i in operation.inputs if not i.index and plain.tensors(i.name)]
    if not names or plain.tensors(names[0])[0].value is not None:
        return
    first, *others = names
    rank = plain.tensors(first)[0].rank
    type_set = operation.input(first).types
    for size in _LENGTHS if rank else ():
        long = layers.with_size(plain, first, rank - 1, size) or _together(plain, names, size)
        if long is None or _numbers(long) != _numbers(plain):
            continue
        repeated = [each for name in others for each in _repeating(long, first, name)]
        for kind in layers.fitting(long, type_set):
            if not _may_count(kind, size, operation, plain):
                continue
            if size in _OF_EACH_TYPE or kind in _OF_KERNELS:
                yield long.with_types({type_set.name: kind}), USUAL
            if size == _OF_EACH_TYPE[0]:
                yield from ((each.with_types({type_set.name: kind}), USUAL) for each in repeated)
    many = layers.with_size(plain, first, 1, _CHANNELS) if rank > 2 else None
    indices = [i.name for i in operation.index_inputs]
    if many is not None and all(many.inputs[name] == plain.inputs[name] for name in indices):
        # Of so many numbers sums and products leave the small types, and means are 0.
        kinds = (f32,) if operation.category == "reduction" else _OF_KERNELS
        for kind in layers.fitting(many, type_set):
            if kind in kinds:
                yield many.with_types({type_set.name: kind}), USUAL


def _may_count(kind: ElementType, size: int, operation: Operation, plain: Layer) -> bool:
    """Whether a type holds a number of this size, where that bounds the values: sums of so many terms, indices."""
    if not kind.is_integer or size <= kind.integer_range[1]:
        return True
    data = [i for i in operation.inputs if not i.index and plain.tensors(i.name)]
    is_sum = operation.sums is not None or operation.mixes
    return not is_sum and all(values.takes_any(each, plain) for each in data)


def _together(plain: Layer, names: Sequence[str], size: int) -> Layer | None:
    """The layer with another last dimension of all inputs that have that of the first one; None if that is invalid."""
    old, found = plain.tensors(names[0])[0].shape[-1], plain
    for name in names:
        tensor = plain.tensors(name)[0]
        if tensor.shape[-1:] == (old,) and tensor.value is None:
            found = found.with_dimension(name, 0, tensor.rank - 1, size)
    return found if rules.is_valid(found) else None


def _repeating(layer: Layer, first: str, other: str) -> Iterator[Layer]:
    """The layer with a last dimension of 1 in one of two inputs, which repeats along that of the other one."""
    ends = [layer.tensors(name)[0].shape[-1:] for name in (first, other)]
    for name in (first, other) if ends[0] == ends[1] else ():
        tensors = layer.tensors(name)
        if tensors and tensors[0].rank and tensors[0].value is None:
            found = layer.with_dimension(name, 0, tensors[0].rank - 1, 1)
            # Of few numbers all may be larger than those of the other input.
            is_enough = found.tensors(name)[0].size > _FEW
            if is_enough and found != layer and rules.is_valid(found):
                yield found


_FEW = 3
_LARGE = 300_000  # elements; over a megabyte of f32
_LARGE_OF_OTHER_TYPES = 80_000  # still split over threads


# What a layer of these selects is found box by box.
_BOX_BY_BOX = ("sort", "detection")


def _large_output(operation: Operation) -> Found:
    """The dimension that the operation says, or the first that may grow so, of an input that is there, required first.

    None where an index input would have as many numbers, since they stand in the case id.
    """
    layer = plain_layer(operation)
    for each, _ in _grown(layer, _LARGE):
        yield each, USUAL
    # Their references would take minutes, in whatever type.
    if operation.category in _BOX_BY_BOX:
        return
    for each, types in _grown(layer, _LARGE_OF_OTHER_TYPES):
        fitting = layers.fitting(each, types)
        for kind in (kind for kind in (f16, i8, u8) if kind in fitting):
            yield each.with_types({types.name: kind}), USUAL


def _grown(layer: Layer, elements: int) -> Iterator[tuple[Layer, TypeSet]]:
    """The layer with so many elements in the input that grows, and the types of that one; none where none may."""
    operation = layer.operation
    inputs = sorted(operation.inputs, key=lambda each: each.optional)
    own = operation.grows
    if own and own.elements is not None:
        elements = min(elements, own.elements)
    for declared in [operation.input(own.input)] if own else inputs:
        for tensor in layer.tensors(declared.name)[:1]:
            if declared.index or tensor.size == 0:
                continue
            factor = -(-elements // tensor.size)
            for axis in [own.axis] if own else range(tensor.rank):
                size = tensor.shape[axis] * factor
                found = layers.with_size(layer, declared.name, axis, size)
                if found is not None:
                    if _numbers(found) == _numbers(layer):
                        yield found, declared.types
                    return


def _numbers(layer: Layer) -> int:
    names = [each.name for each in layer.operation.index_inputs]
    return sum(tensor.size for name in names for tensor in layer.tensors(name))


def _sums(operation: Operation) -> Found:
    if operation.sums is None:
        return
    layer = plain_layer(operation).changed(operation.sums.layer)
    summed = {operation.input(name).types for name in operation.sums.axes(layer)}
    for kind in sorted({t for s in summed for t in s.types if t in FLOATS}, key=FLOATS.index):
        typed = layer.with_types({s.name: kind for s in summed})
        yield from ((typed, How(values=name)) for name in SETS)


def _sweep(operation: Operation) -> Found:
    if not operation.sweeps:
        return
    layer = plain_layer(operation, 1) if layers.has_ranks(operation) else plain_layer(operation)
    declared = operation.input(operation.sweeps)
    for kind in (each for each in sweeps.TYPES if each in declared.types):
        shape = (sweeps.numbers(kind).size,)
        typed = layer.with_types({declared.types.name: kind})
        yield typed.replace(**{declared.name: Tensor(kind, shape)}), How(values="sweep")


def _random(operation: Operation, draws: int, seed: int) -> Iterator[Layer]:
    for number in range(draws):
        draw = Draw(random.Random(f"{operation.name}/{seed}/{number}"))
        yield layers.random_layer(operation, draw)


def _variant(operation: Operation, name: str) -> Found:
    plain = plain_layer(operation)
    for each in operation.variants:
        for changes in each.changes if each.name == name else ():
            layer = layers.suited(plain.changed(changes))
            broken = rules.broken_rule(layer)
            if broken is not None:
                raise ValueError(
                    f"{operation.name}: variant {name}, {changes!r}: the layer breaks the rule: {broken.text}"
                )
            yield layer, USUAL
            if layer.states_data:
                yield layer, How(data="runtime")


# --- invalid layers -----------------------------------------------------------------------------------------------


def _invalid(operation: Operation) -> Found:
    plain = plain_layer(operation)
    for layer in invalid_layers(operation):
        yield layer, USUAL
        if operation.takes_values_at_run_time and _breaks_a_value(layer, plain):
            yield layer, How(index="parameters")
        if layer.states_data:
            yield layer, How(data="runtime")
    if any(declared.constant for declared in operation.index_inputs):
        yield plain, How(index="parameters")


def _breaks_a_value(layer: Layer, plain: Layer) -> bool:
    """Whether the value of an index input is not that of the plain layer, and so can also be given at run time."""
    pairs = ((layer.inputs[i.name], plain.inputs[i.name]) for i in layer.operation.index_inputs)
    return any(
        isinstance(given, Tensor)
        and (not isinstance(before, Tensor) or given.value != before.value)
        for given, before in pairs
    )


# --- how ----------------------------------------------------------------------------------------------------------


def _with_values(
    operation: Operation, layer: Layer, types: Callable[[Any], Sequence[ElementType]]
) -> Found:
    """The layer in some of the types of each type variable, with every set of values that the type has."""
    for type_set in operation.type_sets.values():
        inputs = [i for i in operation.inputs if i.types.name == type_set.name]
        if any(values.takes_any(i, layer) for i in inputs):
            for kind in types(type_set):
                typed = layer.with_types({type_set.name: kind})
                yield typed, How(values="special" if kind.is_float else "ends")
                if kind in (i64, u64, f64):
                    yield typed, How(values="large")


def _with_unknown_shapes(layer: Layer) -> Found:
    try:
        layers.resized(layer)
    except ValueError:
        return  # the page fixes every dimension
    feeds = ("", "parameters") if layer.operation.takes_values_at_run_time else ("",)
    for shape in WHOLE_SHAPES:
        if shape != "rank" or layer.operation.dynamic_rank:
            yield from ((layer, How(shape=shape, index=index)) for index in feeds)


def _written(layer: Layer) -> Found:
    yield layer, How(ir="10")
    yield layer, How(layers="reversed")
    yield from ((layer, How(names=names)) for names in levels("names"))
    if layer.operation.examples:
        yield layer, How(ports="page")
    if len(layer.attributes) > 1:
        yield layer, How(attributes="reversed")
    # Some readers know but one of the two ways: both values, each written as a digit.
    for attribute in layer.operation.attributes:
        if attribute.type is bool:
            for value in (False, True):
                yield layer.replace(**{attribute.name: value}), How(booleans="digits")


def _equal_inputs(operation: Operation) -> Found:
    """Two index inputs of one value, so that one place among the weights can serve both."""
    layer = plain_layer(operation)
    # The last pairs first: an empty slice, where begin and end are alike, would show little.
    for one, other in reversed(list(combinations(layer.operation.index_inputs, 2))):
        tensor = layer.inputs[one.name]
        if tensor is not None and one.types == other.types:
            alike = layer.replace(**{other.name: tensor})
            if rules.is_valid(alike):
                yield alike, How(weights="shared")
                return


_ASKED: dict[str, Callable[[Operation], Found]] = {
    "example": _example,
    "plain": _plain,
    "type": _type,
    "index-type": _index_type,
    "left-out": _left_out,
    "defaults": _defaults,
    "enumeration": _enumeration,
    "rank": _rank,
    "dim-1": _dimension(1),
    "dim-0": _dimension(0),
    "tiny": _tiny,
    "equal-sizes": _equal_sizes,
    "equal-inputs": _equal_inputs,
    "unequal-ranks": _unequal_ranks,
    "index-values": _index_values,
    "limits": _limits,
    "lengths": _lengths,
    "large-output": _large_output,
    "sums": _sums,
    "sweep": _sweep,
    "invalid": _invalid,
}
