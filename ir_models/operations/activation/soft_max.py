"""SoftMax: e^z / Σ e^z along an axis (page SoftMax-8)."""

from ir_models.element_types import FLOATS, types
from ir_models.families.softmax import softmax

# The page names no types; quotients of powers of e are reals.
T = types("T", FLOATS)

# The page leaves the shapes of its example open.
SoftMax_8 = softmax("SoftMax-8", "opset8", T, data="data", output="output", example_shape=[2, 5])
