"""What a device is not blamed for, because a page allows it, is a reading that admits it."""

import pytest

import ir_models
from ir_models.graphs import GraphCase
from ir_models.pages.specification import readings_of
from ir_models.vocabulary.readings import GENERAL
from reports.gate import causes

# Causes that rest on no sentence of a page.
NOT_READ = {
    "constant-operand-kept-in-bf16": "in which type a plugin keeps constants is on no page",
    "convolution-scale-behind-in-bf16-weights": "in which type a plugin keeps constants is on no page",
    "scatter-update-slow": "how long an answer may take is on no page",
    "subtract-then-divide-where-terms-cancel": "how exact layers are together is on no page",
    "fake-quantize-of-one-number-folded": "which layers must run is on no page",
    "low-precision-concat-of-one-scale": "how plugins quantize graphs to 8 bits is on no page",
    "low-precision-moves-zero-to-a-level": "how plugins quantize graphs to 8 bits is on no page",
}


def open_causes():
    undecided = pytest.mark.xfail(strict=True, reason="no reading, or another class")
    for one in causes.load().by_id.values():
        if one.cause_class == "open":
            marks = [undecided] if one.undecided else []
            yield pytest.param(one.id, one.smallest, id=one.id, marks=marks)


@pytest.mark.parametrize(("name", "smallest"), [*open_causes()])
def test_an_open_cause_rests_on_a_reading_that_admits_other_answers(name, smallest):
    case = ir_models.parse(smallest)
    # Readings of every page say that no exception is promised, and what versions of the IR may change.
    general = GENERAL if case.is_invalid or case.how.ir else ()
    # What layers of a graph admit each may say nothing of what they are together.
    names = [case.operation.name]
    if isinstance(case, GraphCase):
        names = [] if name in NOT_READ else [*case.graph.operations]
    readings = [
        *(one for each in names for one in readings_of(ir_models.operation(each))),
        *general,
    ]
    admitted = [each for each in readings if each.admits]
    assert bool(admitted) != (name in NOT_READ), (
        f"{case.operation.name}: a reading in its declaration says what it admits"
    )
