"""How a layer may be asked beside the usual way: every *how* that a *what* can have.

The crossings of a layer are the product of it with all of these. Ways of writing IR, memory and requests do not depend
on the layer, so only the plain layer is asked in them (``ir_models.corpus.purposes``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from ir_models.asking import values
from ir_models.asking.case import SIZES, LayerCase
from ir_models.asking.how import USUAL, WHOLE_SHAPES, How, levels, way
from ir_models.asking.neighbours import FIRST, NEIGHBOURS
from ir_models.vocabulary.element_types import ElementType, f64, i64, u64
from ir_models.vocabulary.layers import can_be_resized
from ir_models.vocabulary.operation import Layer
from ir_models.vocabulary.page import Input, Interval, Within
from reference import is_determined

# Elements of a layer that is crossed. Larger ones, examples of whole images, take seconds each.
MOST_ELEMENTS = 200_000
SHARED = (
    "shared: asked of another layer of the same variant, or of another random layer, "
    "which share the ways of asking"
)

Dropped = Counter[str]
AskedWays = Counter[How]


class Crossings:
    """The crossings of layers. ``dropped`` counts, by reason, those that a layer cannot have."""

    def __init__(self, dropped: Dropped | None = None) -> None:
        self.dropped: Dropped = Counter() if dropped is None else dropped

    def of(self, layer: Layer, sharers: int = 1, asked: AskedWays | None = None) -> list[How]:
        """Every way to ask a layer beside the usual one.

        Where several layers share the ways, each has its part of them: those that ``asked`` counts least. The rest are
        counted as dropped.
        """
        found: list[How] = []
        ways = list(self._ways(layer))
        most = -(-len(ways) // sharers)
        if asked is not None:
            ways.sort(key=asked.__getitem__)
        feasible: dict[str, bool] = {}
        for number, how in enumerate(ways):
            if len(found) == most:
                rest = (each for each in ways[number:] if self._may_be(each, feasible))
                if left := sum(1 for _ in rest):
                    self.dropped[SHARED] += left
                break
            if how.shape:
                if how.resize not in feasible:
                    feasible[how.resize] = self._can_be_resized(layer, how.resize)
                if not feasible[how.resize]:
                    continue
            found.append(how)
        return found

    @staticmethod
    def _may_be(how: How, feasible: Mapping[str, bool]) -> bool:
        """Whether a layer can be asked so, as far as is known of its dimensions."""
        return not how.shape or feasible.get(how.resize, True)

    def _can_be_resized(self, layer: Layer, resize: str) -> bool:
        if can_be_resized(layer, SIZES[resize]):
            return True
        if resize:
            self.dropped[f"resize: no dimension can become {SIZES[resize]}"] += 1
        else:
            self.dropped["shape: the page fixes every dimension"] += 1
        return False

    def _ways(self, layer: Layer) -> Iterator[How]:
        if sum(t.size for _, t in layer.ports() if t is not None) > MOST_ELEMENTS:
            self.dropped[f"all: the layer has more than {MOST_ELEMENTS:,} elements"] += 1
            return
        is_constant = LayerCase(layer, "", USUAL).is_constant
        if layer.operation.partner:
            # The first level is the usual way.
            yield from (way(state=level) for level in levels("state")[1:])
        yield from self._constants(layer, is_constant)
        yield from self._indices(layer)
        yield from self._values(layer)
        if is_constant:
            self.dropped["shape, before, behind: nothing is given at run time"] += 1
            return
        yield from self._shapes(layer)
        yield from self._neighbours(layer)

    def _constants(self, layer: Layer, is_constant: bool) -> Iterator[How]:
        if layer.operation.role == "parameter":
            self.dropped["constant: the layer itself is what is given at run time"] += 1
            return
        if is_constant:
            self.dropped["constant: all is constant already"] += 1
        else:
            yield way(data="constant")
        if layer.states_data:
            yield way(data="runtime")
        for name in data_ports(layer):
            how = way(constant=name)
            if LayerCase(layer, "", how).is_constant:
                self.dropped["constant: the only input"] += 1
            else:
                yield how

    def _indices(self, layer: Layer) -> Iterator[How]:
        if not _has_indices(layer):
            return
        if layer.operation.takes_values_at_run_time:
            yield from (way(index=level) for level in levels("index"))
        else:
            self.dropped["index: the page demands a constant"] += 1

    def _values(self, layer: Layer) -> Iterator[How]:
        kinds = _free_types(layer)
        if kinds:
            yield way(values="special" if any(kind.is_float for kind in kinds) else "ends")
        else:
            self.dropped["values: the declaration fixes them"] += 1
        if any(kind in (i64, u64, f64) for kind in kinds):
            yield way(values="large")
        if kinds and layer.operation.converts:
            yield way(values="flips")

    def _shapes(self, layer: Layer) -> Iterator[How]:
        for shape in WHOLE_SHAPES:
            if shape != "rank" or layer.operation.dynamic_rank:
                yield way(shape=shape)
            else:
                self.dropped["shape: the rank must be known"] += 1
        if _has_indices(layer) and layer.operation.takes_values_at_run_time:
            yield way(shape="dims", index="parameters")
        yield from (way(shape="dims", resize=level) for level in levels("resize"))

    def _neighbours(self, layer: Layer) -> Iterator[How]:
        ports = LayerCase(layer, "", USUAL).data_ports
        first = [name for name in FIRST if NEIGHBOURS[name].fed is not None]
        before = [name for name in first if self._may_stand_before(name, layer, ports)]
        yield from (way(before=name) for name in before)
        kinds = layer.operation.output_types(layer)
        behind = [name for name in FIRST if self._may_stand_behind(name, layer, kinds)]
        yield from (way(behind=name) for name in behind)
        if behind:
            yield way(behind=behind[0], middle="result")
        if before and behind:
            yield way(before=before[0], behind=behind[0])

    def _may_stand_before(self, name: str, layer: Layer, ports: Sequence[int]) -> bool:
        neighbour = NEIGHBOURS[name]
        if not ports:
            self.dropped["before: no data is given at run time"] += 1
            return False
        _, tensor = layer.ports()[ports[0]]
        assert tensor is not None
        kind = tensor.element_type
        if kind not in neighbour.types:
            self.dropped["before: not for this element type"] += 1
            return False
        if neighbour.is_clipping and not takes_any_number(
            declared_at(layer, ports[0]), layer, kind
        ):
            self.dropped["before: the input does not take every number"] += 1
            return False
        return True

    def _may_stand_behind(self, name: str, layer: Layer, kinds: Collection[ElementType]) -> bool:
        neighbour = NEIGHBOURS[name]
        operation = layer.operation
        if operation.role == "result":
            self.dropped["behind: the model ends with the layer"] += 1
        elif not any(kind in neighbour.types for kind in kinds):
            self.dropped["behind: not for this element type"] += 1
        elif neighbour.of_sums and operation.sums is None:
            self.dropped["behind: for sums of many terms alone"] += 1
        elif neighbour.loses and not is_determined(operation.name):
            self.dropped["behind: it would hide which output was chosen"] += 1
        else:
            return True
        return False


def data_ports(layer: Layer) -> list[str]:
    """The data ports that get their values at run time; of an input that repeats the first and the last."""
    if "data ports" not in layer.derived:
        layer.derived["data ports"] = _data_ports(layer)
    found: list[str] = layer.derived["data ports"]
    return found


def _data_ports(layer: Layer) -> list[str]:
    usual, ports = LayerCase(layer, "", USUAL), dict(layer.ports())
    given = ((name, ports[name]) for name in layer.data_names)
    names = [n for n, tensor in given if tensor and not usual.feeds_constant(n, tensor)]
    repeated = [
        number
        for number, name in enumerate(names)
        if any(each.many and name.startswith(f"{each.name}_") for each in layer.operation.inputs)
    ]
    left_out = set(repeated[1:-1])
    return [name for number, name in enumerate(names) if number not in left_out]


def _has_indices(layer: Layer) -> bool:
    return any(layer.tensors(each.name) for each in layer.operation.index_inputs)


def _free_types(layer: Layer) -> list[ElementType]:
    """The element types of the inputs whose values may be chosen freely."""
    found: list[ElementType] = []
    for declared in layer.operation.inputs:
        if values.takes_any(declared, layer):
            free = [t.element_type for t in layer.tensors(declared.name) if t.value is None]
            found.extend(free)
    return found


def declared_at(layer: Layer, port: int) -> Input:
    """The input that a port is of."""
    names = [name for name, _ in layer.ports()]
    return next(
        each
        for each in layer.operation.inputs
        if each.name == names[port] or (each.many and names[port].startswith(f"{each.name}_"))
    )


def takes_any_number(declared: Input, layer: Layer, kind: ElementType) -> bool:
    """Whether an input may have any number that is not negative, zero included."""
    if not values.takes_any(declared, layer):
        return False
    given = declared.values
    wanted = given.range(layer, kind) if isinstance(given, Within) else given
    if wanted is None or callable(wanted):
        return True
    return isinstance(wanted, Interval) and wanted.low <= 0 and wanted.least == 0
