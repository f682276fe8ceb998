"""Changes in the source of references: which are made, how they are planted, and which the cases tell."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

import ir_models
from reference import lookup
from tests.kill import source_trial
from tests.kill.__main__ import main
from tests.kill.planting import Planter
from tests.kill.source import ROOT, Source, answering, files
from tests.kill.source_table import all_told, render
from tests.kill.source_trial import excuses, try_sources
from tests.kill.trial import Trial
from tests.unit.command_lines import exit_code


def mutant_of(file, text):
    source = Source(ROOT / file)
    (found,) = (each for each in source.mutants if text in each.name)
    return source, found


def written(tmp_path, text):
    path = tmp_path / "file.py"
    path.write_text(text)
    return [each.name for each in Source(path).mutants]


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_every_change_makes_another_source_and_has_a_name_of_its_own(file):
    source = Source(file)
    right = ast.dump(source.right())
    names = [each.name for each in source.mutants]
    assert len(set(names)) == len(names)
    for each in source.mutants[::10]:
        assert ast.dump(source.changed(each)) != right, each.name


def functions_run(operation):
    """The functions of references, as (file, name), that the first cases of an operation run."""
    found, own = set(), set(map(str, files()))

    def on_event(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename in own and not code.co_name.startswith("<"):
            found.add((Path(code.co_filename), code.co_name))

    trial = Trial(ir_models.operation(operation))
    for number in range(0, len(trial.cases), max(len(trial.cases) // 5, 1)):
        question = trial.question(number)
        reference = lookup(operation)
        sys.setprofile(on_event)
        try:
            with np.errstate(all="ignore"):
                reference(*question.inputs, **question.attributes)
        finally:
            sys.setprofile(None)
    return found


@pytest.mark.parametrize(
    "operation",
    [
        *("DeformableConvolution-8", "DetectionOutput-8", "GenerateProposals-9", "GridSample-9"),
        *("Interpolate-11", "LSTMSequence-5", "MatrixNonMaxSuppression-8", "NMSRotated-13"),
        *("ROIAlign-9", "STFT-15", "ScatterNDUpdate-15", "TensorIterator-1"),
    ],
)
def test_every_function_that_answers_is_changed(operation):
    # They take and return what bounds do as well.
    shared_with_bounds = {(ROOT / "shared/graph.py", each) for each in ("_call", "_has_body")}
    assert functions_run(operation) <= answering() | shared_with_bounds


def test_what_only_finds_the_choice_of_a_device_is_left_alone():
    file = ROOT / "shared/detections.py"
    assert (file, "outputs") in answering()
    assert (file, "nearest") not in answering()


def test_what_only_checks_is_left_alone():
    names = [each.name for each in Source(ROOT / "shared/checks.py").mutants]
    assert names
    assert not any("require" in name or "least" in name for name in names)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("_X = 1 + 2", "1 + 2 -> 1 - 2"),
        ("_X = 3", "3 -> 4 in _X = 3"),
        ("_X = 1.5", "1.5 -> 1.65"),
        ("_X = True", "True -> False"),
        ("_X = -1", "-1 -> 1"),
        ("_X = A < B", "A < B -> A <= B"),
        ("_X = A and B", "A and B -> A or B"),
        ("_X = min(A, B)", "min -> max"),
        ("_X = A if B else C", "B -> not B"),
    ],
)
def test_changes_of_each_kind(tmp_path, text, name):
    assert any(name in each for each in written(tmp_path, text))


def test_a_planted_change_is_called_through_every_name_and_taken_out_again():
    name = "_gather: axis - b -> axis + b"
    source, mutant = mutant_of("movement/gather.py", name)
    data = np.arange(24).reshape(2, 3, 4)
    arguments = data, np.array([[1], [0]]), np.array(2)
    gather = lookup("Gather-8")
    right = gather(*arguments, batch_dims=1)
    with Planter(source).planted(mutant), pytest.raises(ValueError, match="axis"):
        gather(*arguments, batch_dims=1)
    assert np.array_equal(gather(*arguments, batch_dims=1), right)


def test_a_planted_default_is_taken_out_again():
    source = Source(ROOT / "movement/gather.py")
    mutant = next(each for each in source.mutants if each.name.startswith("gather_7: default"))
    function = lookup("Gather-7")
    with Planter(source).planted(mutant):
        assert function.__kwdefaults__ == {"batch_dims": 1}
    assert function.__kwdefaults__ == {"batch_dims": 0}


def test_a_change_that_never_ends_is_told(monkeypatch):
    monkeypatch.setattr(source_trial, "PATIENCE", 0.2)
    operation = ir_models.operation("RandomUniform-8")
    _, mutant = mutant_of("generation/random_uniform.py", "len(words) < count -> ")
    trial = source_trial.Trial(operation, draws=0)
    question = trial.question(0)

    def endless(*_inputs, **_attributes):
        while True:
            pass

    monkeypatch.setattr(source_trial, "lookup", lambda _name: endless)
    assert source_trial._verdict(question, mutant, 0.0) == "gate"


@pytest.mark.parametrize("name", ["Gather-8", "NonZero-3", "Power-1", "Sqrt-1"])
def test_the_cases_tell_nearly_every_change(name):
    rows = try_sources([ir_models.operation(name)], shared=False)
    assert all_told(rows), render(rows)


def test_fewer_cases_tell_less(monkeypatch):
    """The table shows what no case tells."""
    monkeypatch.setattr(source_trial.Trial, "__init__", _with_two_cases)
    rows = try_sources([ir_models.operation("StridedSlice-1")], shared=False)
    assert not all_told(rows)
    assert "Not told:" in render(rows)


def _with_two_cases(self, operation, draws=0, usual=source_trial.Trial.__init__):
    usual(self, operation, draws=0)
    self.cases = self.cases[:2]


def test_every_excuse_has_a_source():
    known = {file.relative_to(ROOT).with_suffix("").as_posix() for file in files()}
    for entry in excuses():
        assert set(entry.operations) <= known
        mutants = [
            each.name for name in entry.operations for each in Source(ROOT / f"{name}.py").mutants
        ]
        assert any(entry.covers(name, each) for name in entry.operations for each in mutants), entry


def test_the_command_tells_how_many_changes_fell(capsys):
    assert main(["--source", "--sample", "5", "Gather-8"]) == 0
    told = capsys.readouterr().out
    assert "movement/gather" in told
    assert told.splitlines()[0].split()[:3] == ["source", "changes", "told"]


@pytest.mark.parametrize("options", [["--sample", "3"], ["--source", "--sample", "0"]])
def test_wrong_usage(options, capsys):
    assert exit_code(main, *options) == 2
    assert "--sample" in capsys.readouterr().err
