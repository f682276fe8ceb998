"""The layers of a graph with their shapes, and its values as a device computes them that rounds each layer's output.

Shapes are those of the references' outputs: a graph that can be evaluated is one whose layers satisfy the rules of
their pages for the values that they get.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

import numpy as np

from ir_models import catalog
from ir_models.asking.values import data, flips, random_state, repeated
from ir_models.graphs.notation import AskedGraph, Fed, GraphError
from ir_models.vocabulary import rules
from ir_models.vocabulary.element_types import (
    ELEMENT_TYPES,
    NF4_LEVELS,
    ElementType,
    Tensor,
    literal,
    nf4,
)
from ir_models.vocabulary.graph import Node, Step, output_name
from ir_models.vocabulary.notation import read_number
from ir_models.vocabulary.operation import Layer
from ir_models.vocabulary.page import Input
from reference import MissingReferenceError, outputs_of

# What a declaration of a layer of a variable calls what is assigned, and its graph in which that is so without more.
_ASSIGNED, _UPDATE = "new_value", "replace"
# Elements of one tensor: the weights of a layer of a model are some.
MOST_ELEMENTS = 4_000_000


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A graph with its layers by name, and each tensor's type and shape and value by its name."""

    graph: AskedGraph
    layers: Mapping[str, Layer]
    tensors: Mapping[str, Tensor]
    arrays: Mapping[str, np.ndarray]

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        """What is given at run time."""
        return {n: self.arrays[n] for n, fed in self.graph.fed.items() if not fed.is_constant}

    @cached_property
    def constants(self) -> set[str]:
        """The tensors that are known before anything is given: of constants, of known shapes, without elements."""
        fed = self.graph.fed
        is_known = not self.graph.has_unknown
        held = {step.name for step in self.graph.of_variables}
        found = {name for name, each in fed.items() if each.is_constant}
        if is_known:
            found |= {name for name, tensor in self.tensors.items() if not tensor.size}
        for step in self.graph.steps:
            if step.name in held:
                continue
            reads_shapes = self.layers[step.name].operation.reads_shapes_alone and is_known
            if reads_shapes or all(not value or value in found for value in step.inputs):
                found |= {*self.outputs(step)}
        return found

    def outputs(self, step: Step) -> list[str]:
        """The names of a layer's outputs; a layer that sets a variable has none."""
        if step in self.graph.of_variables and not is_read(step):
            return []
        count = len(self.layers[step.name].operation.output_types(self.layers[step.name]))
        return [output_name(step.name, place) for place in range(count)]

    @property
    def assigned(self) -> dict[str, np.ndarray]:
        """What the variables hold when the inference has ended."""
        steps = (step for step in self.graph.of_variables if not is_read(step))
        return {step.attributes["variable_id"]: self.arrays[step.inputs[0]] for step in steps}

    def alone(self, step: Step) -> AskedGraph:
        """A layer with what feeds it, as a graph of its own: constants stay constants."""
        fed: dict[str, Fed] = {}
        names: dict[str, str] = {}
        for value in step.inputs:
            if not value or value in names:
                continue
            name = names[value] = value.replace(":", "_")
            own = self.graph.fed.get(value)
            fed[name] = own or Fed(
                self.tensors[value].element_type,
                self.tensors[value].shape,
                explicit(self.arrays[value]),
            )
        inputs = tuple(names.get(value, "") for value in step.inputs)
        alone = Step(step.name, step.operation, inputs, step.attributes)
        return AskedGraph(fed, (alone,), tuple(self.outputs(step)))


def evaluate(
    graph: AskedGraph,
    seed: int = 0,
    inference: int = 0,
    variables: Mapping[str, np.ndarray] = MappingProxyType({}),
    known: Evaluated | None = None,
) -> Evaluated:
    """The graph with shapes and values; ``seed`` is that of random ones, at run time others at each inference.

    ``variables`` are the values of those that an earlier inference has set. ``known`` is a graph of the same seed and
    inference: layers that are in both and read the same there are taken from it.

    Raises GraphError where a layer is not valid, or is too large.
    """
    arrays = {
        name: _read_only(name, fed.known, seed, 0 if fed.is_constant else inference)
        for name, fed in graph.fed.items()
    }
    tensors = {name: fed.tensor for name, fed in graph.fed.items()}
    layers: dict[str, Layer] = {}
    held = graph.of_variables
    _check_pairs(held)
    alike = _Alike(graph, known) if known is not None and not held else None
    for step in graph.steps:
        if alike is not None and alike.has(step):
            layers[step.name] = alike.known.layers[step.name]
            for name in alike.known.outputs(step):
                arrays[name], tensors[name] = alike.known.arrays[name], alike.known.tensors[name]
            continue
        if step in held:
            layer = _of_variable(step, held, tensors, arrays, variables)
        else:
            layer = layer_of(step, tensors, arrays)
        broken = rules.broken_rule(layer)
        if broken is not None:
            raise GraphError(f"{step.name}: {step.operation}: {broken.text}")
        if step in held:
            layers[step.name] = layer
            continue
        for place, (kind, array) in enumerate(computed(step, layer, arrays)):
            name = output_name(step.name, place)
            arrays[name], tensors[name] = array, Tensor(kind, array.shape)
        layers[step.name] = layer
    missing = [name for name in graph.results if name not in arrays]
    if missing:
        raise GraphError(f"no layer has the output {', '.join(missing)}")
    return Evaluated(graph, layers, tensors, arrays)


class _Alike:
    """What two graphs have in common, layer by layer in the order of the first one."""

    def __init__(self, graph: AskedGraph, known: Evaluated) -> None:
        self.known = known
        given = {name: fed.known for name, fed in known.graph.fed.items()}
        self._values = {"", *(n for n, fed in graph.fed.items() if given.get(n) == fed.known)}
        self._steps = {step.name: step for step in known.graph.steps}

    def has(self, step: Step) -> bool:
        """Whether a layer is in both graphs and reads the same in both."""
        if self._steps.get(step.name) != step or not self._values.issuperset(step.inputs):
            return False
        self._values.update(self.known.outputs(step))
        return True


def is_read(step: Step | Node) -> bool:
    """Whether a layer of a variable reads it; the other one sets it."""
    return catalog.operation(step.operation).inputs[0].name != _ASSIGNED


def _check_pairs(held: Sequence[Step]) -> None:
    names = [str(step.attributes.get("variable_id")) for step in held]
    reads = [name for name, step in zip(names, held, strict=True) if is_read(step)]
    if len(names) != 2 * len(reads) or sorted(names) != sorted(reads * 2):
        raise GraphError("each variable is read by one layer and set by one")


def _of_variable(
    step: Step,
    held: Sequence[Step],
    tensors: dict[str, Tensor],
    arrays: dict[str, np.ndarray],
    variables: Mapping[str, np.ndarray],
) -> Layer:
    """The layer that reads or sets a variable, and what is read. Raises GraphError."""
    operation, name = catalog.operation(step.operation), step.attributes["variable_id"]
    (read,) = (each for each in held if is_read(each) and each.attributes["variable_id"] == name)
    given = [tensors[value] for value in step.inputs]
    try:
        if not is_read(step):
            initial = tensors[read.inputs[0]] if read.inputs else None
            return operation.layer(
                **{_ASSIGNED: given[0]}, init_value=initial, update=_UPDATE, **read.attributes
            )
        stated = ELEMENT_TYPES.get(str(step.attributes.get("variable_type")))
        kind = given[0].element_type if given else stated
        if kind is None:
            raise ValueError("zeros have a known type")
        if name in variables:
            arrays[step.name] = variables[name]
        elif given:
            arrays[step.name] = arrays[step.inputs[0]]
        else:
            arrays[step.name] = np.zeros(step.attributes["variable_shape"], kind.dtype)
        tensors[step.name] = Tensor(kind, arrays[step.name].shape)
        return operation.layer(
            **{_ASSIGNED: tensors[step.name]},
            init_value=given[0] if given else None,
            update=_UPDATE,
            **step.attributes,
        )
    except (ValueError, TypeError) as error:
        raise GraphError(f"{step.name}: {error}") from None


def has_usual_values(evaluated: Evaluated) -> bool:
    """Whether integers are such as the declarations draw: indices within data, where a page has others as well.

    What is drawn for the layer several times tells the least and the largest one.
    """
    for step in evaluated.graph.steps:
        layer = evaluated.layers[step.name]
        for (port, tensor), value in zip(layer.ports(), step.inputs, strict=False):
            name = port if port in layer.inputs else port.rpartition("_")[0]
            declared = layer.operation.input(name)
            array = evaluated.arrays.get(value)
            if tensor is None or array is None or declared.index or declared.values is None:
                continue
            if (
                tensor.element_type.is_integer
                and array.size
                and not _is_within(array, declared, tensor, layer)
            ):
                return False
    return True


def _is_within(array: np.ndarray, declared: Input, tensor: Tensor, layer: Layer) -> bool:
    # In few elements the ends are rarely drawn.
    for number in range(max(200 // array.size, 4)):
        drawn = data(declared, tensor, layer, "", random_state("usual values", number))
        array = array[(array < drawn.min()) | (array > drawn.max())]
        if not array.size:
            return True
    return False


def layer_of(step: Step, tensors: Mapping[str, Tensor], arrays: Mapping[str, np.ndarray]) -> Layer:
    """The layer as its declaration has it, the values of index inputs stated. Raises GraphError."""
    operation = catalog.operation(step.operation)
    left = list(step.inputs)
    given: dict[str, object] = {}
    later = len(operation.inputs)
    for declared in operation.inputs:
        later -= 1
        count = max(len(left) - later, 1) if declared.many else 1
        taken, left = left[:count], left[count:]
        found = []
        for value in taken:
            if not value:
                continue
            if value not in tensors:
                raise GraphError(f"{step.name}: no layer has the output {value}")
            tensor = tensors[value]
            stated = literal(arrays[value]) if declared.index else None
            found.append(Tensor(tensor.element_type, tensor.shape, stated))
        given[declared.name] = (tuple(found) if declared.many else found[0]) if found else None
    if left:
        raise GraphError(f"{step.name}: {step.operation} has fewer than {len(step.inputs)} inputs")
    try:
        return operation.layer(**given, **step.attributes)
    except (ValueError, TypeError) as error:
        raise GraphError(f"{step.name}: {error}") from None


def computed(
    step: Step, layer: Layer, arrays: Mapping[str, np.ndarray]
) -> Sequence[tuple[ElementType, np.ndarray]]:
    """The outputs of a layer, rounded to their types. Raises GraphError."""
    inputs = [arrays[value] if value else None for value in step.inputs]
    try:
        outputs = outputs_of(step.operation, inputs, arguments(layer))
        types = layer.operation.output_types(layer)
    except (ValueError, TypeError, LookupError, ArithmeticError, MissingReferenceError) as error:
        raise GraphError(f"{step.name}: {step.operation}: {error}") from None
    if any(output.size > MOST_ELEMENTS for output in outputs):
        raise GraphError(f"{step.name}: an output has more than {MOST_ELEMENTS:,} elements")
    with np.errstate(all="ignore"):
        return [
            (kind, np.asarray(output).astype(kind.dtype))
            for kind, output in zip(types, outputs, strict=True)
        ]


def arguments(layer: Layer) -> dict[str, object]:
    """The attributes as a reference takes them."""
    return {
        name: value.name if isinstance(value, ElementType) else value
        for name, value in layer.arguments().items()
    }


@lru_cache(maxsize=1024)
def _read_only(name: str, fed: Fed, seed: int, inference: int) -> np.ndarray:
    """The values of what feeds a graph, which many graphs have: one after another differs in one thing."""
    found = values(name, fed, seed, inference)
    found.setflags(write=False)
    return found


def values(name: str, fed: Fed, seed: int = 0, inference: int = 0) -> np.ndarray:
    """The values of what feeds a graph. Raises GraphError where the type does not hold them."""
    kind, shape, fill = fed.element_type, fed.shape, fed.fill
    if kind.kind == "string":
        raise GraphError(f"{name}: a text of a graph holds no strings")
    size = int(np.prod(shape, dtype=np.int64))
    if size > MOST_ELEMENTS:
        raise GraphError(f"{name} has more than {MOST_ELEMENTS:,} elements")
    if fill.startswith(":"):
        try:
            items = [read_number(item) for item in fill[1:].split(",") if item]
            # What the type does not hold is infinite.
            with np.errstate(over="ignore"):
                if len(items) == 1:
                    return np.full(shape, kind.values(items[0]), kind.dtype)
                return kind.values(items).reshape(shape)
        except (ValueError, TypeError, OverflowError) as error:
            raise GraphError(f"{name}: {fill[:40]}: {error}") from None
    if fill == "#":
        most = min(kind.integer_range[1], 100) if kind.is_integer else 16
        return (np.arange(size) % most + 1).astype(kind.dtype).reshape(shape)
    seeded = f"/{seed}#{inference}" if seed or inference else ""
    state = random_state(f"graph/{name}/{kind}{list(shape)}{seeded}", int(fill[1:] or 0))
    if fill.startswith("!"):
        return repeated(flips(kind), size, state).reshape(shape)
    return _random(kind, size, state, is_positive=fill.startswith("+")).reshape(shape)


def _random(
    kind: ElementType, size: int, state: np.random.RandomState, is_positive: bool
) -> np.ndarray:
    if kind.kind == "boolean":
        return state.randint(0, 2, size).astype(bool)
    if kind is nf4:
        return NF4_LEVELS[state.randint(0, 16, size)]
    if kind.is_integer:
        least, most = kind.integer_range
        low, high = max(least, 1 if is_positive else -9), min(most, 9 if least else 15)
        return state.randint(min(low, high), high + 1, size).astype(kind.dtype)
    drawn = state.uniform(0.0625, 4, size)
    signs = 1 if is_positive else 1 - 2 * state.randint(0, 2, size)
    return (drawn * signs).astype(kind.dtype)


def explicit(array: np.ndarray) -> str:
    """The fill of an array that is there."""
    return ":" + ",".join(_number(item) for item in array.reshape(-1).tolist())


def _number(item: object) -> str:
    if isinstance(item, bool):
        return "true" if item else "false"
    return repr(float(item)) if isinstance(item, float) else str(item)
