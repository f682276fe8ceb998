"""LogicalOr: whether one of both is true (page LogicalOr-1)."""

from ir_models.families.elementwise import logical

LogicalOr = logical("LogicalOr-1", beside=False)
