"""BitwiseAnd: the bits that both numbers have (page BitwiseAnd-13)."""

from ir_models.families.elementwise import bitwise

BitwiseAnd = bitwise("BitwiseAnd-13")
