"""Finds declarations by the operation's name; reads only the files that are asked for.

``SpaceToBatch-2`` stands in ``operations/<category>/space_to_batch.py``: the file is named as the page, all versions
of a type in one file.
"""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from ir_models.vocabulary.operation import Operation

_ROOT = Path(__file__).parent / "operations"


class UnknownOperationError(ValueError):
    """No declaration has this name."""


class DeclarationError(UnknownOperationError):
    """A declaration says what no operation can: nothing is known of those of its file."""


@cache
def _files() -> dict[str, str]:
    """Module name by the type's name in small letters without underscores."""
    return {
        path.stem.replace("_", ""): f"ir_models.operations.{path.parent.name}.{path.stem}"
        for path in sorted(_ROOT.glob("*/*.py"))
        if not path.stem.startswith("_")
    }


@cache
def _declared(module: str) -> tuple[Operation, ...]:
    try:
        found = vars(importlib.import_module(module)).values()
    except (TypeError, ValueError) as error:
        file = f"{module.replace('.', '/')}.py"
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.endswith(file)
        ]
        raise DeclarationError(f"{file}:{lines[-1] if lines else 1}: {error}") from error
    # A module may know one operation by two names, such as that of a loop over versions.
    declared = {each for each in found if isinstance(each, Operation)}
    for each in declared:
        each.category = module.split(".")[-2]
    return tuple(sorted(declared, key=_order))


def _order(operation: Operation) -> tuple[str, int]:
    kind, _, version = operation.name.rpartition("-")
    return kind, int(version)


@cache
def operations() -> tuple[Operation, ...]:
    """All operations, by name and version."""
    found = (operation for module in _files().values() for operation in _declared(module))
    return tuple(sorted(found, key=_order))


@cache
def of_category(category: str) -> tuple[Operation, ...]:
    """The operations of a category, by name and version. It reads no other files."""
    modules = [each for each in _files().values() if each.split(".")[-2] == category]
    found = (operation for module in modules for operation in _declared(module))
    return tuple(sorted(found, key=_order))


def are_all(chosen: Sequence[Operation]) -> bool:
    """Whether these are all operations. Of a few it reads no other files: each declares one at least."""
    return len(chosen) >= len(_files()) and len(chosen) == len(operations())


def operation(name: str) -> Operation:
    """The operation called ``name``, such as ``SpaceToBatch-2``. Raises UnknownOperationError."""
    module = _files().get(name.rpartition("-")[0].replace("_", "").lower())
    for declared in _declared(module) if module else ():
        if declared.name == name:
            return declared
    # OpenVINO's own types differ from the pages' names in the case of letters: Relu is ReLU-1.
    alike = [o.name for o in _declared(module) if o.name.lower() == name.lower()] if module else []
    close = alike or get_close_matches(name, [o.name for o in operations()], n=3, cutoff=0.7)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise UnknownOperationError(f"unknown operation {name!r}{hint}")


def select(names: Sequence[str]) -> tuple[Operation, ...]:
    """Operations by name; a type without a version (``Gather``) means all its versions; none means all.

    OpenVINO's own types are understood too: ``Relu`` is ReLU-1, ``Softmax-8`` SoftMax-8.

    Raises UnknownOperationError.
    """
    if not names:
        return operations()
    chosen: dict[str, Operation] = {}
    for name in names:
        found = _alike(name)
        for each in found or [operation(name)]:
            chosen[each.name] = each
    return tuple(sorted(chosen.values(), key=_order))


def _alike(name: str) -> list[Operation]:
    """The operations of this name or type, or of this type in IR, whatever the case of its letters."""
    kind, dash, version = name.rpartition("-")
    kind, version = (kind, version) if dash and version.isdecimal() else (name, "")
    module = _files().get(kind.replace("_", "").lower())
    return [
        each
        for each in (_declared(module) if module else ())
        if each.name.rpartition("-")[0].lower() == kind.lower()
        and version in ("", each.name.rpartition("-")[2])
    ]
