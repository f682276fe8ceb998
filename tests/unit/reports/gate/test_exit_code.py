"""The table of exit codes."""

from __future__ import annotations

import pytest

from reports.gate.exit_code import exit_code
from reports.results.outcomes import RED, Gate

GREEN = [gate for gate in Gate if gate not in RED]


@pytest.mark.parametrize("gate", Gate)
def test_one_case_among_others_that_pass(gate: Gate) -> None:
    assert exit_code([Gate.PASS, gate, Gate.PASS]) == int(gate in RED)
    is_red = gate in (*RED, Gate.IMPROVED, Gate.NEW_CASE)
    assert exit_code([Gate.PASS, gate], strict=True) == int(is_red)


@pytest.mark.parametrize(
    ("gates", "options", "code"),
    [
        (GREEN, {}, 0),
        ([Gate.PASS], {"has_other_failures": True}, 1),
        ([Gate.PASS], {"has_gaps": True}, 1),
        ([], {}, 2),
        ([], {"may_skip_all": True}, 2),
        ([Gate.SKIPPED], {}, 2),
        ([Gate.SKIPPED], {"may_skip_all": True}, 0),
        ([Gate.SKIPPED, Gate.PASS], {}, 0),
        ([Gate.SKIPPED, Gate.COMPILED], {}, 0),
        ([Gate.SKIPPED], {"has_other_failures": True}, 2),
        ([Gate.PASS], {"is_unreliable": True}, 2),
        ([Gate.NEW], {"is_unreliable": True}, 2),
        ([Gate.NEW], {"has_other_failures": True, "has_gaps": True}, 1),
    ],
)
def test_the_table(gates: list[Gate], options: dict[str, bool], code: int) -> None:
    assert exit_code(gates, **options) == code
