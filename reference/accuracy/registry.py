"""Finds the reference of an operation; imports only the file of that operation.

The reference of ``SpaceToBatch-2`` is the function under ``@implements("SpaceToBatch-2")`` in
``reference/<category>/space_to_batch.py``.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
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
    parts: Callable[[Any, Mapping[str, Any]], Any] | None = None,
    is_typed: bool = False,
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
    ``parts``: how outputs are divided into parts that do not depend on each other, from inputs and attributes: one of
    ``reference.shared.dividing``. Without it an output is computed as a whole, however large.
    ``is_typed``: it gives numbers that follow from the element type of its first input, and takes that as a keyword
    argument ``element_type`` where it gets the values of another layer, which are float64.
    """

    def mark(function: _Function) -> _Function:
        marked = _with_options(names[0], function)
        marked.__dict__["operations"] = names
        marked.__dict__["accuracy"] = accuracy
        marked.__dict__["readings"] = ({}, *readings)
        marked.__dict__["products"] = tuple(map(frozenset, products))
        marked.__dict__["parts"] = parts
        marked.__dict__["is_typed"] = is_typed
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
        _spelled(path.stem): f"reference.{path.parent.name}.{path.stem}"
        for path in sorted(_ROOT.glob("*/*.py"))
        if path.parent.name not in _MACHINERY and not path.stem.startswith("_")
    }


@cache
def lookup(name: str) -> Callable[..., Any]:
    """The reference of an operation, such as ``SpaceToBatch-2``.

    A type may be written as OpenVINO's own opsets write it: ``Relu-1``, ``Softmax-8``. Raises MissingReferenceError.
    """
    kind, _, version = name.rpartition("-")
    kind = _spelled(kind or name)
    kind = _OTHER_NAMES.get(kind, kind)
    module = _files().get(kind)
    if module is None:
        raise MissingReferenceError(
            f"no reference implements {name!r}: no folder of reference/ has {_file_name(name)}{_hint(kind)}"
        )
    known: list[str] = []
    for found in vars(importlib.import_module(module)).values():
        for each in getattr(found, "operations", ()):
            if _spelled(each) == f"{kind}-{version}":
                return found
            known.append(each)
    names = " and ".join(dict.fromkeys(known))
    raise MissingReferenceError(f"no reference implements {name!r}; there is {names}")


def _file_name(name: str) -> str:
    """``roll.py`` of ``Roll-7``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.partition("-")[0])
    return f"{words.lower()}.py"


# Types that OpenVINO writes into IR with another name than the page.
_OTHER_NAMES = {"const": "constant"}


def _spelled(name: str) -> str:
    """A name in the spelling that types are compared in: small letters without underscores."""
    return name.replace("_", "").lower()


def _hint(kind: str) -> str:
    """The operations of the file whose name is nearest."""
    (close, *_) = [*get_close_matches(kind, _files(), n=1), ""]
    if not close:
        return ""
    found = vars(importlib.import_module(_files()[close])).values()
    names = dict.fromkeys(each for one in found for each in getattr(one, "operations", ()))
    return f"; did you mean {' or '.join(names)}?"
