"""RGBtoNV12: an image is converted from RGB to NV12 (page RGBtoNV12-17)."""

from ir_models.families.colours import to_nv12

RGBtoNV12 = to_nv12("RGBtoNV12-17")
