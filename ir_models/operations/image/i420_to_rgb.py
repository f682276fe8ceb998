"""I420toRGB: an image is converted from I420 to RGB (page I420toRGB-8)."""

from ir_models.declaration import *
from ir_models.families.colours import to_colours

I420toRGB = to_colours(
    "I420toRGB-8",
    chroma={"u": 1, "v": 1},
    examples=examples("""
        y=[1,720,640,1]; u=-; v=- -> [1,480,640,3]
        y=[1,480,640,1]; u=[1,240,320,1]; v=[1,240,320,1] -> [1,480,640,3]
    """),
)
