"""Statements about the shapes and parameters of a case: ``where = ["signal_size > shape0[axes]"]``.

``shape0`` is the shape of the first data tensor, and a parameter goes by its name. Each is a list of numbers; so is a
result. Operators work element by element, where one number goes with every element; ``shape0[axes]`` takes the sizes of
these axes, ``shape0[2:]`` those from axis 2 on. A statement holds if one element of its result is not 0, ``all(...)``
if none is 0. There are ``len``, ``max``, ``min``, ``product`` and ``sum`` of a list as well.
``default(output_padding, 0)`` is a parameter, or a number where the case leaves it out.

A statement about what a case does not have, or has not as numbers, does not hold, and neither does its opposite.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import prod

Numbers = tuple[float, ...]

_OPERATORS: Mapping[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Mapping[str, Callable[[Numbers], float]] = {
    "all": all, "len": len, "max": max, "min": min, "product": prod, "sum": sum,
}  # fmt: skip


@lru_cache(maxsize=1 << 16)
def holds(statement: str, assignments: tuple[str, ...]) -> bool:
    """Tell whether a statement holds of names with their values, each ``name=1,2,3``."""
    names = dict(_values_of(assignments))
    try:
        return any(_value(parsed(statement), names))
    except (ArithmeticError, LookupError, ValueError):
        return False


@lru_cache(maxsize=1024)
def parsed(statement: str) -> ast.expr:
    """Return what a statement says. Raises ValueError if it is none."""
    try:
        found = ast.parse(statement, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{statement!r} is no statement: {error.msg}") from None
    unknown = next(filter(None, map(_unknown, ast.walk(found))), None)
    if unknown is not None:
        raise ValueError(f"{statement!r} is no statement: {ast.unparse(unknown)} is not understood")
    return found


def _unknown(node: ast.AST) -> ast.AST | None:
    """Return a part of a statement that has no meaning, None if this one has."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_], keywords=[]) if name in _FUNCTIONS:
            return None
        case ast.Call(func=ast.Name(id="default"), args=[ast.Name(), _], keywords=[]):
            return None
        case ast.Compare(ops=[_]) | ast.BinOp() | ast.BoolOp() | ast.UnaryOp():
            return None
        case (
            ast.Constant(value=int() | float())
            | ast.Name()
            | ast.Subscript()
            | ast.Slice(step=None)
        ):
            return None
        case ast.boolop() | ast.USub() | ast.Not() | ast.expr_context():
            return None
    return None if type(node) in _OPERATORS else node


def _values_of(assignments: Iterable[str]) -> Iterator[tuple[str, Numbers]]:
    for each in assignments:
        name, _, text = each.partition("=")
        try:
            yield name, tuple(map(float, text.split(","))) if text else ()
        except ValueError:
            continue  # not of numbers


def _value(node: ast.expr, names: Mapping[str, Numbers]) -> Numbers:
    def value(part: ast.expr) -> Numbers:
        return _value(part, names)

    match node:
        case ast.Constant(value=int() | float() as number):
            return (number,)
        case ast.Name(id=name):
            return names[name]
        case (
            ast.BinOp(left=left, op=op, right=right)
            | ast.Compare(left=left, ops=[op], comparators=[right])
        ):
            return _by_element(_OPERATORS[type(op)], value(left), value(right))
        case ast.BoolOp(op=op, values=parts):
            truths = [any(value(part)) for part in parts]
            return (all(truths) if isinstance(op, ast.And) else any(truths),)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return (not any(value(part)),)
        case ast.UnaryOp(operand=part):
            return tuple(-number for number in value(part))
        case ast.Call(func=ast.Name(id="default"), args=[ast.Name(id=name), other]):
            return names[name] if name in names else value(other)
        case ast.Call(func=ast.Name(id=name), args=[part]):
            return (_FUNCTIONS[name](value(part)),)
        case ast.Subscript(value=part, slice=ast.Slice(lower=lower, upper=upper)):
            return value(part)[_bound(lower, names) : _bound(upper, names)]
        case ast.Subscript(value=part, slice=index):
            numbers = value(part)
            return tuple(numbers[int(number)] for number in value(index))
    raise ValueError(ast.unparse(node))


def _bound(node: ast.expr | None, names: Mapping[str, Numbers]) -> int | None:
    if node is None:
        return None
    (number,) = _value(node, names)
    return int(number)


def _by_element(
    operation: Callable[[float, float], float], left: Numbers, right: Numbers
) -> Numbers:
    length = len(right) if len(left) == 1 else len(left)
    left, right = (each * length if len(each) == 1 else each for each in (left, right))
    return tuple(operation(*pair) for pair in zip(left, right, strict=True))
