"""PriorBoxClustered: boxes of given widths and heights about the points of a grid (page PriorBoxClustered-1)."""

from ir_models.declaration import *
from ir_models.families import priors


def one_step(layer):
    return bool(layer.step_w) == bool(layer.step_h)


NO_STEPS = "step_w=-; step_h=-"

PriorBoxClustered = Operation(
    "PriorBoxClustered-1",
    "opset1",
    inputs=priors.SIZES,
    outputs=[priors.OUTPUT],
    attributes=[
        Attribute("width", list[float], default=(1.0,)),
        Attribute("height", list[float], default=(1.0,)),
        Attribute("clip", bool, default=True),
        Attribute("step", float, default=0.0),
        Attribute("step_w", float, default=0.0),
        Attribute("step_h", float, default=0.0),
        Attribute("offset", float, required=True),
        priors.VARIANCE,
    ],
    examples=examples("""
        output_size=10,19; image_size=180,320; clip=false; height=44.0,10.0,30.0,19.0,94.0,32.0,61.0,53.0,17.0;
        offset=0.5; step=16.0; variance=0.1,0.1,0.2,0.2; width=86.0,13.0,57.0,39.0,68.0,34.0,142.0,50.0,23.0 -> [2,6840]
    """),
    rules=[
        priors.positive("width height", "0.0,3.0"),
        priors.not_negative("step step_w step_h offset"),
        priors.variances(),
        rule(
            "width and height have as many elements",
            lambda layer: len(layer.width) == len(layer.height),
            ["width=4.0", "height=4.0,5.0,6.0"],
            reading=Reading(
                "'for each s', width_s and height_s",
                "There are as many heights as widths.",
                "A box has both.",
                "silence",
            ),
        ),
        rule(
            "step_w and step_h are both given, or neither",
            one_step,
            unasked="the page does not say what is where one of them is 0",
        ),
    ],
    variants=variants(f"""
        steps: both zero: those of step; this zero too: the image over the grid
            {NO_STEPS}; step=16.0|2.5
            {NO_STEPS}; step=-
            step_w=0.0; step_h=0.0; step=0.0
            step_w=7.5|12.0; step_h=20.0; step=3.0
        offset: of the first center
            offset=0.25|0.5|2.0
        clip: within [0, 1]
            width=70.0,90.0; height=50.0,20.0; clip=false|true|-
        boxes: one, several
            width=4.0; height=6.0
            width=4.0,5.0,6.5,20.0; height=7.0,1.5,2.0,3.0
            width=-; height=-
        variance: none, one for all, four
            variance=-|0.1|0.1,0.2,0.3,0.4
        grid: other sizes of grid and image
            output_size=1,1|7,2|1,9; image_size=100,64|1,1|33,500
    """),
    readings=[
        *priors.READINGS,
        Reading(
            "'xmax = (center_x - width_s / 2) / W', 'ymax = (center_y - height_s / 2) / H'",
            "The halves are added.",
            "With the formula as printed every box is a point.",
            "slip",
        ),
        Reading(
            "'For each s = 0 .. W - 1'",
            "For each item of width and height.",
            "s is the index of width_s and height_s.",
            "slip",
        ),
        Reading(
            "image_size: 'Optional', in the list of inputs",
            "It is required.",
            "Every formula divides by the size of the image.",
            "contradiction",
            "Another size of the image where it is left out.",
        ),
        Reading(
            "offset: 'floating-point positive number', steps: 'floating-point positive number', 'Default value: 0.0'",
            "0 is valid.",
            "The default of the steps is 0, so that 'positive' has room for it.",
            "contradiction",
        ),
    ],
)


@PriorBoxClustered.plain
def plain():
    return {
        "output_size": [3, 4],
        "image_size": [48, 60],
        "width": [4.0, 9.5],
        "height": [6.5, 3.0],
        "clip": False,
        "step": 3.0,
        "step_w": 12.5,
        "step_h": 10.0,
        "offset": 0.75,
        "variance": [0.1, 0.2, 0.3, 0.4],
    }


@PriorBoxClustered.random
def layer(draw):
    count = draw.integer(1, 4)
    steps = draw.choice([[draw.real(1, 30), draw.real(1, 30)], [None, None], [0.0, 0.0]])
    return {
        "output_size": [draw.integer(1, 6), draw.integer(1, 6)],
        "image_size": [draw.integer(20, 300), draw.integer(20, 300)],
        "width": [draw.real(1, 40) for _ in range(count)],
        "height": [draw.real(1, 40) for _ in range(count)],
        "clip": draw.choice([True, False, None]),
        "step": draw.choice([draw.real(1, 30), 0.0, None]),
        "step_w": steps[0],
        "step_h": steps[1],
        "offset": draw.choice([0.0, 0.5, draw.real(0, 1)]),
        "variance": draw.choice([[0.1], [0.1, 0.2, 0.3, 0.4]]),
    }
