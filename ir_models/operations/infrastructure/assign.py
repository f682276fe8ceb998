"""Assign: sets a variable (pages Assign-3 and Assign-6)."""

from ir_models.declaration import types
from ir_models.families.state import LISTED, stateful

Assign3 = stateful("Assign-3", "opset3", types("T", "any supported type"))
Assign6 = stateful("Assign-6", "opset6", types("T", LISTED))
