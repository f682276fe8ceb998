"""Models as cases of the suite: ``pytest tests/conformance --model MODEL``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devices.models.writing.recording import case_ids
from ir_models.models import read
from reports.results import model_run
from tests.planted.model_trial import DEVICE
from tests.planted.small_model import SmallModel, network
from tests.unit.conformance import running

ROOT = Path(__file__).parents[3]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = ["-m", "pytest", "-p", "no:cacheprovider", "tests/conformance"]
    done = running.run(Path("models"), *command, *map(str, arguments))
    return subprocess.CompletedProcess(command, done.code, done.out, done.err)


def outcomes(path: Path) -> dict[str, str]:
    """Outcome and gate of each case by its layer."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {
        each["case"].partition("layer=")[2] or "": f"{each['outcome']} {each['gate']}"
        for each in lines
        if each["kind"] == "case"
    }


LAYERS = ["conv", "bias", "relu", "pool", "flat", "product", "tanh", "softmax"]


def test_each_layer_is_a_case_and_a_cut_off_run_goes_on(tmp_path):
    path, results = network(tmp_path), tmp_path / "r.jsonl"
    done = run("--model", path, "--results", results)
    assert done.returncode == 0, done.stdout + done.stderr
    found = outcomes(results)
    assert list(found) == ["", *LAYERS]
    assert set(found.values()) == {"PASS pass"}
    lines = results.read_text("utf-8").splitlines(keepends=True)
    results.write_text("".join(lines[:5]), "utf-8")
    again = run("--model", path, "--results", results, "--resume", "-n", "1")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "5 passed" in again.stdout
    assert outcomes(results).keys() == found.keys()


def test_a_departure_is_red_and_known_once_a_baseline_has_it(tmp_path):
    path, results = network(tmp_path), tmp_path / "r.jsonl"
    names = {source.title: name for name, source in read(path).sources.items()}
    plant = ["--device", DEVICE, "--profile", f"accuracy,PLANT=kernel:{names['pool']}"]
    done = run("--model", path, "--results", results, *plant)
    assert done.returncode == 1, done.stdout + done.stderr
    found = outcomes(results)
    assert found["pool"] == "FAIL new"
    # The results are wrong, so that the model as a whole is.
    assert found.pop("") == "FAIL new"
    assert {each for name, each in found.items() if name not in ("pool", "flat")} == {"PASS pass"}
    assert (tmp_path / "r.failures").is_dir()
    (page,) = (tmp_path / "r.models").rglob("model.html")
    assert "../" in page.read_text("utf-8")
    known = run("--model", path, "--results", tmp_path / "s.jsonl", "--baseline", results, *plant)
    assert known.returncode == 0, known.stdout + known.stderr
    assert outcomes(tmp_path / "s.jsonl")["pool"] == "FAIL known"


def test_what_is_known_is_told_when_a_run_is_interrupted(tmp_path):
    path, results, plant = network(tmp_path), tmp_path / "r.jsonl", tmp_path / "plant"
    # The device reads its fault at each question, and waits where nobody writes it: at the second one.
    os.mkfifo(plant)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "tests/conformance",
        "--model",
        path,
    ]
    command += ["--results", results, "--device", DEVICE, "--profile", f"accuracy,PLANT=@{plant}"]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        plant.write_text("", "utf-8")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        try:
            printed, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 2, printed
    (page,) = (tmp_path / "r.models").rglob("model.html")
    assert f"network.xml: interrupted; what is known: {page}" in printed
    assert not model_run.read(page.with_name("model.json")).is_whole
    assert list(outcomes(results)) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--samples", "2"], "--samples needs --model"),
        (["--model", "none.xml"], "none.xml: there is no such file"),
        (["--model", "SMALL", "--shape", "x"], "'x' names no input"),
    ],
)
def test_wrong_usage_is_one_line(tmp_path, arguments, words):
    path = network(tmp_path)
    given = [str(path) if each == "SMALL" else each for each in arguments]
    done = run(*given, "--results", tmp_path / "r.jsonl")
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_layers_of_one_title_have_different_ids(tmp_path):
    m = SmallModel()
    x = m.parameter("x", "2,3")
    m.result(m.layer("Abs", m.layer("Abs", x, name="same"), name="same"))
    ids = case_ids(read(m.write(tmp_path)), "small.xml")
    assert list(ids.values()) == [
        "Model/model/-/model=small.xml",
        "Abs-1/model/-/model=small.xml;layer=same #1",
        "Abs-1/model/-/model=small.xml;layer=same #2",
    ]
