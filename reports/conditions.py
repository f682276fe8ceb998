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

from simpleeval import EvalWithCompoundTypes, InvalidExpression

from reports.traits import ABSENT, PAIR, TENSOR


def listed(value: Any) -> list[Any]:
    """Return a parameter as a list: of one number if it is a number, empty if it was left out."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


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
    "range": range,
    "sorted": sorted,
    "sum": sum,
    "zip": zip,
}

_TYPED = re.compile(r"[a-z]\w*:")
_NUMBERS = re.compile(r"-?[\d.]+(,-?[\d.]+)*")


class ConditionError(ValueError):
    """An expression cannot be parsed."""


def check(expression: str) -> None:
    """Raise ConditionError for what is not an expression."""
    try:
        ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise ConditionError(f"where must be an expression, got {expression!r}: {error}") from None


@lru_cache(maxsize=4096)
def holds(expression: str, data: str, parameters: str) -> bool:
    """Tell whether an expression holds for the data and the parameters of a case id.

    What the layer lacks (an axis that is not there) makes it false; a parameter that it lacks is None.
    """
    names = _names(data, parameters)
    # A parameter that the id does not state was left out.
    evaluator = EvalWithCompoundTypes(
        functions=FUNCTIONS, names=lambda node: names.get(node.id, None)
    )
    try:
        return bool(evaluator.eval(expression))
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
