"""What an expectation can tell cases apart by: the traits of a record, read from its case id.

Each trait is a name with one or several values. ``type``, ``index_type``, ``rank`` and ``dimension`` have several, of
which one must be selected; ``inputs`` counts the data tensors;
``broadcast`` says how their shapes differ; ``how.FACTOR`` is "" for the usual way,
``parameter.NAME`` is "-" for one left out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ir_models.asking.id_parts import FACTORS
from reports.records import CaseRecord

Traits = dict[str, tuple[str, ...]]

NAMES = (
    "operation", "category", "purpose", "type", "index_type", "rank", "dimension", "inputs", "broadcast",
    "rule",
)  # fmt: skip
"""The traits that are no tables; ``how`` and ``parameter`` are."""

ABSENT = "-"

TENSOR = re.compile(r"([a-z]\w*)\[([\d,]*)\]")
PAIR = re.compile(r"[,;](?=\w+=)")
_INDEX_TYPE = re.compile(r"([a-z]\w*):")


def traits_of(record: CaseRecord) -> Traits:
    """Return the traits of a record."""
    # Operation, purpose, data and the rest, which a damaged id may lack.
    _, _, data, parameters = (*record.case.split("/", 3), "", "", "")[:4]
    if record.how:
        parameters = parameters.removesuffix(record.how).removesuffix("/")
    return {
        **_of_layer(data, parameters),
        **_of_how(record.how),
        "operation": (record.operation,),
        "category": (record.category,),
        "purpose": (record.purpose,),
        "rule": (record.rule,),
    }


@lru_cache(maxsize=4096)
def _of_how(how: str) -> Traits:
    levels = dict(part.split("=", 1) for part in how.split(",") if "=" in part)
    return {f"how.{factor}": (levels.get(factor, ""),) for factor in FACTORS}


@lru_cache(maxsize=4096)
def _of_layer(data: str, parameters: str) -> Traits:
    tensors = TENSOR.findall(data)
    shapes = [tuple(dims.split(",")) if dims else () for _, dims in tensors]
    pairs = [part.partition("=") for part in PAIR.split(parameters) if "=" in part]
    values = {name: value for name, _, value in pairs}
    types = [found[1] for value in values.values() if (found := _INDEX_TYPE.match(value))]
    return {
        "type": tuple(dict.fromkeys(name for name, _ in tensors)),
        "index_type": tuple(dict.fromkeys(types)),
        "rank": tuple(dict.fromkeys(str(len(shape)) for shape in shapes)),
        "inputs": (str(len(tensors)),),
        "broadcast": (_broadcast(shapes),),
        # Only the sizes that kernels treat apart.
        "dimension": tuple(
            dict.fromkeys(size for shape in shapes for size in shape if size in ("0", "1"))
        ),
        **{f"parameter.{name}": (value,) for name, value in values.items()},
    }


def _broadcast(shapes: list[tuple[str, ...]]) -> str:
    """Return how later shapes differ from the first.

    ``equal``; ``ones``: fewer dimensions, all of them 1; ``either``: fewer dimensions, which fit the first shape from
    the left as well; ``trailing``: fewer dimensions, which fit it only from the right; ``other``.
    """
    first, *others = shapes or [()]
    if all(shape == first for shape in others):
        return "equal"
    shorter = [shape for shape in others if len(shape) < len(first)]
    if all(set(shape) <= {"1"} for shape in shorter):
        return "ones" if shorter else "other"
    left = all(size in ("1", first[axis]) for shape in shorter for axis, size in enumerate(shape))
    return "either" if left else "trailing"
