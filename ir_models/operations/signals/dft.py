"""DFT: the discrete Fourier transform of complex tensors along some axes (page DFT-7)."""

from ir_models.declaration import *

T = types("T", "floating-point type")
T_IND = types("T_IND", "int64 or int32")
T_SIZE = types("T_SIZE", "int64 or int32")


def axes_exist(layer):
    """Axes are those of the complex tensor, without the dimension of real and imaginary parts."""
    rank = layer.data.rank - 1
    return all(-rank <= axis < rank for axis in layer.axes.value)


def axes_differ(layer):
    axes = [axis % (layer.data.rank - 1) for axis in layer.axes.value]
    return not axes_exist(layer) or len(set(axes)) == len(axes)


SCALED = (
    "the page's data, f32[16,768,580,320,2], take 18 GB; this keeps its axes, its signal sizes but for a factor of 64 "
    "and which of them pads and trims"
)

PRINTED = "data=f32[16,768,580,320,2]"

DFT = Operation(
    "DFT-7",
    "opset7",
    inputs=[
        Input("data", T, shape="D_0, *D, 2"),
        Index("axes", T_IND, shape="len"),
        Index("signal_size", T_SIZE, shape="len", optional=True, least=-1),
    ],
    outputs=[Output("output", T)],
    mixes=True,
    examples=examples(f"""
        data=f32[1,320,320,2]; axes=1,2 -> [1,320,320,2]
        data=f32[320,320,2]; axes=0,1 -> [320,320,2]
        data=f32[1,320,320,2]; axes=1,2; signal_size=512,100 -> [1,512,100,2]
        data=f32[320,320,2]; axes=0,1; signal_size=512,100 -> [512,100,2]
        data=f32[2,12,9,5,2]; axes=3,1,2; signal_size=3,-1,16 -> [2,12,16,3,2]
            scaled: {SCALED}
            printed: {PRINTED}; axes=3,1,2; signal_size=170,-1,1024 -> [16,768,1024,170,2]
        data=f32[2,12,9,5,2]; axes=3,0,2; signal_size=4,-1,32 -> [2,12,32,4,2]
            scaled: {SCALED}
            printed: {PRINTED}; axes=3,0,2; signal_size=258,-1,2056 -> [16,768,2056,258,2]
    """),
    rules=[
        rule("axes are from -(r - 1) to r - 2", axes_exist, ["axes=3,1", "axes=2,-4"]),
        rule("axes are different", axes_differ, ["axes=2,2", "axes=2,-1"]),
    ],
    violations=["signal_size=6,3,2"],
    # A negative axis: -1 is the axis 2 here.
    variants=variants("""
        axes: any axis
            axes=0|1|2; signal_size=-
        negative-axis: a negative axis counts from before the last dimension
            axes=-1|-3,-2; signal_size=-
            axes=-2,0; signal_size=4,-1
        axes-in-any-order: axes have no order, but that of signal_size
            axes=0,1,2|2,0,1; signal_size=5,3,7
            axes=1,2,0; signal_size=-1,4,2
            axes=2,1,0; signal_size=-
        signal-size: the whole axis, padded and trimmed
            axes=1; signal_size=-1|1|2|3|5|6|16
        power-of-2: sizes for which there are faster ways
            data=[3,16,2]; axes=1; signal_size=-
            data=[8,64,2]; axes=0,1; signal_size=-
            data=[2,3,1024,2]; axes=2; signal_size=-
        not-a-power-of-2: sizes beside these
            data=[3,15,2]; axes=1; signal_size=-
            data=[7,45,2]; axes=0,1; signal_size=-
            data=[2,3,1023,2]; axes=2; signal_size=-
        empty-axes: no axes leave the data as it is
            axes=[]; signal_size=-|[]
        impulse-and-wave: the transforms are known without computing
            data=f32:[[0,0],[1,0],[0,0],[0,0]]; axes=0; signal_size=-
            data=f32:[[1,0],[0,1],[-1,0],[0,-1]]; axes=0; signal_size=8
    """),
    readings=[
        Reading(
            "axes from '-(r - 1)' to '(r - 2)', against '(rank(data) - 1) not in axes and (-1) not "
            "in axes'",
            "-1 is the last dimension but that of real and imaginary parts.",
            "The first range has -1 in it, the rule that 'a negative axis a is interpreted as an "
            "axis r - 1 + a' gives it a meaning, and an example of the list has -3 and -2.",
            "contradiction",
            admits="Refusing -1 as an axis.",
        ),
    ],
)


@DFT.plain
def plain(rank=4):
    """One axis is padded, one trimmed; the first is a batch."""
    if rank == 2:
        return "data=[5,2]; axes=0; signal_size=6"
    data = [*[3, 5, 4, 2, 3, 2, 1][: rank - 1], 2]
    axes, sizes = ([1], [3]) if rank == 3 else ([2, 1], [6, 3])
    return {"data": data, "axes": axes, "signal_size": sizes}


@DFT.random
def layer(draw):
    rank = draw.integer(2, 6)
    most = {2: 40, 3: 12, 4: 7, 5: 4, 6: 3}[rank]
    axes = draw.subset(range(rank - 1), least=1)
    sizes = draw.choice([[draw.choice([-1, draw.integer(1, most)]) for _ in axes], None])
    return {
        "data": [*draw.shape(rank - 1, most=most), 2],
        "axes": [axis - draw.choice([0, rank - 1]) for axis in axes],
        "signal_size": sizes,
    }
