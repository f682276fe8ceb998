"""Which cases share a model. A pure function of the case ids, so that every process of a run plans the same packs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ir_models import catalog
from ir_models.asking.how import way
from ir_models.asking.id_parts import GRAPHS, OF_NEIGHBOURS, IdParts, pairs, segments
from ir_models.asking.id_parts import parts as parts_of
from ir_models.vocabulary.element_types import ELEMENT_TYPES

if TYPE_CHECKING:
    from ir_models.graphs import AskedGraph

# Element types that devices rarely compute in. Some kernels damage the process's memory with them, so a child process
# ends soon after such cases.
FRAGILE = frozenset(t.name for t in ELEMENT_TYPES.values() if t.bits < 8 or t.name.startswith("f8"))
# Elements of a tensor. Some pages have examples of many millions.
HEAVY = 4_000_000
# Elements of the inputs of a pack, times its inferences: a process holds all outputs twice, and bounds as well,
# about 35 bytes for each element.
MOST_ELEMENTS = 4_000_000
# Ways of asking a case that change nothing for its neighbours in a pack. `index` is not listed: indices that are given
# at run time can make a shape unknown, and then the GPU plugin infers all shapes of the model in another way.
_ALIKE = ("values", "constant", *OF_NEIGHBOURS)
# The factor of graphs whose inputs have dimensions that the model does not know.
_UNKNOWN = "unknown"
# One layer of this category makes optimizers rewrite the whole model, so that it shares no pack with others.
APART = "quantization"
# Dimensions of a tensor. The GPU plugin infers all shapes of a model in another way where one has more.
MOST_DIMENSIONS = 6


def fragile_type(case_id: str) -> str:
    """The first fragile element type that the id names, or ""."""
    what, _ = segments(case_id)
    return _what(*what).fragile_type


def _fragile_type(parts: IdParts, graph: AskedGraph | None) -> str:
    # An attribute such as destination_type names an element type too.
    names = [*(t.element_type for t in parts.data), *parts.parameters.values(), *parts.index_types]
    for step in graph.steps if graph is not None else ():
        names += map(str, step.attributes.values())
    return next((name for name in names if name in FRAGILE), "")


def is_heavy(case_id: str) -> bool:
    """Whether an input is so large that a model with it takes seconds, which every retry of a pack would add."""
    what, _ = segments(case_id)
    return _what(*what).is_heavy


class _What(NamedTuple):
    """The properties of a layer that decide its pack, however it is asked; ``elements`` are those of its inputs.

    A graph is asked in one way, and has those of all its inferences.
    """

    purpose: str
    dimensions: str
    fragile_type: str
    is_heavy: bool
    elements: int


# A layer is asked in many ways, mostly one after another.
@lru_cache(4096)
def _what(*what: str) -> _What:
    parts = parts_of(what, "")
    graph = _formula(parts) if parts.purpose == GRAPHS else None
    sizes = [math.prod(tensor.shape) for tensor in parts.data]
    is_unknown = graph is not None and _is_unknown(parts, graph)
    dimensions = "many" if any(len(t.shape) > MOST_DIMENSIONS for t in parts.data) else ""
    return _What(
        _purpose(parts, graph, is_unknown),
        dimensions,
        _fragile_type(parts, graph),
        any(size > HEAVY for size in sizes),
        sum(sizes) * (_inferences(graph, is_unknown) if graph is not None else 1),
    )


def _formula(parts: IdParts) -> AskedGraph:
    # Few runs ask graphs, and the patterns of these are many modules.
    from ir_models import patterns

    return patterns.formula(parts.operation, parts.parameters)


def _is_unknown(parts: IdParts, graph: AskedGraph) -> bool:
    """Whether the model of a graph does not know a dimension, by itself or for a factor of the case."""
    from ir_models.patterns.variations import BESIDE

    return graph.has_unknown or _UNKNOWN in (*parts.parameters, parts.parameters.get(BESIDE))


def _inferences(graph: AskedGraph, is_unknown: bool) -> int:
    from ir_models.graphs.case import inferences_of

    return inferences_of(graph, is_unknown)


def _purpose(parts: IdParts, graph: AskedGraph | None, is_unknown: bool) -> str:
    purpose = parts.purpose if parts.purpose in ("invalid", "large-output", GRAPHS) else ""
    if graph is not None:
        from ir_models.patterns.variations import BESIDE, SWITCHES

        if is_apart(graph.operations) or parts.parameters.get(BESIDE) == SWITCHES:
            purpose += f" {APART}"
        if graph.of_variables:
            purpose += " of variables"
        elif is_unknown:
            purpose += f" {_UNKNOWN}"
    elif is_apart((parts.operation,)):
        purpose += f" {APART}"
    return purpose


class _How(NamedTuple):
    """What a way of asking says of the pack: of its group, and how often a model is inferred."""

    text: str
    inferences: int


@cache
def _how(text: str) -> _How:
    levels = pairs(text)
    kept = (f"{factor}={level}" for factor, level in levels.items() if factor not in _ALIKE)
    return _How(";".join(kept), way(**levels).inferences)


def group(case_id: str) -> str:
    """Cases of one group may share a pack: alike in how they are asked, in fragile types, and where needed in purpose.

    A model has one IR version and one number of inferences; invalid cases, large outputs and tensors of many dimensions
    have packs of their own.
    """
    what, how = segments(case_id)
    return _group(case_id, _what(*what), _how(how))


def _group(case_id: str, what: _What, how: _How) -> str:
    return (
        case_id
        if what.is_heavy
        else f"{what.purpose}|{how.text}|{what.dimensions}|{what.fragile_type}"
    )


def is_apart(operations: Sequence[str]) -> bool:
    """Whether a layer or graph of these operations shares no model with those of others."""
    return any(map(_is_apart, operations))


@cache
def _is_apart(operation: str) -> bool:
    return catalog.operation(operation).category == APART


def plan(case_ids: Sequence[str], size: int) -> list[list[int]]:
    """Positions in ``case_ids`` by pack: cases of one group in their order, at most ``size`` in a pack.

    A pack whose inputs have many elements has fewer. Cases with very large tensors are the last, so that no other case
    waits for them.
    """
    groups: dict[str, list[list[int]]] = {}
    # Elements of the last pack of each group.
    filled: dict[str, int] = {}
    for position, case_id in enumerate(case_ids):
        segments_of_what, asked = segments(case_id)
        what, how = _what(*segments_of_what), _how(asked)
        name, elements = _group(case_id, what, how), how.inferences * what.elements
        found = groups.setdefault(name, [])
        is_full = not found or len(found[-1]) == size or filled[name] + elements > MOST_ELEMENTS
        if is_full:
            found.append([])
            filled[name] = 0
        found[-1].append(position)
        filled[name] += elements
    packs = (pack for found in groups.values() for pack in found)
    return sorted(packs, key=lambda members: is_heavy(case_ids[members[0]]))


def chosen(case_id: str, share: float, salt: str) -> bool:
    """Whether a case is in a share of all cases, by hash of its id and the salt."""
    digest = hashlib.sha256(f"{salt}/{case_id}".encode()).digest()
    return int.from_bytes(digest[:8], "little") < share * 2**64


def shard(case_id: str, count: int) -> int:
    """The shard (from 0) that a case belongs to. It does not depend on other cases."""
    digest = hashlib.sha256(f"shard/{case_id}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % count
