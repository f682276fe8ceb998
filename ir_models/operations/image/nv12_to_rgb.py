"""NV12toRGB: an image is converted from NV12 to RGB (page NV12toRGB-8)."""

from ir_models.declaration import *
from ir_models.families.colours import to_colours

NV12toRGB = to_colours(
    "NV12toRGB-8",
    chroma={"uv": 2},
    examples=examples("""
        y=[1,720,640,1]; uv=- -> [1,480,640,3]
        y=[1,480,640,1]; uv=[1,240,320,2] -> [1,480,640,3]
    """),
)
