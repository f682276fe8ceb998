"""BitwiseXor: the bits that one number alone has (page BitwiseXor-13)."""

from ir_models.families.elementwise import bitwise

BitwiseXor = bitwise("BitwiseXor-13")
