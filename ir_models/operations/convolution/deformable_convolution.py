"""DeformableConvolution: windows moved by offsets (pages DeformableConvolution-1 and DeformableConvolution-8)."""

from math import prod

import numpy as np

from ir_models.declaration import *
from ir_models.families.windows import (
    AUTO_PAD,
    AUTO_PADS,
    UNDILATED,
    UNPADDED,
    along_axes,
    axes,
    fit_padding,
    summable,
    window_rules,
    window_violations,
)

T = types("T", "Any numeric type")
PLAIN = (
    "data=[2,6,8,7]; kernel=[4,3,2,5]; strides=2,1; pads_begin=1,0; pads_end=0,2; dilations=2,1;"
    "auto_pad=explicit; group=2; deformable_group=2"
)
# One window of one element at each of nine places, most of them moved to where its axis ends.
EDGES = (
    "data=f32:[[[[1,2,4],[8,16,32],[64,128,256]]]]; kernel=f32:[[[[3]]]]; strides=1,1; dilations=1,1;"
    f"group=1; deformable_group=1; {UNPADDED}"
)
NEAR = (
    "offsets=f32:[[[[-0.5,-0.25,-0.75],[0,0.5,0],[0.25,0.5,0.75]],"
    "[[0,0,0],[-0.75,0,0.5],[0,-0.5,0.25]]]]"
)
FAR = "offsets=f32:[[[[-1.5,0,-3],[0,0,2.5],[0,1.25,0]],[[0,0,0],[-1.25,0.5,0],[-9,0,5]]]]"


def places(layer):
    """How many windows there are along the two axes."""
    return [axis.places for axis in axes(layer)]


def of_offsets(layer, numbers=2):
    """The shape of offsets, and with one number for each element of a window that of the mask."""
    elements = layer.deformable_group * prod(layer.kernel.shape[2:])
    return [layer.data.shape[0], numbers * elements, *places(layer)]


def offsets(layer, state):
    """Places inside the image and between its elements, of integers on them; a tenth is far outside.

    So that rounding moves no place over an element, or over a border that is a matter of reading.
    """
    kind, (batch, _, *counts) = layer.offsets.element_type, layer.offsets.shape
    window, parts = layer.kernel.shape[2:], layer.deformable_group
    found = np.zeros((batch, parts, *window, 2, *counts))
    for number, axis in enumerate(axes(layer)):
        shape = [1] * 6
        shape[2 + number] = window[number]
        steps = np.arange(window[number]).reshape(shape) * axis.dilation
        shape = [1] * 6
        shape[4 + number] = counts[number]
        starts = np.arange(counts[number]).reshape(shape) * axis.stride - axis.begin
        whole = (batch, parts, *window, *counts)
        if kind.is_float and axis.size > 1:
            place = state.randint(0, axis.size - 1, whole) + state.uniform(1 / 16, 15 / 16, whole)
        else:
            place = state.randint(0, max(axis.size, 1), whole)
        far = np.where(state.random_sample(whole) < 0.5, -3, axis.size + 2)
        place = np.where(state.random_sample(whole) < 0.1, far, place)
        found[:, :, :, :, number] = place - starts - steps
    if kind.is_integer:
        found = found.clip(*kind.integer_range)
    return found


BILINEAR_PAD = Attribute("bilinear_interpolation_pad", bool, default=False)
MASK = Input("mask", T, exactly(4), optional=True, values=Interval(0, 1))
OF_MASK = rule(
    "mask is a number for each element of each window",
    lambda layer: (
        layer.mask is None
        or layer.deformable_group < 1
        or min(places(layer)) < 1
        or list(layer.mask.shape) == of_offsets(layer, 1)
    ),
    "mask=[2,40,4,5]|[2,10,4,5]|[1,20,4,5]|[2,20,5,5]|[2,20,4,4]",
)


READINGS = [
    Reading(
        "x(p + p_k + dp_k) where the place is no whole number",
        "Bilinear interpolation between the four nearest elements.",
        "'bilinear_interpolation_pad' of DeformableConvolution-8 names it.",
        "silence",
    ),
    Reading(
        "the order of the channels of offsets: 'deformable_group * kernel_Y * kernel_X * 2'",
        "The last factor varies fastest, and is y before x.",
        "The order of the factors, and of the axes everywhere on the page.",
        "silence",
    ),
    Reading(
        "places outside the image",
        "A pixel and more outside it is 0; nearer ones are on its border, as by default in version 8.",
        "The padding is zeros in Convolution-1; 'the sampling location shifts to the inner boundary'.",
        "silence",
    ),
    Reading(
        "'number of input channels' of the kernel where group is not 1",
        "Those of one group.",
        "'the i-th output group is connected to the i-th input group'.",
        "ambiguity",
    ),
    Reading(
        "deformable_group: 'offsets input and output should be split into along the channel axis'",
        "Part i of the offsets moves the windows of part i of the output channels.",
        "'using the i-th part of the offsets part on the i-th out'.",
        "ambiguity",
        admits="Part i of the offsets for part i of the input channels, as the article has it.",
    ),
    Reading(
        "infinities and NaN with a weight of 0, and weights that are not finite outside the image",
        "Outputs that depend on whether they are multiplied are not judged.",
        "The page does not say.",
        "silence",
    ),
]


def variants_of(masked):
    both = "; bilinear_interpolation_pad=false|true" if masked else ""
    left_out = "|-" if masked else ""
    return variants(f"""
        groups: the groups of channels and of offsets are apart
            group=1; kernel=[4,6,2,5]; deformable_group=1
            group=2; deformable_group=1
            group=3; kernel=[6,2,2,5]; deformable_group=3
            group=6; kernel=[6,1,2,5]; deformable_group=1|6
        deformable-groups: 'Apply ... using the i-th part of the offsets part on the i-th out'
            group=1; kernel=[4,6,2,5]; deformable_group=2
            group=2; kernel=[6,3,2,5]; deformable_group=6
        windows: strides, dilations and padding
            strides=1,1; {UNDILATED}; {UNPADDED}
            strides=3,4
            {UNDILATED}; kernel=[4,3,3,3]; auto_pad=same_upper|same_lower|valid
            kernel=[4,3,1,1]; pads_begin=2,1; pads_end=1,3
        near-the-border: places less than a pixel outside
            {EDGES}; {NEAR}{both}{left_out}
        on-the-border: places on the last elements, and a pixel outside
            {EDGES}; offsets=f32:[[[[0,-1,0],[-1,0,1],[1,0,0]],[[0,0,1],[0,1,-1],[0,-2,0]]]]{both}
        far-outside: places of nothing
            {EDGES}; {FAR}{both}
        no-offsets: a usual convolution
            {EDGES}; offsets=f32:[[[[0,0,0],[0,0,0],[0,0,0]],[[0,0,0],[0,0,0],[0,0,0]]]]{both}
        many-terms: sums over many channels
            data=[1,64,9,8]; kernel=[16,64,3,3]; group=1; deformable_group=1; {UNDILATED}; strides=1,1
    """)


def rules_of(masked):
    return [
        rule(
            "the channels of data are those of a filter in each group",
            lambda layer: (
                layer.group < 1 or layer.data.shape[1] == layer.kernel.shape[1] * layer.group
            ),
            "data=[2,5,8,7]|[2,12,8,7]",
        ),
        rule(
            "group divides the output channels",
            lambda layer: layer.group < 1 or layer.kernel.shape[0] % layer.group == 0,
            "kernel=[4,2,2,5]; group=3",
        ),
        rule(
            "deformable_group divides the output channels",
            lambda layer: (
                layer.deformable_group < 1 or layer.kernel.shape[0] % layer.deformable_group == 0
            ),
            "deformable_group=3; offsets=[2,60,4,5]" + ("; mask=[2,30,4,5]" if masked else ""),
        ),
        *window_rules([]),
        rule(
            "offsets are two numbers for each element of each window",
            lambda layer: (
                layer.deformable_group < 1
                or min(places(layer)) < 1
                or list(layer.offsets.shape) == of_offsets(layer)
            ),
            "offsets=[2,39,4,5]|[2,20,4,5]|[1,40,4,5]|[2,40,5,5]|[2,40,4,4]",
        ),
        *([OF_MASK] if masked else []),
    ]


def drawn(draw, masked):
    window, dilations, strides = ([draw.integer(1, 3) for _ in range(2)] for _ in range(3))
    extents = [(w - 1) * d + 1 for w, d in zip(window, dilations, strict=True)]
    begin, end = ([draw.integer(0, min(e - 1, 2)) for e in extents] for _ in range(2))
    group, channels = draw.integer(1, 3), draw.integer(1, 3)
    found = {
        "data": [
            draw.integer(1, 3),
            group * channels,
            *(e + draw.integer(1, 3) for e in extents),
        ],
        "kernel": [group * draw.integer(1, 3), channels, *window],
        "strides": strides,
        "pads_begin": begin,
        "pads_end": end,
        "dilations": dilations,
        "auto_pad": draw.choice([*AUTO_PADS, None]),
        "group": draw.choice([1, None]) if group == 1 else group,
        "deformable_group": draw.choice([1, group, None]),
        "offsets": [1, 1, 1, 1],
    }
    if masked:
        found["bilinear_interpolation_pad"] = draw.choice([False, True, None])
        found["mask"] = draw.choice([[1, 1, 1, 1], None])
    return found


def deformable(name, opset, masked, examples):
    """A deformable convolution; ``masked``: with modulation, and a choice of what lies outside."""
    products = summable(lambda layer: prod(layer.kernel.shape[1:]))
    attributes = [
        along_axes("strides"),
        along_axes("pads_begin"),
        along_axes("pads_end"),
        along_axes("dilations"),
        AUTO_PAD,
        Attribute("group", int, default=1, least=1),
        Attribute("deformable_group", int, default=1, least=1),
        *([BILINEAR_PAD] if masked else []),
    ]
    operation = Operation(
        name,
        opset,
        mixes=True,
        inputs=[
            Input("data", T, shape="N, C, Y, X", values=products),
            Input("offsets", T, exactly(4), values=offsets),
            Input("kernel", T, shape="C_OUT, C_IN, KY, KX", values=products),
            *([MASK] if masked else []),
        ],
        outputs=[Output("y", T)],
        attributes=attributes,
        examples=examples,
        rules=rules_of(masked),
        violations=[*window_violations(attributes)],
        variants=variants_of(masked),
        readings=READINGS,
    )

    @operation.plain
    def layer():
        return PLAIN + (
            "; bilinear_interpolation_pad=true; mask=[2,20,4,5]; offsets=[2,40,4,5]"
            if masked
            else "; offsets=[2,40,4,5]"
        )

    operation.random(lambda draw: drawn(draw, masked))

    @operation.adapt
    def fit(layer):
        """Padding where the window would not fit, and offsets and a mask for all windows."""
        changes = fit_padding(layer) if min(a.room for a in axes(layer)) < 0 else {}
        padded = layer.replace(**changes)
        if masked and layer.mask is not None:
            changes["mask"] = of_offsets(padded, 1)
        if layer.offsets.value is None:
            changes["offsets"] = of_offsets(padded)
        return changes

    return operation


ALL = "strides=1,1; pads_begin=0,0; pads_end=0,0; dilations=1,1; auto_pad=explicit; group=1"
PRINTED = "data=f32[1,4,224,224]; offsets=f32[1,{},220,220]; kernel=f32[64,4,5,5]"

DeformableConvolution1 = deformable(
    "DeformableConvolution-1",
    "opset1",
    False,
    examples(f"""
        {PRINTED.format(50)}; {ALL}; deformable_group=1 -> [1,64,220,220]
        {PRINTED.format(200)}; {ALL}; deformable_group=4 -> [1,64,220,220]
    """),
)
DeformableConvolution8 = deformable(
    "DeformableConvolution-8",
    "opset8",
    True,
    examples(f"""
        {PRINTED.format(50)}; mask=f32[1,25,220,220]; {ALL}; deformable_group=1 -> [1,64,220,220]
    """),
)
