"""What is asked: operations as the specification declares them, cases, and their IR.

operation("SpaceToBatch-2")          a declaration
cases(operation, ["plain"])          its cases, lazily
parse("SpaceToDepth-1/...")          the case that an id names
ir.write([case])                     XML and weights
"""

# The package of declarations bears the name of a function below: loaded first, it cannot take that name later.
import ir_models.operations  # noqa: F401
from ir_models import purposes
from ir_models.case import Case
from ir_models.catalog import UnknownOperationError, operation, operations, select
from ir_models.element_types import ELEMENT_TYPES, ElementType, Tensor, element_type
from ir_models.how import HOWS, How
from ir_models.ids import CaseIdError, read
from ir_models.operation import Layer, Operation
from ir_models.purposes import DEFAULT_DEPTH, DEPTHS, PURPOSES, UnknownPurposeError, cases

__all__ = [
    "DEFAULT_DEPTH",
    "DEPTHS",
    "ELEMENT_TYPES",
    "HOWS",
    "PURPOSES",
    "Case",
    "CaseIdError",
    "ElementType",
    "How",
    "Layer",
    "Operation",
    "Tensor",
    "UnknownOperationError",
    "UnknownPurposeError",
    "all_purposes",
    "cases",
    "check_purposes",
    "element_type",
    "operation",
    "operations",
    "parse",
    "select",
]


def parse(text: str) -> Case:
    """The case that an id names. Raises CaseIdError, or UnknownOperationError for its operation."""
    case = Case(*read(text, operation))
    if case.contradiction:
        raise CaseIdError(f"malformed case id {text!r}: {case.contradiction}")
    try:
        _ = case.layers
    except ValueError as error:  # a layer all of whose dimensions are fixed has no unknown shape
        raise CaseIdError(f"malformed case id {text!r}: {error}") from None
    return case


def all_purposes() -> dict[str, str]:
    """The purposes of every operation, then the variants of single operations, with a line on each."""
    return purposes.all_purposes(operations())


def check_purposes(names: list[str] | tuple[str, ...]) -> None:
    """Raise UnknownPurposeError for a name that is no purpose."""
    purposes.check(names, operations)
