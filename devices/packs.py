"""Which cases share a model. A pure function of the case ids, so that every process of a run agrees on the packs."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence

from ir_models.element_types import ELEMENT_TYPES

# Element types that devices rarely compute in. Some kernels damage the process's memory with them, so such cases never
# share a process with others for long.
FRAGILE = frozenset(t.name for t in ELEMENT_TYPES.values() if t.bits < 8 or t.name.startswith("f8"))
# Elements of a tensor. Some pages have examples of many millions.
HEAVY = 4_000_000
_SHAPES = re.compile(r"\[([\d,]+)\]")
_TYPES = re.compile(r"(?<![\w.])([a-z]\w*)\[|=([a-z]\w*)")
_FORM = re.compile(
    r"(?:^|[/;,])(shape|data|ir|ports|names|attributes|layers|weights|memory|requests)=(\w+)"
)


def fragile_type(case_id: str) -> str:
    """The first fragile element type that the id names, or ""."""
    for found in _TYPES.finditer(case_id.split("/", 2)[-1]):
        name = found[1] or found[2]
        if name in FRAGILE:
            return name
    return ""


def is_heavy(case_id: str) -> bool:
    """Whether an input is so large that it alone takes seconds, which a pack would take again at each refusal."""
    shapes = _SHAPES.findall(case_id.split("/", 3)[2])
    return any(math.prod(map(int, shape.split(","))) > HEAVY for shape in shapes)


def group(case_id: str) -> str:
    """Cases of one group may share a pack: alike in purpose where that matters, in form, and in fragile types."""
    if is_heavy(case_id):
        return case_id
    segments = case_id.split("/")
    purpose = segments[1] if segments[1] in ("invalid", "large-output") else ""
    form = (
        ";".join("=".join(pair) for pair in _FORM.findall(segments[-1]))
        if len(segments) > 4
        else ""
    )
    return "|".join((purpose, form, fragile_type(case_id)))


def plan(case_ids: Sequence[str], size: int) -> list[list[int]]:
    """Positions in ``case_ids`` by pack: cases of one group in their order, at most ``size`` in a pack."""
    groups: dict[str, list[int]] = {}
    for position, case_id in enumerate(case_ids):
        groups.setdefault(group(case_id), []).append(position)
    return [
        members[start : start + size]
        for members in groups.values()
        for start in range(0, len(members), size)
    ]


def chosen(case_id: str, share: float, salt: str) -> bool:
    """Whether a case is in a share of all cases, by hash."""
    digest = hashlib.sha256(f"{salt}/{case_id}".encode()).digest()
    return int.from_bytes(digest[:8], "little") < share * 2**64


def shard(case_id: str, count: int) -> int:
    """The shard (from 0) that a case belongs to, whatever other cases there are."""
    digest = hashlib.sha256(f"shard/{case_id}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % count
