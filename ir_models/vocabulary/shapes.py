"""Shapes in the page's own names, as data: ``"batch_size, 4*hidden_size, input_size"``.

A shape is a list of dimensions. A dimension is a number, a name, a number times a name, ``*name`` (any number of
dimensions, the same ones wherever the name stands), or an expression of names (``"2*(n - 1) + 1"``,
``"rank(data) - 2"``). Several shapes that a page allows are joined by ``or``: ``"scalar or 1"``.

A name means one size in all inputs of a layer; where an attribute has that name, it is the attribute's value.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

Sizes = Mapping[str, Any]

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
# What an expression may ask of an input.
_FACT = re.compile(r"(rank|size)\([A-Za-z]\w*\)")


class UnknownSizeError(ValueError):
    """An expression holds a name whose size is not known."""


class NegativeSizeError(ValueError):
    """An expression is less than 0 for the sizes of its names."""


@dataclass(frozen=True)
class Dimension:
    """One dimension of a pattern, or any number of them where ``is_many``.

    ``name`` is the name that it fixes, times ``factor``; empty for a number and for an expression.
    """

    text: str
    name: str = ""
    factor: int = 1
    is_many: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names that its size depends on."""
        return (self.name,) if self.name else tuple(_names(self.text))

    def size(self, sizes: Sizes) -> int:
        """The size where those of all names are known, negative where it has none. Raises UnknownSizeError."""
        return _evaluate(_parse(self.text), sizes)

    def solve(self, size: int) -> int | None:
        """The size of the name that makes this dimension ``size``; None where there is none."""
        return size // self.factor if size % self.factor == 0 else None


@dataclass(frozen=True)
class AllowedShape:
    """One shape that a page allows."""

    dimensions: tuple[Dimension, ...]

    @cached_property
    def least_rank(self) -> int:
        """The rank where dimensions of any number are none."""
        return sum(not d.is_many for d in self.dimensions)

    @cached_property
    def has_fixed_rank(self) -> bool:
        """Whether no dimension stands for any number of them."""
        return self.least_rank == len(self.dimensions)

    def places(self, rank: int) -> Iterator[tuple[Dimension, int, int]]:
        """(dimension, first axis, behind its last axis) for a tensor of a rank that the pattern admits."""
        spare = rank - self.least_rank
        axis = 0
        for dimension in self.dimensions:
            count = spare if dimension.is_many else 1
            yield dimension, axis, axis + count
            axis += count

    def shape(self, sizes: Sizes) -> list[int]:
        """The shape for the sizes of names; a name of many dimensions has a list.

        Raises UnknownSizeError and NegativeSizeError.
        """
        shape: list[int] = []
        for dimension in self.dimensions:
            if dimension.is_many:
                shape.extend(_known(sizes, dimension.name))
            else:
                size = dimension.size(sizes)
                if size < 0:
                    raise NegativeSizeError(f"{dimension.text} is negative: {size}")
                shape.append(size)
        return shape

    def __str__(self) -> str:
        return f"[{', '.join(d.text for d in self.dimensions)}]"


@cache
def parse(text: str) -> tuple[AllowedShape, ...]:
    """The shapes that a text allows. Raises ValueError for what is no shape."""
    patterns = []
    for alternative in text.split(" or "):
        parts = [] if alternative.strip() == "scalar" else alternative.split(",")
        dimensions = tuple(_dimension(part.strip()) for part in parts)
        if sum(d.is_many for d in dimensions) > 1:
            raise ValueError(f"{text!r}: only one name can stand for any number of dimensions")
        patterns.append(AllowedShape(dimensions))
    return tuple(patterns)


def _dimension(text: str) -> Dimension:
    if re.fullmatch(r"\*\w+", text):
        return Dimension(text, text[1:], is_many=True)
    if re.fullmatch(r"[A-Za-z]\w*", text):
        return Dimension(text, text)
    if found := re.fullmatch(r"([1-9]\d*)\s*\*\s*([A-Za-z]\w*)", text):
        return Dimension(text, found[2], int(found[1]))
    _parse(text)
    return Dimension(text)


@cache
def _parse(text: str) -> ast.expr:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        tree = None
    if tree is None or not _is_size(tree):
        raise ValueError(f"{text!r} is not a size")
    return tree


def _is_size(node: ast.expr) -> bool:
    """Whether a tree is a whole number, a name, a fact of an input (``rank(data)``), or made of these by operators."""
    if isinstance(node, ast.BinOp):
        parts = (node.left, node.right)
        # A product with 0 has no name's size.
        is_zero = any(isinstance(each, ast.Constant) and each.value == 0 for each in parts)
        known = type(node.op) in _OPERATORS and not (isinstance(node.op, ast.Mult) and is_zero)
        return known and all(map(_is_size, parts))
    if isinstance(node, ast.Call):
        return _FACT.fullmatch(ast.unparse(node)) is not None
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Constant) and type(node.value) is int
    )


def _names(text: str) -> list[str]:
    """The names in an expression, without those of inputs, whose facts are no sizes of names."""

    def names(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Name):
            yield node.id
        elif not isinstance(node, ast.Call):
            for each in ast.iter_child_nodes(node):
                yield from names(each)

    return list(dict.fromkeys(names(_parse(text))))


def evaluate(text: str, sizes: Sizes) -> int:
    """The value of an expression such as ``rank(data) - 2``. Raises UnknownSizeError."""
    return _evaluate(_parse(text), sizes)


def _evaluate(node: ast.expr, sizes: Sizes) -> int:
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, sizes), _evaluate(node.right, sizes)
        return _OPERATORS[type(node.op)](left, right)
    # Names, and facts of an input such as rank(data), which a layer gives under these names.
    value: Any = node.value if isinstance(node, ast.Constant) else _known(sizes, _text(node))
    return int(value)


# A tree is parsed once, and its nodes live as long as this process.
@cache
def _text(node: ast.expr) -> str:
    return ast.unparse(node)


def _known(sizes: Sizes, name: str) -> Any:
    value = sizes.get(name)
    if value is None:
        raise UnknownSizeError(f"the size of {name} is not known")
    return value


def matching(patterns: Sequence[AllowedShape], rank: int) -> AllowedShape | None:
    """The pattern that admits tensors of a rank, if any."""
    for pattern in patterns:
        if pattern.least_rank == rank or (
            pattern.least_rank <= rank and not pattern.has_fixed_rank
        ):
            return pattern
    return None
