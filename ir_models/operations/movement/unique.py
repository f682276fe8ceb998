"""Unique: the different elements or slices of a tensor (page Unique-10)."""

from ir_models.declaration import (
    ANY_RANK,
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    between,
    example,
)
from ir_models.element_types import ANY, ELEMENT_TYPES, f32, f64, i32, i64, types, u64
from ir_models.values import distinct

T = types("T", ANY)
T_AXIS = types("T_AXIS", i64, i32)

_INDEX_TYPES = ("i64", "i32")


def _axis(layer):
    return layer.axis.value[0] if layer.axis.rank else layer.axis.value


def _repeating(layer, state):
    """Fewer different elements, or slices along axis, than there are."""
    kind, shape = layer.data.element_type, layer.data.shape
    if layer.data.size == 0:
        return None
    if layer.axis is None:
        some = distinct(kind, -(-layer.data.size // 2), state)
        return some[state.randint(0, len(some), shape)]
    axis = _axis(layer) % len(shape)
    count, length = shape[axis], layer.data.size // shape[axis]
    some = distinct(kind, -(-count // 2) * length, state).reshape(-1, length)
    slices = some[state.randint(0, len(some), count)]
    others = shape[:axis] + shape[axis + 1 :]
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(shape))]
    return slices.reshape(count, *others).transpose(order)


def _index_type(layer):
    return ELEMENT_TYPES.get(layer.index_element_type, i64)


def _count_type(layer):
    return ELEMENT_TYPES.get(layer.count_element_type, i64)


# The outputs of the examples have dimensions of -1: how many there are, only the data says.
Unique = Operation(
    "Unique-10",
    opset="opset10",
    inputs=[
        Input("data", T, ANY_RANK, values=_repeating),
        Index("axis", T_AXIS, between(0, 1), optional=True, constant=True),
    ],
    outputs=[
        Output("unique", T),
        Output("indices", _index_type),
        Output("inverse", _index_type),
        Output("counts", _count_type),
    ],
    attributes=[
        Attribute("sorted", bool, default=True),
        Attribute("index_element_type", _INDEX_TYPES, default="i64"),
        Attribute("count_element_type", _INDEX_TYPES, default="i64"),
    ],
    examples=[
        example(
            data=f32[3, 3],
            axis=[0],
            sorted=False,
            index_element_type="i32",
            output=None,
            ports=[0, 1, 2, 3, 4, 5],
        ),
        example(data=f32[3, 3], output=None, ports=[0, 1, 2, 3, 4]),
        example(
            data=f32[3, 3],
            sorted=False,
            index_element_type="i32",
            count_element_type="i32",
            output=None,
            ports=[0, 1, 2, 3, 4],
        ),
    ],
    variants={
        "no-axis": [
            {"data": data, "axis": None, "sorted": sorted_}
            for data in ([], [1], [12], [4, 7], [3, 6, 2])
            for sorted_ in (False, True)
        ],
        "axis": [{"axis": axis, "sorted": sorted_} for axis in (0, 2) for sorted_ in (False, True)],
        "negative-axis": [
            {"axis": axis, "sorted": sorted_} for axis in (-1, -2, -3) for sorted_ in (False, True)
        ],
        "axis-as-1d": [{"axis": [1]}, {"axis": [-1]}],
        "slices-begin-alike": [
            {"data": data, "axis": axis, "sorted": sorted_}
            for data, axis in (
                (f32.tensor([[1, 1, 1, 9], [7, 8, 8, 3]]), 1),
                (f32.tensor([[1, 7], [1, 8], [1, 8], [9, 3]]), 0),
                (f32.tensor([[[2, 5], [2, 4], [2, 5]], [[6, 1], [6, 1], [6, 1]]]), 1),
                (f32.tensor([[[3, 1, 3], [3, 2, 3]], [[3, 1, 3], [0, 2, 0]]]), 2),
            )
            for sorted_ in (False, True)
        ],
        # Different numbers that a narrower type takes for one.
        "neighbours": [
            {"data": kind.tensor(numbers), "axis": None, "sorted": sorted_}
            for kind, numbers in (
                (i64, [2**53 + 1, 5, 2**32 + 5, 2**53, 5, -(2**63), 2**53 + 1]),
                (u64, [2**64 - 1, 5, 2**32 + 5, 2**64 - 2, 5, 0, 2**64 - 1]),
                (f64, [1 + 2.0**-52, 1.0, -0.5, 1 + 2.0**-40, 1.0, 2.0**53, 1 + 2.0**-52]),
            )
            for sorted_ in (False, True)
        ],
        "one-dimension": [
            {"data": [12], "axis": 0, "sorted": sorted_} for sorted_ in (False, True)
        ],
        "output-types": [
            {"index_element_type": index, "count_element_type": count}
            for index in _INDEX_TYPES
            for count in _INDEX_TYPES
        ],
    },
)


@Unique.plain
def plain(rank=3):
    """Types and order are not the defaults, so that the defaults show where one is left out."""
    return {
        "data": [3, 6, 2, 4, 3, 2, 1, 2][:rank],
        "axis": None if rank == 0 else min(1, rank - 1),
        "sorted": False,
        "index_element_type": "i32",
        "count_element_type": "i32",
    }


@Unique.random
def layer(draw):
    rank = draw.integer(1, 5)
    axis = draw.choice([None, draw.integer(-rank, rank - 1), [draw.integer(-rank, rank - 1)]])
    return {
        "data": draw.shape(rank, most=6 if rank < 4 else 4),
        "axis": axis,
        "sorted": draw.choice([True, False, None]),
        "index_element_type": draw.choice([*_INDEX_TYPES, None]),
        "count_element_type": draw.choice([*_INDEX_TYPES, None]),
    }


@Unique.rule("axis is one number", broken={"axis": [1, 0]})
def axis_is_one_number(layer):
    return layer.axis is None or layer.axis.size == 1


@Unique.rule("axis is from -r to r - 1", broken=[{"axis": 3}, {"axis": -4}, {"axis": [3]}])
def axis_in_range(layer):
    return layer.axis is None or -layer.data.rank <= _axis(layer) < layer.data.rank
