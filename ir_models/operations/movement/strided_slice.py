"""StridedSlice: slices with masks that change dimensions (page StridedSlice-1)."""

from ir_models.declaration import Attribute, Index, Input, Operation, Output, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T = types("T", ANY)
T_IND = types("T_IND", INTEGERS)

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1

# The page's twelve dimensions of ten are 10^12 elements. Those under the ellipsis are 2 here.
TWELVE = f32[10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 10]


MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


def masks(steps, **ones):
    """All masks in one length, each with a 1 in the places given."""
    return {name: tuple(int(i in ones.get(name, ())) for i in range(steps)) for name in MASKS}


def sliced(data, begin, end, stride, output, **attributes):
    """An example of the page. The first three print no masks, although two are required: zeros."""
    masks = {"begin_mask": (0,), "end_mask": (0,), **attributes}
    return example(
        data=data,
        begin=begin,
        end=end,
        stride=stride,
        output=output,
        ports=[0, 1, 2, 3, 4],
        **masks,
    )


StridedSlice = Operation(
    "StridedSlice-1",
    opset="opset1",
    inputs=[
        Input("data", T),
        Index("begin", T_IND),
        Index("end", T_IND),
        Index("stride", T_IND, optional=True),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("begin_mask", list, required=True),
        Attribute("end_mask", list, required=True),
        Attribute("new_axis_mask", list, default=(0,)),
        Attribute("shrink_axis_mask", list, default=(0,)),
        Attribute("ellipsis_mask", list, default=(0,)),
    ],
    examples=[
        sliced(
            f32[4, 4, 4, 4, 4, 4],
            begin=[0, 1, 0, 1, 3, 3],
            end=[4, 4, 4, 4, 0, 0],
            stride=[1, 1, 2, 2, -1, -2],
            output=[4, 3, 2, 2, 4, 2],
            erratum="from 3 to 0 backwards, 0 left out, there are three elements and not four",
        ),
        sliced(
            f32[2, 2],
            begin=[1234, 2],
            end=[1234, 4321],
            stride=[1, -1],
            output=[1, 1],
            erratum="clamped to a dimension of 2 the first slice is 2 to 2 and the second goes "
            "backwards from 1 to 2: neither has an element; the page counts as if there were 3",
        ),
        sliced(f32[2, 3, 4], begin=[0, 0, 0], end=[2, 2, -1], stride=[1, 1, 1], output=[2, 2, 3]),
        sliced(
            f32[2, 3, 4],
            begin=[1, 1, 123],
            end=[0, 0, 2],
            stride=[1, 1, -1],
            begin_mask=[0, 1, 1],
            end_mask=[1, 1, 1],
            new_axis_mask=[0, 0, 0, 0, 0],
            shrink_axis_mask=[0, 0],
            ellipsis_mask=[0],
            output=[1, 3, 3],
        ),
        sliced(
            f32[2, 4],
            begin=[1234, 0, -1, 0],
            end=[1234, 2, 9876, 4],
            stride=[132, 1, 241, 1],
            begin_mask=[0, 0, 0, 0],
            end_mask=[0, 0, 0, 0],
            new_axis_mask=[1, 0, 1, 0],
            shrink_axis_mask=[0, 0, 0, 0],
            ellipsis_mask=[0, 0, 0, 0],
            output=[1, 2, 1, 4],
        ),
        sliced(
            f32[1, 2, 384, 640, 8],
            begin=[0, 0, 0, 0, 0],
            end=[1, 0, 384, 640, 8],
            stride=[1, 1, 1, 1, 1],
            begin_mask=[0, 0, 0, 0, 0],
            end_mask=[0, 0, 0, 0, 0],
            new_axis_mask=[0, 0, 0, 0, 0],
            shrink_axis_mask=[0, 1, 0, 0, 0],
            ellipsis_mask=[0, 0, 0, 0, 0],
            output=[1, 384, 640, 8],
        ),
        sliced(
            TWELVE,
            begin=[0, 0, 0],
            end=[4, 0, 5],
            stride=[1, -1, 1],
            begin_mask=[0, 0, 0],
            end_mask=[0, 0, 0],
            new_axis_mask=[0, 0, 0],
            shrink_axis_mask=[0, 0, 0],
            ellipsis_mask=[0, 1, 0],
            output=[4, *[2] * 10, 5],
        ),
        sliced(
            TWELVE,
            begin=[2, 1, 10, 10],
            end=[123, 1, 10, 5],
            stride=[1, -1, 1, 1],
            begin_mask=[0, 0, 1, 1],
            end_mask=[1, 1, 0, 0],
            new_axis_mask=[0, 0, 1],
            shrink_axis_mask=[0],
            ellipsis_mask=[0, 1],
            output=[8, *[2] * 8, 1, 5],
            erratum="the ellipsis passes over 12-(4-1-1) = 10 dimensions and not over 8",
        ),
    ],
    variants={
        "negative-indices": [
            {"begin": [-2, -6, -3, -3]},
            {"end": [-1, -1, -1, -1]},
            {"begin": [-3, -6, -4, -4], "end": [-1, -2, -2, -1]},
        ],
        "clamped": [
            {"begin": [-100, 2, -6, -5]},
            {"end": [100, 7, 4, 5]},
            {"begin": [5, 2, 0, 100], "end": [0, 6, 4, -100], "stride": [-1, 3, 2, -1]},
        ],
        "int-max": [
            {"end": [INT64_MAX, INT32_MAX, 4, INT64_MAX]},
            {"begin": [-INT64_MAX - 1, 2, 0, -INT32_MAX - 1]},
            {
                "begin": [INT64_MAX, 2, 0, 3],
                "end": [0, 6, 4, -INT64_MAX - 1],
                "stride": [-1, 3, 2, -2],
            },
        ],
        "negative-step": [
            {"begin": [2, 2, 0, 3], "end": [0, 6, 4, 1], "stride": [-1, 3, 2, -1]},
            {"begin": [-1, 2, 0, -1], "end": [-4, 6, 4, -5], "stride": [-1, 3, 2, -2]},
        ],
        "step-beyond-dimension": [
            {"stride": [100, 6, 5, 3]},
            {"begin": [2, 2, 0, 3], "end": [0, 6, 4, 1], "stride": [-100, 3, 2, -7]},
        ],
        "begin-mask": [
            {"begin_mask": (1, 1, 1, 1)},
            {"begin_mask": (1, 0, 0, 1)},
            # Backwards the begin is the last element.
            {
                "begin": [0, 2, 0, 0],
                "end": [0, 6, 4, 1],
                "stride": [-1, 3, 2, -2],
                "begin_mask": (1, 1, 0, 1),
            },
        ],
        "end-mask": [{"end_mask": (1, 1, 1, 1)}, {"end_mask": (1, 0, 0, 1)}],
        # Backwards the end is 0: the first element stays out.
        "end-mask-backwards": [
            {
                "begin": [2, 2, 0, 3],
                "end": [2, 6, 4, 3],
                "stride": [-1, 3, 2, -1],
                "end_mask": (1, 0, 1, 1),
            },
            {
                "stride": [-1, -1, -2, -1],
                "begin_mask": (1, 1, 1, 1),
                "end_mask": (1, 1, 1, 1),
            },
        ],
        # The page keeps the dimension, with that one element.
        "begin-equals-end": [
            {"begin": [1, 2, 0, 3], "end": [1, 6, 4, 3]},
            {"begin": [-1, 2, 0, 1], "end": [2, 6, 4, -3]},
            {"begin": [1, 2, 0, 0], "end": [1, 6, 4, 0], "stride": [-1, 3, 2, -2]},
        ],
        "empty-result": [
            {"begin": [2, 2, 0, 1], "end": [1, 6, 4, 3]},
            {"begin": [1, 2, 0, 1], "end": [2, 6, 4, 3], "stride": [-1, 3, 2, 1]},
        ],
        "new-axis": [
            {
                "begin": [1, 9, 2, 0, 1],
                "end": [3, -9, 6, 4, 3],
                "stride": [1, 7, 3, 2, 1],
                **masks(5, begin_mask=[2], end_mask=[3], new_axis_mask=[1]),
            },
            # The masks for begin and end do not count there.
            {
                "begin": [0, 1, 2, 0, 1, 0],
                "end": [0, 3, 6, 4, 3, 0],
                "stride": [1, 1, 3, 2, 1, -1],
                **masks(6, begin_mask=[0, 2], end_mask=[3, 5], new_axis_mask=[0, 5]),
            },
        ],
        "shrink-axis": [
            {"end": [1, 6, 4, 3], "shrink_axis_mask": (1, 0, 0, 0)},
            {"begin": [1, 2, 0, -1], "end": [3, 6, 4, -1], "shrink_axis_mask": (0, 0, 0, 1)},
            {
                "begin": [2, 5, 1, 3],
                "end": [2, 5, 4, 3],
                "stride": [1, -1, 2, -7],
                **masks(4, shrink_axis_mask=[0, 1, 3]),
            },
        ],
        "ellipsis": [
            {
                "begin": [1, 9, 1],
                "end": [3, -9, 3],
                "stride": [1, 7, 1],
                **masks(3, ellipsis_mask=[1]),
            },
            {
                "begin": [0, 1],
                "end": [0, 3],
                "stride": [-1, 1],
                **masks(2, ellipsis_mask=[0]),
            },
            {
                "begin": [1, 1],
                "end": [3, 1],
                "stride": [1, 1],
                **masks(2, begin_mask=[1], end_mask=[1], ellipsis_mask=[1]),
            },
            # It passes over one dimension, and over none.
            {"ellipsis_mask": (0, 0, 1, 0)},
            {
                "begin": [1, 2, 7, 0, 1],
                "end": [3, 6, 7, 4, 3],
                "stride": [1, 3, 7, 2, 1],
                **masks(5, ellipsis_mask=[2]),
            },
        ],
        "masks-together": [
            {
                "begin": [1, 3, 0, 9, -1],
                "end": [1, 3, 2, 9, 1],
                "stride": [1, 1, 1, 1, -1],
                **masks(
                    5, begin_mask=[4], shrink_axis_mask=[0], ellipsis_mask=[1], new_axis_mask=[3]
                ),
            },
        ],
        # Short masks go on with zeros, and bits beyond the steps do not count.
        "mask-lengths": [
            {"begin_mask": (1,), "end_mask": (0, 1)},
            {"begin_mask": (0, 1, 0, 0, 1, 1), "end_mask": (0, 0, 1, 0, 1)},
            {
                "new_axis_mask": (0, 0, 0, 0, 1),
                "shrink_axis_mask": (0, 0, 0, 0, 0, 1),
                "ellipsis_mask": (0, 0, 0, 0, 1),
            },
        ],
    },
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
        "new_axis_mask": zeros,
        "shrink_axis_mask": zeros,
        "ellipsis_mask": zeros,
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


@StridedSlice.rule(
    "begin, end and stride have one length",
    broken=[{"begin": [1, 2, 0]}, {"end": [3, 6, 4, 3, 1]}, {"stride": [1]}],
)
def lengths(layer):
    return len({t.shape for t in (layer.begin, layer.end, layer.stride) if t is not None}) == 1


@StridedSlice.rule("stride is not 0", broken=[{"stride": [1, 3, 0, 1]}])
def stride_not_zero(layer):
    return 0 not in layer.stride.value


@StridedSlice.rule(
    "masks hold 0 and 1",
    broken=[
        {"begin_mask": (0, 2, 0, 0)},
        {"end_mask": (0, 0, -1, 0)},
        {"new_axis_mask": (0, 0, 0, 2)},
        {"shrink_axis_mask": (0, -1, 0, 0)},
        {"ellipsis_mask": (0, 0, 3, 0)},
    ],
)
def bits(layer):
    return all(set(getattr(layer, name)) <= {0, 1} for name in MASKS)


@StridedSlice.rule("ellipsis_mask has one 1 at most", broken=[{"ellipsis_mask": (0, 1, 1, 0)}])
def one_ellipsis(layer):
    return layer.ellipsis_mask.count(1) <= 1


@StridedSlice.rule(
    "the steps that slice are as many as the dimensions, with an ellipsis not more",
    broken=[
        {"begin": [1, 2, 0], "end": [3, 6, 4], "stride": [1, 3, 2]},
        {"begin": [1, 2, 0, 1, 0], "end": [3, 6, 4, 3, 1], "stride": [1, 3, 2, 1, 1]},
        {
            "begin": [1, 2, 0, 1, 0, 0],
            "end": [3, 6, 4, 3, 1, 1],
            "stride": [1, 3, 2, 1, 1, 1],
            "ellipsis_mask": (0, 1),
        },
    ],
)
def steps_fit(layer):
    if not (lengths(layer) and one_ellipsis(layer)):
        return True
    steps = layer.begin.size
    slicing = steps - layer.new_axis_mask[:steps].count(1)
    if 1 in layer.ellipsis_mask[:steps]:
        return slicing - 1 <= layer.data.rank
    return slicing == layer.data.rank


@StridedSlice.rule(
    "begin equals end where shrink_axis_mask is 1",
    broken=[{"shrink_axis_mask": (0, 0, 0, 1)}, {"shrink_axis_mask": (1, 0, 0, 0)}],
)
def shrink_has_one_place(layer):
    shrink = padded(layer, "shrink_axis_mask")
    steps = zip(layer.begin.value, layer.end.value, shrink, strict=True)
    return all(begin == end for begin, end, bit in steps if bit == 1)


# Never asked as an invalid layer: the page does not say which mask wins.
@StridedSlice.rule("masks that change a dimension do not meet in one step")
def masks_apart(layer):
    steps = zip(*(padded(layer, name) for name in MASKS), strict=True)
    return all(
        (new, shrink, ellipsis).count(1) <= 1 and not (shrink == 1 and 1 in (begin, end))
        for begin, end, new, shrink, ellipsis in steps
    )


# Nor this: where begin and end are one place the page promises its element.
@StridedSlice.rule("begin that equals end, clamped, is an element of the dimension")
def single_element_exists(layer):
    if not (bits(layer) and lengths(layer) and one_ellipsis(layer) and steps_fit(layer)):
        return True
    count, sizes = layer.begin.size, list(layer.data.shape)
    begin_mask, end_mask, new, shrink, ellipsis = (padded(layer, name) for name in MASKS)
    strides = [1] * count if layer.stride is None else layer.stride.value
    axis = 0
    for i in range(count):
        if ellipsis[i]:
            axis += layer.data.rank - (count - sum(new) - 1)
        elif not new[i]:
            size = sizes[axis]
            axis += 1
            forward = strides[i] > 0 or shrink[i]
            begin, end = layer.begin.value[i], layer.end.value[i]
            begin_beyond = begin >= size and not begin_mask[i]
            end_beyond = end >= size or bool(end_mask[i])
            if size == 0 or (forward and begin_beyond and end_beyond):
                return False
    return True


def padded(layer, name):
    """A mask with one bit for each step."""
    count = layer.begin.size
    return [*getattr(layer, name), *[0] * count][:count]
