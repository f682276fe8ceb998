"""ReadValue: what a variable holds (pages ReadValue-3 and ReadValue-6)."""

from ir_models.declaration import types
from ir_models.families.state import CONSTANT_VALUES, LISTED, stateful

ReadValue3 = stateful("ReadValue-3", "opset3", types("T", "any supported type"), [CONSTANT_VALUES])
ReadValue6 = stateful("ReadValue-6", "opset6", types("T", LISTED))
