"""Reads from OpenVINO's run-time model which kernel executed each layer, and in which precision."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import openvino as ov

from devices.process.protocol import COARSE, ExecutedNode, Kernel

# Nodes that a plugin may put in the place of a layer, and that say nothing of what computes inside.
_BODIES = ("TensorIterator", "Loop", "If")
# Nodes that compute nothing, so that their precision does not matter.
_COMPUTE_NOTHING = ("Reorder", "Input", "Output", "Const")
# Nodes that plugins insert around a layer, and that may have its name. Those that compute the least come last.
_INSERTED = ("Transpose", "Convert", "Reshape", "Const", "Reorder")


class _Candidate(NamedTuple):
    """A node that has a layer's name, or one derived from it."""

    rank: tuple[int, bool, int]
    """The smallest is the layer itself."""
    node: ov.Node
    kernel: Kernel


def kernels(
    compiled: ov.CompiledModel, layers: list[str], types: Mapping[str, str]
) -> dict[str, Kernel]:
    """The kernel that executed each layer, for devices that report it.

    ``types`` are the types of all layers of the model by name.
    """
    try:
        nodes = compiled.get_runtime_model().get_ops()
    except Exception:  # not every device has a run-time model
        return {}
    layer_names = set(layers)
    found: dict[str, _Candidate] = {}
    # The node that tells the precision of each layer: where types are converted, that of the conversion.
    telling: dict[str, tuple[tuple[bool, bool, int], str]] = {}
    coarse: dict[str, str] = {}
    executed: dict[str, list[ov.Node]] = {}
    hint = _hint(compiled)
    for node in nodes:
        info = node.get_rt_info()
        kernel = _kernel(info)
        layer_type = types.get(_base(node.get_friendly_name()), "")
        if hint in COARSE and kernel.layer_type in _BODIES and layer_type not in _BODIES:
            coarse[node.get_friendly_name()] = hint
        elif kernel.precision in COARSE and (
            kernel.layer_type not in _COMPUTE_NOTHING
            or (hint in COARSE and _reads_what_was_computed(node, kernel))
        ):
            coarse[node.get_friendly_name()] = kernel.precision
        names = {node.get_friendly_name(), *_text(info, "originalLayersNames").split(",")}
        for name in names:
            base = name if name in layer_names else _base(name)
            if base in layer_names:
                executed.setdefault(base, []).append(node)
                rank = (*_distance(kernel, types.get(base, "")), len(name))
                if base not in found or rank < found[base].rank:
                    found[base] = _Candidate(rank, node, kernel)
                tells = (kernel.layer_type == "Reorder", _is_unnamed(kernel), len(name))
                if base not in telling or tells < telling[base][0]:
                    telling[base] = tells, kernel.precision
    chosen = {}
    for name, candidate in found.items():
        precision = telling[name][1]
        if coarse:
            # A device that may keep tensors in a coarser precision tells it at nodes before the layer's own.
            others = set() if hint in COARSE else layer_names - {name}
            precision = _coarsest(executed[name], coarse, precision, others)
        chosen[name] = replace(_behind(candidate, name, types), precision=precision)
    return chosen


def executed_nodes(compiled: ov.CompiledModel) -> list[ExecutedNode]:
    """The nodes of the graph that the device executed; none for a device that does not tell."""
    try:
        nodes = compiled.get_runtime_model().get_ordered_ops()
    except Exception:  # not every device has a run-time model
        return []
    found = []
    for node in nodes:
        info = node.get_rt_info()
        names = [name for name in _text(info, "originalLayersNames").split(",") if name]
        found.append(ExecutedNode(node.get_friendly_name(), _kernel(info), names))
    return found


def _hint(compiled: ov.CompiledModel) -> str:
    """The precision in which the device may compute, or "" where it does not say."""
    try:
        return str(compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name())
    except Exception:  # not every device has the property
        return ""


def _reads_what_was_computed(node: ov.Node, kernel: Kernel) -> bool:
    """Tell whether a node converts what a layer computed: this was kept in the precision that the node reads.

    A layer that computes in f32 may give its output in the inference precision, to a layer that takes only f32.
    """
    if kernel.layer_type != "Reorder":
        return False
    before = node.input_value(0).get_node().get_rt_info()
    return _text(before, "layerType") not in ("Input", "Const")


def _base(name: str) -> str:
    """The name of the layer that a node comes from.

    A layer computed in another type than the model's is a node with a number between two conversions: y.1. A layer
    between two changes of its shape is a node with a path: y/y.
    """
    return re.sub(r"(\.\d+)+$", "", name.partition("/")[0])


def _is_unnamed(kernel: Kernel) -> bool:
    return kernel.primitive.startswith("unknown")


def _distance(kernel: Kernel, layer_type: str) -> tuple[int, bool]:
    """How far a node is from being the layer itself: 0 if it has its type, 1 if not, more if it may be inserted.

    Then whether the device names no kernel of it.
    """
    if kernel.layer_type == layer_type or (
        layer_type == "Convert" and kernel.layer_type not in ("Const", "Reorder")
    ):
        # Conversions are computed by other nodes too, which none of its type tells apart.
        distance = 0
    elif kernel.layer_type in _INSERTED:
        distance = 2 + _INSERTED.index(kernel.layer_type)
    else:
        distance = 1
    return distance, _is_unnamed(kernel)


def _behind(candidate: _Candidate, name: str, types: Mapping[str, str]) -> Kernel:
    """The kernel of a layer; the node that has its name may be an inserted one.

    A plugin that replaces a layer by several nodes gives its name to the last of them, which is often a Transpose or a
    Reshape. The node that computes is then among those before it, which have names that no layer has.
    """
    best = candidate.rank[:2], candidate.kernel
    if best[0][0] < 2:  # the layer itself
        return candidate.kernel
    for node in _before([candidate.node], stop_at={*types} - {name}):
        kernel = _kernel(node.get_rt_info())
        distance = _distance(kernel, types.get(name, ""))
        if kernel.layer_type not in _COMPUTE_NOTHING and distance < best[0]:
            best = distance, kernel
    return best[1]


def _coarsest(
    nodes: list[ov.Node], coarse: dict[str, str], own: str, others: Collection[str]
) -> str:
    """The coarsest precision that a layer was computed in.

    A device may split a layer into several nodes; only the last has the layer's name: all nodes before it count, up to
    those of ``others`` that are asked about.
    """
    precisions = {own}
    precisions.update(coarse.get(node.get_friendly_name(), own) for node in _before(nodes, others))
    return next((each for each in COARSE if each in precisions), own)


def _before(nodes: list[ov.Node], stop_at: Collection[str] = ()) -> Iterator[ov.Node]:
    """The nodes and all before them, without those of the layers ``stop_at`` and what is before these."""
    seen = {node.get_friendly_name() for node in nodes}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        for index in range(node.get_input_size()):
            before = node.input_value(index).get_node()
            name = before.get_friendly_name()
            if name not in seen and name not in stop_at and _base(name) not in stop_at:
                seen.add(name)
                waiting.append(before)


def _kernel(info: Any) -> Kernel:
    primitive, precision = _text(info, "primitiveType"), _text(info, "runtimePrecision")
    # The name of a kernel ends with the precision of what it reads. That of run time may be that of weights which are
    # stored in f16, and converted before anything is computed.
    is_of_weights = primitive.endswith("_f32") and _text(info, "outputPrecisions") == "f32"
    if precision == "f16" and is_of_weights:
        precision = "f32"
    return Kernel(_text(info, "layerType"), primitive, precision)


def _text(info: Any, key: str) -> str:
    try:
        value = info[key]
    except KeyError:
        return ""
    return str(value.astype(str)) if hasattr(value, "astype") else str(value)
