"""Case ids: the sentence that names a case, selects it and seeds its data.

    SpaceToBatch-2/plain/f32[2,4,5,7]/block_shape=i32:1,1,2,3;pads_begin=0,0,1,3;pads_end=0,0,2,2/index=parameters
    operation      what  data         values of index inputs, attributes                        how

Several data tensors are joined by commas, ``-`` stands for one left out. A data input whose value the layer states
(negative indices, say) is among the parameters as well, as ``indices=[0,-2,-1]``. Parameters are joined by commas, by
semicolons where a value has commas itself. An input that repeats states the values of all its tensors, joined by
commas, or of none. The type of an index input stands before its value where it is not the usual one. ``read`` is the
inverse of ``write``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ir_models.asking import id_parts
from ir_models.asking.how import HOWS, How, levels
from ir_models.vocabulary.element_types import Tensor, element_type, string
from ir_models.vocabulary.notation import read_index, read_number, read_value
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Input


class CaseIdError(ValueError):
    """A case id that does not parse; the message says where."""


# --- writing ------------------------------------------------------------------------------------------------------


def write(layer: Layer, purpose: str, how: How) -> str:
    """The id of a layer that is asked for a purpose, in some way."""
    segments = [layer.operation.name, purpose, data_text(layer)]
    parameters, asked = _joined(_parameters(layer)), str(how)
    if parameters or asked:
        segments.append(parameters or "-")
    if asked:
        segments.append(asked)
    return "/".join(segments)


def with_how(text: str, how: How) -> str:
    """The id of the same layer, asked in another way, for the id of it asked in the usual way."""
    asked = str(how)
    has_parameters = text.count("/") > 2
    return f"{text}{'' if has_parameters or not asked else '/-'}{'/' if asked else ''}{asked}"


def data_text(layer: Layer) -> str:
    """The data of a layer, ``f32[2,3],i64[4]``."""
    texts: list[str] = []
    for declared in layer.operation.inputs:
        if not declared.index:
            texts.extend(map(str, layer.tensors(declared.name) or ("-",)))
    while texts and texts[-1] == "-":
        texts.pop()
    return ",".join(texts) or "-"


def _parameters(layer: Layer) -> list[tuple[str, str]]:
    pairs = []
    for declared in layer.operation.inputs:
        tensor = layer.inputs[declared.name]
        if isinstance(tensor, Tensor) and declared.index:
            usual = tensor.element_type is declared.types.usual_index
            kind = "" if usual else f"{tensor.element_type.name}:"
            pairs.append((declared.name, kind + _value_text(declared, tensor)))
        elif isinstance(tensor, Tensor) and tensor.value is not None:
            pairs.append((declared.name, _nested_text(tensor.value)))
        elif isinstance(tensor, tuple) and all(each.value is not None for each in tensor):
            stated = ",".join(_nested_text(each.value) for each in tensor)
            pairs.append((declared.name, stated))
    for attribute in layer.operation.attributes:
        if attribute.name in layer.attributes:
            text = attribute.text(layer.attributes[attribute.name])
            pairs.append((attribute.name, text))
    return pairs


def _value_text(declared: Input, tensor: Tensor) -> str:
    if tensor.value is None:
        return f"[{'x'.join(map(str, tensor.shape))}]"
    if declared.is_list and tensor.rank == 1:
        return ",".join(_number_text(item) for item in tensor.value)
    if declared.is_list and tensor.rank == 0:
        return f"({_number_text(tensor.value)})"
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


# --- reading ------------------------------------------------------------------------------------------------------


def read(text: str, find: Callable[[str], Operation]) -> tuple[Layer, str, How]:
    """The layer, the purpose and the way of asking that an id names; ``find`` gives an operation by its name.

    Parameters, and the factors of how it is asked, may come in any order.

    Raises CaseIdError, and what ``find`` raises.
    """
    text = text.strip()
    if text.count("/") < 2:
        raise CaseIdError(
            f"malformed case id {text!r}: expected operation/what/data[/parameters[/how]]"
        )
    (name, purpose, data, parameters), asked = id_parts.segments(text)
    operation = find(name)
    try:
        how = _read_how(asked)
        layer = _read_layer(operation, data, parameters)
        _check_values(layer)
    except (ValueError, SyntaxError, KeyError) as error:
        why = _no_factor(parameters) or error
        raise CaseIdError(f"malformed case id {text!r}: {why}") from None
    reads_as = write(layer, purpose, how)
    if _words(reads_as) != _words(text):
        raise CaseIdError(f"malformed case id {text!r}: it reads as {reads_as!r}")
    return layer, purpose, how


def _no_factor(parameters: str) -> str:
    """What is wrong with parameters that end with a way of asking which there is not; empty where they do not."""
    first, slash, last = parameters.rpartition("/")
    name, equals, _ = last.partition("=")
    if slash and first == id_parts.ABSENT and (name in id_parts.FACTORS or not equals):
        return f"{last!r} is not a way of running the layer: that is FACTOR=LEVEL,..."
    if not (slash and equals and name.isidentifier()) or name in id_parts.FACTORS:
        return ""
    return f"{last!r} is not a way of running the layer: its factor is one of {', '.join(id_parts.FACTORS)}"


def _words(text: str) -> tuple[Any, ...]:
    """What an id says, whatever the order and the separators of its parameters and of how it is asked."""
    parts, how = id_parts.segments(text)
    return (*parts[:3], sorted(id_parts.split_pairs(parts[3])), sorted(id_parts.split_pairs(how)))


def _read_layer(operation: Operation, data: str, parameters: str) -> Layer:
    names = [*(i.name for i in operation.inputs), *(a.name for a in operation.attributes)]
    pairs = _read_pairs(parameters, names)
    given = _read_data(operation, data)
    given.update(_read_parameters(operation, pairs, given))
    return operation.layer(**given)


def _check_values(layer: Layer) -> None:
    for name, tensor in layer.ports():
        if tensor is not None and not tensor.fits(tensor.element_type):
            raise ValueError(f"the value of {name} does not fit in {tensor.element_type}")


def _read_how(text: str) -> How:
    chosen: dict[str, str] = {}
    for part in id_parts.split_pairs(text):
        factor, _, level = part.partition("=")
        # Names of inputs are the levels of this factor; the case checks them.
        if factor != "constant" and level not in HOWS[factor]:
            raise ValueError(f"{factor} is one of {', '.join(levels(factor))}, got {level!r}")
        if factor in chosen:
            raise ValueError(f"{factor} is given twice")
        chosen[factor] = level
    return How(**chosen)


def _read_pairs(text: str, names: Iterable[str]) -> dict[str, str]:
    pairs = {}
    for part in id_parts.split_pairs(text):
        name, equals, value = part.partition("=")
        known = ", ".join(names) or "none"
        if not equals:
            raise ValueError(f"{part!r} is not NAME=VALUE with one of {known}")
        if name not in names:
            raise ValueError(f"{name!r} is not an input or attribute of it, which are {known}")
        if name in pairs:
            raise ValueError(f"{name} is given twice")
        pairs[name] = value
    return pairs


def _read_data(operation: Operation, text: str) -> dict[str, Any]:
    try:
        parts = id_parts.tensors(text)
    except ValueError:  # a dimension is no number
        raise ValueError(f"{text!r} is not a list of tensors such as f32[2,3],i64[4]") from None
    tensors: list[Tensor | None] = [
        None if part is None else Tensor(element_type(part.element_type), part.shape)
        for part in parts
    ]
    if text != "-" and ",".join("-" if t is None else str(t) for t in tensors) != text:
        raise ValueError(f"{text!r} is not a list of tensors such as f32[2,3],i64[4]")
    for tensor in tensors:
        if tensor is not None and any(size < 0 for size in tensor.shape):
            raise ValueError(f"the dimensions of {tensor} are whole numbers from 0 on")
        if tensor is not None and tensor.is_too_large:
            raise ValueError(f"{tensor} has more dimensions or elements than an array can have")
    declared = [i for i in operation.inputs if not i.index]
    given: dict[str, Any] = {}
    for index, each in enumerate(declared):
        if each.many:
            taken = len(tensors) - (len(declared) - index - 1)
            given[each.name], tensors = tuple(tensors[:taken]) or None, tensors[taken:]
        elif tensors:
            given[each.name] = tensors.pop(0)
    if tensors:
        raise ValueError(
            f"{operation.name} takes {len(declared)} data inputs at most, got {text!r}"
        )
    return given


def _read_parameters(
    operation: Operation, pairs: dict[str, str], data: dict[str, Any]
) -> dict[str, Any]:
    """Index inputs, attributes, and the inputs of ``data`` whose value is stated."""
    given: dict[str, Any] = {}
    for declared in operation.inputs:
        if declared.name not in pairs:
            continue
        text = pairs[declared.name]
        if declared.index:
            given[declared.name] = _read_index(declared, text)
            continue
        tensor = data.get(declared.name)
        is_text = isinstance(tensor, Tensor) and tensor.element_type is string
        read_item = str if is_text else read_number
        if declared.many:
            values = read_value(declared, f"[{text}]", read_item)
            pairs_of = zip(tensor or (), values, strict=True)
            given[declared.name] = tuple(_stated(*each) for each in pairs_of)
        else:
            given[declared.name] = _stated(tensor, read_value(declared, text, read_item))
    for attribute in operation.attributes:
        if attribute.name in pairs:
            given[attribute.name] = attribute.parse(pairs[attribute.name])
    return given


def _read_index(declared: Input, text: str) -> Tensor:
    try:
        return read_index(declared, text)
    except ValueError as error:
        raise ValueError(f"{declared.name}: {error}") from None


def _stated(tensor: Tensor | None, value: Any) -> Tensor:
    # Nothing has one notation: that of no element along the first dimension does not tell the other ones.
    is_empty = tensor is not None and tensor.size == 0 == np.size(value)
    if tensor is None or (np.shape(value) != tensor.shape and not is_empty):
        raise ValueError(f"{value} is not the value of a tensor {tensor}")
    return replace(tensor, value=value)
