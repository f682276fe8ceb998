"""BGRtoNV12: an image is converted from BGR to NV12 (page BGRtoNV12-17)."""

from ir_models.declaration import *
from ir_models.families.colours import to_nv12

BGRtoNV12 = to_nv12(
    "BGRtoNV12-17",
    examples=examples("""
        image=[1,480,640,3]; single_plane=true -> [1,720,640,1]
        image=[1,480,640,3]; single_plane=false -> [1,480,640,1],[1,240,320,2]
    """),
)
