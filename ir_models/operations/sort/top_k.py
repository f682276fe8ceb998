"""TopK: the k largest or smallest elements along an axis, and where they stand (page TopK-11)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    at_least,
    exactly,
    example,
)
from ir_models.element_types import (
    ELEMENT_TYPES,
    INTEGERS,
    NUMERIC,
    f16,
    f32,
    i8,
    i32,
    i64,
    types,
    u8,
)

T = types("T", NUMERIC)
T_K = types("T_K", INTEGERS)

_MODES = ("min", "max")
_SORTS = ("value", "index", "none")


def _index_type(layer):
    return ELEMENT_TYPES.get(layer.index_element_type, i32)


_WAYS = [
    {"mode": mode, "sort": sort, "stable": stable}
    for mode in _MODES
    for sort in _SORTS
    for stable in (False, True)
]

# Equal elements on both sides of the k-th place, along either axis.
_EQUAL = [[4, 7, 4, 1], [7, 4, 4, 1], [4, 4, 4, 4]]

TopK = Operation(
    "TopK-11",
    opset="opset11",
    # Of a scalar, the page's arbitrary rank notwithstanding, there is no axis.
    inputs=[Input("data", T, at_least(1)), Index("k", T_K, exactly(0))],
    outputs=[Output("values", T), Output("indices", _index_type)],
    attributes=[
        Attribute("axis", int, required=True),
        Attribute("mode", _MODES, required=True),
        Attribute("sort", _SORTS, required=True),
        Attribute("stable", bool, default=False),
        Attribute("index_element_type", ("i64", "i32"), default="i32"),
    ],
    examples=[
        example(
            data=f32[1, 3, 224, 224],
            k=10,
            axis=3,
            mode="max",
            sort="value",
            stable=True,
            index_element_type="i64",
            output=[[1, 3, 224, 10], [1, 3, 224, 10]],
            ports=[0, 1, 2, 3],
        )
    ],
    variants={
        "axis": [{"axis": axis, "k": 2} for axis in (0, 2)],
        "negative-axis": [{"axis": axis, "k": 2} for axis in (-1, -2, -3)],
        "k-of-one": [{"k": 1, **way} for way in _WAYS],
        "k-of-all": [{"k": 7, **way} for way in _WAYS],
        "distinct-elements": _WAYS,
        "equal-elements": [
            {"data": f32.tensor(_EQUAL), "axis": axis, "k": 2, **way}
            for axis in (0, 1)
            for way in _WAYS
        ],
        # The page's own example of equal elements, which it sorts by index.
        "equal-elements-of-the-page": [
            {"data": kind.tensor([5, 3, 1, 2, 5, 5]), "axis": 0, "k": 4, "mode": "min", **order}
            for kind in (f32, i32)
            for order in (
                {"sort": "index", "stable": False},
                {"sort": "index", "stable": True},
                {"sort": "value", "stable": True},
            )
        ],
        # More elements than the type has values.
        "many-equal-elements": [
            {"data": data, "axis": axis, "k": k, "mode": mode, "sort": sort, "stable": stable}
            for data, axis in ((i8[700, 2], 0), (u8[3, 700], 1))
            for k in (5, 300, 700)
            for mode in _MODES
            for sort in ("value", "index")
            for stable in (False, True)
        ],
        "long-axis": [
            {"data": data, "axis": axis, "k": k, "sort": sort}
            for data, axis in ((f32[3, 5000], 1), (f32[5000, 3], 0), (f16[2, 2000], 1))
            for k in (1, 20, 1999)
            for sort in ("value", "index")
        ],
        "zeros-of-both-signs": [
            {"data": f32.tensor([0.0, -0.0, -1.0, 0.0, 2.0]), "axis": 0, "k": 3, "mode": mode}
            for mode in _MODES
        ],
        "infinities": [
            {
                "data": f32.tensor([1.0, float("inf"), -2.0, -float("inf"), 3.0]),
                "axis": 0,
                "k": 4,
                "mode": mode,
            }
            for mode in _MODES
        ],
        "ends-of-the-type": [
            {"data": kind.tensor(values), "axis": 0, "k": 3, "mode": mode}
            for kind, values in (
                (i8, [-127, -128, 127, 0, 126]),
                (i32, [-(2**31) + 1, -(2**31), 2**31 - 1, 0, 2**31 - 2]),
                (u8, [1, 0, 255, 128, 254]),
                (i64, [-(2**31) + 1, -(2**31), 2**31 - 1, 0, 2**31 - 2]),
            )
            for mode in _MODES
        ],
    },
)


@TopK.plain
def plain(rank=3):
    """Stable and with indices of i64, neither of which is the default."""
    return {
        "data": [4, 7, 5, 3, 2, 2, 1, 2][:rank] if rank > 1 else [7],
        "k": 3,
        "axis": min(1, rank - 1),
        "mode": "max",
        "sort": "value",
        "stable": True,
        "index_element_type": "i64",
    }


@TopK.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=4)
    axis = draw.integer(-rank, rank - 1)
    shape[axis] = draw.integer(1, 40 if rank < 4 else 8)
    return {
        "data": shape,
        "k": draw.integer(1, shape[axis]),
        "axis": axis,
        "mode": draw.choice(_MODES),
        "sort": draw.choice(_SORTS),
        "stable": draw.choice([True, False, None]),
        "index_element_type": draw.choice(["i64", "i32", None]),
    }


@TopK.rule("axis is from -r to r - 1", broken=[{"axis": 3}, {"axis": -4}])
def axis_in_range(layer):
    return -layer.data.rank <= layer.axis < layer.data.rank


# Nothing breaks it: the page leaves open what a device then does.
@TopK.rule("k is at least 1 and at most the dimension at axis")
def k_in_range(layer):
    return 1 <= layer.k.value <= layer.data.shape[layer.axis]
