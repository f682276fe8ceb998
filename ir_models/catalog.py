"""Finds declarations by the operation's name; reads only the files that are asked for.

``SpaceToBatch-2`` stands in ``operations/<category>/space_to_batch.py``: the file is named as the page, all versions
of a type in one file.
"""

from __future__ import annotations

import importlib
import traceback
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from ir_models.vocabulary.operation import MADE, Operation

_ROOT = Path(__file__).parent / "operations"


class UnknownOperationError(ValueError):
    """No declaration has this name."""


class DeclarationError(UnknownOperationError):
    """A declaration says what no operation can: nothing is known of those of its file."""


@cache
def _files() -> dict[str, str]:
    """Module name by the type's name in small letters without underscores. Raises DeclarationError."""
    found: dict[str, str] = {}
    for path in sorted(_ROOT.glob("*/*.py")):
        module = f"ir_models.operations.{path.parent.name}.{path.stem}"
        if not path.stem.startswith("_"):
            other = found.setdefault(_spelled(path.stem), module)
            if other != module:
                raise DeclarationError(f"{_file(other)} and {_file(module)}: two files of one name")
    return found


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


# What Python raises for a mistake of a declaration.
MISTAKES = (
    SyntaxError, ImportError, TypeError, ValueError, LookupError, AttributeError, NameError, ArithmeticError,
)  # fmt: skip


def place(error: BaseException) -> str:
    """The file and line of a declaration or reference in which an error was raised last, "" if in none."""
    frames = [(each.filename, each.lineno) for each in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    root = _ROOT.parents[1]
    found = [
        (Path(file), line)
        for file, line in frames
        if not {_ROOT, root / "reference"}.isdisjoint(Path(file).parents)
    ]
    return f"{found[-1][0].relative_to(root)}:{found[-1][1] or 1}" if found else ""


def told(error: BaseException) -> str:
    """What an error says; most of Python's own say little without their kind."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"


@cache
def _declared(module: str) -> tuple[Operation, ...]:
    before = len(MADE)
    try:
        found = vars(importlib.import_module(module)).values()
    except MISTAKES as error:
        raise DeclarationError(f"{place(error) or _file(module)}: {told(error)}") from error
    twice = [name for name, count in Counter(MADE[before:]).items() if count > 1]
    if twice:
        raise DeclarationError(f"{_file(module)}: {twice[0]} is declared twice")
    # A module may know one operation by two names, such as that of a loop over versions.
    declared = {each for each in found if isinstance(each, Operation)}
    for each in declared:
        if _spelled(each.name) != _spelled(module.rpartition(".")[2]):
            raise DeclarationError(f"{_file(module)}: {each.name} needs a file named as its type")
        if not each.outputs:
            raise DeclarationError(f"{_file(module)}: {each.name} needs outputs=[Output(...)]")
        each.category = module.split(".")[-2]
    return tuple(sorted(declared, key=_order))


def _spelled(name: str) -> str:
    """A type, or the name of its file, in small letters without underscores."""
    return name.partition("-")[0].replace("_", "").lower()


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


@cache
def operation(name: str) -> Operation:
    """The operation called ``name``, such as ``SpaceToBatch-2``. Raises UnknownOperationError."""
    module = _files().get(_spelled(name.rpartition("-")[0]))
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
    module = _files().get(_spelled(kind))
    return [
        each
        for each in (_declared(module) if module else ())
        if each.name.rpartition("-")[0].lower() == kind.lower()
        and version in ("", each.name.rpartition("-")[2])
    ]
