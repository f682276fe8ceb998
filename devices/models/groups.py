"""Which values of a model are read while it runs, so that a device still fuses what it fuses.

A device reports the layers that each executed node was made of. A value that stays inside such a node is not read; the
layers between two values that are read are judged as one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from devices.process.protocol import ExecutedNode
from ir_models.models import Model

# Layers one behind the other whose bound is carried; behind so many a value is read even where it lies inside a node.
_DEEPEST = 8


def fused(model: Model, nodes: Sequence[ExecutedNode]) -> dict[str, int]:
    """The group of each layer that was executed, by number: layers that share a node, directly or not."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for node in nodes:
        names = [name for name in node.layers if name in model.nodes]
        for name in names:
            leader.setdefault(name, name)
        for name in names[1:]:
            leader[find(name)] = find(names[0])
    numbers: dict[str, int] = {}
    return {name: numbers.setdefault(find(name), len(numbers)) for name in leader}


def constant_nodes(model: Model) -> set[str]:
    """The nodes that depend on constants alone."""
    constants = set(model.graph.constants)
    found: set[str] = set()
    for node in model.graph.nodes:
        names = [value.partition(":")[0] for value in node.inputs]
        is_state = bool(model.sources[node.name].operation and _partner(model, node.name))
        if names and not is_state and all(each in constants or each in found for each in names):
            found.add(node.name)
    return found


def shape_nodes(model: Model) -> set[str]:
    """The nodes that depend on constants and on shapes alone: a device that knows the shapes knows what they give."""
    known = {*model.graph.constants, *constant_nodes(model)}
    for node in model.graph.nodes:
        operation = model.sources[node.name].operation
        reads_shapes = operation is not None and operation.reads_shapes_alone
        names = [value.partition(":")[0] for value in node.inputs]
        is_state = bool(_partner(model, node.name))
        if names and not is_state and (reads_shapes or all(each in known for each in names)):
            known.add(node.name)
    return known - set(model.graph.constants)


def _partner(model: Model, name: str) -> str:
    operation = model.sources[name].operation
    return operation.partner if operation else ""


def values_to_read(
    model: Model, nodes: Sequence[ExecutedNode], hidden: Collection[str] = ()
) -> list[str]:
    """The values that are read, in the order of the graph, never those in ``hidden``.

    All of a model whose device tells no nodes. Otherwise none that stays inside an executed node, none of a layer that
    the device did not execute, and none that depends on constants alone; but each that a layer with a choice, or with
    an order that the project does not know, gives or reads.
    """
    groups, constants = fused(model, nodes), constant_nodes(model)
    results = {each.source for each in model.graph.results}
    needed = _needed(model)
    depth: dict[str, int] = {}
    found = []
    for node in model.graph.nodes:
        if node.name in constants:
            continue
        behind = max((depth.get(value.partition(":")[0], 0) for value in node.inputs), default=0)
        depth[node.name] = behind + 1
        outputs = model.sources[node.name].outputs
        is_read = any(
            value in results
            or value in needed
            or not groups
            or (node.name in groups and _leaves(model, groups, node.name, value))
            for value in outputs
        )
        if hidden and any(value in hidden for value in outputs):
            continue
        if is_read or depth[node.name] >= _DEEPEST:
            # A value that nothing reads, such as that of an Assign, is told by no device.
            has_several = len(outputs) > 1
            found += [v for v in outputs if has_several or v in model.readers or v in results]
            depth[node.name] = 0
    return found


def _leaves(model: Model, groups: dict[str, int], name: str, value: str) -> bool:
    """Whether a value leaves the executed node that computes it."""
    return any(groups.get(reader) != groups[name] for reader in model.readers.get(value, ()))


def _needed(model: Model) -> set[str]:
    """Values that cannot lie inside a group: around layers that are unknown, have several outputs, or keep a state."""
    found: set[str] = set()
    for node in model.graph.nodes:
        operation = model.sources[node.name].operation
        alone = not node.operation or operation is None or operation.partner or operation.bodies
        if alone or (operation is not None and operation.keeps_state) or node.outputs > 1:
            found.update(node.inputs)
            found.update(model.sources[node.name].outputs)
    return found
