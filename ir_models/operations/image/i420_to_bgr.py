"""I420toBGR: an image is converted from I420 to BGR (page I420toBGR-8)."""

from ir_models.families.colours import to_colours

I420toBGR = to_colours("I420toBGR-8", chroma={"u": 1, "v": 1})
