"""Optional inputs that IR distinguishes by their order alone.

rules=[in_order("default_index", "per_sample_weights")], readings=[LEFT_OUT]
"""

from __future__ import annotations

from ir_models.declaration import Layer, Reading, Rule, rule

LEFT_OUT = Reading(
    "optional inputs that are left out",
    "Only with all inputs behind them.",
    "IR tells inputs by their order: the next one would take the place.",
    "silence",
)


def in_order(*names: str) -> Rule:
    """The rule that these inputs, the last ones of an operation, are left out from the end."""

    def holds(layer: Layer) -> bool:
        present = [layer.inputs[name] is not None for name in names]
        return present == sorted(present, reverse=True)

    return rule(
        "an input is left out only with those after it: ports are counted",
        holds,
        unasked="IR tells inputs by their order: the next one takes the place",
    )
