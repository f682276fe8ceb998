"""Which kernels of a device graphs reach, and which layers it fuses to one node, by its run-time model.

A kernel is written as ``MatMul: FullyConnected brgemm_avx512_f32``, two fused layers where the second reads the first
as ``MatMul > Add: FullyConnected``. A layer that no node names counts as fused with what reads it: mostly a
transformation of the model has replaced both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from devices.process.protocol import ExecutedNode
from ir_models import catalog
from ir_models.graphs import Evaluated, Step

# Types of nodes that compute nothing.
_NO_KERNELS = {"Input", "Output"}


def reached(graph: Evaluated, nodes: Iterable[ExecutedNode]) -> Iterator[str]:
    """Kernels and pairs that the executed nodes of a graph show."""
    computing = [
        each
        for each in nodes
        if not each.kernel.is_constant and each.kernel.layer_type not in _NO_KERNELS
    ]
    # The node that has a layer's name comes before others that were made of it, too.
    own = {each.name: each for each in computing if each.name in graph.layers}
    held = dict(own)
    for each in computing:
        for name in each.layers:
            if name in graph.layers:
                held.setdefault(name, each)
    # What reads a layer stands behind it.
    for step in reversed(graph.graph.steps):
        if step.name not in held and step.name not in graph.constants:
            found = [held[each.name] for each in _readers(graph, step) if each.name in held]
            if found:
                held[step.name] = found[0]
    for step in graph.graph.steps:
        node = held.get(step.name)
        if node is None:
            continue
        if step.name in own:
            yield f"{_type(step)}: {node.kernel.layer_type} {node.kernel.primitive}"
        for reader in _readers(graph, step):
            if held.get(reader.name) is node:
                yield f"{_type(step)} > {_type(reader)}: {node.kernel.layer_type}"


def _readers(graph: Evaluated, step: Step) -> list[Step]:
    return [reader for value in graph.outputs(step) for reader in graph.graph.readers(value)]


def _type(step: Step) -> str:
    return catalog.operation(step.operation).type


def table(found: Iterable[str]) -> list[str]:
    """Kernels and pairs by operation, as lines of Markdown."""
    kernels: dict[str, set[str]] = defaultdict(set)
    fused: dict[str, set[str]] = defaultdict(set)
    for each in found:
        layers, _, node = each.partition(": ")
        first, _, second = layers.partition(" > ")
        if second:
            fused[first].add(f"{second} ({node})")
        else:
            kernels[first].add(node)
    lines = [
        counted(found),
        "",
        "| operation | kernels | fused with what reads it |",
        "|---|---|---|",
    ]
    for name in sorted({*kernels, *fused}):
        lines.append(
            f"| {name} | {', '.join(sorted(kernels[name]))} | {', '.join(sorted(fused[name]))} |"
        )
    return lines


def counted(found: Iterable[str]) -> str:
    """How many kernels and pairs there are, of how many operations."""
    pairs = {each for each in found if " > " in each.partition(": ")[0]}
    kernels = {*found} - pairs
    operations = {each.partition(": ")[0] for each in kernels}
    return (
        f"reached: {len(kernels):,} kernels of {len(operations):,} operations, "
        f"{len(pairs):,} pairs of fused layers"
    )
