"""The kill table: the cases of every operation catch nearly every wrong reference."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ir_models
from ir_models import operations
from reference import lookup
from tests.kill import table
from tests.kill.__main__ import main
from tests.kill.mutants import KINDS, mutants
from tests.kill.trial import Trial, as_list

rows: dict[str, table.Row] = {}
trial_of = cache(lambda name: Trial(ir_models.operation(name)))
OPERATIONS = pytest.mark.parametrize("operation", operations(), ids=lambda o: o.name)


def try_operation(operation, trial=None):
    """The row of an operation, made once."""
    if operation.name not in rows:
        rows[operation.name] = table.try_operation(operation, trial)
    return rows[operation.name]


@pytest.fixture(scope="module", params=operations(), ids=lambda operation: operation.name)
def trial(request):
    """The questions of an operation, whose answers both tests need."""
    return Trial(request.param)


def test_nearly_every_wrong_reference_is_caught(trial):
    row = try_operation(trial.operation, trial)
    missed = ", ".join(mutant.name for mutant in row.missed)
    assert row.share >= table.REQUIRED, f"{row.share:.0%}; not caught: {missed}"


def test_the_right_reference_is_not_caught(trial):
    assert trial.cases
    assert trial.caught_by(lambda question: question.answer()) is None
    # What is right bit for bit needs no bounds; those of one case of each purpose admit it.
    numbers = {case.purpose: number for number, case in enumerate(trial.cases)}
    for question in map(trial.question, numbers.values()):
        with np.errstate(all="ignore"):
            assert question.verdict_by_bounds(question.right) == "", question.case.id


@OPERATIONS
def test_mutants_are_told_apart(operation):
    found = mutants(operation)
    names = [mutant.name for mutant in found]
    assert len(set(names)) == len(names)
    assert {mutant.kind for mutant in found} <= KINDS.keys()


def excuses(operation, entry):
    """Whether an entry is the first that covers a mutant of an operation, which no case catches."""
    if operation.name in rows:
        return any(each is entry for _, each in rows[operation.name].excused)
    trial = None
    for mutant in mutants(operation):
        covering = (e for e in table.equivalents() if e.covers(operation.name, mutant.name))
        if next(covering, None) is entry:
            trial = trial or Trial(operation)
            if trial.caught_by(mutant.wrong) is None:
                return True
    return False


def test_every_excuse_is_needed():
    # Those first whose rows this process has made.
    known = sorted(operations(), key=lambda each: each.name not in rows)
    idle = [
        entry for entry in table.equivalents() if not any(excuses(each, entry) for each in known)
    ]
    assert idle == []


# --- wrong references of the block-moving operations, written by hand ---------------------------------------------


def is_caught(name, function):
    """Whether a case of the operation tells this function from the reference."""

    def wrong(question):
        return question.in_type(as_list(function(*question.inputs, **question.attributes)))

    return bool(trial_of(name).caught_by(wrong))


@pytest.mark.parametrize("name", ["SpaceToDepth-1", "DepthToSpace-1"])
@pytest.mark.parametrize("taken", ["blocks_first", "depth_first"])
def test_one_mode_for_the_other_is_caught(name, taken):
    def wrong(data, *, block_size=1, mode):
        return lookup(name)(data, block_size=block_size, mode=taken)

    assert is_caught(name, wrong)


@pytest.mark.parametrize("name", ["SpaceToBatch-2", "BatchToSpace-2"])
def test_begin_and_end_swapped_are_caught(name):
    def wrong(data, block_shape, begin, end):
        return lookup(name)(data, block_shape, end, begin)

    assert is_caught(name, wrong)


def test_padding_on_the_wrong_side_is_caught():
    right = lookup("SpaceToBatch-2")

    def all_at_the_end(data, block_shape, pads_begin, pads_end):
        return right(data, block_shape, pads_begin * 0, pads_begin + pads_end)

    def all_at_the_begin(data, block_shape, pads_begin, pads_end):
        return right(data, block_shape, pads_begin + pads_end, pads_end * 0)

    assert is_caught("SpaceToBatch-2", all_at_the_end)
    assert is_caught("SpaceToBatch-2", all_at_the_begin)


def test_a_crop_by_one_too_many_is_caught():
    right = lookup("BatchToSpace-2")

    def shorter(data, block_shape, crops_begin, crops_end):
        more = crops_begin.copy()
        more[-1] += 1
        return right(data, block_shape, more, crops_end)

    def shifted(data, block_shape, crops_begin, crops_end):
        """One more at the begin, one less at the end: the shape stays right."""
        begin, end = crops_begin.copy(), crops_end.copy()
        if end[-1] > 0:
            begin[-1] += 1
            end[-1] -= 1
        return right(data, block_shape, begin, end)

    assert is_caught("BatchToSpace-2", shorter)
    assert is_caught("BatchToSpace-2", shifted)


def test_one_axis_of_the_transpose_swapped_is_caught():
    """The order of blocks among themselves, and of blocks and what they move into."""

    def batch_before_blocks(data, block_shape, pads_begin, pads_end):
        moved = lookup("SpaceToBatch-2")(data, block_shape, pads_begin, pads_end)
        split = moved.reshape(-1, data.shape[0], *moved.shape[1:])
        return split.swapaxes(0, 1).reshape(moved.shape)

    def blocks_in_the_other_order(data, block_shape, pads_begin, pads_end):
        moved = lookup("SpaceToBatch-2")(data, block_shape, pads_begin, pads_end)
        blocks = [int(b) for b in block_shape]
        split = moved.reshape(*blocks[-2:], -1, *moved.shape[1:]) if len(blocks) > 2 else moved
        return split.swapaxes(0, 1).reshape(moved.shape) if len(blocks) > 2 else moved

    def from_batch_before_blocks(data, block_shape, crops_begin, crops_end):
        blocks = int(np.prod([int(b) for b in block_shape]))
        split = data.reshape(-1, blocks, *data.shape[1:]).swapaxes(0, 1).reshape(data.shape)
        return lookup("BatchToSpace-2")(split, block_shape, crops_begin, crops_end)

    def to_depth(data, *, block_size=1, mode):
        """Rows and columns of a block swapped."""
        moved = lookup("SpaceToDepth-1")(data, block_size=block_size, mode=mode)
        if data.ndim < 4:
            return moved
        batch, depth, *grid = moved.shape
        outer = depth // block_size**2
        split = (batch, block_size, block_size, outer, *grid)
        if mode == "depth_first":
            split = (batch, outer, block_size, block_size, *grid)
        axis = 2 if mode == "depth_first" else 1
        return moved.reshape(split).swapaxes(axis, axis + 1).reshape(moved.shape)

    def from_depth(data, *, block_size=1, mode):
        if data.ndim < 4:
            return lookup("DepthToSpace-1")(data, block_size=block_size, mode=mode)
        batch, depth, *grid = data.shape
        outer = depth // block_size**2
        split = (batch, block_size, block_size, outer, *grid)
        if mode == "depth_first":
            split = (batch, outer, block_size, block_size, *grid)
        axis = 2 if mode == "depth_first" else 1
        swapped = data.reshape(split).swapaxes(axis, axis + 1).reshape(data.shape)
        return lookup("DepthToSpace-1")(swapped, block_size=block_size, mode=mode)

    assert is_caught("SpaceToBatch-2", batch_before_blocks)
    assert is_caught("SpaceToBatch-2", blocks_in_the_other_order)
    assert is_caught("BatchToSpace-2", from_batch_before_blocks)
    assert is_caught("SpaceToDepth-1", to_depth)
    assert is_caught("DepthToSpace-1", from_depth)


BLOCK_MOVING = ["SpaceToBatch-2", "BatchToSpace-2", "SpaceToDepth-1", "DepthToSpace-1"]


@pytest.mark.parametrize("name", BLOCK_MOVING)
def test_the_last_element_dropped_is_caught(name):
    def wrong(*inputs, **attributes):
        outputs = lookup(name)(*inputs, **attributes).copy()
        outputs.reshape(-1)[-1:] = outputs.reshape(-1)[-2:-1]
        return outputs

    assert is_caught(name, wrong)


@pytest.mark.parametrize("name", BLOCK_MOVING)
def test_nothing_escapes_from_the_block_moving_operations(name):
    row = try_operation(ir_models.operation(name))
    assert row.missed == row.excused == []
    assert row.caught == row.total


# --- the machinery ------------------------------------------------------------------------------------------------


def test_what_is_wrong_about_nothing_does_not_count():
    assert trial_of("Tile-1").caught_by(lambda question: None) == ""


def test_a_wrong_reference_that_cannot_answer_is_caught():
    def wrong(question):
        raise ValueError("no")

    assert trial_of("Tile-1").caught_by(wrong).startswith("Tile-1/plain/")


@pytest.mark.parametrize(
    "change",
    [
        lambda array: array.reshape(-1),
        lambda array: array.astype(np.float64 if array.dtype != np.float64 else np.float32),
    ],
)
def test_another_shape_or_type_is_wrong(change):
    question = trial_of("Tile-1").question(0)
    assert not question.is_wrong(question.right)
    assert question.is_wrong([change(question.right[0])])
    assert question.is_wrong([])


def test_an_attribute_that_is_ignored_is_caught_by_a_case_that_uses_it():
    by = {m.name: m for m in mutants(ir_models.operation("SpaceToDepth-1"))}
    caught = trial_of("SpaceToDepth-1").caught_by(by["mode always blocks_first"].wrong)
    assert "mode=depth_first" in caught
    caught = trial_of("SpaceToDepth-1").caught_by(by["default of block_size + 1"].wrong)
    assert "block_size" not in caught


@pytest.mark.parametrize(
    "name, has", [("Exp-1", False), ("Transpose-1", True), ("ShapeOf-1", True)]
)
def test_only_pages_about_axes_have_axes_to_mix_up(name, has):
    names = [mutant.name for mutant in mutants(ir_models.operation(name))]
    assert any(re.fullmatch("axes .* swapped", each) for each in names) == has


def test_computing_in_a_narrower_type_is_wrong_about_answers_too():
    """Small integers go through f32 unharmed, their sum does not."""
    by = {m.name: m for m in mutants(ir_models.operation("ReduceSum-1"))}
    assert trial_of("ReduceSum-1").caught_by(by["i32 computed in float32"].wrong)


def test_an_excuse_needs_a_reason(monkeypatch, tmp_path):
    for text in (
        '[[equivalent]]\noperation = "A-1"\nmutant = "x"\n',
        '[[equivalent]]\noperation = "A-1"\nmutant = "x"\nreason = " "\n',
    ):
        (tmp_path / "equivalent.toml").write_text(text)
        monkeypatch.setattr(table, "EQUIVALENT", tmp_path / "equivalent.toml")
        with pytest.raises(
            table.EquivalentError, match="entry 1 needs operation, mutant and a reason"
        ):
            table.equivalents.__wrapped__()


def test_patterns_of_excuses():
    entry = table.Equivalent(("A-*", "B-1"), ("axes (0) reversed", "data *"), "why")
    assert entry.covers("A-7", "axes (0) reversed")
    assert entry.covers("B-1", "data f32 rounded")
    assert not entry.covers("B-12", "data f32 rounded")
    assert not entry.covers("A-7", "axes (0) reversed twice")


# --- the command line ---------------------------------------------------------------------------------------------


def test_the_table(capsys):
    assert main(["SpaceToDepth-1", "ShapeOf-1"]) == 0
    printed = capsys.readouterr().out
    assert printed.split()[:3] == ["operation", "attribute", "index"]
    assert re.search(r"^SpaceToDepth-1 +(\d+)/\1 .* 100%$", printed, re.MULTILINE)
    assert "Equivalent to the reference:" in printed
    assert "ShapeOf-1: f32 computed in bfloat16 (the answer is the shape alone" in printed


def test_the_table_as_markdown(capsys):
    assert main(["Tile", "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| operation | attribute |")
    assert lines[1].startswith("| --- | ---: |")
    assert lines[2].startswith("| Tile-1 | - |")


def test_too_few_caught_is_exit_code_1(capsys, monkeypatch):
    monkeypatch.setattr(table, "equivalents", tuple)
    assert main(["ShapeOf-1"]) == 1
    printed = capsys.readouterr().out
    assert "Not caught:\n  ShapeOf-1: f32 computed in bfloat16" in printed


def test_an_unknown_operation_is_exit_code_2(capsys):
    assert main(["Nothing-1"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "python -m tests.kill: unknown operation 'Nothing-1'\n"


def test_the_command_runs():
    ran = subprocess.run(
        [sys.executable, "-m", "tests.kill", "Tile-1"],
        cwd=Path(ir_models.__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Tile-1" in ran.stdout
