"""A case: one layer with every parameter fixed, why it exists, and how it is asked.

Its id is a sentence that names it, selects it and seeds its data:

    SpaceToBatch-2/i64-large/i64[2,6,10,3,3]/block_shape=1,2,4,3,1;pads_begin=0,0,1,0,0;pads_end=0,0,1,0,0/constants=i32
    operation      purpose   data            values of index inputs, attributes                            form

Several data tensors are joined by commas, ``-`` stands for one left out. A data input whose value the layer states
(negative indices, say) is among the parameters as well, as ``indices=[0,-2,-1]``. Parameters are joined by commas, by
semicolons where a value has commas itself. The form says how the layer is asked where that is not the usual way.
``parse`` is the inverse of ``Case.id``: an id alone rebuilds the case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from ir_models import catalog, values
from ir_models.declaration import Input, Operation, exactly
from ir_models.element_types import ElementType, element_type, string
from ir_models.layer import Layer, Tensor


class CaseIdError(ValueError):
    """A case id that does not parse; the message says where."""


@dataclass(frozen=True)
class Form:
    """How a layer is asked. Each field is one axis; the default is the usual way and does not show in the id.

    ``feed``: index inputs are ``constants``, ``parameters`` (given at run time) or ``computed`` (given at run time
    through a small subgraph that the device must run first). ``shape``: ``dims`` (every dimension unknown), ``bounds``
    (unknown within bounds), ``rank`` (rank unknown). ``ir``: the IR version. ``ports``: ``page`` numbers ports as the
    page's example prints them. ``names``, ``attributes``, ``layers``, ``weights``: how the XML is written. ``data``:
    ``constant`` makes every input a constant, ``runtime`` gives at run time also data whose value the layer states,
    which else is a constant. ``memory``: where input tensors live. ``requests``: ``again`` uses one
    request twice with other data, ``two`` runs two at once.
    """

    feed: str = "constants"
    shape: str = ""
    data: str = ""
    ir: str = ""
    ports: str = ""
    names: str = ""
    attributes: str = ""
    layers: str = ""
    weights: str = ""
    memory: str = ""
    requests: str = ""

    @property
    def inferences(self) -> int:
        """How often the compiled model is inferred with data of its own."""
        if self.shape:
            return 3
        return 2 if self.requests else 1


FORM_VALUES: dict[str, tuple[str, ...]] = {
    "feed": ("constants", "parameters", "computed"),
    "shape": ("dims", "bounds", "rank"),
    "data": ("constant", "runtime"),
    "ir": ("10",),
    "ports": ("page",),
    "names": ("spaces", "quotes", "unicode", "long"),
    "attributes": ("reversed",),
    "layers": ("reversed",),
    "weights": ("shared",),
    "memory": ("strided", "offset", "foreign"),
    "requests": ("again", "two"),
}


@dataclass(frozen=True)
class Case:
    """One question for a device."""

    layer: Layer
    purpose: str
    form: Form = Form()

    @property
    def operation(self) -> Operation:
        """The operation of the layer."""
        return self.layer.operation

    @cached_property
    def id(self) -> str:
        """The case's name, its address and its seed."""
        segments = [self.operation.name, self.purpose, _data_text(self.layer)]
        parameters, form = _parameters(self.layer), _form(self)
        if parameters or form:
            segments.append(_joined(parameters) or "-")
        if form:
            segments.append(_joined(form))
        return "/".join(segments)

    def __str__(self) -> str:
        return self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Case) and other.id == self.id

    @property
    def is_invalid(self) -> bool:
        """Whether the layer breaks a rule of the page, so that a device must refuse it."""
        return self.purpose == "invalid"

    @property
    def is_constant(self) -> bool:
        """Whether every input is a constant, so that the layer may be folded before a device sees it."""
        if self.form.data == "constant":
            return True
        return not any(
            self.form.feed != "constants" if declared.index else self._is_given(tensor)
            for declared in self.operation.inputs
            for tensor in _each(self.layer.inputs[declared.name])
            if tensor is not None
        )

    def _is_given(self, data: Tensor) -> bool:
        return data.value is None or self.form.data == "runtime"

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layer of each inference: the same one, but for unknown shapes, which end with the first shape again."""
        if not self.form.shape:
            return (self.layer,) * self.form.inferences
        return (self.layer, resized(self.layer), self.layer)

    def arrays(self, inference: int = 0, seed: int = 0) -> list[np.ndarray | None]:
        """The value of every input port at one inference; None for an input left out."""
        layer = self.layers[inference]
        # The last inference of an unknown shape repeats the first, data included.
        number = 0 if self.form.shape and inference == 2 else inference
        state = values.random_state(f"{self.id}#{number}" if number else self.id, seed)
        arrays: list[np.ndarray | None] = []
        for declared in self.operation.inputs:
            for tensor in _each(layer.inputs[declared.name]):
                if tensor is None:
                    arrays.append(None)
                elif tensor.value is not None:
                    arrays.append(tensor.array())
                else:
                    arrays.append(values.data(declared, tensor, layer, self.purpose, state))
        while arrays and arrays[-1] is None:
            arrays.pop()
        return arrays


def resized(layer: Layer) -> Layer:
    """A valid layer with the same parameters and other dimensions of its data.

    As many dimensions differ as the rules allow. Raises ValueError where none can.
    """
    found = layer
    for declared in layer.operation.inputs:
        if declared.index:
            continue
        tensors = _each(layer.inputs[declared.name])
        for position, tensor in enumerate(tensors):
            for axis in range(tensor.rank if tensor else 0):
                found = _with_axis_resized(found, layer, declared, position, axis)
    if found == layer:
        raise ValueError(f"{layer.operation.name}: no dimension of {_data_text(layer)} can change")
    return found


def _with_axis_resized(
    found: Layer, original: Layer, declared: Input, position: int, axis: int
) -> Layer:
    tensor = _each(original.inputs[declared.name])[position]
    assert tensor is not None
    old = tensor.shape[axis]
    for new in (*range(old + 1, old + 13), 2 * old, 3 * old):
        changed = _set_dimension(found, declared, position, axis, new)
        if _may_follow(original, changed):
            return changed
    # Data of one shape (or of one batch) changes together.
    for new in range(old + 1, old + 13):
        changed = found
        for each in found.operation.inputs:
            for place, other in enumerate(_each(found.inputs[each.name])):
                if other and other.value is None and axis < other.rank and other.shape[axis] == old:
                    changed = _set_dimension(changed, each, place, axis, new)
        if _may_follow(original, changed):
            return changed
    return found


def _may_follow(first: Layer, second: Layer) -> bool:
    resizable = first.operation.resizable
    return layer_is_valid(second) and (resizable is None or resizable(first, second))


def _set_dimension(layer: Layer, declared: Input, position: int, axis: int, size: int) -> Layer:
    tensors = list(_each(layer.inputs[declared.name]))
    tensor = tensors[position]
    assert tensor is not None
    shape = (*tensor.shape[:axis], size, *tensor.shape[axis + 1 :])
    tensors[position] = tensor.with_shape(*shape)
    changed: Any = tuple(tensors) if declared.many else tensors[0]
    return replace(layer, inputs={**layer.inputs, declared.name: changed})


def layer_is_valid(layer: Layer) -> bool:
    """Whether the layer keeps every rule of its page."""
    return layer.operation.broken_rule(layer) is None


def _each(tensor: Tensor | tuple[Tensor, ...] | None) -> tuple[Tensor | None, ...]:
    return tensor if isinstance(tensor, tuple) else (tensor,)


# --- writing ids --------------------------------------------------------------------------------------------------


def _data_text(layer: Layer) -> str:
    texts: list[str] = []
    for declared in layer.operation.inputs:
        if not declared.index:
            texts.extend("-" if t is None else str(t) for t in _each(layer.inputs[declared.name]))
    while texts and texts[-1] == "-":
        texts.pop()
    return ",".join(texts) or "-"


def _parameters(layer: Layer) -> list[tuple[str, str]]:
    pairs = []
    for declared in layer.operation.inputs:
        tensor = layer.inputs[declared.name]
        if isinstance(tensor, Tensor) and declared.index:
            pairs.append((declared.name, _value_text(declared, tensor)))
        elif isinstance(tensor, Tensor) and tensor.value is not None:
            pairs.append((declared.name, _nested_text(tensor.value)))
    for attribute in layer.operation.attributes:
        if attribute.name in layer.attributes:
            text = attribute.text(layer.attributes[attribute.name])
            pairs.append((attribute.name, text))
    return pairs


def _value_text(declared: Input, tensor: Tensor) -> str:
    if tensor.value is None:
        return f"[{'x'.join(map(str, tensor.shape))}]"
    if declared.rank == exactly(1) and tensor.rank == 1:
        return ",".join(_number_text(item) for item in tensor.value)
    return _nested_text(tensor.value)


def _nested_text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{','.join(_nested_text(item) for item in value)}]"
    return _number_text(value)


def _number_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _joined(pairs: Sequence[tuple[str, str]]) -> str:
    separator = ";" if any("," in text for _, text in pairs) else ","
    return separator.join(f"{name}={text}" for name, text in pairs)


def _form(case: Case) -> list[tuple[str, str]]:
    pairs = []
    index_types = _index_types(case.layer)
    if case.form.feed != "constants" or index_types != _usual_index_types(case.layer):
        pairs.append((case.form.feed, ",".join(t.name for t in index_types) or "none"))
    for field in fields(Form):
        text = getattr(case.form, field.name)
        if field.name != "feed" and text:
            pairs.append((field.name, text))
    return pairs


def _index_types(layer: Layer) -> list[ElementType]:
    """The types of the index inputs, once where all are alike."""
    present = [t for i in layer.operation.index_inputs for t in _each(layer.inputs[i.name]) if t]
    types = [t.element_type for t in present]
    return types[:1] if len(set(types)) == 1 else types


def _usual_index_types(layer: Layer) -> list[ElementType]:
    types = [
        _usual_type(i) for i in layer.operation.index_inputs if layer.inputs[i.name] is not None
    ]
    return types[:1] if len(set(types)) == 1 else types


def _usual_type(declared: Input) -> ElementType:
    return next((t for t in declared.types.types if t.name == "i64"), declared.types.default)


# --- reading ids --------------------------------------------------------------------------------------------------


def parse(text: str) -> Case:
    """The case that an id names. Raises CaseIdError, or UnknownOperationError for its operation."""
    segments = text.strip().split("/")
    if len(segments) < 3:
        raise CaseIdError(
            f"malformed case id {text!r}: expected operation/purpose/data[/parameters[/form]]"
        )
    operation = catalog.operation(segments[0])
    try:
        # A string value may hold a slash; a form never does.
        form_text = ""
        rest = segments[3:]
        if len(rest) > 1 and _is_form(rest[-1]):
            form_text = rest.pop()
        parameters = _parse_pairs("/".join(rest), _parameter_names(operation))
        given = _parse_data(operation, segments[2])
        given.update(_parse_parameters(operation, parameters, given))
        layer = operation.layer(**given)
        form, index_types = _parse_form(form_text)
        layer = _with_index_types(layer, index_types)
        _check_values(layer)
    except (ValueError, SyntaxError) as error:
        raise CaseIdError(f"malformed case id {text!r}: {error}") from None
    case = Case(layer, segments[1], form)
    if case.id != text.strip():
        raise CaseIdError(f"malformed case id {text!r}: it reads as {case.id!r}")
    return case


def _check_values(layer: Layer) -> None:
    for name, tensor in layer.ports():
        if tensor is not None and not tensor.fits(tensor.element_type):
            raise ValueError(f"the value of {name} does not fit in {tensor.element_type}")


def _parameter_names(operation: Operation) -> list[str]:
    return [*(i.name for i in operation.inputs), *(a.name for a in operation.attributes)]


def _is_form(segment: str) -> bool:
    keys = {*FORM_VALUES["feed"], *FORM_VALUES} - {"feed"}
    return all(part.partition("=")[0] in keys for part in re.split(r"[,;](?=\w+=)", segment))


def _parse_pairs(text: str, names: Iterable[str]) -> dict[str, str]:
    if text in ("", "-"):
        return {}
    pairs = {}
    for part in re.split(r"[,;](?=\w+=)", text):
        name, equals, value = part.partition("=")
        if not equals or name not in names:
            raise ValueError(f"{part!r} is not NAME=VALUE with one of {', '.join(names) or 'none'}")
        pairs[name] = value
    return pairs


def _parse_data(operation: Operation, text: str) -> dict[str, Any]:
    tensors = (
        []
        if text == "-"
        else [_parse_tensor(part) for part in re.findall(r"-|[^,\[]+\[[^\]]*\]", text)]
    )
    if text != "-" and ",".join("-" if t is None else str(t) for t in tensors) != text:
        raise ValueError(f"{text!r} is not a list of tensors such as f32[2,3],i64[4]")
    declared = [i for i in operation.inputs if not i.index]
    given: dict[str, Any] = {}
    for index, each in enumerate(declared):
        if each.many:
            taken = len(tensors) - (len(declared) - index - 1)
            given[each.name], tensors = tuple(tensors[:taken]), tensors[taken:]
        elif tensors:
            given[each.name] = tensors.pop(0)
    if tensors:
        raise ValueError(
            f"{operation.name} takes {len(declared)} data inputs at most, got {text!r}"
        )
    return given


def _parse_tensor(text: str) -> Tensor | None:
    if text == "-":
        return None
    name, _, dims = text.rstrip("]").partition("[")
    return Tensor(element_type(name), tuple(int(d) for d in dims.split(",") if d))


def _parse_parameters(
    operation: Operation, pairs: dict[str, str], data: dict[str, Any]
) -> dict[str, Any]:
    """Index inputs, attributes, and the inputs of ``data`` whose value is stated."""
    given: dict[str, Any] = {}
    for declared in operation.inputs:
        if declared.name in pairs:
            tensor = data.get(declared.name)
            is_text = isinstance(tensor, Tensor) and tensor.element_type is string
            value = _parse_value(declared, pairs[declared.name], str if is_text else _parse_number)
            given[declared.name] = value if declared.index else _stated(tensor, value)
    for attribute in operation.attributes:
        if attribute.name in pairs:
            given[attribute.name] = attribute.parse(pairs[attribute.name])
    return given


def _stated(tensor: Tensor | None, value: Any) -> Tensor:
    if tensor is None or np.shape(value) != tensor.shape:
        raise ValueError(f"{value} is not the value of a tensor {tensor}")
    return replace(tensor, value=value)


def _parse_value(declared: Input, text: str, parse_item: Callable[[str], Any]) -> Any:
    if declared.rank == exactly(1) and not text.startswith("["):
        return tuple(parse_item(item) for item in text.split(",") if item) if text else ()
    if not text.startswith("["):
        return parse_item(text)
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[\[\]]|[^\[\],]+", text):
        if token == "[":
            stack.append([])
        elif token == "]":
            if len(stack) < 2:
                raise ValueError(f"unbalanced brackets in {text!r}")
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(parse_item(token))
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError(f"unbalanced brackets in {text!r}")
    return stack[0][0]


def _parse_number(text: str) -> int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return float(text)


def _parse_form(text: str) -> tuple[Form, list[ElementType]]:
    chosen: dict[str, str] = {}
    index_types: list[ElementType] = []
    for part in re.split(r"[,;](?=\w+=)", text) if text else ():
        name, _, value = part.partition("=")
        if name in FORM_VALUES["feed"]:
            chosen["feed"] = name
            index_types = [] if value == "none" else [element_type(n) for n in value.split(",")]
        elif value in FORM_VALUES[name]:
            chosen[name] = value
        else:
            raise ValueError(f"{name} is one of {', '.join(FORM_VALUES[name])}, got {value!r}")
    return Form(**chosen), index_types


def _with_index_types(layer: Layer, types: list[ElementType]) -> Layer:
    if not types:
        return layer
    present = [i for i in layer.operation.index_inputs if layer.inputs[i.name] is not None]
    if len(types) == 1:
        types = types * len(present)
    if len(types) != len(present):
        raise ValueError(f"{len(present)} index inputs have {len(types)} types")
    inputs = dict(layer.inputs)
    for declared, kind in zip(present, types, strict=True):
        tensor = inputs[declared.name]
        assert isinstance(tensor, Tensor)
        inputs[declared.name] = tensor.with_type(kind)
    return replace(layer, inputs=inputs)
