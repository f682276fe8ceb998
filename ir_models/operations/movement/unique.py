"""Unique: the different elements or slices of a tensor (page Unique-10)."""

from ir_models.asking.values import distinct
from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64

T = types("T", "any supported data type")
T_AXIS = types("T_AXIS", "int64 or int32")
INDEX_TYPES = ("i64", "i32")


def repeating(layer, state):
    """Fewer different elements, or slices along axis, than there are."""
    kind, shape = layer.data.element_type, layer.data.shape
    if layer.data.size == 0:
        return None
    if layer.axis is None:
        some = distinct(kind, -(-layer.data.size // 2), state)
        return some[state.randint(0, len(some), shape)]
    (axis,) = axes_of(layer, "axis")
    count, length = shape[axis], layer.data.size // shape[axis]
    some = distinct(kind, -(-count // 2) * length, state).reshape(-1, length)
    slices = some[state.randint(0, len(some), count)]
    others = shape[:axis] + shape[axis + 1 :]
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(shape))]
    return slices.reshape(count, *others).transpose(order)


def index_type(layer):
    return ELEMENT_TYPES.get(layer.index_element_type, i64)


SORTED = "sorted=false|true"
A, B, E = 2**53, 2**32, 1 + 2.0**-52

# Outputs of the examples have dimensions of -1: how many there are, only the data says.
Unique = Operation(
    "Unique-10",
    "opset10",
    inputs=[
        Input("data", T, values=repeating),
        Index("axis", T_AXIS, shape="scalar or 1", axis_of="data", optional=True, constant=True),
    ],
    outputs=[
        Output("unique", T),
        Output("indices", index_type),
        Output("inverse", index_type),
        Output("counts", lambda layer: ELEMENT_TYPES.get(layer.count_element_type, i64)),
    ],
    attributes=[
        Attribute("sorted", bool, default=True),
        Attribute("index_element_type", INDEX_TYPES, default="i64"),
        Attribute("count_element_type", INDEX_TYPES, default="i64"),
    ],
    examples=[
        example(
            "data=f32[3,3]; axis=[0]; sorted=false; index_element_type=i32",
            output=[[-1, 3], [-1], [3], [-1]],
        ),
        example("data=f32[3,3]", output=[[-1], [-1], [9], [-1]]),
        example(
            "data=f32[3,3]; sorted=false; index_element_type=i32; count_element_type=i32",
            output=[[-1], [-1], [9], [-1]],
        ),
    ],
    violations=["axis=[1,0]|[3]"],
    variants=variants(f"""
        no-axis: elements of data of any rank
            data=[]|[1]|[12]|[4,7]|[3,6,2]; axis=-; {SORTED}
        axis: slices along any axis
            axis=0|2; {SORTED}
        negative-axis: the axis counts from -r
            axis=-1|-2|-3; {SORTED}
        axis-as-1d: the axis may be a list of one
            axis=[1]|[-1]
        slices-begin-alike: slices are one only if all their elements are
            data=f32:[[1,1,1,9],[7,8,8,3]]; axis=1; {SORTED}
            data=f32:[[1,7],[1,8],[1,8],[9,3]]; axis=0; {SORTED}
            data=f32:[[[2,5],[2,4],[2,5]],[[6,1],[6,1],[6,1]]]; axis=1; {SORTED}
            data=f32:[[[3,1,3],[3,2,3]],[[3,1,3],[0,2,0]]]; axis=2; {SORTED}
        neighbours: numbers that a narrower type takes for one are different
            data=i64:[{A + 1},5,{B + 5},{A},5,{-(2**63)},{A + 1}]; axis=-; {SORTED}
            data=u64:[{2**64 - 1},5,{B + 5},{2**64 - 2},5,0,{2**64 - 1}]; axis=-; {SORTED}
            data=f64:[{E},1.0,-0.5,{1 + 2.0**-40},1.0,{2.0**53},{E}]; axis=-; {SORTED}
        one-dimension: slices are elements
            data=[12]; axis=0; {SORTED}
        output-types: indices and counts have types of their own
            index_element_type=i64|i32; count_element_type=i64|i32
    """),
    readings=[
        Reading(
            "NaN",
            "Elements that are NaN are not tested.",
            "The page does not say whether NaN equals NaN.",
            "silence",
        ),
    ],
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
        "index_element_type": draw.choice([*INDEX_TYPES, None]),
        "count_element_type": draw.choice([*INDEX_TYPES, None]),
    }
