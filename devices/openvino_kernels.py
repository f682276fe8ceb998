"""Reads from OpenVINO's run-time model which kernel executed each layer, and in which precision."""

from __future__ import annotations

import re
from typing import Any

import openvino as ov

from devices.protocol import Kernel

# Precisions in which a device may compute an f32 layer, the coarsest first.
_COARSE = ("bf16", "f16")
# Nodes that compute nothing, so that their precision does not matter.
_COMPUTE_NOTHING = ("Reorder", "Input", "Output", "Const")


def kernels(compiled: ov.CompiledModel, layers: list[str]) -> dict[str, Kernel]:
    """The kernel that executed each layer, for devices that report it."""
    try:
        nodes = compiled.get_runtime_model().get_ops()
    except Exception:  # not every device has a run-time model
        return {}
    layer_names = set(layers)
    found: dict[str, Kernel] = {}
    ranks: dict[str, tuple[bool, bool, int]] = {}
    coarse: dict[str, str] = {}
    executed: dict[str, list[ov.Node]] = {}
    for node in nodes:
        info = node.get_rt_info()
        precision = _text(info, "runtimePrecision")
        if precision in _COARSE and _text(info, "layerType") not in _COMPUTE_NOTHING:
            coarse[node.get_friendly_name()] = precision
        names = {node.get_friendly_name(), *_text(info, "originalLayersNames").split(",")}
        for name in names:
            # A layer computed in another type than the model's is a node with a number between two conversions: y.1.
            # A layer between two changes of its shape is a node with a path: y/y.
            base = name if name in layer_names else re.sub(r"(\.\d+)+$", "", name.partition("/")[0])
            if base in layer_names:
                executed.setdefault(base, []).append(node)
                kernel = Kernel(_text(info, "layerType"), _text(info, "primitiveType"), precision)
                # Prefer the layer itself to numbered nodes, and both to nodes without a kernel (changes of shape).
                is_nothing = kernel.primitive.startswith("unknown")
                rank = (kernel.layer_type == "Reorder", is_nothing, len(name))
                if base not in found or rank < ranks[base]:
                    found[base], ranks[base] = kernel, rank
    if coarse:
        for name, kernel in found.items():
            kernel.precision = _coarsest(executed[name], coarse, kernel.precision)
    return found


def _coarsest(nodes: list[ov.Node], coarse: dict[str, str], own: str) -> str:
    """The coarsest precision that a layer was computed in.

    A device may split a layer into several nodes, of which only the last has the layer's name: all nodes before it
    count.
    """
    precisions = {own}
    seen = {node.get_friendly_name() for node in nodes}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        precisions.add(coarse.get(node.get_friendly_name(), own))
        for index in range(node.get_input_size()):
            before = node.input_value(index).get_node()
            if before.get_friendly_name() not in seen:
                seen.add(before.get_friendly_name())
                waiting.append(before)
    return next((each for each in _COARSE if each in precisions), own)


def _text(info: Any, key: str) -> str:
    try:
        value = info[key]
    except KeyError:
        return ""
    return str(value.astype(str)) if hasattr(value, "astype") else str(value)
