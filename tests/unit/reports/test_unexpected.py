"""The groups of unexpected departures of a run."""

from pathlib import Path

import pytest

from reports.gate import baseline_files
from reports.gate.causes import load as load_causes
from reports.gate.decision import targets_of
from reports.results.explained.explanations import counted
from reports.results.facts_of_departures import Facts
from reports.views.unexpected import unexpected_groups
from tests.unit.reports.small_results import header, record, write

CAUSE = """\
title = "Add - f64 - narrowed"
class = "defect"
devices = ["CPU"]
since = "2025.0"
{fixed}

[[select]]
operation = ["Add-1"]
outcome = ["FAIL"]
type = ["f64"]
"""
IDS = [f"Add-1/type/f64[2,{n}]/-" for n in (3, 4)]


@pytest.mark.parametrize(
    ("fixed", "told"),
    [('fixed = "2026.2"', "add-narrowed, fixed in 2026.2"), ("", "add-narrowed")],
)
def test_a_regressed_group_names_the_cause_that_it_had(
    tmp_path: Path, fixed: str, told: str
) -> None:
    """A cause that is fixed names nothing of a later release; the group says that it is back."""
    (tmp_path / "causes").mkdir()
    (tmp_path / "causes" / "add-narrowed.toml").write_text(CAUSE.format(fixed=fixed))
    causes = load_causes(tmp_path / "causes")
    facts = {"inputs": ["f64[2,3]"], "purpose": "type", "operation": "Add-1"}
    old = write(
        tmp_path / "old.jsonl", header("2026.4.0-1"), *(record(one, **facts) for one in IDS)
    )
    target = targets_of(header("2026.5.0-1"), causes, baseline_files.read(old))["CPU", "accuracy"]
    wrong = [record(one, "FAIL", facts=Facts(kind="value", output=0), **facts) for one in (IDS)]
    records = [target.decide(one) for one in wrong]
    assert {str(one.gate) for one in records} == {"regressed"}
    (group,) = unexpected_groups(records, counted(records), target)
    assert group.known_as == f"the known cause may be {told}"
