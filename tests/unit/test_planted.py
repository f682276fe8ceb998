"""Planted pairs: what a device with a defect answers, what is caught, and what is named."""

import pytest

import ir_models
from ir_models import LayerCase
from ir_models.asking.how import How
from ir_models.vocabulary.layers import plain_layer
from reports.results.outcomes import Outcome
from tests.planted import crossing_trial, crossings
from tests.planted.__main__ import main
from tests.planted.defects import EFFECTS, KINDS, Defect, Drawing
from tests.planted.device import verdict_on
from tests.planted.factors import of_layer, of_ways
from tests.planted.table import is_enough, render
from tests.planted.trial import Trial
from tests.unit.command_lines import exit_code

GATHER = ir_models.operation("Gather-8")


@pytest.fixture(scope="module")
def trial():
    return Trial(GATHER)


def factors():
    """Data of i8, and a layer behind."""
    layer = plain_layer(GATHER).with_types({"T": ir_models.element_type("i8")})
    kind = next(level for _, level in of_layer(layer) if level.name == "data of i8")
    behind = next(level for _, level in of_ways(layer) if level.name == "behind=negative")
    return layer, (kind, behind)


@pytest.mark.parametrize("effect", EFFECTS)
def test_the_device_is_wrong_only_where_both_meet(effect):
    layer, pair = factors()
    defect = Defect(GATHER, KINDS[0], pair, effect)
    assert verdict_on(defect, LayerCase(layer, "type")).outcome is Outcome.PASS
    plain = LayerCase(plain_layer(GATHER), "plain", How(behind="negative"))
    assert verdict_on(defect, plain).outcome is Outcome.PASS
    outcome = verdict_on(defect, LayerCase(layer, "type", How(behind="negative"))).outcome
    wanted = {"refusal": Outcome.REFUSED, "death": Outcome.CRASH}
    assert outcome is wanted.get(effect, Outcome.FAIL)


@pytest.mark.parametrize("name", ["Gather-8", "Add-1", "Convert-1"])
def test_a_device_without_a_defect_departs_nowhere(name):
    for case in ir_models.cases(ir_models.operation(name)):
        if case.purpose in ("plain", "type", "enumeration", "dim-0"):
            verdict = verdict_on(None, case)
            assert verdict.outcome in (verdict.expected_outcome, Outcome.PASS), case


def test_a_defect_is_caught_and_named(trial):
    result = trial.result(Defect(GATHER, KINDS[0], factors()[1], "wrong value"))
    assert result.by_pairs
    assert result.is_named
    assert is_enough([result])


def test_what_no_case_has_is_not_caught(trial):
    _, (kind, _) = factors()
    other = next(level for _, level in of_layer(plain_layer(GATHER)) if level.name == "data of f32")
    result = trial.result(Defect(GATHER, KINDS[1], (kind, other), "wrong value"))
    assert not result.by_all
    assert not is_enough([result])
    assert "no case has both" in render([result])


def test_draws_are_the_same_for_a_seed_and_of_different_factors():
    for kind in KINDS:
        drawn, again = (Drawing(GATHER, 1).draw(kind, 5) for _ in range(2))
        assert list(map(str, drawn)) == list(map(str, again))
        assert len({tuple(f.name for f in defect.factors) for defect in drawn}) == 5
        assert list(map(str, drawn)) != list(map(str, Drawing(GATHER, 2).draw(kind, 5)))


def test_the_command_tells_what_was_caught(capsys):
    assert main(["--each", "1", "Gather-8"]) in (0, 1)
    assert "what x how" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--each", "0"], ["Nothing-1"]])
def test_wrong_usage(options):
    assert exit_code(main, *options) == 2


# --- crossings --------------------------------------------------------------------------------------------------------

ABS = ir_models.operation("Abs-1")


@pytest.mark.parametrize("kind", crossings.KINDS)
def test_defects_of_crossings_are_the_same_for_a_seed_and_can_be(kind):
    operations = list(ir_models.select(["Abs", "Add-1", "AvgPool-14", "Elu-1", "Concat-1"]))
    drawn, again = (crossings.draw(kind, operations, 4, 1) for _ in range(2))
    assert list(map(str, drawn)) == list(map(str, again))
    assert len({plant.factors for plant in drawn}) == len(drawn) >= 3
    assert not any(factor.name == "nothing" for plant in drawn for factor in plant.factors)


def test_a_defect_of_one_way_is_caught_by_pairs_and_named():
    plants = [
        crossings.Plant(kind, (ABS.name,), (crossings._of(name, level),), "death")
        for kind, name, level in (
            ("constants of neighbours", "operand", "more-ones"),
            ("neighbours that change shapes", "behind", "end-one"),
            ("two readers", "also", "input"),
            ("one dimension unknown", "shape", "axis-2"),
        )
    ]
    # No operation has this way.
    plants.append(
        crossings.Plant("lengths", (ABS.name,), (crossings._of("behind", "nothing"),), "death")
    )
    rows = {row.kind: row for row in crossing_trial.judge(plants, [ABS])}
    for plant in plants[:-1]:
        (found,) = rows[plant.kind].found
        assert found.is_caught, plant
        assert found.is_named, found.why
        assert rows[plant.kind].pairs >= rows[plant.kind].single > 0
    (found,) = rows["lengths"].found
    assert not found.is_caught
    assert not crossing_trial.is_enough(list(rows.values()))
    assert "Not caught:\n  lengths: Abs-1: behind=nothing" in crossing_trial.render(
        list(rows.values())
    )


def test_declarations_and_sweeps_that_are_wrong_are_told():
    for row in (crossing_trial.declarations([ABS], 1, 0), crossing_trial.sweeps([ABS], 1, 0)):
        assert [each.is_named for each in row.found] == [True], row.kind
