"""The layers of a model as cases ask layers: the same texts for data, parameters and ways of asking.

So what is known of cases can be told of layers. Nothing is computed, and the weights are read only where they are the
few numbers of an index input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ir_models import catalog
from ir_models.asking.id_parts import split_id
from ir_models.corpus import purposes
from ir_models.models.reader import Model, Source
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Node
from ir_models.vocabulary.operation import Operation

MOST_NUMBERS = 64
"""Of an index input; a longer one is not read."""

RANDOM_LAYERS = 50
"""Of the corpus: as many as a run asks by default."""


@dataclass(frozen=True)
class Form:
    """What a layer is beside its sizes and numbers."""

    types: tuple[str, ...]
    rank: int
    """That of the first data tensor."""
    is_dynamic: bool
    words: tuple[tuple[str, str], ...]
    """Enumerations and booleans, with the page's defaults."""


@dataclass(frozen=True)
class AskedLayer:
    """A layer of a model.

    ``operation`` is the name of its page, or its type and operation set where no page has it, and then ``is_known`` is
    False. ``inputs`` are the data tensors as case ids have them, with -1 for a dimension that is unknown.
    ``parameters`` are attributes, and index inputs whose values are constants. ``how`` are the ways of asking that the
    model shows by itself: ``shape``, ``data``, ``index`` and ``ir``. ``before`` and ``behind`` are the types of the
    neighbours in lower case. ``bodies``: whether it has layers of its own, which are not looked at.
    """

    title: str
    operation: str
    category: str
    is_known: bool
    inputs: tuple[str, ...]
    parameters: Mapping[str, str]
    how: Mapping[str, str]
    before: frozenset[str]
    behind: frozenset[str]
    bodies: bool = False
    unread: frozenset[str] = frozenset()
    """Index inputs whose values are not known: they are computed, many, or there are no weights."""
    form: Form | None = None


def asked_layers(model: Model) -> Iterator[AskedLayer]:
    """Yield the layers of a model that compute something, but for what is computed of constants alone.

    Without a weights file index inputs have no values.
    """
    has_weights = bool(model.weights.size)
    folded = set(model.graph.constants)
    for node in model.graph.nodes:
        source = model.sources[node.name]
        operation = source.operation
        if node.inputs and folded.issuperset(node.inputs):
            folded.update(source.outputs)
        elif operation is None or not node.operation:
            label = source.label
            yield AskedLayer(source.title, label, "", False, (), {}, {}, frozenset(), frozenset())
        else:
            yield _layer(model, node, source, operation, folded, has_weights)


def _layer(
    model: Model,
    node: Node,
    source: Source,
    operation: Operation,
    folded: Collection[str],
    has_weights: bool,
) -> AskedLayer:
    inputs: list[str] = []
    parameters: dict[str, str] = {}
    how: dict[str, str] = {}
    constant: list[bool] = []
    unread: set[str] = set()
    values = list(node.inputs)
    for n, declared in enumerate(operation.inputs):
        others = len(operation.inputs) - n - 1
        given = values[: max(len(values) - others, 1)] if declared.many else values[:1]
        values = values[len(given) :]
        for value in given:
            if not declared.index:
                constant.append(value in folded)
                inputs.append(_tensor(model, value))
                continue
            kind = model.types.get(value)
            is_usual = kind is None or kind is declared.types.usual_index
            prefix = "" if is_usual or kind is None else f"{kind.name}:"
            text = _numbers(model.graph.constants.get(value)) if has_weights else None
            if text is not None or prefix:
                parameters[declared.name] = prefix + (text or "")
            if text is None:
                unread.add(declared.name)
            if value not in folded:
                how["index"] = "parameters"
    if any(model.shapes.get(value, ()) is None for value in node.inputs):
        how["shape"] = "rank"
    elif any("-1" in text for text in inputs):
        how["shape"] = "dims"
    if model.version == "10":
        how["ir"] = "10"
    if len(constant) > 1 and not constant[0] and all(constant[1:]):
        how["data"] = "first"
    parameters |= {
        each.name: each.text(node.attributes[each.name])
        for each in operation.attributes
        if each.is_written and each.name in node.attributes
    }
    return AskedLayer(
        source.title, operation.name, operation.category, True, tuple(inputs), parameters, how,
        frozenset(_types_before(model, node)), frozenset(_types_behind(model, source)),
        bool(operation.bodies), frozenset(unread), form_of(operation, inputs, parameters, how),
    )  # fmt: skip


def _types_before(model: Model, node: Node) -> Iterator[str]:
    for value in node.inputs:
        name = value.partition(":")[0]
        if name in model.nodes:
            yield model.sources[name].type.lower()


def _types_behind(model: Model, source: Source) -> Iterator[str]:
    for value in source.outputs:
        for reader in model.readers.get(value, ()):
            yield model.sources[reader].type.lower()


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


def _numbers(tensor: Tensor | None) -> str | None:
    """The few values of an index input as text; None for others."""
    if tensor is None:
        return None
    size = 1
    for dim in tensor.shape:
        size *= dim
    if size > MOST_NUMBERS or tensor.element_type.kind == "string":
        return None
    try:
        return ",".join(str(one) for one in tensor.array().reshape(-1).tolist())
    except ValueError:
        return None


def form_of(
    operation: Operation,
    inputs: Sequence[str],
    parameters: Mapping[str, str],
    how: Mapping[str, str],
) -> Form:
    """Return the form of a layer or of a case, by the texts of an id."""
    given = [text for text in inputs if "[" in text]
    shape = given[0].partition("[")[2].rstrip("]") if given else ""
    words = [
        (each.name, parameters.get(each.name, "" if each.default is None else each.text(each.default)))
        for each in operation.attributes
        if each.is_enumeration or each.type is bool
    ]  # fmt: skip
    return Form(
        tuple(text.partition("[")[0] for text in given),
        shape.count(",") + 1 if shape else 0,
        "shape" in how,
        tuple(words),
    )


@cache
def cases_asked(name: str) -> tuple[str, ...]:
    """Return the ids of the valid cases in which the corpus asks an operation at depth pairs."""
    cases = purposes.cases(catalog.operation(name), draws=RANDOM_LAYERS, depth="pairs")
    return tuple(case.id for case in cases if case.purpose != "invalid")


def forms_asked(name: str) -> dict[Form, int]:
    """Return the forms in which the corpus asks an operation at depth pairs, with the number of cases of each."""
    operation = catalog.operation(name)
    return Counter(
        form_of(operation, parts.inputs, parts.parameters, parts.how)
        for parts in map(split_id, cases_asked(name))
    )
