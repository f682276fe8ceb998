"""Layers with a variable: ReadValue and Assign, each asked with the other one in one model.

The model has one pair. ReadValue gives what the variable holds, which is the output that is compared; Assign sets it to
the result of ``update``, a graph of what was read (``state``) and of ``new_value``. So a layer has the inputs of both,
and shows what it does from the second inference on (``ir_models.asking.turns``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.families.bodies import binary, small_numbers
from ir_models.vocabulary.element_types import (
    ANY,
    FLOATS,
    INTEGERS,
    ElementType,
    Tensor,
    boolean,
    nf4,
)
from ir_models.vocabulary.graph import Body, Node, Parameter, Result

# The element types that ReadValue-6 lists for a variable.
LISTED = "u1, u4, u8, u16, u32, u64, i4, i8, i16, i32, i64, f16, f32, boolean, bf16"
DYNAMIC = "dynamic"


def _state(layer: Layer) -> Parameter:
    return Parameter("state", layer.new_value)


def _kind(layer: Layer) -> ElementType:
    kind: ElementType = layer.new_value.element_type
    return kind


def _mask(layer: Layer) -> Tensor:
    sizes = layer.new_value.shape[-1:]
    value = [number % 2 == 1 for number in range(sizes[0])] if sizes else False
    return boolean.tensor(value)


_NUMPY = {"auto_broadcast": "numpy"}

UPDATES = {
    # What is assigned does not depend on what was read.
    "replace": Body([], [Result("next", "new_value")]),
    "add": Body(
        [binary("sum", "Add-1", "state", "new_value")], [Result("next", "sum")], more=[_state]
    ),
    # Every other element of the last dimension is kept.
    "select": Body(
        [Node("chosen", "Select-1", ("mask", "state", "new_value"), _NUMPY, _kind)],
        [Result("next", "chosen")],
        {"mask": _mask},
        more=[_state],
    ),
    # The variable grows with every inference.
    "join": Body(
        [Node("joined", "Concat-1", ("state", "new_value"), {"axis": 0})],
        [Result("next", "joined")],
        more=[_state],
    ),
}
# What the page excludes: each ``state`` is a ReadValue, and each result an Assign.
BROKEN = {
    "two_reads": Body(
        [binary("both", "Add-1", "state", "state_2"), binary("sum", "Add-1", "both", "new_value")],
        [Result("next", "sum")],
        more=[_state, lambda layer: Parameter("state_2", layer.new_value)],
    ),
    "two_assigns": Body(
        [binary("sum", "Add-1", "state", "new_value")],
        [Result("next", "sum"), Result("next_2", "new_value")],
        more=[_state],
    ),
}
UPDATES |= BROKEN
# Updates of some element types alone.
_OF_TYPES = {"add": (*FLOATS, *INTEGERS), "select": tuple(each for each in ANY if each is not nf4)}


def _summed(layer: Layer, kind: ElementType) -> Interval | None:
    """Numbers whose sums fit where they are added, any values elsewhere."""
    return small_numbers(layer, kind) if layer.update == "add" else None


VALUES = Within(_summed)


def _admits(layer: Layer, shape: Sequence[int]) -> bool:
    """Whether the variable admits a shape: that of init_value, or the stated one, where -1 is any size."""
    stated = layer.init_value.shape if _is_3(layer.operation) else layer.variable_shape
    return len(stated) == len(shape) and all(
        size in (-1, own) for size, own in zip(stated, shape, strict=True)
    )


def _is_3(operation: Operation) -> bool:
    return operation.opset == "opset3"


def _admits_assigned(layer: Layer) -> bool:
    """Whether the variable admits what is assigned in each inference."""
    new = layer.new_value.shape
    if layer.update != "join":
        return _admits(layer, new)
    first = layer.variable_shape if layer.init_value is None else layer.init_value.shape
    return layer.variable_shape[0] == -1 and new[1:] == first[1:] and _admits(layer, new)


def _fits_update(layer: Layer) -> bool:
    kinds = _OF_TYPES.get(layer.update)
    if kinds is not None and layer.new_value.element_type not in kinds:
        return False
    if layer.update == "select":
        return layer.new_value.rank > 0 and layer.new_value.shape[-1] != 1
    return layer.update != "join" or layer.new_value.rank > 0


def _has_variable_type(layer: Layer) -> bool:
    return layer.variable_type in (DYNAMIC, layer.new_value.element_type.name)


COMMON_RULES = [
    rule("variable_id is not empty", lambda layer: layer.variable_id != "", "variable_id="),
    rule(
        "a variable has one pair of ReadValue and Assign",
        lambda layer: layer.update not in BROKEN,
        "update=two_reads|two_assigns",
        reading=Reading(
            "'Only one pair of ReadValue and Assign operations is expected for each Variable'",
            "Another ReadValue or Assign of the variable, and one without the other, are invalid.",
            "They are no pair. ReadValue-3 and Assign-3 do not say it, and are read likewise.",
            admits="Several of one variable, of which the page does not say what they do.",
        ),
    ),
    rule(
        "what is assigned can be computed",
        _fits_update,
        unasked="the graph between the two is the declaration's, not the page's",
    ),
]
RULES_3 = [
    *COMMON_RULES,
    rule(
        "what is assigned has the shape of init_value",
        _admits_assigned,
        ["new_value=[3,4,6]", "new_value=[3,4,6]; update=replace", "init_value=[4,5]"],
    ),
]
RULES_6 = [
    *COMMON_RULES,
    rule(
        "variable_type is dynamic or that of the value",
        _has_variable_type,
        "variable_type=f16|i32",
    ),
    rule(
        "variable_shape admits the shape of init_value",
        lambda layer: layer.init_value is None or _admits(layer, layer.init_value.shape),
        ["init_value=[3,4,6]", "init_value=[4,5]"],
    ),
    rule(
        "variable_shape admits the shape of what is assigned",
        _admits_assigned,
        ["new_value=[3,4,6]", "new_value=[4,5]; update=replace"],
    ),
    rule(
        "zeros have a known shape",
        lambda layer: layer.init_value is not None or -1 not in layer.variable_shape,
        unasked="the page does not say what size a dimension of zeros has that is not known",
    ),
]
READINGS = [
    Reading(
        "the value of the variable 'on next infer if variable was not reset'",
        "Each request has variables of its own, which have no value in its first inference.",
        "The page does not speak of requests; reset, by which it is explained, is that of a request.",
        "silence",
    ),
    Reading(
        "'if the variable was set already by Assign operation' and values set through the request",
        "A value that a variable is given through the request counts as one that Assign has set.",
        "The page knows no other way to set a variable; the State API's purpose is this one.",
        "silence",
    ),
]


_VARIANTS = """
    identifier: any non-empty string
        variable_id=a|state 1|a/b|a.b:0|größe|слой
    initial: a value that is not like what is assigned
        update=replace|add|select; init_value=[3,4,5]
"""
_VARIANTS_3 = """
    any-type: a variable of any type
        init_value=boolean; new_value=boolean; update=select|replace
        init_value=f32; new_value=f32; update=select
"""
_VARIANTS_6 = """
    zeros: without init_value the variable begins with zeros
        init_value=-; update=replace|add|select
        init_value=-; new_value=[]; variable_shape=; update=replace|add
    types: a variable of any type
        init_value=boolean; new_value=boolean; variable_type=boolean; update=select|replace
        init_value=u4; new_value=u4; variable_type=u4; update=replace
        init_value=i4; new_value=i4; variable_type=i4; update=replace
        init_value=u1; new_value=u1; variable_type=u1; update=replace
    relaxed: variable_shape extends the shape of the values
        variable_shape=-1,4,5|3,-1,5|-1,-1,-1; update=replace|add
    any-type: a variable of dynamic type takes any type
        variable_type=dynamic; update=replace|add
        variable_type=dynamic; init_value=i32; new_value=i32
    growing: a variable whose size changes from one inference to the next
        variable_shape=-1,4,5|-1,-1,5; update=join
        variable_shape=-1,4,5; update=join; init_value=[2,4,5]|[0,4,5]
        variable_shape=-1,4,5; update=join; new_value=[1,4,5]
    growing-cache: of 4 dimensions, as the keys and values of attention
        init_value=[2,3,4,5]; new_value=[1,3,4,5]; variable_shape=-1,3,4,5; update=join
        init_value=[2,3,4,5]; new_value=[2,3,4,5]; variable_shape=-1,-1,-1,-1; update=join
"""


CONSTANT_VALUES = Reading(
    "init_value is an 'input tensor with constant values'",
    "init_value may be given at run time as well.",
    "Constant values are not a Constant; ReadValue-6 says the same of its input without the word.",
    admits="A refusal of init_value that is no Constant.",
)


def _attributes(
    values: TypeSet, updates: Mapping[str, Any], is_3: bool, is_read: bool
) -> list[Attribute]:
    """The attributes of the page and of its partner; version 3 states no type and shape."""
    names = tuple(kind.name for kind in values.types)
    found = [
        Attribute("variable_id", str, required=True),
        Attribute(
            "variable_type",
            (*names, DYNAMIC),
            required=True,
            follows="type",
            partner=not is_read,
        ),
        Attribute("variable_shape", list, required=True, follows="shape", partner=not is_read),
        Attribute("update", updates, required=True, partner=True),
        *([] if is_read else [Attribute("result", bool, partner=True)]),
    ]
    return [a for a in found if not is_3 or not a.follows]


def _drawn(found: Operation, updates: Mapping[str, Any], draw: Draw) -> dict[str, Any]:
    sizes = draw.shape(draw.integer(0, 4), most=6)
    chosen = draw.choice([each for each in updates if each not in BROKEN])
    layer = _layer(found, sizes, sizes, chosen)
    if found.attribute("variable_shape"):
        layer["variable_shape"] = [
            -1 if draw.boolean() or (chosen == "join" and not axis) else size
            for axis, size in enumerate(sizes)
        ]
        if -1 not in layer["variable_shape"] and draw.boolean():
            layer["init_value"] = None
    return layer


def stateful(name: str, opset: str, values: TypeSet, reading: Sequence[Reading] = ()) -> Operation:
    """ReadValue or Assign; ``values`` is the type of the variable."""
    role = name.partition("-")[0]
    is_3, is_read = opset == "opset3", role == "ReadValue"
    init = Input("init_value", values, optional=not is_3, values=VALUES, partner=not is_read)
    new = Input("new_value", values, values=VALUES, partner=is_read)
    updates = {n: body for n, body in UPDATES.items() if not is_3 or n != "join"}
    stated = "variable_id=lstm_state_1"
    of_6 = "" if is_3 else "; variable_type=f32; variable_shape={}"
    shape = "1,3,224,224"
    found = Operation(
        name,
        opset,
        inputs=[init, new] if is_read else [new, init],
        outputs=[
            Output("output", values),
            *(
                []
                if is_read
                else [Output("new_value", values, lambda layer: int(bool(layer.result)))]
            ),
        ],
        attributes=_attributes(values, updates, is_3, is_read),
        # Of Assign no output is printed. The other layer of the variable is not either.
        examples=[
            Example(
                f"init_value=[{shape}]; new_value=[{shape}]; update=add; {stated}"
                + of_6.format(shape),
                [[1, 3, 224, 224]] if is_read else None,
            )
        ],
        rules=RULES_3 if is_3 else RULES_6,
        unasked=_UNASKED,
        variants=variants(_VARIANTS + (_VARIANTS_3 if is_3 else _VARIANTS_6)),
        readings=[*READINGS, *reading],
        keeps_state=True,
        partner="Assign" if is_read else "ReadValue",
        # A list of integers states no unknown rank. What is added or joined has the shape of what was read, and zeros
        # have none that is not known.
        dynamic_rank=is_3,
        resizable=lambda first, second: (
            not is_3 and second.update == "replace" and second.init_value is not None
        ),
    )

    @found.plain
    def _(rank: int = 3) -> dict[str, Any]:
        sizes = [3, 4, 5, 2, 6, 1, 7, 2][:rank]
        return _layer(found, sizes, sizes, "add")

    found.random(lambda draw: _drawn(found, updates, draw))
    return found


_UNASKED = {
    "update is required": "the graph between the two is the declaration's, not the page's",
    "new_value is required": "without it there is no Assign, which a rule of its own asks",
}


def _layer(
    operation: Operation, init: Sequence[int], new: Sequence[int], update: str
) -> dict[str, Any]:
    layer = {"init_value": init, "new_value": new, "variable_id": "lstm_state_1", "update": update}
    if _is_3(operation):
        return layer
    return {**layer, "variable_type": "f32", "variable_shape": list(init)}
