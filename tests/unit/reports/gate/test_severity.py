"""How bad a cause is: the kinds of departures, and regressions."""

from __future__ import annotations

import pytest

from reports.gate.severity import SEVERITIES, Severity, as_regression, of_record
from tests.unit.reports.small_results import record


@pytest.mark.parametrize(
    "kind, regressed",
    [
        ("memory", "memory"),
        ("silent", "silent"),
        ("refusal", "regression"),
        ("unchecked", "regression"),
        ("accuracy", "regression"),
        ("", ""),
    ],
)
def test_what_ranks_below_a_regression_is_one_if_an_earlier_release_was_right(
    kind: str, regressed: str
) -> None:
    assert kind in ("", *SEVERITIES)
    for is_plausible in (False, True):
        severity = Severity(kind, is_plausible)
        assert as_regression(severity, "") == severity
        assert as_regression(severity, "2025.4") == Severity(regressed, is_plausible)


def test_a_record_of_a_regression() -> None:
    refused = record("Elu-1/plain/f32[2]/alpha=1.0", "REFUSED", last_good="2025.4")
    assert of_record(refused).kind == "regression"
    assert str(of_record(refused)) == "regression"
