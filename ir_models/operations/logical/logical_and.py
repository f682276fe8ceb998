"""LogicalAnd: whether both are true (page LogicalAnd-1)."""

from ir_models.families.elementwise import logical

LogicalAnd = logical("LogicalAnd-1")
