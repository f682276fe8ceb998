"""I420toRGB: an image is converted from I420 to RGB (page I420toRGB-8)."""

from ir_models.families.colours import to_colours

I420toRGB = to_colours("I420toRGB-8", chroma={"u": 1, "v": 1})
