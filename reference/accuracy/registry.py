"""Finds the reference of an operation; imports only the file of that operation.

The reference of ``SpaceToBatch-2`` is the function under ``@implements("SpaceToBatch-2")`` in
``reference/<category>/space_to_batch.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from reference.accuracy.base import EXACT, Accuracy

_ROOT = Path(__file__).parents[1]
_MACHINERY = ("accuracy", "shared")
_Function = TypeVar("_Function", bound=Callable[..., Any])


class MissingReferenceError(LookupError):
    """No reference implements this operation."""


def implements(
    *names: str, accuracy: Accuracy | tuple[Accuracy, ...] = EXACT
) -> Callable[[_Function], _Function]:
    """Decorator: the function is the reference of these operations, named as on their pages (``SpaceToBatch-2``).

    Inputs are positional NumPy arrays in the page's order (None for one left out), attributes keyword-only with the
    page's defaults. It returns an array or a tuple of arrays, and raises ValueError where a rule of the page is broken.
    ``accuracy`` is the class of all outputs (see ``reference.accuracy``), or a tuple with a class for each output.
    """

    def mark(function: _Function) -> _Function:
        function.__dict__["operations"] = names
        function.__dict__["accuracy"] = accuracy
        return function

    return mark


def accuracies(name: str, count: int) -> tuple[Accuracy, ...]:
    """How exact each of ``count`` outputs of an operation must be.

    Raises MissingReferenceError, and ValueError for an operation that declares another number of classes.
    """
    accuracy = lookup(name).__dict__["accuracy"]
    if not isinstance(accuracy, tuple):
        return (accuracy,) * count
    if len(accuracy) != count:
        raise ValueError(f"{name} has {count} outputs and {len(accuracy)} accuracy classes")
    return accuracy


@cache
def _files() -> dict[str, str]:
    return {
        path.stem.replace("_", ""): f"reference.{path.parent.name}.{path.stem}"
        for path in sorted(_ROOT.glob("*/*.py"))
        if path.parent.name not in _MACHINERY and not path.stem.startswith("_")
    }


@cache
def lookup(name: str) -> Callable[..., Any]:
    """The reference of an operation, such as ``SpaceToBatch-2``. Raises MissingReferenceError."""
    module = _files().get(name.rpartition("-")[0].replace("_", "").lower())
    if module is not None:
        for found in vars(importlib.import_module(module)).values():
            if name in getattr(found, "operations", ()):
                return found
    raise MissingReferenceError(f"no reference implements {name!r}")
