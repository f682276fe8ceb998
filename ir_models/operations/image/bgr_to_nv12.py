"""BGRtoNV12: an image is converted from BGR to NV12 (page BGRtoNV12-17)."""

from ir_models.families.colours import to_nv12

BGRtoNV12 = to_nv12("BGRtoNV12-17")
