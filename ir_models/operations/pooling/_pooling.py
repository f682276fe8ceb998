"""What poolings share: examples, variants, random layers."""

from typing import Any

from ir_models.declaration import example
from ir_models.element_types import f32

# With an output as large as the input most windows would hold nothing but padding.
SAME = "same_upper with strides of 2 gives 16 places along an axis of 32, also by the formula for the printed pads"


def image_example(size, outputs=1, erratum="", **attributes):
    """An example of the pages: an image of 32 x 32 that becomes ``size`` x ``size``."""
    shape = [1, 3, size, size]
    return example(
        data=f32[1, 3, 32, 32],
        output=[shape] * outputs,
        ports=list(range(1 + outputs)),
        erratum=erratum,
        **attributes,
    )


VARIANTS: dict[str, list[dict[str, Any]]] = {
    "unit-strides": [{"strides": [1, 1]}],
    "large-strides": [{"strides": [4, 5]}],
    "no-padding": [{"pads_begin": [0, 0], "pads_end": [0, 0]}],
    "pads-only-begin": [{"pads_end": [0, 0]}],
    "pads-only-end": [{"pads_begin": [0, 0]}],
    "pointwise": [{"kernel": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}],
    "whole-image": [{"kernel": [11, 7], "pads_begin": [0, 0], "pads_end": [0, 0]}],
    # A last window that sticks out, and for ceil_torch one that would start in the padding.
    "rounding": [
        {"rounding_type": rounding_type, "strides": strides, "pads_end": pads_end}
        for rounding_type, strides, pads_end in (
            ("ceil", [2, 3], [0, 1]),
            ("ceil", [5, 3], [0, 0]),
            ("ceil_torch", [2, 3], [0, 1]),
            ("ceil_torch", [4, 4], [1, 1]),
            ("ceil_torch", [4, 2], [0, 2]),
        )
    ],
    "rounding-valid": [
        {"rounding_type": rounding_type, "auto_pad": "valid", "strides": [3, 2]}
        for rounding_type in ("floor", "ceil", "ceil_torch")
    ],
    # Of an odd padding one end gets more; with a stride of 1 the output is as large as the input.
    "auto-pad": [
        {"auto_pad": auto_pad, "strides": strides, "kernel": kernel}
        for auto_pad in ("same_upper", "same_lower")
        for kernel in ([2, 4], [3, 3])
        for strides in ([1, 1], [2, 3], [4, 1])
    ],
}


def pooled(rank):
    """The plain layer: along every axis a window, strides and paddings of its own."""
    spatial = rank - 2
    return {
        "data": [2, 3, *[6, 11, 7][-spatial:]],
        "strides": [1, 2, 3][-spatial:],
        "pads_begin": [2, 1, 0][-spatial:],
        "pads_end": [1, 0, 1][-spatial:],
        "kernel": [4, 3, 2][-spatial:],
        "rounding_type": "floor",
        "auto_pad": "explicit",
    }


def drawn(draw, with_dilations):
    """A random layer."""
    spatial = draw.integer(1, 3)
    kernel = [draw.integer(1, 4) for _ in range(spatial)]
    dilations = [draw.integer(1, 3) if with_dilations else 1 for _ in range(spatial)]
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    most = {1: 9, 2: 7, 3: 4}[spatial]
    begin, end = ([draw.integer(0, min(e - 1, 3)) for e in extents] for _ in range(2))
    return {
        "data": [
            draw.integer(1, 3),
            draw.integer(2, 4),
            *(e + draw.integer(0, most) for e in extents),
        ],
        "strides": [draw.integer(1, 4) for _ in range(spatial)],
        "dilations": draw.choice([dilations, None]) if max(dilations) == 1 else dilations,
        "pads_begin": begin,
        "pads_end": end,
        "kernel": kernel,
        "rounding_type": draw.choice(["floor", "ceil", "ceil_torch", None]),
        "auto_pad": draw.choice(
            ["explicit", "explicit", "same_upper", "same_lower", "valid", None]
        ),
    }
