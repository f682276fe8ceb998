"""STFT: discrete Fourier transforms of the frames of a real signal (page STFT-15)."""

from ir_models.declaration import *
from ir_models.families.fourier import window_fits

T = types("T", "any supported floating-point type")
T_INT = types("T_INT", "int64 or int32")

STFT = Operation(
    "STFT-15",
    "opset15",
    inputs=[
        Input("signal", T, shape="signal_size or batch, signal_size"),
        Input("window", T, shape="window_length"),
        Index("frame_size", T_INT, shape="scalar", least=1),
        Index("frame_step", T_INT, shape="scalar", least=1),
    ],
    outputs=[Output("output", T)],
    attributes=[Attribute("transpose_frames", bool, required=True)],
    mixes=True,
    examples=examples("""
        signal=[56]; window=[7]; frame_size=11; frame_step=3; transpose_frames=false -> [16,6,2]
        signal=[56]; window=[7]; frame_size=11; frame_step=3; transpose_frames=true -> [6,16,2]
        signal=[3,56]; window=[7]; frame_size=11; frame_step=3; transpose_frames=false -> [3,16,6,2]
        signal=[3,56]; window=[7]; frame_size=11; frame_step=3; transpose_frames=true -> [3,6,16,2]
    """),
    rules=[
        rule(
            "a frame fits into the signal",
            lambda layer: layer.frame_size.value <= layer.signal.shape[-1],
            ["frame_size=30"],
        ),
        window_fits("window=[12]", "frame_size=5"),
    ],
    variants=variants("""
        window-length: as long as a frame, and shorter by even and odd numbers
            window=[1]|[8]|[9]|[10]|[11]
        frame-size: even, odd, a power of 2, one number, the whole signal
            frame_size=8|10|16|29
            frame_size=1; window=[1]
        frame-step: frames that overlap, touch and leave gaps; a rest of the signal that no frame has
            frame_step=1|5|11|13|18|40
        no-batch: one signal alone, either way
            signal=[29]; transpose_frames=false|true
        known-window: the transform of one period is known without computing
            signal=f32:[1,0,-1,0,1,0,-1,0]; window=f32:[1,1,1,1]; frame_size=4; frame_step=2
            signal=f32:[1,2,3,4,5,6]; window=f32:[1,2,3]; frame_size=4; frame_step=1
    """),
    readings=[
        Reading(
            "window '1D shape [window_length]', in the examples 7 for a frame_size of 11",
            "A shorter window has zeros on both sides, (frame_size - window_length) // 2 of them before it.",
            "The page of ISTFT-16, whose data are 'compatible with a result of STFT', says so.",
            "silence",
        ),
        Reading(
            "window '1D shape [window_length]', of any length",
            "A window of no numbers is one of zeros.",
            "No length is excluded.",
            "silence",
            admits="An exception for a window of no numbers.",
        ),
        Reading(
            "'(signal_shape[-1] - frame_size) / frame_step) + 1'",
            "The quotient is rounded down.",
            "A frame that is not whole is none.",
            "silence",
        ),
    ],
)


@STFT.plain
def plain(rank=2):
    batch = [2] if rank == 2 else []
    return {
        "signal": [*batch, 29],
        "window": [7],
        "frame_size": 11,
        "frame_step": 3,
        "transpose_frames": False,
    }


@STFT.random
def layer(draw):
    frame = draw.integer(1, 20)
    return {
        "signal": [*draw.choice([[], [draw.integer(1, 4)]]), frame + draw.integer(0, 30)],
        "window": [draw.integer(1, frame)],
        "frame_size": frame,
        "frame_step": draw.integer(1, 12),
        "transpose_frames": draw.choice([False, True]),
    }
