"""Log: the natural logarithm (page Log-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Log = unary("Log-1", "opset1", T, reals(0.01, 100.0), example=(256, 56))
