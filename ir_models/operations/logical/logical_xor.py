"""LogicalXor: whether one of both alone is true (page LogicalXor-1)."""

from ir_models.families.elementwise import logical

LogicalXor = logical("LogicalXor-1", beside=False)
