"""Questions about cases: prepares them, writes the model of a pack, and splits replies by case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from devices.engine.graphs import PreparedGraph
from devices.engine.layers import PreparedLayer
from devices.engine.prepared import PreparedCase
from devices.process.protocol import ExecutedNode, Question, Reply
from ir_models import Case, LayerCase
from ir_models.graphs import GraphCase

# What a name of a layer begins with in a model of several cases.
_IN_PACK = re.compile(r"\bc(\d+)\.")


def prepare(case: Case, seed: int) -> PreparedCase:
    """The case with its input values and the outputs of its reference. Raises what its reference raises."""
    if isinstance(case, GraphCase):
        return PreparedGraph(case, seed)
    assert isinstance(case, LayerCase)
    prepared = PreparedLayer(case, seed)
    # What the reference raises is raised here, before anything is asked.
    _ = prepared.outputs
    return prepared


def question_for(pack: Sequence[PreparedCase]) -> Question:
    """The model of a pack and its inputs. The cases of a pack are of one kind."""
    return pack[0].question(pack)


def replies_by_case(pack: Sequence[PreparedCase], question: Question, reply: Reply) -> list[Reply]:
    """The reply to the question of a pack as one reply for each case."""
    replies = []
    start, variable = 0, len(question.results)
    nodes = _nodes_by_case(reply.nodes, len(pack))
    for prepared, layer, own in zip(pack, question.layers, nodes, strict=True):
        stop, behind = start + len(prepared.case.result_types), variable
        variable += len(prepared.case.queried_types)
        kernels = {layer: reply.kernels[layer]} if layer in reply.kernels else {}
        compiled = reply.compiled
        if compiled is not None:
            compiled = replace(
                compiled,
                model_outputs=compiled.model_outputs[start:stop],
                outputs=compiled.outputs[start:stop],
            )
        replies.append(
            replace(
                reply,
                inferred=reply.inferred[start:stop],
                outputs=[
                    outputs[start:stop] + outputs[behind:variable] for outputs in reply.outputs
                ],
                kernels=kernels,
                nodes=own,
                compiled=compiled,
            )
        )
        start = stop
    return replies


def _nodes_by_case(nodes: Sequence[ExecutedNode], count: int) -> list[list[ExecutedNode]]:
    """The executed nodes of each case, with the names of layers that they have in a model of their own."""
    if count == 1:
        return [[*nodes]]
    found: list[list[ExecutedNode]] = [[] for _ in range(count)]
    for node in nodes:
        # One that was made of layers of several cases has the name of one of them.
        own: dict[int, ExecutedNode] = {}
        for name in (node.name, *node.layers):
            place = _IN_PACK.match(name)
            if place is None:
                continue
            case = own.setdefault(int(place[1]), ExecutedNode("", node.kernel, []))
            if name == node.name:
                case.name = name[place.end() :]
            case.layers.append(name[place.end() :])
        for number, each in own.items():
            found[number].append(each)
    return found


def cases_named(words: str) -> set[int]:
    """The places in the pack of the cases whose layers some words name."""
    return {int(place) for place in _IN_PACK.findall(words)}
