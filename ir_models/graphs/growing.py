"""Random graphs: layers from the draws of the declarations, each joined to a tensor that is there already.

A layer is drawn as its declaration draws it; then one of its data inputs takes the type and the shape of a tensor of
the graph, and others what suits it. What then breaks a rule of the page is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ir_models.asking.values import data, random_state
from ir_models.graphs.evaluation import Evaluated, evaluate, explicit
from ir_models.graphs.notation import AskedGraph, Fed, GraphError
from ir_models.vocabulary import layers as drawing
from ir_models.vocabulary import rules
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Step
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Input, Interval, Within

# Elements of a tensor, dimensions of a tensor, draws for one layer.
_MOST, _RANKS, _DRAWS = 2000, 6, 12
# Categories that optimizers know best: three of four layers are of these.
_USUAL = (
    "activation",
    "arithmetic",
    "convolution",
    "matrix",
    "movement",
    "normalization",
    "pooling",
    "quantization",
    "reduction",
    "shape",
)
# Elements whose values a text states one by one.
_MOST_STATED = 64


def can_be_grown(operation: Operation) -> bool:
    """Whether random graphs have layers of this operation: it has data, and no body, variable or random numbers."""
    return not (
        operation.bodies
        or operation.role
        or operation.partner
        or operation.keeps_state
        or all(declared.index for declared in operation.inputs)
    )


def random_graph(
    draw: Draw, operations: Sequence[Operation], wanted: Sequence[Operation] = ()
) -> AskedGraph | None:
    """A graph of two to five layers; one of them is of a ``wanted`` operation, if there are such.

    None where a draw leads nowhere.
    """
    count = draw.integer(2, 5)
    usual = [each for each in operations if each.category in _USUAL] or operations
    first = draw.choice(wanted or (usual if draw.integer(0, 3) else operations))
    graph = begun(first, draw)
    if graph is None:
        return None
    failures = 0
    while len(graph.graph.steps) < count and failures < 2 * count:
        found = grown(graph, draw.choice(usual if draw.integer(0, 3) else operations), draw)
        failures += found is None
        graph = found or graph
    if len(graph.graph.steps) < 2:
        return None
    return _with_results(graph, draw)


def begun(operation: Operation, draw: Draw) -> Evaluated | None:
    """A graph of one layer; None where a draw leads nowhere."""
    for _ in range(_DRAWS):
        layer = _drawn(operation, draw)
        found = None if layer is None else _joined(None, layer, {}, draw)
        if found is not None:
            return found
    return None


def grown(
    graph: Evaluated, operation: Operation, draw: Draw, reading: str = "", draws: int = _DRAWS
) -> Evaluated | None:
    """The graph with one layer more, which reads one of its tensors; None where so many draws lead nowhere.

    ``reading``: it reads this one.
    """
    if reading and not _may_take(operation, graph.tensors[reading]):
        return None
    inner = [name for step in graph.graph.steps for name in graph.outputs(step)]
    last = graph.outputs(graph.graph.steps[-1])
    for _ in range(draws):
        value = reading or draw.choice(last if draw.integer(0, 3) else inner)
        layer = _drawn(operation, draw)
        if layer is None:
            continue
        try:
            suited = _taking(layer, graph.tensors[value], draw)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
            continue  # adapting does not expect such a shape
        if suited is None:
            continue
        found = _joined(graph, suited[0], {suited[1]: value}, draw)
        if found is not None:
            return found
    return None


def _drawn(operation: Operation, draw: Draw) -> Layer | None:
    try:
        return drawing.random_layer(operation, draw)
    except (ValueError, IndexError):
        return None


def _may_take(operation: Operation, tensor: Tensor) -> bool:
    """Whether an operation has a data input for a tensor of this type."""
    return any(
        tensor.element_type in declared.types.types and _takes_any(declared, tensor)
        for declared in operation.inputs
        if not declared.index
    )


def _taking(layer: Layer, tensor: Tensor, draw: Draw) -> tuple[Layer, str] | None:
    """The layer with this tensor as one of its data inputs, and the name of the port."""
    declared = [i for i in layer.operation.inputs if not i.index and layer.tensors(i.name)]
    chosen = draw.choice(declared)
    if tensor.element_type not in chosen.types.types or not _takes_any(chosen, tensor):
        return None
    changed = layer.with_types({chosen.types.name: tensor.element_type})
    own = changed.tensors(chosen.name)
    given = Tensor(tensor.element_type, tensor.shape)
    if chosen.many:
        changed = changed.replace(**{chosen.name: (given,) * len(own)})
    else:
        changed = changed.replace(**{chosen.name: given})
        others = [
            each.name
            for each in declared
            if each.name != chosen.name and not each.many and each.types.name == chosen.types.name
        ]
        # An input that broadcasts has had the shape for another one.
        if not rules.is_valid(changed) and others:
            shape = draw.choice([(), (1,) * tensor.rank, tensor.shape, tensor.shape[-1:]])
            changed = changed.replace(
                **{name: Tensor(tensor.element_type, shape) for name in others}
            )
    changed = drawing.suited(changed)
    port = f"{chosen.name}_0" if chosen.many else chosen.name
    return (changed, port) if rules.is_valid(changed) else None


def _joined(
    graph: Evaluated | None, layer: Layer, taken: dict[str, str], draw: Draw
) -> Evaluated | None:
    """The graph with this layer behind it; ``taken`` are the ports that tensors of the graph feed."""
    number = 1 + (len(graph.graph.steps) if graph else 0)
    fed = dict(graph.graph.fed) if graph else {}
    index = {declared.name for declared in layer.operation.index_inputs}
    inputs: list[str] = []
    for port, tensor in layer.ports():
        if tensor is None:
            inputs.append("")
            continue
        if port in taken:
            inputs.append(taken[port])
            continue
        if tensor.size > _MOST or tensor.rank > _RANKS:
            return None
        if tensor.element_type.kind == "string":  # no text of a graph has any
            return None
        name = f"i{len(fed)}"
        if tensor.value is not None:
            items = np.asarray(tensor.value).reshape(-1).tolist()
            if not items and tensor.size:
                return None
            fill = ":" + ",".join(
                str(item).lower() if isinstance(item, bool) else str(item) for item in items
            )
            fed[name] = Fed(tensor.element_type, tensor.shape, fill, True)
        elif port in index:
            return None
        else:
            constant = bool(fed) and draw.integer(0, 2) > 0
            fill = f"{draw.choice('~~~+')}{draw.integer(0, 99)}"
            declared = layer.operation.input(_input_of(layer, port))
            if not _takes_any(declared, tensor):
                # Values that the page demands: sorted ones, indices within data.
                state = random_state(f"growing/{layer.operation.name}/{port}", draw.integer(0, 99))
                fill = explicit(data(declared, tensor, layer, "", state))
                if tensor.size > _MOST_STATED:
                    return None
            fed[name] = Fed(tensor.element_type, tensor.shape, fill, constant)
        inputs.append(name)
    step = Step(f"n{number}", layer.operation.name, tuple(inputs), dict(layer.attributes))
    steps = (*(graph.graph.steps if graph else ()), step)
    try:
        found = evaluate(AskedGraph(fed, steps, (step.name,)), known=graph)
    except GraphError:
        return None
    for name in found.outputs(step):
        array = found.arrays[name]
        if array.size > _MOST or array.ndim > _RANKS or not array.size:
            return None
        if (
            found.tensors[name].element_type.is_float
            and not np.isfinite(array.astype(np.float64)).all()
        ):
            return None
    return found


def _takes_any(declared: Input, tensor: Tensor) -> bool:
    """Whether the page demands nothing of the values of an input but an interval."""
    if isinstance(declared.values, Within):
        return tensor.element_type.is_float
    return declared.values is None or isinstance(declared.values, Interval)


def _input_of(layer: Layer, port: str) -> str:
    """The declared input that a port belongs to."""
    return port if port in layer.inputs else port.rpartition("_")[0]


def _with_results(graph: Evaluated, draw: Draw) -> AskedGraph:
    """The results: what nothing reads, and now and then an inner tensor; now and then unknown dimensions."""
    names = [name for step in graph.graph.steps for name in graph.outputs(step)]
    ends = [name for name in names if not graph.graph.readers(name)]
    inner = [name for name in names if name not in ends]
    if inner and not draw.integer(0, 2):
        ends.append(draw.choice(inner))
    fed = dict(graph.graph.fed)
    if not draw.integer(0, 3):
        for name, each in fed.items():
            if not each.is_constant and each.shape:
                axes = range(len(each.shape))
                unknown = axes if draw.boolean() else [draw.choice(list(axes))]
                fed[name] = replace(each, unknown=frozenset(unknown))
    return AskedGraph(fed, graph.graph.steps, tuple(ends))
