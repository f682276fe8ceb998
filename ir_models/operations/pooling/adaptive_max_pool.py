"""AdaptiveMaxPool: the largest element of each of a number of windows (page AdaptiveMaxPool-8)."""

from ir_models.declaration import *
from ir_models.families.adaptive import T, adaptive
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64

TIES = "f32:[[[[5.0,1.0,5.0,2.0,2.0],[1.0,5.0,3.0,2.0,2.0],[4.0,3.0,4.0,4.0,0.0],[4.0,4.0,1.0,0.0,4.0]]]]"

AdaptiveMaxPool = adaptive(
    "AdaptiveMaxPool-8",
    outputs=[
        Output("y", T),
        Output("indices", lambda layer: ELEMENT_TYPES.get(layer.index_element_type, i64)),
    ],
    attributes=[Attribute("index_element_type", ("i64", "i32"), default="i64", plain="i32")],
    own=variants(f"""
        ties: equal elements, the largest of their windows
            data={TIES}; output_size=3,2|2,2
            data=f32:[[[0.0,-0.0,-0.0,0.0,-1.0]]]; output_size=3
        infinities: windows of nothing but -infinity have a largest element too
            data=f32:[[[-inf,-inf,-inf,2.0,inf,1.0]]]; output_size=3|2
    """),
    readings=[
        Reading(
            "the index of several largest elements of a window",
            "The index of any of them is right.",
            "The page speaks of 'indices of elements in the first output' and does not say which.",
            "silence",
        )
    ],
)
