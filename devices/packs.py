"""Which cases share a model. A pure function of the case ids, so that every process of a run plans the same packs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from ir_models import catalog, patterns
from ir_models.asking.id_parts import GRAPHS, IdParts, split_id
from ir_models.vocabulary.element_types import ELEMENT_TYPES

# Element types that devices rarely compute in. Some kernels damage the process's memory with them, so a child process
# ends soon after such cases.
FRAGILE = frozenset(t.name for t in ELEMENT_TYPES.values() if t.bits < 8 or t.name.startswith("f8"))
# Elements of a tensor. Some pages have examples of many millions.
HEAVY = 4_000_000
# Elements of the inputs of a pack, times its inferences: a process holds all outputs and bounds as well,
# about 30 bytes for each element.
MOST_ELEMENTS = 4_000_000
# Factors of how a case is asked that change nothing for its neighbours in a pack. How indices arrive is none of them:
# they may leave a shape unknown, and the GPU plugin infers all shapes of a model in another way where one is unknown.
_ALIKE = ("values", "constant", "before", "behind", "middle", "operand", "number", "also", "twice")
# The factor of graphs whose inputs have dimensions that the model does not know.
_UNKNOWN = "unknown"
# What an optimizer does once it has met a layer of this category it does to the whole model.
_APART = "quantization"
# Dimensions of a tensor. The GPU plugin infers all shapes of a model in another way where one has more.
MOST_DIMENSIONS = 6


def fragile_type(case_id: str) -> str:
    """The first fragile element type that the id names, or ""."""
    return _fragile_type(split_id(case_id))


def _fragile_type(parts: IdParts) -> str:
    # An attribute such as destination_type names an element type too.
    names = (*(t.element_type for t in parts.data), *parts.parameters.values(), *parts.index_types)
    return next((name for name in names if name in FRAGILE), "")


def is_heavy(case_id: str) -> bool:
    """Whether an input is so large that a model with it takes seconds, which every retry of a pack would add."""
    return _is_heavy(split_id(case_id))


def _is_heavy(parts: IdParts) -> bool:
    return any(math.prod(tensor.shape) > HEAVY for tensor in parts.data)


def _elements(parts: IdParts) -> int:
    inferences = 3 if "shape" in parts.how else 1
    return inferences * sum(math.prod(tensor.shape) for tensor in parts.data)


def group(case_id: str) -> str:
    """Cases of one group may share a pack: alike in how they are asked, in fragile types, and where needed in purpose.

    A model has one IR version and one number of inferences; invalid cases, large outputs and tensors of many dimensions
    have packs of their own.
    """
    return _group(case_id, split_id(case_id))


def _group(case_id: str, parts: IdParts) -> str:
    if _is_heavy(parts):
        return case_id
    purpose = parts.purpose if parts.purpose in ("invalid", "large-output", GRAPHS) else ""
    if purpose == GRAPHS:
        graph = patterns.formula(parts.operation, parts.parameters)
        if is_apart(graph.operations):
            purpose += f" {_APART}"
        if graph.of_variables:
            purpose += " of variables"
        elif _UNKNOWN in parts.parameters or graph.has_unknown:
            purpose += f" {_UNKNOWN}"
    elif is_apart((parts.operation,)):
        purpose += f" {_APART}"
    how = ";".join(
        f"{factor}={level}" for factor, level in parts.how.items() if factor not in _ALIKE
    )
    dimensions = "many" if any(len(t.shape) > MOST_DIMENSIONS for t in parts.data) else ""
    return "|".join((purpose, how, dimensions, _fragile_type(parts)))


def is_apart(operations: Sequence[str]) -> bool:
    """Whether a layer or graph of these operations shares no model with those of others."""
    return any(catalog.operation(name).category == _APART for name in operations)


def plan(case_ids: Sequence[str], size: int) -> list[list[int]]:
    """Positions in ``case_ids`` by pack: cases of one group in their order, at most ``size`` in a pack.

    A pack whose inputs have many elements has fewer. Cases with very large tensors are the last, so that no other case
    waits for them.
    """
    groups: dict[str, list[list[int]]] = {}
    # Elements of the last pack of each group.
    filled: dict[str, int] = {}
    for position, case_id in enumerate(case_ids):
        parts = split_id(case_id)
        name, elements = _group(case_id, parts), _elements(parts)
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
