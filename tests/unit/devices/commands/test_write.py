"""``python -m devices write``: what it writes, how it says no."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ir_models
from devices.__main__ import main
from devices.commands import write as writing
from devices.engine.single import SingleCases
from ir_models.vocabulary.rules import broken_rule
from reference import answer
from tests.unit.command_lines import refusal

ROOT = Path(ir_models.__file__).parents[1]
PLAIN = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"


_ASKED = writing._verdict


@pytest.fixture(autouse=True)
def no_device(monkeypatch):
    """No device is asked about the case, but where a test wants it."""
    monkeypatch.setattr(writing, "_verdict", lambda *_: (None, False))


def write(case_id, out, *options):
    assert main(["write", case_id, "--out", str(out), *options]) == 0
    return json.loads((out / "manifest.json").read_text())


def refused(capsys, *arguments):
    return refusal(capsys, main, "python -m devices", *arguments)


def test_a_case_that_does_not_fit_into_memory_is_named(tmp_path, capsys):
    large = "Abs-1/plain/f32[99999,99999,999]/-"
    assert f"the tensors of {large}: use" in refused(capsys, "write", large, "--out", tmp_path)


# --- write --------------------------------------------------------------------------------------------------------


def test_write_says_what_is_where(tmp_path):
    manifest = write(PLAIN, tmp_path / "case")
    assert manifest["case"] == PLAIN
    assert (manifest["invalid"], manifest["broken_rule"]) == (False, "")
    (inference,) = manifest["inferences"]
    assert inference == {
        "inputs": [
            {
                "name": "data",
                "element_type": "f32",
                "shape": [3, 5, 4, 6],
                "file": "input_0_0.npy",
            }
        ],
        "expected": [
            {
                "name": "result0",
                "element_type": "f32",
                "shape": [3, 20, 2, 3],
                "file": "expected_0_0.npy",
            }
        ],
        "allowed": [None],
        "choice": [False],
        "together": [False],
        "random": [False],
        "exact": [None],
        "actual": [],
        "states": [],
    }
    case = ir_models.parse(PLAIN)
    data = np.load(tmp_path / "case" / "input_0_0.npy")
    expected = np.load(tmp_path / "case" / "expected_0_0.npy")
    np.testing.assert_array_equal(data, case.arrays()[0], strict=True)
    right = answer("SpaceToDepth-1", [data], case.layer.attributes)[0].value
    np.testing.assert_array_equal(expected, right, strict=True)
    files = {path.name for path in (tmp_path / "case").iterdir()}
    listed = {tensor["file"] for tensor in (*inference["inputs"], *inference["expected"])}
    script = {"reproduce.py", "case_folder"}
    assert files == {"model.xml", "model.bin", "manifest.json", *script, *listed}
    assert os.listdir(tmp_path) == ["case"]


@pytest.mark.parametrize("name", ["bf16", "u4", "u1", "u3", "nf4", "f8e4m3"])
def test_types_that_numpy_lacks_are_bytes(name, tmp_path):
    case_id = f"SpaceToDepth-1/type/{name}[3,5,4,6]/block_size=2,mode=blocks_first"
    (inference,) = write(case_id, tmp_path)["inferences"]
    case, kind = ir_models.parse(case_id), ir_models.element_type(name)
    for tensor in (*inference["inputs"], *inference["expected"]):
        raw = np.load(tmp_path / tensor["file"])
        assert raw.dtype == np.uint8
        assert raw.shape == (kind.byte_size(tuple(tensor["shape"])),)
    data = kind.unpack(np.load(tmp_path / "input_0_0.npy"), (3, 5, 4, 6))
    np.testing.assert_array_equal(data, case.arrays()[0])


def test_errors_are_counted_from_what_was_not_rounded(tmp_path):
    (inference,) = write("Exp-1/plain/f32[2,3,4]", tmp_path)["inferences"]
    assert inference["exact"] == ["exact_0_0.npy"]
    exact, rounded = np.load(tmp_path / "exact_0_0.npy"), np.load(tmp_path / "expected_0_0.npy")
    data = np.load(tmp_path / "input_0_0.npy")
    assert (exact.dtype, rounded.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(exact, np.exp(data.astype(np.float64)), rtol=1e-14)
    np.testing.assert_array_equal(exact.astype(np.float32), rounded)


def test_strings_are_json(tmp_path):
    case_id = "SpaceToDepth-1/type/string[3,5,4,6]/block_size=2,mode=blocks_first"
    write(case_id, tmp_path)
    strings = json.loads((tmp_path / "input_0_0.json").read_text())
    assert strings == ir_models.parse(case_id).arrays()[0].tolist()


def test_every_inference_is_written(tmp_path):
    case = ir_models.parse(f"{PLAIN}/shape=dims")
    manifest = write(case.id, tmp_path)
    shapes = [each["inputs"][0]["shape"] for each in manifest["inferences"]]
    assert shapes == [list(layer.data.shape) for layer in case.layers]
    assert shapes[0] == shapes[2] != shapes[1]
    assert (tmp_path / "expected_2_0.npy").exists()


def test_invalid_layers_have_no_right_output(tmp_path):
    invalid = ir_models.cases(ir_models.operation("SpaceToDepth-1"), ["invalid"])
    case = next(case for case in invalid if case.layer.data is not None)
    manifest = write(case.id, tmp_path)
    assert manifest["broken_rule"] == broken_rule(case.layer).text
    assert manifest["inferences"][0]["expected"] == []
    assert manifest["inferences"][0]["inputs"]


def test_seed_changes_the_data_alone(tmp_path):
    write(PLAIN, tmp_path / "a")
    write(PLAIN, tmp_path / "b", "--seed", "1")
    assert (tmp_path / "a" / "model.xml").read_bytes() == (tmp_path / "b/model.xml").read_bytes()
    first, second = (np.load(tmp_path / name / "input_0_0.npy") for name in "ab")
    assert first.shape == second.shape
    assert not np.array_equal(first, second)


_CHECK = """
import json, sys
import numpy as np
import openvino as ov

core = ov.Core()
for folder in sys.argv[1:]:
    with open(folder + "/manifest.json") as file:
        manifest = json.load(file)
    model = core.read_model(folder + "/model.xml")
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    for inference in manifest["inferences"]:
        held = []
        for place, parameter in enumerate(model.get_parameters()):
            (entry,) = [
                e for e in inference["inputs"] if e["name"] == parameter.get_friendly_name()
            ]
            array = np.load(folder + "/" + entry["file"])
            kind = getattr(ov.Type, entry["element_type"])
            tensor = ov.Tensor(kind, ov.Shape(entry["shape"]))
            tensor.data.reshape(-1).view(np.uint8)[:] = array.reshape(-1).view(np.uint8)
            held.append(tensor)
            request.set_input_tensor(place, tensor)
        request.infer()
        for place, entry in enumerate(inference["expected"]):
            tensor = request.get_output_tensor(place)
            expected = np.load(folder + "/" + entry["file"])
            assert list(tensor.shape) == entry["shape"], (folder, tensor.shape)
            assert tensor.data.tobytes() == expected.tobytes(), folder
    print("right", len(manifest["inferences"]))
"""


def test_plain_openvino_and_numpy_read_what_is_written(tmp_path):
    ids = [
        PLAIN,
        "SpaceToDepth-1/type/bf16[3,5,4,6]/block_size=2,mode=blocks_first",
        "SpaceToDepth-1/type/i8[3,5,4,6]/block_size=2,mode=blocks_first",
        "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first/shape=dims",
        "Split-1/plain/f32[3,6,5,4]/axis=1,num_splits=3",
        "Transpose-1/plain/f32[5,3,4,2]/input_order=i32:2,0,3,1/index=computed",
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1/requests=again",
    ]
    folders = []
    for number, case_id in enumerate(ids):
        write(case_id, tmp_path / str(number))
        folders.append(str(tmp_path / str(number)))
    # Far from the project, with openvino and numpy alone.
    command = [sys.executable, "-P" if sys.version_info >= (3, 11) else "-s", "-c", _CHECK]
    ran = subprocess.run(
        [*command, *folders], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.splitlines() == [*["right 1"] * 3, "right 3", *["right 1"] * 2, "right 2"], (
        ran.stderr
    )


@pytest.mark.parametrize("device", ["CPU", "CORE"])
def test_its_own_script_runs_what_is_written(device, tmp_path):
    write("Exp-1/plain/f32[2,3,4]", tmp_path)
    command = [sys.executable, str(tmp_path / "reproduce.py"), "--device", device]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "case      Exp-1/plain/f32[2,3,4]" in ran.stdout
    assert "the device conforms" in ran.stdout


def test_a_model_whose_constants_are_all_empty_is_read_from_its_files(tmp_path):
    # OpenVINO refuses to read a model of which a constant lies in an empty file.
    case = "Transpose-1/rank/f32[]/input_order="
    write(case, tmp_path)
    command = [sys.executable, str(tmp_path / "reproduce.py"), "--device", "CPU"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert 'type="Const"' in (tmp_path / "model.xml").read_text()


# What the suite says of these on the CPU, and which profile each is run with.
_SAID = [
    ("PASS", "ReLU-1/plain/f32[2,3,5,4]/-", "isa=AVX2"),
    (
        "PASS",
        "MatMul-1/plain/f32[2,5,3,7],f32[2,5,7,4]/transpose_a=false,transpose_b=false",
        "performance",
    ),
    (
        "PASS",
        "RandomUniform-8/plain/-/shape=4,5,7;minval=f32:-1.5;maxval=f32:2.5;output_type=f32;"
        "global_seed=150;op_seed=10",
        "accuracy",
    ),
    ("PASS", "Split-1/plain/f32[3,6,5,4]/axis=1,num_splits=3/layers=reversed", "accuracy"),
    ("FAIL", "Exp-1/plain/f32[2,3,5,4]/-/values=special", "accuracy"),
    ("FOLDED", "ReLU-1/plain/f32[2,3,5,4]/-/data=constant", "accuracy"),
    ("REFUSED", "ReLU-1/plain/f32[2,3,5,4]/-/shape=rank", "accuracy"),
    ("ACCEPTED_INVALID", "Elu-1/invalid/f32[2,3,5,4]/alpha=-1.0", "accuracy"),
]


@pytest.mark.parametrize(("outcome", "case_id", "profile"), _SAID)
def test_its_script_says_what_the_suite_said(outcome, case_id, profile, tmp_path, monkeypatch):
    """The case is run when its folder is written, and again by the script."""
    monkeypatch.setattr(writing, "_verdict", _ASKED)
    manifest = write(case_id, tmp_path, "--profile", profile)
    assert manifest["result"]["outcome"] == outcome
    assert "gate" not in manifest["result"]
    command = [sys.executable, str(tmp_path / "reproduce.py")]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert f"verdict   {outcome}: " in ran.stdout, ran.stdout + ran.stderr
    assert ran.returncode == (outcome not in ("PASS", "FOLDED"))


def test_a_device_that_is_not_there_is_not_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_verdict", _ASKED)
    assert write(PLAIN, tmp_path, "--device", "NPU")["result"] is None


def test_a_case_without_a_verdict_says_why(tmp_path, monkeypatch, capsys):
    def fails(*_):
        raise OverflowError("a number too large")

    monkeypatch.setattr(writing, "_verdict", _ASKED)
    monkeypatch.setattr(SingleCases, "judge", fails)
    assert main(["write", PLAIN, "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{tmp_path}: no verdict: ")
    assert "OverflowError: a number" in said
    assert json.loads((tmp_path / "manifest.json").read_text())["result"]["outcome"] == "ERROR"


# --- folders ------------------------------------------------------------------------------------------------------


def test_a_folder_is_replaced_only_when_told(tmp_path, capsys):
    write(PLAIN, tmp_path / "case")
    assert capsys.readouterr().out.startswith(str(tmp_path / "case"))
    other = PLAIN.replace("/plain/", "/example/")
    said = refused(capsys, "write", other, "--out", str(tmp_path / "case"))
    assert "--force" in said
    assert write(PLAIN, tmp_path / "case", "--force")["case"] == PLAIN
    assert write(other, tmp_path / "case", "--force")["case"] == other
    assert os.listdir(tmp_path) == ["case"]


def test_an_empty_folder_is_free(tmp_path):
    (tmp_path / "case").mkdir()
    write(PLAIN, tmp_path / "case")
    assert (tmp_path / "case" / "model.xml").exists()


def test_other_peoples_files_are_never_removed(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("years of work")
    said = refused(capsys, "write", PLAIN, "--out", str(tmp_path), "--force")
    assert "not a case's" in said
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_folder_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    assert main(["write", PLAIN, "--out", str(tmp_path / "case")]) == 2
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "make", ["link", "link to nothing", "FIFO", "manifest of another", "notes beside"]
)
def test_nothing_but_a_case_is_replaced(tmp_path, capsys, make):
    out, aim = tmp_path / "case", tmp_path / "aim"
    if make == "link":
        aim.mkdir()
    if make.startswith("link"):
        out.symlink_to("aim")
    elif make == "FIFO":
        os.mkfifo(out)
    else:
        out.mkdir()
        (out / "manifest.json").write_text("{}")
        (out / ("background.js" if make == "manifest of another" else "notes.txt")).write_text(
            "mine"
        )
    before = sorted((path.name, path.lstat().st_ino) for path in tmp_path.rglob("*"))
    said = refused(capsys, "write", PLAIN, "--out", str(out), "--force")
    assert "a case is written to a folder" in said or "files that are not a case's" in said
    assert sorted((path.name, path.lstat().st_ino) for path in tmp_path.rglob("*")) == before


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, told",
    [
        ([], "COMMAND"),
        (["wriet"], "wriet"),
        (["write", PLAIN, "--out", "x", "--profile", "isa=none"], "unknown isa"),
        (["write", PLAIN], "--out"),
        (["write", "nonsense", "--out", "x"], "malformed case id 'nonsense'"),
        (["write", "Nothing-1/plain/f32[2]", "--out", "x"], "unknown operation 'Nothing-1'"),
        (["write", "Tile-1/plain/f33[2]/repeats=2", "--out", "x"], "f33"),
        (["write", "Tile-1/plain/\nf32[2]", "--out", "x"], "malformed case id"),
        (["write", f"{PLAIN.replace('=2', '=7')}", "--out", "x"], "breaks a rule"),
        (["write", "SpaceToDepth-1/plain/-", "--out", "x"], "breaks a rule"),
        (["write", "Abs-1/invalid/f32[2]", "--out", "x"], "breaks no rule"),
        (["write", PLAIN, "--out", __file__], "is a file"),
        (["write", PLAIN, "--out", f"{__file__}/x"], "File exists"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(arguments, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told in refused(capsys, *arguments)
    assert os.listdir(tmp_path) == []


def test_a_case_too_large_for_memory_is_one_line(capsys, tmp_path, monkeypatch):
    def large(*_):
        raise MemoryError

    monkeypatch.setattr(writing, "prepare", large)
    said = refused(capsys, "write", PLAIN, "--out", str(tmp_path / "x"))
    assert "not enough memory" in said
    assert os.listdir(tmp_path) == []


def test_a_folder_has_the_settings_and_the_environment_of_its_profile(tmp_path):
    manifest = write(PLAIN, tmp_path / "case", "--profile", "performance,isa=AVX2")
    assert manifest["device"] == "CPU"
    assert manifest["settings"] == {"EXECUTION_MODE_HINT": "PERFORMANCE"}
    assert manifest["environment"]["OV_CPU_MAX_ISA"] == "AVX2"
    assert manifest["environment"]["ONEDNN_MAX_CPU_ISA"] == "AVX2"
    assert "MALLOC_PERTURB_" in manifest["environment"]
