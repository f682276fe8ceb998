"""NV12toRGB: an image is converted from NV12 to RGB (page NV12toRGB-8)."""

from ir_models.families.colours import to_colours

NV12toRGB = to_colours("NV12toRGB-8", chroma={"uv": 2})
