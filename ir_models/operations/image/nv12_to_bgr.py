"""NV12toBGR: an image is converted from NV12 to BGR (page NV12toBGR-8)."""

from ir_models.families.colours import to_colours

NV12toBGR = to_colours("NV12toBGR-8", chroma={"uv": 2})
