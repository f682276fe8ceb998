"""The layers of a model as cases ask layers, by the cells of support that they fall into (`ir_models.models.cells`).

So what is known of cases is known of layers. Nothing is computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ir_models.models.cells import DIMENSIONS, RANK, cells_of, plain_cells
from ir_models.models.reader import Model, Source
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Node
from ir_models.vocabulary.operation import Operation

_STATED = 16
"""Elements of an index input that is told."""


@dataclass(frozen=True)
class AskedLayer:
    """A layer of a model.

    ``operation`` is the name of its page, or its type and operation set where no page has it, and then ``is_known`` is
    False. ``inputs`` are the data tensors as case ids have them, with -1 for a dimension that is unknown.
    Where the file states no shape, ``cells`` has neither the rank nor the dimensions. ``bodies``: whether the layer has
    layers of its own, which are not looked at.
    """

    title: str
    operation: str
    is_known: bool
    inputs: tuple[str, ...] = ()
    cells: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    """The cells of the plain layer of the operation."""
    bodies: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Attributes and index inputs as case ids have them; those whose values are not known are not there."""
    category: str = ""
    how: Mapping[str, str] = field(default_factory=dict)
    """The factors of the case: what is constant, what has unknown dimensions, where index inputs come from."""

    @property
    def has_shapes(self) -> bool:
        """Whether the file states the dimensions of the data, if there are data."""
        start = f"{DIMENSIONS}="
        own, usual = (
            any(each.startswith(start) for each in cells) for cells in (self.cells, self.plain)
        )
        return own or not usual


def asked_layers(model: Model, *, has_values: bool = False) -> Iterator[AskedLayer]:
    """Yield the layers of a model that compute something, but for what follows from constants and known shapes.

    With ``has_values`` the weights were read, and short index inputs are among the parameters.
    """
    folded = set(model.graph.constants)
    has_shapes = _states_shapes(model)
    for node in model.graph.nodes:
        source = model.sources[node.name]
        operation = source.operation
        is_known = operation is not None and operation.reads_shapes_alone
        is_known = is_known and all(_states_sizes(_tensor(model, each)) for each in node.inputs)
        if node.inputs and (is_known or folded.issuperset(node.inputs)):
            folded.update(source.outputs)
        elif operation is None or not node.operation:
            yield AskedLayer(source.title, source.label, False)
        else:
            yield _layer(model, node, source, operation, folded, has_shapes, has_values)


def _states_shapes(model: Model) -> bool:
    """Whether a port without dimensions is a scalar: an unknown rank looks the same, and some files state no shapes."""
    if any(shape is None for shape in model.shapes.values()):
        return False
    computed = [source for name, source in model.sources.items() if name not in model.shapes]
    return any(source.dimensions(0) for source in computed if source.in_ids)


def _layer(
    model: Model,
    node: Node,
    source: Source,
    operation: Operation,
    folded: Collection[str],
    has_shapes: bool,
    has_values: bool,
) -> AskedLayer:
    inputs: list[str] = []
    parameters: dict[str, str] = {}
    how: dict[str, str] = {}
    constants: list[str] = []
    stated: dict[str, str] = {}
    values = list(node.inputs)
    for n, declared in enumerate(operation.inputs):
        others = len(operation.inputs) - n - 1
        given = values[: max(len(values) - others, 1)] if declared.many else values[:1]
        values = values[len(given) :]
        for place, value in enumerate(given):
            if not declared.index:
                inputs.append(_tensor(model, value))
                if value in folded:
                    constants.append(f"{declared.name}_{place}" if declared.many else declared.name)
                continue
            kind = model.types.get(value)
            parameters[declared.name] = f"{kind.name}:" if kind else ""
            if value not in folded:
                is_parameter = value.partition(":")[0] in model.shapes
                how["index"] = "parameters" if is_parameter else "computed"
    if any(model.shapes.get(value, ()) is None for value in node.inputs):
        how["shape"] = "rank"
    elif unknown := [text for text in inputs if "-1" in text]:
        at_run_time = len(inputs) - len(constants)
        is_whole = len(unknown) == at_run_time and all(map(_is_unknown, unknown))
        how["shape"] = "dims" if is_whole else "some"
    if constants:
        how["constant"] = "+".join(constants)
    parameters |= {
        each.name: each.text(node.attributes[each.name])
        for each in operation.attributes
        if each.is_written and each.name in node.attributes
    }
    cells = cells_of(operation.name, inputs, parameters, how)
    if (
        not has_shapes
        and "shape" not in how
        and any(_is_scalar(model, value) for value in node.inputs)
    ):
        cells = frozenset(
            each for each in cells if not each.startswith((f"{RANK}=", f"{DIMENSIONS}="))
        )
    return AskedLayer(
        source.title, operation.name, True, tuple(inputs), cells, plain_cells(operation.name),
        bool(operation.bodies), {n: text for n, text in parameters.items() if not text.endswith(":")} | stated,
        operation.category, how,
    )  # fmt: skip


def _stated(name: str, constant: Tensor) -> dict[str, str]:
    """A short index input as case ids have it: without its type where that is i64."""
    if constant.size > _STATED or constant.element_type.kind == "string":
        return {}
    values = ",".join(map(str, constant.array().reshape(-1).tolist()))
    kind = constant.element_type.name
    return {name: values if kind == "i64" else f"{kind}:{values}"}


def _is_scalar(model: Model, value: str) -> bool:
    """Whether what a layer computes has no dimensions in the file."""
    is_given = value in model.graph.constants or value in model.shapes
    return not is_given and _tensor(model, value).endswith("[]")


def _states_sizes(text: str) -> bool:
    """Whether each dimension of data is known; without any, the file may not state them."""
    return "-1" not in text and not text.endswith("[]")


def _is_unknown(text: str) -> bool:
    """Whether every dimension of data is unknown."""
    return set(text.partition("[")[2].rstrip("]").split(",")) == {"-1"}


def _tensor(model: Model, value: str) -> str:
    """A value as case ids have data: ``f32[1,-1,224]``."""
    name, _, place = value.partition(":")
    source = model.sources[name]
    number = int(place or 0)
    kind = source.types[number] if number < len(source.types) else None
    if (constant := model.graph.constants.get(value)) is not None:
        dims: Sequence[int] = constant.shape
    elif name in model.shapes:
        dims = [low if low == high else -1 for low, high in model.shapes[name] or ()]
    else:
        dims = source.dimensions(number) or ()
    return f"{kind.name if kind else 'unknown'}[{','.join(map(str, dims))}]"
