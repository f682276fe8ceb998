"""What is asked: operations as the specification declares them, cases, and their IR.

operation("SpaceToBatch-2")          a declaration
cases(operation, ["plain"])          its cases, lazily
parse("SpaceToDepth-1/...")          the case that an id names
ir.write([case])                     XML and weights
"""

# The package of declarations bears the name of a function below: loaded first, it cannot take that name later.
import ir_models.operations  # noqa: F401
from ir_models.case import Case, CaseIdError, Form, parse
from ir_models.catalog import UnknownOperationError, operation, operations, select
from ir_models.declaration import Operation
from ir_models.element_types import ELEMENT_TYPES, ElementType, element_type
from ir_models.layer import Layer, Tensor
from ir_models.purposes import PURPOSES, UnknownPurposeError, all_purposes, cases

__all__ = [
    "ELEMENT_TYPES",
    "PURPOSES",
    "Case",
    "CaseIdError",
    "ElementType",
    "Form",
    "Layer",
    "Operation",
    "Tensor",
    "UnknownOperationError",
    "UnknownPurposeError",
    "all_purposes",
    "cases",
    "element_type",
    "operation",
    "operations",
    "parse",
    "select",
]
