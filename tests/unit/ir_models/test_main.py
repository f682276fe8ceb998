"""``python -m ir_models``: what it prints, what it writes, how it says no."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ir_models
from ir_models.__main__ import main
from tests.unit.command_lines import refusal

ROOT = Path(ir_models.__file__).parents[1]
PLAIN = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"


def refused(capsys, *arguments):
    return refusal(capsys, main, "python -m ir_models", *arguments)


# --- list ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "options"), [("pairs", ()), ("single", ("--depth", "single"))])
def test_list_prints_ids_that_parse(capsys, depth, options):
    assert main(["list", "--operation", "SpaceToDepth-1", "--random", "3", *options]) == 0
    ids = capsys.readouterr().out.splitlines()
    expected = ir_models.cases(ir_models.operation("SpaceToDepth-1"), draws=3, depth=depth)
    assert ids == [case.id for case in expected]
    assert PLAIN in ids
    assert [ir_models.parse(each).id for each in ids] == ids


def test_list_selects_types_purposes_and_seed(capsys):
    main(["list", "--operation", "Gather", "--purpose", "plain", "example"])
    operations = {line.split("/")[0] for line in capsys.readouterr().out.splitlines()}
    assert operations == {"Gather-1", "Gather-7", "Gather-8"}
    drawn = []
    for seed in ("0", "0", "1"):
        main(["list", "--operation", "Tile-1", "--purpose", "random", "--seed", seed])
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]


def test_list_in_two_processes_is_the_same(capsys, monkeypatch):
    asked = ["list", "--operation", "Gather", "Tile-1", "--purpose", "plain", "random"]
    main([*asked, "--processes", "1"])
    alone = capsys.readouterr().out
    monkeypatch.setattr("ir_models.__main__._FEW", 2)
    main([*asked, "--processes", "2"])
    assert capsys.readouterr().out == alone
    assert alone.startswith("Gather-1/plain/")


def test_count_adds_up(capsys):
    main(["list", "--operation", "SpaceToDepth-1", "Gather-8", "--count"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0][0] == "operation"
    assert rows[0][-2:] == ["variant", "total"]
    assert [row[0] for row in rows[1:]] == ["Gather-8", "SpaceToDepth-1", "total"]
    numbers = np.array([[int(cell) for cell in row[1:]] for row in rows[1:]])
    assert (numbers[:, :-1].sum(axis=1) == numbers[:, -1]).all()
    assert (numbers[:-1].sum(axis=0) == numbers[-1]).all()
    main(["list", "--operation", "SpaceToDepth-1", "Gather-8"])
    assert len(capsys.readouterr().out.splitlines()) == numbers[-1, -1]


def test_count_of_named_purposes_has_their_columns(capsys):
    main(["list", "--operation", "Gather-8", "--count", "--purpose", "variant.batch-dims", "plain"])
    assert capsys.readouterr().out.split()[:4] == [
        "operation",
        "plain",
        "variant.batch-dims",
        "total",
    ]


def test_operations_and_purposes(capsys):
    main(["operations"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(ir_models.operations())
    assert ["BatchToSpace-2", "movement", "opset2", "2"] in [line.split() for line in lines]
    main(["purposes"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(ir_models.all_purposes())
    assert all(len(line.split()) > 1 for line in lines)


@pytest.mark.parametrize("command", [(), ("list",), ("operations",), ("purposes",)])
def test_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    assert "usage: python -m ir_models" in capsys.readouterr().out


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, told",
    [
        ([], "COMMAND"),
        (["lits"], "lits"),
        (["list", "--operation", "Gathr-8"], "did you mean Gather-8"),
        (["list", "--purpose", "plain", "nonsense"], "unknown purpose 'nonsense'"),
        (["list", "--random", "-1"], "--random"),
        (["list", "--random", "many"], "'many'"),
        (["list", "--seed", "1.5"], "--seed"),
        (["list", "--output", "x"], "--output"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(arguments, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told in refused(capsys, *arguments)
    assert os.listdir(tmp_path) == []


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-m", "ir_models", "list"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline().endswith(b"\n")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0
