"""What a device is not blamed for, because a page allows it, is a reading that admits it."""

import pytest

import ir_models
from ir_models.pages.specification import readings_of
from ir_models.vocabulary.readings import GENERAL
from reports.gate import causes

# Causes that rest on no sentence of a page.
NOT_READ = {"scatter-update-slow": "how long an answer may take is on no page"}


def open_causes():
    for one in causes.load().by_id.values():
        if one.kind == "open":
            yield pytest.param(one.id, one.smallest, id=one.id)


@pytest.mark.parametrize(("name", "smallest"), [*open_causes()])
def test_an_open_cause_rests_on_a_reading_that_admits_other_answers(name, smallest):
    case = ir_models.parse(smallest)
    # Readings of every page say that no exception is promised, and what versions of the IR may change.
    general = GENERAL if case.is_invalid or case.how.ir else ()
    readings = [*readings_of(case.operation), *general]
    admitted = [each for each in readings if each.admits]
    assert bool(admitted) != (name in NOT_READ), (
        f"{case.operation.name}: a reading in its declaration says what it admits"
    )
