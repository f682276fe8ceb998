"""ScatterElementsUpdate: elements written along an axis (pages ScatterElementsUpdate-3 and -12)."""

import numpy as np

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    at_least,
    between,
    example,
)
from ir_models.element_types import (
    ANY,
    INTEGERS,
    NUMERIC,
    boolean,
    f32,
    i8,
    i16,
    i32,
    i64,
    types,
)
from ir_models.operations.movement._scatter import data_values, reduces, update_values

T_IND = types("T_IND", INTEGERS)
T_AXIS = types("T_AXIS", INTEGERS)
REDUCTIONS = ("sum", "prod", "min", "max", "mean")


def axis_of(layer):
    """The axis as the layer counts it."""
    return int(np.ravel(layer.axis.value)[0])


def normal_axis(layer):
    """The axis from 0; any number for a layer whose axis is wrong."""
    return axis_of(layer) % max(layer.data.rank, 1)


def sizes_along_axis(layer):
    axis = normal_axis(layer)
    return layer.data.shape[axis], layer.indices.shape[axis]


def indices(layer, state):
    """Different places along the axis, as long as there are so many."""
    axis = normal_axis(layer)
    if axis >= min(layer.data.rank, layer.indices.rank):
        return np.zeros(layer.indices.shape, int)
    size, count = sizes_along_axis(layer)
    shape = list(layer.indices.shape)
    shape[axis] = max(size, count)
    order = state.random_sample(shape).argsort(axis)
    return order.take(range(count), axis) % max(size, 1)


def places(layer):
    """The place in data of each update; None where indices are drawn different."""
    size, count = sizes_along_axis(layer)
    axis = normal_axis(layer)
    grid = np.indices(layer.indices.shape)
    if layer.indices.value is not None:
        grid[axis] = np.array(layer.indices.value, np.int64) % size
    elif count > size:
        grid[axis] = 0
    else:
        return None
    return np.ravel_multi_index(
        tuple(grid), np.maximum(layer.data.shape, layer.indices.shape)
    ).ravel()


def inputs(data_types):
    return [
        Input("data", data_types, at_least(1), values=data_values),
        Input("indices", T_IND, at_least(1), values=indices),
        Input("updates", data_types, values=update_values(places)),
        Index("axis", T_AXIS, between(0, 1)),
    ]


def both(*shape):
    """Indices and updates of one shape."""
    return {"indices": shape, "updates": shape}


LARGE_EXAMPLE = example(
    data=f32[1000, 256, 7, 7],
    indices=i64[125, 20, 7, 6],
    updates=f32[125, 20, 7, 6],
    axis=[0],
    output=[1000, 256, 7, 7],
    ports=[0, 1, 2, 3, 4],
)
REPEATED = {
    "data": [2, 6],
    "indices": i64.tensor([[1, 1, 4, 1], [5, 0, 5, 0]]),
    "updates": [2, 4],
    "axis": 1,
}
VARIANTS = {
    "axis": [{"axis": 0}, {"axis": 2}, {"axis": 3}],
    "negative-axis": [{"axis": -1}, {"axis": -2}, {"axis": -3}, {"axis": -4}],
    "axis-1d": [{"axis": [1]}, {"axis": [-1]}],
    "whole": [both(3, 6, 5, 4), {**both(3, 6, 5, 4), "axis": 0}],
    "one-update": [both(1, 1, 1, 1)],
    "repeated-indices": [REPEATED],
}

ScatterElementsUpdate3 = Operation(
    "ScatterElementsUpdate-3",
    opset="opset3",
    inputs=inputs(types("T", NUMERIC)),
    outputs=[Output("output", types("T", NUMERIC))],
    examples=[LARGE_EXAMPLE],
    variants=VARIANTS,
)

ScatterElementsUpdate12 = Operation(
    "ScatterElementsUpdate-12",
    opset="opset12",
    inputs=inputs(types("T", ANY)),
    outputs=[Output("output", types("T", ANY))],
    attributes=[
        Attribute("reduction", ("none", *REDUCTIONS), default="none"),
        Attribute("use_init_val", bool, default=True),
    ],
    examples=[
        example(
            data=f32[4],
            indices=i64.tensor([1, 0, 0, -2, -1, 2]),
            updates=f32[6],
            axis=[0],
            reduction="sum",
            use_init_val=True,
            output=[4],
            ports=[0, 1, 2, 3, 4],
        ),
        example(
            data=f32[4],
            indices=i64.tensor([1, 0, 0, 2, 3, 2]),
            updates=f32[6],
            axis=[0],
            reduction="sum",
            use_init_val=False,
            output=[4],
            ports=[0, 1, 2, 3, 4],
        ),
        *(
            example(
                data=i32[3, 4],
                indices=i64.tensor(stated),
                updates=i32[2, 2],
                axis=[1],
                reduction=reduction,
                use_init_val=True,
                output=[3, 4],
                ports=[0, 1, 2, 3, 4],
            )
            for reduction, stated in (
                ("none", [[1, 2], [0, 3]]),
                ("sum", [[1, 1], [0, 3]]),
                ("prod", [[1, 1], [0, 3]]),
            )
        ),
        LARGE_EXAMPLE,
    ],
    variants={
        **VARIANTS,
        "more-updates": [
            both(2, 8, 5, 3),
            *({**both(2, 8, 5, 3), "reduction": r} for r in ("sum", "max")),
        ],
        "reduction": [
            {"reduction": reduction, "use_init_val": use_init_val}
            for reduction in REDUCTIONS
            for use_init_val in (None, True, False)
        ],
        "reduction-types": [
            {"reduction": reduction, "data": kind, "updates": kind}
            for reduction in REDUCTIONS
            for kind in (*NUMERIC, boolean)
            if (reduction, kind) != ("mean", boolean)
        ],
        "repeated-indices": [
            REPEATED,
            *(
                {**REPEATED, "reduction": reduction, "use_init_val": use_init_val}
                for reduction in ("sum", "prod", "min", "max")
                for use_init_val in (True, False)
            ),
        ],
        # Read as the mean of all that meets, not of two at a time, which would depend on the open order.
        "repeated-indices-mean": [
            {**REPEATED, "reduction": "mean", "use_init_val": use_init_val, **kinds}
            for use_init_val in (True, False)
            for kinds in ({}, {"data": i32[2, 6], "updates": i32[2, 4]})
        ],
        "negative-indices": [
            {**REPEATED, "indices": kind.tensor([[-1, -6, 4, 1], [0, -2, -3, 2]]), **reduction}
            for kind in (i64, i32, i16, i8)
            for reduction in ({}, {"reduction": "sum"})
        ],
    },
)


def plain(rank=4):
    """Fewer indices than data has elements, along every axis."""
    data = [3, 6, 5, 4, 1, 2, 2, 1]
    fewer = [2, 4, 5, 3, 1, 1, 2, 1]
    if rank == 1:
        return {"data": [6], **both(4), "axis": 0}
    return {"data": data[:rank], **both(*fewer[:rank]), "axis": 1}


ScatterElementsUpdate3.plain(plain)


@ScatterElementsUpdate12.plain
def plain_12(rank=4):
    return {**plain(rank), "reduction": "none", "use_init_val": True}


@ScatterElementsUpdate3.random
def layer_3(draw):
    rank = draw.integer(1, 6)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    axis = draw.integer(0, rank - 1)
    data[axis] = draw.integer(3, 6)
    fewer = [draw.integer(1, size) for size in data]
    counted = draw.choice([axis, axis - rank])
    return {"data": data, **both(*fewer), "axis": draw.choice([counted, [counted]])}


@ScatterElementsUpdate12.random
def layer_12(draw):
    """Small index tensors are stated, with indices from the end; repeated ones where the result is fixed."""
    layer = layer_3(draw)
    reduction = draw.choice([None, "none", *REDUCTIONS])
    axis = int(np.ravel(layer["axis"])[0])
    size, shape = layer["data"][axis], list(layer["indices"])
    repeats = reduction not in ("prod", "mean")
    if repeats:
        shape[axis] = draw.integer(1, size + 3)
        layer.update(both(*shape))
    if repeats and np.prod(shape) <= 12 and draw.boolean():
        stated = [draw.integer(-size, size - 1) for _ in range(np.prod(shape))]
        layer["indices"] = i64.tensor(np.reshape(stated, shape))
    return {**layer, "reduction": reduction, "use_init_val": draw.choice([None, True, False])}


def axis_is_one(layer):
    return layer.axis.size == 1


def axis_is_in_range(layer):
    return -layer.data.rank <= axis_of(layer) < layer.data.rank


def ranks_are_equal(layer):
    return layer.indices.rank == layer.data.rank


def updates_match_indices(layer):
    return layer.updates.shape == layer.indices.shape


def dimensions_fit(layer, except_axis):
    if not ranks_are_equal(layer):
        return True
    pairs = zip(layer.updates.shape, layer.data.shape, strict=True)
    axis = normal_axis(layer)
    return all(u <= d for i, (u, d) in enumerate(pairs) if not (except_axis and i == axis))


def indices_are_in_range(layer, with_negative):
    size, _ = sizes_along_axis(layer)
    if layer.indices.value is None:
        return size > 0 or layer.indices.size == 0
    least = -size if with_negative else 0
    return all(least <= i < size for i in np.ravel(np.array(layer.indices.value, object)))


def broken_indices(*wrong):
    return [{**REPEATED, "indices": i64.tensor([[1, 0, 4, i], [5, 0, 3, 2]])} for i in wrong]


for operation in (ScatterElementsUpdate3, ScatterElementsUpdate12):
    operation.rule("axis is a scalar or has one element", broken={"axis": [1, 2]})(axis_is_one)
    operation.rule(
        "axis is in [-rank of data, rank of data - 1]", broken=[{"axis": 4}, {"axis": -5}]
    )(axis_is_in_range)
    operation.rule("indices has the rank of data", broken=[both(2, 4, 5), both(2, 4, 5, 3, 1)])(
        ranks_are_equal
    )
    operation.rule(
        "updates has the shape of indices",
        broken=[{"updates": [2, 3, 5, 3]}, {"indices": [2, 4, 4, 3]}, {"updates": [2, 4, 5]}],
    )(updates_match_indices)


@ScatterElementsUpdate3.rule(
    "no dimension of updates is greater than that of data",
    broken=[both(2, 7, 5, 3), both(4, 4, 5, 3)],
)
def updates_fit(layer):
    return dimensions_fit(layer, except_axis=False)


@ScatterElementsUpdate12.rule(
    "no dimension of updates but that of axis is greater than that of data",
    broken=[both(4, 4, 5, 3), both(2, 4, 6, 3)],
)
def updates_fit_but_for_axis(layer):
    return dimensions_fit(layer, except_axis=True)


@ScatterElementsUpdate3.rule(
    "indices are in [0, s - 1], s the size of data along axis", broken=broken_indices(6, -1)
)
def indices_are_places(layer):
    return indices_are_in_range(layer, with_negative=False)


@ScatterElementsUpdate12.rule(
    "indices are in [-s, s - 1], s the size of data along axis", broken=broken_indices(6, -7)
)
def indices_are_places_from_both_ends(layer):
    return indices_are_in_range(layer, with_negative=True)


@ScatterElementsUpdate12.rule(
    "boolean data has no mean", broken={"data": boolean, "updates": boolean, "reduction": "mean"}
)
def boolean_has_no_mean(layer):
    return layer.data.element_type is not boolean or layer.reduction != "mean"


@ScatterElementsUpdate12.rule("strings have no sum, product, minimum, maximum or mean")
def strings_are_not_reduced(layer):
    return layer.data.element_type.kind != "string" or not reduces(layer)
