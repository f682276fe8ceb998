"""Attributes that are infinite, NaN or very large: every reference answers, or says which rule is broken.

The operations, their attributes and the types of their data are those of the declarations.
"""

import numpy as np
import pytest

import ir_models
from ir_models.asking.how import How
from reference import answer, compare
from reference.accuracy import is_float

VALUES = (np.inf, -np.inf, np.nan, 1e20, -1e20, 1e300)


def real_attributes(operation):
    return [each for each in operation.attributes if each.type in (float, list[float])]


def asked(operation):
    """The plain layer in each type, with each real attribute replaced: (case, attribute, value)."""
    for case in ir_models.cases(operation, draws=0):
        if case.purpose.partition(".")[0] not in ("plain", "type") or case.is_invalid:
            continue
        if case.how != How():
            continue
        for attribute in real_attributes(operation):
            for value in VALUES:
                yield case, attribute, value


OPERATIONS = [each for each in ir_models.operations() if real_attributes(each)]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_a_reference_answers_or_says_which_rule_is_broken(operation):
    for case, attribute, value in asked(operation):
        given = case.arguments()
        old = given.get(attribute.name, attribute.plain)
        count = len(old) if isinstance(old, (tuple, list)) else 1
        replaced = [value] * max(count, 1) if attribute.type == list[float] else value
        try:
            found = answer(operation.name, case.arrays(), {**given, attribute.name: replaced})
        except ValueError:
            continue  # A rule is broken. Every other exception is a fault of the reference.
        for each in found:
            right = each.value
            if not is_float(right.dtype):
                assert compare(each, right).wrong == 0
