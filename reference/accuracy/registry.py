"""Finds the reference of an operation; imports only the file of that operation.

The reference of ``SpaceToBatch-2`` is the function under ``@implements("SpaceToBatch-2")`` in
``reference/<category>/space_to_batch.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from reference.accuracy.base import EXACT, Accuracy

_ROOT = Path(__file__).parents[1]
_MACHINERY = ("accuracy", "shared")
_Function = TypeVar("_Function", bound=Callable[..., Any])


class MissingReferenceError(LookupError):
    """No reference implements this operation."""


def implements(
    *names: str,
    accuracy: Accuracy | tuple[Accuracy, ...] = EXACT,
    readings: Sequence[Mapping[str, Any]] = (),
    products: Sequence[Sequence[int]] = (),
) -> Callable[[_Function], _Function]:
    """Decorator: the function is the reference of these operations, named as on their pages (``SpaceToBatch-2``).

    Inputs are positional NumPy arrays in the page's order (None for one left out), attributes keyword-only with the
    page's defaults. It returns an array or a tuple of arrays, and raises ValueError where a rule of the page is broken.
    An enumeration is a Literal: other values are refused before the function is called.
    ``accuracy`` is the class of all outputs (see ``reference.accuracy``), or a tuple with a class for each output.
    ``readings``: where a page leaves several answers open, keyword arguments, none of them an attribute of the page,
    with which the function gives each of the others; outputs that must be exact cannot have any.
    ``products``: the numbers of the factors of each product: a device may round only one of them to its coarser
    precision, and compute one product in it and another not.
    """

    def mark(function: _Function) -> _Function:
        marked = _with_options(names[0], function)
        marked.__dict__["operations"] = names
        marked.__dict__["accuracy"] = accuracy
        marked.__dict__["readings"] = ({}, *readings)
        marked.__dict__["products"] = tuple(map(frozenset, products))
        return marked

    return mark


def _with_options(name: str, function: _Function) -> _Function:
    """The function; for a value that is none of a Literal it raises ValueError: ``mode must be a or b, got 'c'``."""
    options: dict[str, tuple[Any, ...]] = {
        key: get_args(kind)
        for key, kind in function.__annotations__.items()
        if cast(Any, get_origin(kind)) is Literal
    }
    if not options:
        return function

    @wraps(function)
    def checked(*inputs: Any, **attributes: Any) -> Any:
        for key, allowed in options.items():
            if attributes.get(key, allowed[0]) not in allowed:
                *others, last = allowed
                known = f"{', '.join(others)} or {last}"
                raise ValueError(f"{name}: {key} must be {known}, got {attributes[key]!r}")
        return function(*inputs, **attributes)

    return cast(_Function, checked)


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
