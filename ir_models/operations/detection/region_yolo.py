"""RegionYolo: coordinates of regions, and probabilities of their classes (page RegionYolo-1)."""

from ir_models.declaration import *

T = types("T", "any supported floating-point type")


def regions(layer):
    return layer.num if layer.do_softmax else len(layer.mask)


def flattened_in_order(layer):
    first, last = axes_of(layer, "axis") + axes_of(layer, "end_axis")
    return not layer.do_softmax or first <= last


LARGE = "],[".join(
    f"[{one},{other}]"
    for one, other in zip(
        (100.0, 20.5, -88.0, 3.0, 30.0, 200.0, 198.5, -100.0),
        (-100.0, -20.5, 88.0, -3.0, -30.0, -300.0, -301.0, -299.0),
        strict=True,
    )
)
# Two classes in each of 16 cells, from 97 apart to 82: e^x of the lesser is below the normal numbers from 88 on.
FAR = "],[".join(
    "[" + ",".join(str(float(number)) for number in row) + "]"
    for row in (*[range(-8, 8)] * 3, range(-97, -81), [0] * 16)
)
NOT_SOFT = "do_softmax=false; mask=0,2; data=[2,16,3,5]"

RegionYolo = Operation(
    "RegionYolo-1",
    "opset1",
    inputs=[Input("data", T, shape="N, C, H, W", values=Interval(-6.0, 6.0))],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[
        Attribute("anchors", list[float]),
        Attribute("axis", int, required=True, axis_of="data"),
        Attribute("coords", int, required=True),
        Attribute("classes", int, required=True),
        Attribute("end_axis", int, required=True, axis_of="data"),
        Attribute("num", int, required=True),
        Attribute("do_softmax", bool, default=True),
        Attribute("mask", list, default=()),
    ],
    examples=examples(
        """
        data=f32[1,255,26,26]; anchors=10,14,23,27,37,58,81,82,135,169,344,319; axis=1; coords=4; classes=80;
        end_axis=3; num=6; do_softmax=false; mask=0,1,2 -> [1,255,26,26]
        data=f32[1,125,13,13]; anchors=1.08,1.19,3.42,4.41,6.63,11.38,9.42,5.11,16.62,10.52; axis=1; coords=4;
        classes=20; end_axis=3; num=5; do_softmax=true -> [1,21125]
        """,
        ports=[0, 0],
    ),
    rules=[
        rule(
            "C is (classes + coords + 1) times the number of regions, num or the items of mask",
            lambda layer: (
                layer.data.shape[1] == regions(layer) * (layer.classes + layer.coords + 1)
            ),
            ["data=[2,23,3,5]", "num=4", "do_softmax=false; mask=0,1"],
            reading=Reading(
                "'[N, C, H, W]'",
                "C is (classes + coords + 1) times the number of regions.",
                "The output has as many elements: without softmax the page gives its shape, with it data is flattened.",
                "silence",
            ),
        ),
        rule(
            "end_axis is not before axis",
            flattened_in_order,
            unasked="the page's product has no factor then; it does not say that it is invalid",
        ),
        rule(
            "coords, classes and num are not negative, and anchors positive",
            lambda layer: min(layer.coords, layer.classes, layer.num, *(layer.anchors or [1])) >= 0,
            unasked="'an integer' is all that the page says of them, and anchors do not count",
        ),
    ],
    variants=variants(f"""
        flattened: from axis to end_axis
            axis=0|1|2|3; end_axis=3
            axis=1|2; end_axis=2
            axis=0|1; end_axis=1
        negative-axes: counted from the end
            axis=-3|-4; end_axis=-1|-2
        one-region: a region alone, with few classes
            num=1; data=[2,8,3,5]
            classes=1; data=[2,18,3,5]
        more-coordinates: those behind x and y are kept
            coords=5; data=[2,27,3,5]
            coords=2; data=[2,18,3,5]
        many-classes: a softmax of many numbers
            classes=80; num=2; data=[1,170,2,3]
        no-softmax: as many regions as mask has items; in the shape of data
            {NOT_SOFT}; num=2|3|6
            {NOT_SOFT}; mask=1,0
            {NOT_SOFT}; axis=2; end_axis=2
            do_softmax=false; mask=0; data=f16[2,8,3,5]|bf16[2,8,3,5]|f64[2,8,3,5]
            do_softmax=false; mask=3,1,2; data=[1,255,2,3]; classes=80
        no-anchors: they do not count
            anchors=-
            {NOT_SOFT}; anchors=-
        large: sigmoids that vanish or are 1, powers that overflow
            data=f32:[[[{LARGE}]]]; num=1
        far-classes: of classes that are far from each other one has the probability 1, in any cell of a grid
            data=f32:[[[{FAR}]]]; num=1; coords=2; classes=2
    """),
    readings=[
        Reading(
            "'directly mapped to the YOLO9000 paper': what is computed",
            "Of every region, numbers in the order x, y, the other coordinates, object, classes: sigmoids of x, y and "
            "object, the other coordinates as they are, and a softmax of the classes.",
            "The paper's σ(t_x), σ(t_y), σ(t_o) and softmax; anchors and places in the grid are for post-processing.",
            "silence",
        ),
        Reading(
            "'false - do not perform softmax'",
            "The classes go through a sigmoid each, or are kept: the reference admits both.",
            "The page does not say what takes the place of the softmax.",
            "silence",
        ),
        Reading(
            "'It also affects output shape. If it is 0, then output shape is 4D, and 2D otherwise'",
            "With softmax the axes from axis to end_axis are flattened, so that the rank is 1 to 4.",
            "'tensor of rank 4 or less', and the formula of the shape.",
            "contradiction",
        ),
    ],
)


@RegionYolo.plain
def plain():
    return {
        "data": [2, 24, 3, 5],
        "anchors": [1.5, 2.0, 3.25, 4.0],
        "axis": 1,
        "coords": 4,
        "classes": 3,
        "end_axis": 3,
        "num": 3,
        "do_softmax": True,
    }


@RegionYolo.random
def layer(draw):
    count, classes, coords = draw.integer(1, 4), draw.integer(1, 8), draw.choice([4, 4, 2, 5])
    first = draw.integer(0, 3)
    last = draw.integer(first, 3)
    is_soft = draw.choice([True, False, None])
    shape = [draw.integer(1, 3), count * (classes + coords + 1)]
    return {
        "data": [*shape, draw.integer(1, 6), draw.integer(1, 6)],
        "anchors": draw.choice([[1.5, 2.0], None]),
        "axis": first - draw.choice([0, 4]),
        "coords": coords,
        "classes": classes,
        "end_axis": last - draw.choice([0, 4]),
        "num": count if is_soft is not False else draw.integer(count, 6),
        "do_softmax": is_soft,
        "mask": draw.permutation(count) if is_soft is False else None,
    }


@RegionYolo.adapt
def without_softmax(layer):
    """A mask of as many regions as there are."""
    return {"mask": [*range(layer.num)]} if not layer.do_softmax else {}
