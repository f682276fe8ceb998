"""StridedSlice: slices with masks that change dimensions (page StridedSlice-1)."""

from ir_models.declaration import *
from ir_models.families.slicing import MAX32, MAX64, MIN32, MIN64

T = types("T", "any supported type")
T_IND = types("T_IND", "any supported integer type")

MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


def padded(layer, name):
    """A mask with one bit for each step."""
    count = layer.begin.size
    return [*getattr(layer, name), *[0] * count][:count]


def lengths_agree(layer):
    return len({t.shape for t in (layer.begin, layer.end, layer.stride) if t is not None}) == 1


def are_bits(layer):
    return all(set(getattr(layer, name)) <= {0, 1} for name in MASKS)


def has_one_ellipsis(layer):
    return layer.ellipsis_mask.count(1) <= 1


def steps_fit(layer):
    if not (lengths_agree(layer) and has_one_ellipsis(layer)):
        return True
    slicing = layer.begin.size - padded(layer, "new_axis_mask").count(1)
    if 1 in padded(layer, "ellipsis_mask"):
        return slicing - 1 <= layer.data.rank
    return slicing == layer.data.rank


def shrinks_one_place(layer):
    shrink = padded(layer, "shrink_axis_mask")
    steps = zip(layer.begin.value, layer.end.value, shrink, strict=True)
    return all(begin == end for begin, end, bit in steps if bit == 1)


def masks_are_apart(layer):
    return all(
        (new, shrink, ellipsis).count(1) <= 1 and not (shrink == 1 and 1 in (begin, end))
        for begin, end, new, shrink, ellipsis in zip(
            *(padded(layer, name) for name in MASKS), strict=True
        )
    )


def single_element_exists(layer):
    if not (are_bits(layer) and lengths_agree(layer) and steps_fit(layer)):
        return True  # another rule
    begin_mask, end_mask, new, shrink, ellipsis = (padded(layer, name) for name in MASKS)
    sizes = list(layer.data.shape)
    for i, (begin, end) in enumerate(zip(layer.begin.value, layer.end.value, strict=True)):
        if ellipsis[i]:
            del sizes[: layer.data.rank - (layer.begin.size - sum(new) - 1)]
        elif not new[i]:
            size = sizes.pop(0)
            forward = layer.stride is None or layer.stride.value[i] > 0 or shrink[i]
            begins_beyond = begin >= size and not begin_mask[i]
            if size == 0 or (forward and begins_beyond and (end >= size or end_mask[i])):
                return False
    return True


def masks(**given):
    """All masks in one length, by their names without _mask: ``masks(new_axis="010")``."""
    steps = len(next(iter(given.values())))
    bits = {name: given.get(name.removesuffix("_mask"), "0" * steps) for name in MASKS}
    return "; ".join(f"{name}={','.join(each)}" for name, each in bits.items())


NEW_AXIS = masks(begin="00100", end="00010", new_axis="01000")
NEW_AXES = masks(begin="101000", end="000101", new_axis="100001")
TOGETHER = masks(begin="00001", shrink_axis="10000", ellipsis="01000", new_axis="00010")

# The page's twelve dimensions of ten are 10^12 elements. Those under the ellipsis are 2 here.
TWELVE = "data=f32[10,2,2,2,2,2,2,2,2,2,2,10]"
# The first three examples print no masks, although two are required: zeros.
ZEROS = "begin_mask=0; end_mask=0"
NO_ELEMENT = (
    "clamped to a dimension of 2 the first slice is 2 to 2 and the second goes backwards from 1 to 2: neither has "
    "an element; the page counts as if there were 3"
)
BROKEN_BITS = ("0,2,0,0", "0,0,-1,0", "0,0,0,2", "0,-1,0,0", "0,0,3,0")

StridedSlice = Operation(
    "StridedSlice-1",
    "opset1",
    inputs=[
        Input("data", T),
        Index("begin", T_IND),
        Index("end", T_IND),
        Index("stride", T_IND, optional=True),
    ],
    outputs=[Output("output", T)],
    attributes=[
        *(Attribute(name, list, required=True) for name in MASKS[:2]),
        *(Attribute(name, list, default=(0,)) for name in MASKS[2:]),
    ],
    examples=examples(f"""
        data=f32[4,4,4,4,4,4]; begin=0,1,0,1,3,3; end=4,4,4,4,0,0; stride=1,1,2,2,-1,-2; {ZEROS}
            -> [4,3,2,2,4,2]
            erratum: from 3 to 0 backwards, 0 left out, there are three elements and not four -> [4,3,2,2,3,2]
        data=f32[2,2]; begin=1234,2; end=1234,4321; stride=1,-1; {ZEROS} -> [1,1]
            erratum: {NO_ELEMENT} -> [0,0]
        data=f32[2,3,4]; begin=0,0,0; end=2,2,-1; stride=1,1,1; {ZEROS} -> [2,2,3]
        data=f32[2,3,4]; begin=1,1,123; end=0,0,2; stride=1,1,-1; begin_mask=0,1,1; end_mask=1,1,1;
            new_axis_mask=0,0,0,0,0; shrink_axis_mask=0,0; ellipsis_mask=0 -> [1,3,3]
        data=f32[2,4]; begin=1234,0,-1,0; end=1234,2,9876,4; stride=132,1,241,1;
            {masks(new_axis="1010")} -> [1,2,1,4]
        data=f32[1,2,384,640,8]; begin=0,0,0,0,0; end=1,0,384,640,8; stride=1,1,1,1,1;
            {masks(shrink_axis="01000")} -> [1,384,640,8]
        {TWELVE}; begin=0,0,0; end=4,0,5; stride=1,-1,1; {masks(ellipsis="010")}
            -> [4,2,2,2,2,2,2,2,2,2,2,5]
        {TWELVE}; begin=2,1,10,10; end=123,1,10,5; stride=1,-1,1,1; begin_mask=0,0,1,1;
            end_mask=1,1,0,0; new_axis_mask=0,0,1; shrink_axis_mask=0; ellipsis_mask=0,1
            -> [8,2,2,2,2,2,2,2,2,1,5]
            erratum: the ellipsis passes over 12-(4-1-1) = 10 dimensions and not over 8 -> [8,2,2,2,2,2,2,2,2,2,2,1,5]
    """),
    rules=[
        rule(
            "begin, end and stride have one length",
            lengths_agree,
            ["begin=1,2,0", "end=3,6,4,3,1", "stride=1"],
        ),
        rule("stride is not 0", lambda layer: 0 not in numbers(layer.stride), "stride=1,3,0,1"),
        rule(
            "masks hold 0 and 1",
            are_bits,
            [f"{name}={bits}" for name, bits in zip(MASKS, BROKEN_BITS, strict=True)],
        ),
        rule("ellipsis_mask has one 1 at most", has_one_ellipsis, "ellipsis_mask=0,1,1,0"),
        rule(
            "the steps that slice are as many as the dimensions, with an ellipsis not more",
            steps_fit,
            [
                "begin=1,2,0; end=3,6,4; stride=1,3,2",
                "begin=1,2,0,1,0; end=3,6,4,3,1; stride=1,3,2,1,1",
                "begin=1,2,0,1,0,0; end=3,6,4,3,1,1; stride=1,3,2,1,1,1; ellipsis_mask=0,1",
            ],
            reading=Reading(
                "'If they are unused, N == M', of masks that change dimensions",
                "Fewer steps than dimensions are invalid without an ellipsis.",
                "'the basic slicing operation assumes N == M (that is, i-th slicing step corresponds to i-th "
                "dimension)'.",
                admits="Dimensions behind the last step that stay whole, as in Python.",
            ),
            is_answered=True,
        ),
        rule(
            "begin equals end where shrink_axis_mask is 1",
            shrinks_one_place,
            "shrink_axis_mask=0,0,0,1|1,0,0,0",
        ),
        rule(
            "masks that change a dimension do not meet in one step",
            masks_are_apart,
            unasked="the page does not say which mask wins",
        ),
        rule(
            "begin that equals end, clamped, is an element of the dimension",
            single_element_exists,
            unasked="the page promises an element where there is none",
        ),
    ],
    variants=variants(f"""
        negative-indices: begin and end count from the end
            begin=-2,-6,-3,-3
            end=-1,-1,-1,-1
            begin=-3,-6,-4,-4; end=-1,-2,-2,-1
        clamped: begin and end beyond the dimension
            begin=-100,2,-6,-5
            end=100,7,4,5
            begin=5,2,0,100; end=0,6,4,-100; stride=-1,3,2,-1
        int-max: begin and end far beyond it
            end={MAX64},{MAX32},4,{MAX64}
            begin={MIN64},2,0,{MIN32}
            begin={MAX64},2,0,3; end=0,6,4,{MIN64}; stride=-1,3,2,-2
        negative-step: backwards
            begin=2,2,0,3; end=0,6,4,1; stride=-1,3,2,-1
            begin=-1,2,0,-1; end=-4,6,4,-5; stride=-1,3,2,-2
        step-beyond-dimension: one element remains
            stride=100,6,5,3
            begin=2,2,0,3; end=0,6,4,1; stride=-100,3,2,-7
        begin-mask: from the first element, backwards from the last
            begin_mask=1,1,1,1|1,0,0,1
            begin=0,2,0,0; end=0,6,4,1; stride=-1,3,2,-2; begin_mask=1,1,0,1
        masked-beyond: what the masks ignore is beyond the dimension
            begin=1,2,0,12; end=3,6,4,0; stride=1,3,2,-1; begin_mask=0,0,0,1
            end=3,6,4,-12; end_mask=0,0,0,1
            begin=-12,2,0,12; end=12,6,4,-12; stride=-1,3,2,-1; begin_mask=1,0,0,1; end_mask=1,0,0,1
        end-mask: to the last element
            end_mask=1,1,1,1|1,0,0,1
        end-mask-backwards: the end is 0, the first element stays out
            begin=2,2,0,3; end=2,6,4,3; stride=-1,3,2,-1; end_mask=1,0,1,1
            stride=-1,-1,-2,-1; begin_mask=1,1,1,1; end_mask=1,1,1,1
        begin-before-first: a begin that is negative even with the dimension added is clamped to 0, also backwards
            begin=-9,2,-8,-7; end=2,6,4,3
            begin=-9,2,0,-7; end=-10,6,4,-8; stride=-1,3,2,-1
            begin=-4,2,0,-5; end=-5,6,4,-6; stride=-2,3,2,-1
        begin-equals-end: the dimension is kept, with that one element
            begin=1,2,0,3; end=1,6,4,3
            begin=-1,2,0,1; end=2,6,4,-3
            begin=1,2,0,0; end=1,6,4,0; stride=-1,3,2,-2
        empty-slice (may be empty): nothing is between begin and end
            begin=2,2,0,1; end=1,6,4,3
            begin=1,2,0,1; end=2,6,4,3; stride=-1,3,2,1
        new-axis: a dimension of 1, the other masks do not count there
            begin=1,9,2,0,1; end=3,-9,6,4,3; stride=1,7,3,2,1; {NEW_AXIS}
            begin=0,1,2,0,1,0; end=0,3,6,4,3,0; stride=1,1,3,2,1,-1; {NEW_AXES}
        shrink-axis: the dimension is removed
            end=1,6,4,3; shrink_axis_mask=1,0,0,0
            begin=1,2,0,-1; end=3,6,4,-1; shrink_axis_mask=0,0,0,1
            begin=2,5,1,3; end=2,5,4,3; stride=1,-1,2,-7; {masks(shrink_axis="1101")}
        ellipsis: it passes over some dimensions, over one, over none
            begin=1,9,1; end=3,-9,3; stride=1,7,1; {masks(ellipsis="010")}
            begin=0,1; end=0,3; stride=-1,1; {masks(ellipsis="10")}
            begin=1,1; end=3,1; stride=1,1; {masks(begin="01", end="01", ellipsis="01")}
            ellipsis_mask=0,0,1,0
            begin=1,2,7,0,1; end=3,6,7,4,3; stride=1,3,7,2,1; {masks(ellipsis="00100")}
        masks-together: one of each
            begin=1,3,0,9,-1; end=1,3,2,9,1; stride=1,1,1,1,-1; {TOGETHER}
        mask-lengths: short masks go on with zeros, bits beyond the steps do not count
            begin_mask=1; end_mask=0,1
            begin_mask=0,1,0,0,1,1; end_mask=0,0,1,0,1
            new_axis_mask=0,0,0,0,1; shrink_axis_mask=0,0,0,0,0,1; ellipsis_mask=0,0,0,0,1
    """),
    readings=[
        Reading(
            "slicing in reverse: 'If begin[i] < 0 (after Negative Values Adjusting), then begin[i] = 0'",
            "The first element is taken, although Python's slice, to which the page compares, is empty.",
            "The page states it of reverse slices alone.",
            "contradiction",
            admits="No element, as in Python.",
        ),
        Reading(
            "end_mask where stride is negative: end is 0, 'this does not allow slicing inclusively "
            "with the first value', and an example that is 'equivalent of array[1:, :, ::-1]'",
            "The first element is left out.",
            "The sentence, and the printed output of the example.",
            "contradiction",
            admits="The first element is included, as in the named slice of Python.",
        ),
        Reading(
            "masks of other lengths than begin",
            "They are valid: what is left out is 0.",
            "'Each mask can have a unique length'.",
        ),
    ],
)


@StridedSlice.plain
def plain(rank=4):
    """Without stride something is left of every dimension too."""
    zeros = [0] * max(rank, 1)
    return {
        "data": [3, 6, 5, 4, 2, 1, 3, 2][:rank],
        "begin": [1, 2, 0, 1, 0, 0, 1, 0][:rank],
        "end": [3, 6, 4, 3, 2, 1, 3, 1][:rank],
        "stride": [1, 3, 2, 1, 1, 1, 1, 1][:rank],
        "begin_mask": [0, 1, 0, 0, 0, 0, 0, 0][:rank] or [0],
        "end_mask": [0, 0, 1, 0, 0, 0, 0, 0][:rank] or [0],
        **dict.fromkeys(MASKS[2:], zeros),
    }


@StridedSlice.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    hidden_from = draw.integer(0, rank)
    hidden_to = draw.integer(hidden_from, rank)
    has_ellipsis = draw.boolean()
    steps = []
    for axis, size in enumerate(shape):
        while draw.integer(0, 5) == 0:
            steps.append((*unused(draw), "new_axis_mask"))
        if has_ellipsis and axis == hidden_from:
            steps.append((*unused(draw), "ellipsis_mask"))
        if not has_ellipsis or not hidden_from <= axis < hidden_to:
            steps.append(drawn_step(draw, size))
    if has_ellipsis and hidden_from == rank:
        steps.append((*unused(draw), "ellipsis_mask"))
    # In one length: masks of different lengths are a purpose of their own.
    given = {name: [int(name in step[3:]) for step in steps] for name in MASKS}
    for name in MASKS[2:]:
        if not any(given[name]) and draw.boolean():
            given[name] = None
    return {
        "data": shape,
        "begin": [step[0] for step in steps],
        "end": [step[1] for step in steps],
        "stride": [step[2] for step in steps],
        **given,
    }


def unused(draw):
    """begin, end and stride of a step that ignores them."""
    return draw.integer(-9, 9), draw.integer(-9, 9), draw.choice([-3, -1, 1, 2])


def drawn_step(draw, size):
    """begin, end, stride and masks of a slice, in any of the ways to write them.

    Begin and end that are one place, and end_mask backwards, are purposes of their own.
    """
    if draw.integer(0, 5) == 0:
        place = draw.integer(-size, size - 1)
        return place, place, draw.choice([-3, -1, 1, 2]), "shrink_axis_mask"
    first, last = sorted([draw.integer(0, size - 1), draw.integer(0, size - 1)])
    set_masks = []
    if draw.boolean():
        stride = draw.choice([1, 1, 2, 3, 7])
        begin = draw.choice([first, first - size, *([-size - 3] if first == 0 else [])])
        end = draw.choice([last + 1, size + 3] if last + 1 == size else [last + 1, last + 1 - size])
        if last + 1 == size and draw.boolean():
            end = draw.integer(-9, 9)
            set_masks.append("end_mask")
        at_begin = first == 0
    else:
        stride = draw.choice([-1, -1, -2, -3, -7])
        at_begin = last == size - 1
        begin = draw.choice([last, last - size, *([size + 3] if at_begin else [])])
        end = draw.choice([-size - 1, -size - 4] if first == 0 else [first - 1, first - 1 - size])
    if at_begin and draw.boolean():
        begin = draw.integer(-9, 9)
        set_masks.append("begin_mask")
    return begin, end, stride, *set_masks


@StridedSlice.adapt
def begin_inside(layer):
    """The first element where begin is beyond a dimension, in a layer whose masks change none."""
    steps = zip(layer.begin.value, layer.data.shape, strict=True)
    return {"begin": [begin if begin < size else 0 for begin, size in steps]}
