"""Puts a changed piece of source into the references that are loaded, and takes it out again."""

from __future__ import annotations

import ast
import gc
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from tests.kill.source import ROOT, Source, SourceMutant

# An object, the name of an attribute, and its value.
_Change = tuple[Any, str, Any]


class Planter:
    """Plants mutants of one file. Functions keep their identity, so whoever imported them calls the changed ones."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._module = importlib.import_module(module_name(source.file))
        self._right = _compiled(source.right(), source.file)
        self._last: tuple[SourceMutant | None, list[_Change]] = None, []
        self._functions: dict[CodeType, list[FunctionType]] = {}
        for function in _functions_of(str(source.file)):
            self._functions.setdefault(function.__code__, []).append(function)

    @contextmanager
    def planted(self, mutant: SourceMutant) -> Iterator[None]:
        """The change holds inside the block."""
        changes = self._changes_of(mutant)
        before = [getattr(holder, name) for holder, name, _ in changes]
        _forget()
        try:
            for holder, name, value in changes:
                setattr(holder, name, value)
            yield
        finally:
            for (holder, name, _), value in zip(changes, before, strict=True):
                setattr(holder, name, value)
            _forget()

    def _changes_of(self, mutant: SourceMutant) -> list[_Change]:
        """What to set to plant a mutant. Raises what a module with this change raises when it is loaded."""
        if self._last[0] is not mutant:
            tree = self.source.changed(mutant)
            found = list(self._codes(self._right, _compiled(tree, self.source.file)))
            self._last = mutant, found or list(self._values(tree))
        return self._last[1]

    def _codes(self, right: CodeType, wrong: CodeType) -> Iterator[_Change]:
        """The functions whose code is another one."""
        for one, other in zip(_inner(right), _inner(wrong), strict=True):
            if one != other:
                yield from ((each, "__code__", other) for each in self._functions.get(one, ()))
                yield from self._codes(one, other)

    def _values(self, tree: ast.Module) -> Iterator[_Change]:
        """Values of the module that are others, and defaults of its functions."""
        namespace = {"__name__": self._module.__name__, "__file__": self._module.__file__}
        exec(compile(tree, str(self.source.file), "exec"), namespace)
        for name, value in namespace.items():
            own = vars(self._module).get(name)
            if isinstance(own, FunctionType) and isinstance(value, FunctionType):
                one, other = _unwrapped(own), _unwrapped(value)
                for field in ("__defaults__", "__kwdefaults__"):
                    if getattr(one, field) != getattr(other, field):
                        yield one, field, getattr(other, field)
            elif _is_plain(own) and (repr(own) != repr(value) or _is_wrapped(own)):
                for module in list(sys.modules.values()):
                    if module.__name__.startswith("reference") and vars(module).get(name) is own:
                        yield module, name, value


def module_name(file: Path) -> str:
    """The module of a file in ``reference``."""
    return ".".join(("reference", *file.relative_to(ROOT).with_suffix("").parts))


def _compiled(tree: ast.Module, file: Path) -> CodeType:
    return compile(tree, str(file), "exec", flags=0, dont_inherit=True)


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _functions_of(file: str) -> list[FunctionType]:
    return [
        each
        for each in gc.get_objects()
        if type(each) is FunctionType and each.__code__.co_filename == file
    ]


def _unwrapped(function: Any) -> FunctionType:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    assert isinstance(function, FunctionType)
    return function


def _is_wrapped(value: Any) -> bool:
    """Whether a value is a function of Python as NumPy calls it, which does not show what it is made of."""
    return isinstance(value, np.ufunc) and not hasattr(np, value.__name__)


def _is_plain(value: Any) -> bool:
    """Whether a value is data: numbers, texts, and collections of them."""
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_is_plain, value))
    return isinstance(value, (int, float, str)) or type(value).__module__.startswith("numpy")


@cache
def _caches() -> list[Any]:
    """What remembers answers of references; not what finds them."""
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, _lru_cache_wrapper)
        and (each.__module__ or "").startswith("reference.")
        and not each.__module__.startswith("reference.accuracy")
    ]


def _forget() -> None:
    for each in _caches():
        each.cache_clear()
