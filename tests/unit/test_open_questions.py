"""What a device is not blamed for, because a page allows it, is a reading that admits it."""

import sys
from pathlib import Path

import pytest

import ir_models
from ir_models.pages.specification import readings_of
from ir_models.vocabulary.readings import GENERAL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXPECTATIONS = Path(__file__).parents[2] / "reports" / "expectations"
# Root causes that rest on no sentence of a page.
NOT_READ = {"scatter-update-slow": "how long an answer may take is on no page"}


def open_root_causes():
    for path in sorted(EXPECTATIONS.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("expect", []):
            if entry["class"] == "open":
                yield pytest.param(entry["id"], entry["smallest"], id=f"{path.stem}-{entry['id']}")


@pytest.mark.parametrize(("name", "smallest"), [*open_root_causes()])
def test_an_open_root_cause_rests_on_a_reading_that_admits_other_answers(name, smallest):
    case = ir_models.parse(smallest)
    # Readings of every page say that no exception is promised, and what versions of the IR may change.
    general = GENERAL if case.is_invalid or case.how.ir else ()
    readings = [*readings_of(case.operation), *general]
    admitted = [each for each in readings if each.admits]
    assert bool(admitted) != (name in NOT_READ), (
        f"{case.operation.name}: a reading in its declaration says what it admits"
    )
