"""PriorBox: boxes of sizes and ratios about the points of a grid (pages PriorBox-1 and PriorBox-8)."""

from ir_models.declaration import *
from ir_models.families import priors

ORDER = Attribute("min_max_aspect_ratios_order", bool, default=True)
CAFFE = Reading(
    "the order of the boxes of a point",
    "That of min_size, that of max_size, those of ratios; then those of the next min_size.",
    "PriorBox-8 calls it the order of Caffe, and its default.",
    "silence",
)
NO_FORMULA = ("fixed_ratio", "fixed_size", "density")


def readings_of(ordered):
    return [
        *priors.READINGS,
        Reading(
            "'xmin = ((center_x - s) / 2) / W', and 'ymin' twice",
            "xmin = (center_x - s/2) / W, xmax = (center_x + s/2) / W, and so for y.",
            "min_size is the size of a box whose center is center_x; with the formula as printed neither is so.",
            "slip",
        ),
        Reading(
            "'If step equals 0: center_x = (w + 0.5)'",
            "In cells of the grid, which covers the image, or in pixels: the reference admits both.",
            "The page does not say in which unit; step is otherwise a number of pixels.",
            "silence",
        ),
        Reading(
            "max_size, aspect_ratio",
            "A square of side sqrt(min_size * max_size); boxes of min_size * sqrt(ratio) by min_size / "
            "sqrt(ratio), so that the area is that of min_size. A ratio of 1 is a duplicate of the first box.",
            "The page has the formula of min_size alone; these are what the names say and the example counts.",
            "silence",
        ),
        Reading(
            "flip: 'false or 0 - each aspect_ratio is flipped'",
            "true: the flipped ratios follow.",
            "The description and its example.",
            "contradiction",
        ),
        Reading(
            "fixed_size, fixed_ratio, density",
            "Not tested.",
            "The page has no formula for them.",
            "silence",
        ),
        *([] if ordered else [CAFFE]),
    ]


def variants_of(ordered):
    order = "; min_max_aspect_ratios_order=false|true" if ordered else ""
    return variants(f"""
        sizes: a box of each min_size, and one between it and max_size
            min_size=4.0|5.0,7.5; max_size=-; aspect_ratio=-
            min_size=4.0,6.0; max_size=9.0,16.0{order}
            min_size=4.0,6.0,10.0; max_size=9.0,16.0,20.0; aspect_ratio=-
        no-size (may be empty): without min_size there is no box
            min_size=-; max_size=-; aspect_ratio=-|2.0
        ratios: wider, and flipped also higher
            aspect_ratio=2.0|3.0|4.0; flip=false|true{order}
            aspect_ratio=4.0,2.0; flip=false
        flip-order: '[4.0,2.0,0.25,0.5]'
            aspect_ratio=4.0,2.0|2.0,3.0; flip=true
        duplicate-ratios: 'Duplicate values are ignored'
            aspect_ratio=2.0,2.0|3.0,2.0,3.0; flip=false
            aspect_ratio=2.0,2.0; flip=true
        ratio-1: the box of min_size has it already
            aspect_ratio=1.0|2.0,1.0; flip=false
        no-max: scale_all_sizes=false: max_size is ignored
            scale_all_sizes=false; max_size=9.0|-
        step: the distance between centers
            step=1.0|2.5|16.0|0.3; offset=0.0|0.5|0.25
        no-step: step is 0: half a step, whatever offset is
            step=0.0|-; offset=0.5|0.25
        clip: within [0, 1]
            min_size=40.0; max_size=60.0; clip=false|true
        variance: none, one for all, four
            variance=-|0.1|0.1,0.2,0.3,0.4
        grid: other sizes of grid and image
            output_size=1,1|7,2|1,9; image_size=100,64|1,1|33,500
    """)


RULES = [
    priors.positive("min_size max_size aspect_ratio", "0.0"),
    priors.not_negative("step offset"),
    priors.variances(),
    rule(
        "for each min_size there is one max_size, or none at all",
        lambda layer: len(layer.max_size) in (0, len(layer.min_size)),
        unasked="the page does not say which sizes belong together",
    ),
    rule(
        "fixed_ratio, fixed_size and density are empty",
        lambda layer: not any(getattr(layer, each) for each in NO_FORMULA),
        unasked="the page has no formula for them",
    ),
]


def drawn(draw, ordered):
    count = draw.integer(1, 3)
    own = {"min_max_aspect_ratios_order": draw.choice([True, False, None])} if ordered else {}
    smallest = [draw.real(1, 20) for _ in range(count)]
    return {
        "output_size": [draw.integer(1, 6), draw.integer(1, 6)],
        "image_size": [draw.integer(20, 300), draw.integer(20, 300)],
        "min_size": smallest,
        "max_size": draw.choice([[each + draw.real(1, 20) for each in smallest], None]),
        # Several that are flipped have cases of their own.
        "aspect_ratio": draw.choice([[2.0], [3.0], [1.5], None]),
        "flip": draw.choice([True, False, None]),
        "clip": draw.choice([True, False, None]),
        "step": draw.choice([0.0, draw.real(1, 30), None]),
        "offset": draw.choice([0.0, 0.5, draw.real(0, 1)]),
        "variance": draw.choice([[0.1], [0.1, 0.2, 0.3, 0.4]]),
        **own,
    }


def prior_box(name, ordered):
    """The operation of a page; ``ordered``: it has the attribute that says where the boxes of max_size stand."""
    operation = Operation(
        name,
        f"opset{name.rpartition('-')[2]}",
        inputs=priors.SIZES,
        outputs=[priors.OUTPUT],
        attributes=[
            Attribute("min_size", list[float], default=()),
            Attribute("max_size", list[float], default=()),
            Attribute("aspect_ratio", list[float], default=()),
            Attribute("flip", bool, default=False),
            Attribute("clip", bool, default=False),
            Attribute("step", float, default=0.0),
            Attribute("offset", float, required=True),
            priors.VARIANCE,
            Attribute("scale_all_sizes", bool, default=True),
            Attribute("fixed_ratio", list[float], default=()),
            Attribute("fixed_size", list[float], default=()),
            Attribute("density", list[float], default=()),
            *([ORDER] if ordered else []),
        ],
        examples=examples("""
            output_size=24,42; image_size=384,672; aspect_ratio=2.0; clip=false; density=; fixed_ratio=; fixed_size=;
            flip=true; max_size=38.46; min_size=16.0; offset=0.5; step=16.0; variance=0.1,0.1,0.2,0.2 -> [2,16128]
        """),
        rules=RULES,
        variants=variants_of(ordered),
        readings=readings_of(ordered),
    )

    @operation.plain
    def plain():
        own = {"min_max_aspect_ratios_order": False} if ordered else {}
        return {
            "output_size": [3, 4],
            "image_size": [48, 60],
            "min_size": [4.0],
            "max_size": [9.5],
            "aspect_ratio": [2.0],
            "flip": True,
            "clip": False,
            "step": 12.5,
            "offset": 0.25,
            "variance": [0.1, 0.2, 0.3, 0.4],
            "scale_all_sizes": True,
            **own,
        }

    operation.random(lambda draw: drawn(draw, ordered))
    return operation


PriorBox1 = prior_box("PriorBox-1", False)
PriorBox8 = prior_box("PriorBox-8", True)
