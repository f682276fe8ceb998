"""OneHot: classes as vectors (pages OneHot-1 and OneHot-16)."""

from ir_models.declaration import *
from ir_models.families.one_hot import one_hot

SECOND = """
    indices=i64:[[0,3,1],[1,2,4]]; depth=i64:3; on_value=f32:1.0; off_value=f32:0.0; axis=1
        -> [2,3,3] = [[[1,0,0],[0,0,1],[0,0,0]],[[0,0,0],[1,0,0],[0,1,0]]]
"""
VALUES = "depth=i64:3; on_value=f32:1.0; off_value=f32:2.0; axis=-1"
ROWS = "[4,3] = [[1,2,2],[2,2,2],[2,1,2],[2,2,1]]"
PORTS = [0, 1, 2, 3, 0]

OneHot1 = one_hot(
    "OneHot-1",
    "opset1",
    examples=examples(f"indices=i64:[0,3,1,2]; {VALUES} -> {ROWS}\n{SECOND}", ports=PORTS),
)

OneHot16 = one_hot(
    "OneHot-16",
    "opset16",
    attributes=[
        Attribute(
            "negative_indices_mode", ("ignore_negative", "normalize"), default="ignore_negative"
        )
    ],
    plain={"negative_indices_mode": "normalize"},
    negative=lambda layer: True,
    examples=examples(
        f"indices=i64:[0,-5,-2,2]; {VALUES}; negative_indices_mode=normalize -> {ROWS}\n{SECOND}",
        ports=PORTS,
    ),
    extra=variants("""
        negative: counted from depth, or no class
            indices=i32:[0,-1,-5,4,-3]; depth=i32:5; axis=0|1; negative_indices_mode=normalize|ignore_negative|-
            indices=i64:[[1,-2],[-4,3]]; depth=i64:4; axis=1; negative_indices_mode=normalize|ignore_negative|-
        negative-beyond-depth: an index below -depth is no class
            indices=i32:[0,-6,-5,-11,3]; depth=i32:5; axis=0|1; negative_indices_mode=normalize|ignore_negative
            indices=i64:[-2147483648,-4294967295,1]; depth=i64:3; axis=0; negative_indices_mode=normalize
    """),
    readings=[
        Reading(
            "'ignore-negative' as the value of negative_indices_mode",
            "In IR it is ignore_negative.",
            "The values of other attributes are written with underscores, and readers know no other.",
            "slip",
        ),
        Reading(
            "an index below -depth, where negative_indices_mode is normalize",
            "It is no class: the row has off_value.",
            "The first example, whose -5 is below a depth of 3.",
            "silence",
        ),
    ],
)
