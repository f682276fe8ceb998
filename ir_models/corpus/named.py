"""Whether a case that is named by hand asks something, and what its purpose says.

``Case.contradiction`` says which ways of asking exclude each other: no case is asked so. Here is what only a hand
writes: a purpose that nobody has, a layer that breaks a rule of its page, a way of asking that changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ir_models.asking import values
from ir_models.asking.case import VARIANT, Case, LayerCase
from ir_models.asking.how import WHOLE_SHAPES
from ir_models.asking.neighbours import WITH_CONSTANT, constant_of
from ir_models.asking.sums import SETS
from ir_models.corpus.listed import is_listed_anywhere
from ir_models.corpus.purposes import PURPOSES
from reference import outputs_of


def why_not(case: Case) -> str:
    """Why a case is not asked though it is named, empty where it is.

    The corpus has a few cases with a way that changes nothing: they are what they are.
    """
    if not isinstance(case, LayerCase):  # Whoever reads a graph checks each of its layers.
        return ""
    why = _of_purpose(case) or why_layer_is_not(case)
    if why:
        return why
    needless = next(without_effect(case), "")
    return needless if needless and not is_listed_anywhere(case) else ""


def _of_purpose(case: LayerCase) -> str:
    own = tuple(VARIANT + each.name for each in case.operation.variants)
    if case.purpose in (*PURPOSES, *own):
        return ""
    return (
        f"unknown purpose {case.purpose!r}: call a layer of your own plain, or invalid; "
        "`python -m ir_models purposes` lists the others"
    )


def why_layer_is_not(case: LayerCase) -> str:
    """Why the layer is not what the purpose says, valid or invalid; empty where it is."""
    rule = case.first_broken_rule
    if case.is_invalid:
        is_so = rule is not None
        return "" if is_so else "the layer breaks no rule of its page: call it plain, not invalid"
    if rule is None or _is_example(case):
        return ""
    return f"the layer breaks a rule of the specification: {rule.text}"


def _is_example(case: LayerCase) -> bool:
    """Whether the layer is an example of the page, which is asked as it is printed, errors included."""
    operation = case.operation
    return case.purpose == "example" and any(
        case.layer == operation.layer(**operation.parameters(each.layer))
        for each in operation.examples
    )


def without_effect(case: LayerCase) -> Iterator[str]:
    """Why a way of asking changes nothing, for each that does not."""
    yield from _of_index(case)
    yield from _of_constants(case)
    yield from _of_shape(case)
    yield from _of_values(case)
    yield from _of_writing(case)
    yield from _of_operand(case)


def _of_index(case: LayerCase) -> Iterator[str]:
    how, layer = case.how, case.layer
    if how.index and not any(layer.tensors(i.name) for i in case.operation.index_inputs):
        yield f"index={how.index} needs an index input, which the layer does not have"
    elif how.index and how.data == "constant":
        yield f"index={how.index} and data=constant exclude each other"


def _of_constants(case: LayerCase) -> Iterator[str]:
    how, layer = case.how, case.layer
    if how.data == "runtime" and not layer.states_data:
        yield "data=runtime needs data whose value the layer states"
    usual = LayerCase(layer, case.purpose, replace(how, data="", constant=""))
    are_constant = {
        name: usual.feeds_constant(name, tensor)
        for name, tensor in layer.ports()
        if tensor is not None
    }
    if how.data == "constant" and all(are_constant.values()):
        yield "data=constant: every input is a constant already"
    if how.constant and how.data == "constant":
        yield f"constant={how.constant} and data=constant exclude each other"
    elif how.constant and how.data != "runtime" and are_constant[how.constant]:
        yield f"constant={how.constant}: this input is a constant already"
    if how.memory and not case.data_ports and not how.index:
        yield f"memory={how.memory} needs an input that is given at run time"


def _of_shape(case: LayerCase) -> Iterator[str]:
    how = case.how
    given = ((name, tensor) for name, tensor in case.layer.ports() if tensor is not None)
    if how.shape and all(case.has_known_shape(*each) for each in given):
        yield f"shape={how.shape} needs data that is given at run time"
    elif how.resize and how.shape not in WHOLE_SHAPES:
        yield f"resize={how.resize} needs a shape of {', '.join(WHOLE_SHAPES)}"


def _of_values(case: LayerCase) -> Iterator[str]:
    level, operation = case.how.values, case.operation
    if level in SETS and operation.sums is None:
        yield f"values={level} needs an operation that sums"
    elif level and not any(
        tensor.value is None
        for declared in operation.inputs
        if values.takes_any(declared, case.layer) or level in SETS
        for tensor in case.layer.tensors(declared.name)
    ):
        yield f"values={level} needs data whose values are free"


def _of_writing(case: LayerCase) -> Iterator[str]:
    how, operation = case.how, case.operation
    if how.ports and not operation.examples:
        yield f"ports={how.ports} needs an example on the page"
    if how.attributes and len(case.layer.attributes) < 2:
        yield f"attributes={how.attributes} needs two attributes"
    booleans = (a.name for a in operation.attributes if a.type is bool)
    if how.booleans and not any(name in case.layer.attributes for name in booleans):
        yield f"booleans={how.booleans} needs a boolean attribute"


def _of_operand(case: LayerCase) -> Iterator[str]:
    """A layer behind whose constant has no such shape has the usual one."""
    how = case.how
    if not how.operand or how.before in WITH_CONSTANT or how.behind not in WITH_CONSTANT:
        return
    # Every other shape is there for data of any rank.
    if case.is_invalid or not (how.operand.startswith("axis-") or how.behind == "prelu"):
        return
    try:
        outputs = outputs_of(case.operation.name, case.arrays(), case.arguments())
    except (ValueError, ArithmeticError, MemoryError):
        return  # The run tells what the reference raises.
    kinds = case.operation.output_types(case.layer)
    ranks = []
    for output, kind, behind in zip(outputs, kinds, case.behind, strict=True):
        if behind:
            if constant_of(behind, how.operand, how.number, kind, output.shape) is not None:
                return
            ranks.append(output.ndim)
    yield (
        f"operand={how.operand}: behind={how.behind} has no such constant for an output "
        f"of rank {' and '.join(map(str, dict.fromkeys(ranks)))}"
    )
