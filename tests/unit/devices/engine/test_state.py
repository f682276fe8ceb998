"""Variables over several inferences: each fault of a device is seen in the ways of asking that are about it."""

from __future__ import annotations

import numpy as np
import pytest

import ir_models
from devices import Options, Runner, Verdict, parse_profile
from devices.engine.questions import prepare, question_for
from reports.results.outcomes import Outcome
from tests.unit.devices.forgetful import FAULTS

DEVICE = "PYTHON:tests.unit.devices.forgetful"
OF_6 = "variable_id=a;variable_type=f32;variable_shape=2,3;update=add"
LAYERS = (
    f"ReadValue-6/plain/f32[2,3],f32[2,3]/{OF_6}",
    f"Assign-6/plain/f32[2,3],f32[2,3]/{OF_6}",
    f"ReadValue-6/variant.zeros/-,f32[2,3]/{OF_6}",
)
EVERY = ("kept", "reset", "reset-one", "requests", "at-once", "set", "queried")
# The ways of asking that show each fault.
SHOWN = {
    "": (),
    "loses": EVERY,
    "sticks": ("kept", "set", "queried"),
    "reads_late": EVERY,
    "shares": ("requests", "at-once"),
    # A value that was set is not one that was left.
    "leaks": tuple(level for level in EVERY if level != "set"),
    "ignores_reset": ("reset",),
    "ignores_reset_one": ("reset-one",),
    "resets_to_zero": ("reset", "reset-one"),
    "ignores_set": ("set",),
    "queries_stale": ("queried",),
}


def device(fault: str, audit: float = 0.0) -> Runner:
    """The device with this fault, or without any."""
    profile = parse_profile(f"FAULT={fault}" if fault else "OTHER=1")
    return Runner(DEVICE, profile, Options(case_timeout=5.0, audit=audit))


def judge(runner: Runner, ids: list[str]) -> list[Verdict]:
    """The verdicts on one pack."""
    return runner.judge([ir_models.parse(text) for text in ids])


def test_every_fault_is_tried() -> None:
    assert set(SHOWN) == {"", *FAULTS}
    assert set(EVERY) == set(ir_models.HOWS["state"])


@pytest.mark.parametrize("fault", [fault for fault in SHOWN if fault != "leaks"])
def test_a_fault_is_seen_where_it_is_asked_about_in_packs_and_alone(fault: str) -> None:
    with device(fault) as runner:
        for level in EVERY:
            ids = [f"{layer}/state={level}" for layer in LAYERS]
            for pack in (ids, ids[:1], ids[1:2]):
                found = [verdict.outcome for verdict in judge(runner, pack)]
                # Zeros that are reset to zeros are right.
                wrong = [
                    level in SHOWN[fault] and not (fault == "resets_to_zero" and "zeros" in each)
                    for each in pack
                ]
                expected = [Outcome.FAIL if each else Outcome.PASS for each in wrong]
                assert found == expected, (level, len(pack))


@pytest.mark.parametrize("level", SHOWN["leaks"])
def test_a_new_request_that_finds_what_another_left_is_seen(level: str) -> None:
    with device("leaks") as runner:
        ids = [f"{layer}/state={level}" for layer in LAYERS[:2]]
        judge(runner, ids)
        # What the first model of a process finds was left by none.
        outcomes = {verdict.outcome for verdict in judge(runner, ids)}
        assert outcomes <= {Outcome.FAIL, Outcome.FLAKE}


def test_what_passes_in_a_pack_passes_alone() -> None:
    with device("", audit=1.0) as runner:
        verdicts = judge(runner, [f"{layer}/state=kept" for layer in LAYERS])
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASS] * len(LAYERS)


def test_the_detail_names_the_inference() -> None:
    with device("ignores_reset") as runner:
        (verdict,) = judge(runner, [f"{LAYERS[0]}/state=reset"])
    assert verdict.detail.startswith("inference 3, output: ")


def test_variables_of_a_pack_have_names_of_their_own() -> None:
    cases = [ir_models.parse(f"{layer}/state=queried") for layer in LAYERS[:2]]
    question = question_for([prepare(case, 0) for case in cases])
    assert question.queried == ["c0.a", "c1.a"]
    assert [turn.before for turn in question.turns] == ["", ""]


def test_values_set_are_those_that_are_read() -> None:
    case = ir_models.parse(f"{LAYERS[0]}/state=set")
    prepared = prepare(case, 0)
    question = question_for([prepared])
    assert [turn.before for turn in question.turns] == ["set", "", "set", ""]
    for number in (0, 2):
        given = question.turns[number].states["a"].values()
        np.testing.assert_array_equal(given, prepared.expected[number][0].value)
    one, other = (question.turns[number].states["a"].values() for number in (0, 2))
    assert not np.array_equal(one, other)
