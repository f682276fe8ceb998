"""DFT: the discrete Fourier transform of complex tensors along some axes (page DFT-7)."""

from ir_models.declaration import Index, Input, Operation, Output, at_least, example
from ir_models.element_types import FLOATS, f32, i32, i64, types

T = types("T", FLOATS)
T_IND = types("T_IND", i32, i64)
T_SIZE = types("T_SIZE", i32, i64)

DFT = Operation(
    "DFT-7",
    opset="opset7",
    inputs=[
        Input("data", T, at_least(2)),
        Index("axes", T_IND),
        Index("signal_size", T_SIZE, optional=True),
    ],
    outputs=[Output("output", T)],
    examples=[
        example(data=f32[1, 320, 320, 2], axes=[1, 2], output=[1, 320, 320, 2], ports=[0, 1, 2]),
        example(data=f32[320, 320, 2], axes=[0, 1], output=[320, 320, 2], ports=[0, 1, 2]),
        example(
            data=f32[1, 320, 320, 2],
            axes=[1, 2],
            signal_size=[512, 100],
            output=[1, 512, 100, 2],
            ports=[0, 1, 2, 3],
        ),
        example(
            data=f32[320, 320, 2],
            axes=[0, 1],
            signal_size=[512, 100],
            output=[512, 100, 2],
            ports=[0, 1, 2, 3],
        ),
        # The page's data, f32[16,768,580,320,2], take 18 GB. These keep its axes, its signal sizes but for a factor of
        # 64 and which of them pads and trims.
        example(
            data=f32[2, 12, 9, 5, 2],
            axes=[3, 1, 2],
            signal_size=[3, -1, 16],
            output=[2, 12, 16, 3, 2],
            ports=[0, 1, 2, 3],
        ),
        example(
            data=f32[2, 12, 9, 5, 2],
            axes=[3, 0, 2],
            signal_size=[4, -1, 32],
            output=[2, 12, 32, 4, 2],
            ports=[0, 1, 2, 3],
        ),
    ],
    variants={
        "one-axis": [{"axes": [axis], "signal_size": None} for axis in range(3)],
        "negative-axis": [
            # Counted from before the last dimension, which is not an axis: -1 is the axis 2 here.
            {"axes": [-1], "signal_size": None},
            {"axes": [-3, -2], "signal_size": None},
            {"axes": [-2, 0], "signal_size": [4, -1]},
        ],
        "axes-order": [
            {"axes": axes, "signal_size": sizes}
            for axes, sizes in (
                ([0, 1, 2], [5, 3, 7]),
                ([2, 0, 1], [5, 3, 7]),
                ([1, 2, 0], [-1, 4, 2]),
                ([2, 1, 0], None),
            )
        ],
        "signal-size": [{"axes": [1], "signal_size": [size]} for size in (-1, 1, 2, 3, 5, 6, 16)],
        "power-of-2": [
            {"data": [3, 16, 2], "axes": [1], "signal_size": None},
            {"data": [8, 64, 2], "axes": [0, 1], "signal_size": None},
            {"data": [2, 3, 1024, 2], "axes": [2], "signal_size": None},
        ],
        "not-a-power-of-2": [
            {"data": [3, 15, 2], "axes": [1], "signal_size": None},
            {"data": [7, 45, 2], "axes": [0, 1], "signal_size": None},
            {"data": [2, 3, 1023, 2], "axes": [2], "signal_size": None},
        ],
        "empty-axes": [{"axes": [], "signal_size": None}, {"axes": [], "signal_size": []}],
        # What the transform of an impulse, of a constant and of a wave must be is known without computing.
        "impulse": [
            {"data": f32.tensor([[0, 0], [1, 0], [0, 0], [0, 0]]), "axes": [0], "signal_size": None}
        ],
        "wave": [
            {
                "data": f32.tensor([[1, 0], [0, 1], [-1, 0], [0, -1]]),
                "axes": [0],
                "signal_size": [8],
            }
        ],
    },
)


@DFT.plain
def plain(rank=4):
    """One axis is padded, one trimmed; the first is a batch."""
    shape = [3, 5, 4, 2, 3, 2, 1][: rank - 1]
    if rank == 2:
        return {"data": [5, 2], "axes": [0], "signal_size": [6]}
    axes, sizes = ([1], [3]) if rank == 3 else ([2, 1], [6, 3])
    return {"data": [*shape, 2], "axes": axes, "signal_size": sizes}


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


@DFT.rule(
    "the last dimension of data is 2", broken=[{"data": [3, 5, 4, 3]}, {"data": [3, 5, 4, 1]}]
)
def pairs(layer):
    return layer.data.shape[-1] == 2


@DFT.rule(
    "axes are from -(r - 1) to r - 2",
    broken=[
        {"axes": [3, 1]},
        {"axes": [2, -4]},
    ],
)
def axes_in_range(layer):
    rank = layer.data.rank
    return all(-(rank - 1) <= axis <= rank - 2 for axis in layer.axes.value)


@DFT.rule("axes are different", broken=[{"axes": [2, 2]}, {"axes": [2, -1]}])
def axes_differ(layer):
    axes = [axis % (layer.data.rank - 1) for axis in layer.axes.value]
    return not axes_in_range(layer) or len(set(axes)) == len(axes)


@DFT.rule(
    "signal_size has as many elements as axes",
    broken=[{"signal_size": [6]}, {"signal_size": [6, 3, 2]}],
)
def one_size_for_each_axis(layer):
    return layer.signal_size is None or layer.signal_size.shape == layer.axes.shape


@DFT.rule("signal_size is a size, or -1", broken=[{"signal_size": [6, -2]}])
def sizes(layer):
    return layer.signal_size is None or all(size >= -1 for size in layer.signal_size.value)
