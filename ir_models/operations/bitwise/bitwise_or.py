"""BitwiseOr: the bits that one of both numbers has (page BitwiseOr-13)."""

from ir_models.families.elementwise import bitwise

BitwiseOr = bitwise("BitwiseOr-13")
