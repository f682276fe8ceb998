"""CumSum: sums of all elements so far along an axis (page CumSum-3)."""

from ir_models.declaration import *
from ir_models.families.indices import axis_variants
from ir_models.families.reductions import terms

T = types("T", "any numeric type")
T_AXIS = types("T_AXIS", "int64 or int32")


def summands(layer, kind):
    """Integers whose sum along the axis fits."""
    try:
        (axis,) = axes_of(layer, "axis") or [0]
        return terms(kind, layer.data.shape[axis])
    except (ValueError, IndexError):  # a wrong axis
        return terms(kind, 1)


CumSum = Operation(
    "CumSum-3",
    "opset3",
    inputs=[
        Input("data", T, at_least(1), values=Within(summands)),
        Index("axis", T_AXIS, exactly(0), optional=True, axis_of="data"),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("exclusive", bool, default=False),
        Attribute("reverse", bool, default=False),
    ],
    examples=examples("""
        data=f32:[1.0,2.0,3.0,4.0,5.0]; axis=0; exclusive=false; reverse=false -> [5] = [1,3,6,10,15]
        data=f32:[1.0,2.0,3.0,4.0,5.0]; axis=0; exclusive=true; reverse=false -> [5] = [0,1,3,6,10]
        data=f32:[1.0,2.0,3.0,4.0,5.0]; axis=0; exclusive=false; reverse=true -> [5] = [15,14,12,9,5]
        data=f32:[1.0,2.0,3.0,4.0,5.0]; axis=0; exclusive=true; reverse=true -> [5] = [14,12,9,5,0]
    """),
    variants=[
        *axis_variants(4),
        *variants("""
            both-flags: exclusive and reverse together
                axis=0|1|2|3; exclusive=true; reverse=true
            long-axis: sums of many terms
                data=[2,3000]; axis=1
                data=[1500,3]; axis=0; reverse=true
                data=[4001]; axis=0; exclusive=true
        """),
    ],
)


@CumSum.plain
def plain(rank=4):
    axis = [0, 0, 1, 1, 2, 3, 2, 5, 6][rank]
    shape = [3, 2, 5, 4, 2, 3, 1, 2][:rank]
    return {"data": shape, "axis": axis, "exclusive": False, "reverse": False}


@CumSum.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.choice([None, *range(-rank, rank)])
    shape = draw.shape(rank, most=3 if rank > 4 else 6)
    # One element alone has nothing to add.
    shape[axis or 0] += 1
    return {
        "data": shape,
        "axis": axis,
        "exclusive": draw.choice([None, False, True]),
        "reverse": draw.choice([None, False, True]),
    }
