"""Issues of failure folders: a layer of a model, a reduced model, a shrunk graph."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from devices.__main__ import main as devices
from reports.__main__ import main

RESULT = {
    "outcome": "FAIL",
    "detail": "[0] is 1, should be 2",
    "operations": ["activation/ReLU-1"],
}


def folder_of(path: Path, case: str, result: dict[str, object], off: float = 1.0) -> Path:
    """A folder of a case whose expected values are off, so that a device that is right departs."""
    with redirect_stdout(StringIO()):
        assert devices(["write", case, "--out", str(path)]) == 0
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    (path / "manifest.json").write_text(json.dumps(manifest | {"result": result}), "utf-8")
    expected = path / "expected_0_0.npy"
    np.save(expected, np.load(expected) + np.float32(off))
    return path


def test_an_issue_of_a_folder_has_a_script_that_was_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "case", "ReLU-1/plain/f32[2,3]/-", RESULT)
    assert main(["issue", str(folder)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# ReLU-1: wrong result on CPU\n")
    assert "activation/relu-1.html" in text
    assert "core.compile_model(model, 'CPU'" in text
    assert "[0] is 1, should be 2" in text
    assert "The script prints (exit code 1):" in text
    assert main(["issue", str(folder), "--out", str(tmp_path / "issue.md")]) == 0
    assert (tmp_path / "issue.md").read_text("utf-8") == text


def test_an_issue_of_a_known_layer_has_its_cause_and_the_words_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "causes"
    known.mkdir()
    (known / "relu-off.toml").write_text(
        """
title = "ReLU - off by one"
class = "defect"
component = "plugin node"
page = "'max(0, x)'"
smallest = "ReLU-1/plain/f32[2,3]/-"
since = "2024.0"
devices = ["CPU"]
[[select]]
operation = ["ReLU-1"]
""",
        "utf-8",
    )
    result = RESULT | {"cause": "relu-off"}
    folder = folder_of(tmp_path / "case", "ReLU-1/plain/f32[2,3]/-", result)
    assert main(["issue", str(folder), "--causes", str(known)]) == 0
    text = capsys.readouterr().out
    assert "- Known as relu-off: ReLU - off by one\n" in text
    assert "## Expected\n\nThe specification says: 'max(0, x)'\n" in text


def test_an_issue_of_a_folder_is_about_the_openvino_of_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = {
        "outcome": "FAIL",
        "category": "activation",
        "operation": "ReLU-1",
        "layer_xml": "<layer/>",
    }
    folder = folder_of(tmp_path / "case", "ReLU-1/plain/f32[2,3]/-", result)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    own = {"own_openvino": sys.prefix, "openvino": "2099.1.0-1-of-my-own"}
    (folder / "manifest.json").write_text(json.dumps(manifest | own), "utf-8")
    assert main(["issue", str(folder)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# ReLU-1: wrong result on CPU\n\n- OpenVINO 2099.1.0-1-of-my-own,")
    assert "Run with a Python that has openvino 2099.1.0-1-of-my-own and numpy:" in text
    assert "activation/relu-1.html" in text


def test_a_folder_in_which_the_device_is_right_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "case", "ReLU-1/plain/f32[2,3]/-", RESULT, 0.0)
    assert main(["issue", str(folder)]) == 1
    assert "The departure was not seen again" in capsys.readouterr().out


def test_a_folder_that_fits_into_no_script_is_handed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "case", "ReLU-1/plain/f32[50,50]/-", RESULT)
    assert main(["issue", str(folder)]) == 0
    told = capsys.readouterr()
    assert "is too large for a script: shrinking it, for a minute at most" in told.err
    # The reference is right, so that no smaller graph departs: the folder's own script shows it.
    assert "There is no short script: a tensor has 2,500 elements." in told.out
    assert "verdict   FAIL: the defect is there" in told.out


@pytest.mark.parametrize(
    "result, words",
    [
        (RESULT | {"outcome": "PASS"}, "case: the case in it passed"),
        (None, "none: no failure folder; of a cause, name results files as well"),
    ],
)
def test_what_is_no_failure_folder_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], result: dict[str, object] | None, words: str
) -> None:
    path = tmp_path / ("case" if result else "none")
    if result:
        folder_of(path, "ReLU-1/plain/f32[2,3]/-", result)
        capsys.readouterr()
    assert main(["issue", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


@pytest.mark.parametrize(
    "text, words",
    [
        ("[]", "it is no object"),
        ("null", "it is no object"),
        ('{"schema": 1, "inferences": [5]}', "manifest.json is damaged"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_damaged_manifest_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    folder = folder_of(tmp_path / "case", "ReLU-1/plain/f32[2,3]/-", RESULT)
    (folder / "manifest.json").write_text(text)
    capsys.readouterr()
    assert main(["issue", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(folder) in line
    assert words in line
