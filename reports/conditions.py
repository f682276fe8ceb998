"""Conditions on a layer that patterns cannot tell, as expressions: ``where = "len(repeats) > ranks[0]"``.

An expression sees the words of the case id: `shapes`, `ranks` and `types` of the data tensors in order, and every
parameter by its name: a number, a list of numbers, a text, or None if it was left out. Python's operators,
comprehensions and the functions of ``FUNCTIONS`` are there, nothing else is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

from simpleeval import (
    DEFAULT_OPERATORS,
    EvalWithCompoundTypes,
    InvalidExpression,
    IterableTooLong,
    NumberTooHigh,
)

from reports.traits import ABSENT, PAIR, TENSOR


class ConditionError(ValueError):
    """An expression cannot be parsed, calls what is not there, or takes too much work or memory."""


_TOO_MUCH = (IterableTooLong, NumberTooHigh)


def listed(value: Any) -> list[Any]:
    """Return a parameter as a list: of one number if it is a number, empty if it was left out."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


MOST_ITEMS = 10_000
"""Items of a range: an expression is about the few numbers of a case id."""


def bounded_range(*arguments: int) -> range:
    """Return a range. Raises ConditionError for one of too many items."""
    items = range(*arguments)
    if items and (items[-1] - items[0]) // items.step >= MOST_ITEMS:
        raise ConditionError(f"a range of more than {MOST_ITEMS:,} items")
    return items


def bounded_power(base: float, exponent: float) -> float:
    """Return a power. Raises ConditionError for one of more digits than a case id has use for."""
    if abs(base) > 2**64 or abs(exponent) > 64:
        raise ConditionError("a power of more than 64")
    return float(base) ** exponent if exponent < 0 else base**exponent


FUNCTIONS = {
    "abs": abs,
    "all": all,
    "any": any,
    "enumerate": enumerate,
    "len": len,
    "list": list,
    "listed": listed,
    "max": max,
    "min": min,
    "prod": prod,
    "range": bounded_range,
    "sorted": sorted,
    "sum": sum,
    "zip": zip,
}

_TYPED = re.compile(r"[a-z]\w*:")
_NUMBERS = re.compile(r"-?[\d.]+(,-?[\d.]+)*")


KNOWN = (*FUNCTIONS, "tuple", "set", "dict")
"""What can be called, with the types that simpleeval adds."""
METHODS = (
    "count",
    "endswith",
    "find",
    "index",
    "partition",
    "replace",
    "split",
    "startswith",
    "strip",
)
"""Methods of texts and lists."""

# What works on a few numbers can make no number or text that takes long.
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.List, ast.Tuple, ast.Set),
    *(ast.Subscript, ast.Slice, ast.Index, ast.IfExp, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp),
    *(ast.Not, ast.USub, ast.UAdd, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv),
    *(ast.Mod, ast.Pow, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is),
    *(
        ast.Attribute,
        ast.IsNot,
        ast.In,
        ast.NotIn,
        ast.Call,
        ast.ListComp,
        ast.GeneratorExp,
        ast.comprehension,
    ),
)


def check(expression: str) -> None:
    """Raise ConditionError for what is not an expression, calls an unknown function, or would take too long."""
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"where must be an expression, got {expression!r}: {error}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            kind = type(node).__name__
            raise ConditionError(f"where {expression!r}: {kind} is not for conditions")
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
            if name not in KNOWN and not is_method:
                known = ", ".join((*KNOWN, *(f"text.{each}" for each in METHODS)))
                raise ConditionError(
                    f"where {expression!r}: unknown function {name}; there are {known}"
                )
    # What is too much for any case is so for one that has nothing.
    holds(expression, "", "")


@lru_cache(maxsize=4096)
def holds(expression: str, data: str, parameters: str) -> bool:
    """Tell whether an expression holds for the data and the parameters of a case id.

    What the layer lacks (an axis that is not there) makes it false; a parameter that it lacks is None.

    Raises ConditionError for an expression that takes too much work or memory.
    """
    names = _names(data, parameters)
    # A parameter that the id does not state was left out.
    evaluator = EvalWithCompoundTypes(
        operators={**DEFAULT_OPERATORS, ast.Pow: bounded_power},
        functions={**FUNCTIONS},
        names=lambda node: names.get(node.id, None),
    )
    try:
        return bool(evaluator.eval(expression))
    except ConditionError as error:
        raise ConditionError(f"where {expression!r}: {error}") from None
    except (MemoryError, RecursionError, *_TOO_MUCH) as error:
        raise ConditionError(f"where {expression!r} takes too much: {error}") from None
    except (InvalidExpression, ArithmeticError, LookupError, TypeError, ValueError):
        return False


def _names(data: str, parameters: str) -> Mapping[str, Any]:
    tensors = TENSOR.findall(data)
    shapes = [[int(size) for size in dims.split(",") if size] for _, dims in tensors]
    pairs = [part.partition("=") for part in PAIR.split(parameters) if "=" in part]
    return {
        "shapes": shapes,
        "ranks": [len(shape) for shape in shapes],
        "types": [name for name, _ in tensors],
        **{name: value_of(text) for name, _, text in pairs},
        "None": None,
        "True": True,
        "False": False,
    }


def value_of(text: str) -> Any:
    """Return a parameter's value: None if left out, a number, lists of them, or the text itself."""
    if text == ABSENT:
        return None
    text = _TYPED.sub("", text, count=1) if _TYPED.match(text) else text
    if not text:
        return []
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(f"[{text}]" if _NUMBERS.fullmatch(text) and "," in text else text)
    except (SyntaxError, ValueError):
        return text
