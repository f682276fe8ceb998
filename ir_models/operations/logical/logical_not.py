"""LogicalNot: whether false (page LogicalNot-1)."""

from ir_models.families.elementwise import T_BOOL, unary

LogicalNot = unary("LogicalNot-1", "opset1", T_BOOL, example=(256, 56))
