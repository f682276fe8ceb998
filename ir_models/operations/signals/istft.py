"""ISTFT: the real signal of discrete Fourier transforms of its frames (page ISTFT-16)."""

from ir_models.declaration import *
from ir_models.families.fourier import window_fits

T = types("T", "any supported floating-point type")
T_INT = types("T_INT", "int64 or int32")

NOT_STATED = "altered: the page prints '...' for normalized, which is required"
FRAMES = "frame_size=4; frame_step=2; signal_length=-"
CONSTANT = f"data=f32:[[[4,0],[8,0]],[[0,0],[0,0]],[[0,0],[0,0]]]; window=f32:[1,1,1,1]; {FRAMES}"
ALTERNATING = (
    "data=f32:[[[0,0],[0,0],[8,0]],[[0,0],[4,4],[0,0]],[[4,0],[0,0],[0,0]]]; "
    f"window=f32:[1,2,2,1]; {FRAMES}"
)

ISTFT = Operation(
    "ISTFT-16",
    "opset16",
    inputs=[
        Input("data", T, shape="fft_results, frames, 2 or batch, fft_results, frames, 2"),
        # No element is near 0: the signal is divided by sums of their squares.
        Input("window", T, shape="window_length", values=Interval(-2.0, 2.0, least=0.5)),
        Index("frame_size", T_INT, shape="scalar", least=1),
        Index("frame_step", T_INT, shape="scalar", least=1),
        Index("signal_length", T_INT, shape="scalar or 1", optional=True, least=0),
    ],
    outputs=[Output("signal", T)],
    attributes=[
        Attribute("center", bool, required=True),
        Attribute("normalized", bool, required=True),
    ],
    mixes=True,
    examples=examples(f"""
        data=[6,16,2]; window=[7]; frame_size=11; frame_step=3; center=false; normalized=false -> [56]
            {NOT_STATED}
        data=[4,6,16,2]; window=[7]; frame_size=11; frame_step=3; center=false; normalized=true -> [4,56]
            {NOT_STATED}
        data=[6,16,2]; window=[7]; frame_size=11; frame_step=3; center=true; normalized=false -> [45]
            {NOT_STATED}
        data=[4,6,16,2]; window=[7]; frame_size=11; frame_step=3; center=true; normalized=true -> [4,45]
            {NOT_STATED}
        data=[6,16,2]; window=[7]; frame_size=11; frame_step=3; signal_length=64; center=false; normalized=false -> [64]
            {NOT_STATED}
    """),
    rules=[
        rule(
            "data have frame_size / 2 + 1 numbers for each frame",
            lambda layer: layer.data.shape[-3] == layer.frame_size.value // 2 + 1,
            ["data=[3,7,5,2]", "frame_size=9", "frame_size=12"],
        ),
        rule(
            "there is a frame",
            lambda layer: layer.data.shape[-2] > 0,
            unasked="(frames - 1) * frame_step is negative; the page does not say what is restored of none",
        ),
        rule(
            "the window has a number",
            lambda layer: layer.window.shape[0] > 0,
            unasked="no place of the signal has a window then",
        ),
        window_fits("window=[12]", "frame_size=11; window=[13]"),
    ],
    violations=["signal_length=[11,11]"],
    unasked={"signal_length is at least 0": "the page names no lowest length"},
    variants=variants(f"""
        window-length: as long as a frame, and shorter by even and odd numbers
            window=[1]|[8]|[9]|[10]|[11]; center=false; signal_length=-
            window=[1]|[8]|[9]|[10]|[11]; center=true; signal_length=12
        frame-size: even, odd, a power of 2, one number
            frame_size=10; window=[7]|[10]; center=false|true; signal_length=-
            frame_size=8; window=[5]|[8]; data=[3,5,4,2]; center=false|true; signal_length=-
            frame_size=16; window=[16]; data=[9,4,2]; center=false|true; signal_length=-
            frame_size=33; window=[30]; data=[17,4,2]; center=false|true; signal_length=9
            frame_size=1; window=[1]; data=[1,5,2]; frame_step=1; center=false; signal_length=-
            frame_size=2; window=[2]; data=[2,5,2]; frame_step=1; center=false|true; signal_length=-
        frame-step: frames that overlap, touch and leave gaps
            frame_step=1|5|7|11|13; center=false; signal_length=-
            frame_step=5|7|11|13; center=true; signal_length=20
        default-length: without signal_length, of even and odd frames
            signal_length=-; center=false|true; normalized=false|true
            signal_length=-; frame_size=10; center=false|true; frame_step=1|4
        one-frame: nothing overlaps
            data=[6,1,2]; center=false; normalized=false|true; signal_length=-|11
        signal-length: cut, padded with zeros, the default length
            signal_length=4|10|22|23|24|40; center=false; normalized=false|true
            signal_length=1|10|11|12|13|20|40; center=true; normalized=false|true
            signal_length=[19]|[30]; center=false|true
        known-signal: frames of constant and of alternating numbers
            {CONSTANT}; center=false|true; normalized=false|true
            {ALTERNATING}; center=false|true; normalized=false|true
    """),
    readings=[
        Reading(
            "'window values applied to restore the signal'",
            "Each frame is multiplied by the window, and the sum of frames divided by the sum of the squared windows.",
            "That restores the signal of which STFT made data, and the nearest signal where data are of none.",
            "silence",
            admits="Another sum that restores the signal of which STFT made data.",
        ),
        Reading(
            "a place of the signal that no window reaches",
            "It is not tested.",
            "The sum of squares is 0.",
            "silence",
        ),
        Reading(
            "center: 'padding has been applied to the original signal', of no size",
            "frame_size / 2 numbers before the signal, rounded down, are left out.",
            "With as many on both sides the signal has (signal_length / frame_step) + 1 frames.",
            "silence",
        ),
        Reading(
            "the imaginary parts of the first number of a frame and, of an even frame_size, of the last",
            "They are ignored.",
            "The signal is real-valued: its transform has none there.",
            "silence",
        ),
    ],
)


@ISTFT.plain
def plain(rank=4):
    batch = [3] if rank == 4 else []
    return {
        "data": [*batch, 6, 5, 2],
        "window": [7],
        "frame_size": 11,
        "frame_step": 3,
        "signal_length": 11,
        "center": False,
        "normalized": True,
    }


@ISTFT.random
def layer(draw):
    frame, count, step = draw.integer(2, 20), draw.integer(1, 8), draw.integer(1, 8)
    center = count > 1 and draw.boolean()
    length = (count - 1) * step + (0 if center else frame)
    wanted = draw.choice(
        [None, length, draw.integer(min(frame, length), length), length + draw.integer(1, 9)]
    )
    return {
        "data": [*draw.choice([[], [draw.integer(1, 4)]]), frame // 2 + 1, count, 2],
        "window": [draw.integer(max(1, frame // 2), frame)],
        "frame_size": frame,
        "frame_step": step,
        "signal_length": draw.choice([wanted, [wanted]]) if wanted else None,
        "center": center,
        "normalized": draw.boolean(),
    }


@ISTFT.adapt
def within_data(layer):
    """Frames of as many numbers as data have, and a window that fits."""
    size = max(2 * layer.data.shape[-3] - 1, 1)
    return {"frame_size": size, "window": [min(layer.window.shape[0], size)]}
