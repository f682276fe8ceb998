"""Failure folders and their reproduce.py, run as a user runs it: in a process of its own."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from msgspec import to_builtins
from msgspec.structs import replace

import ir_models
from devices import parse_profile
from devices.engine.case_files import of_case
from devices.engine.questions import prepare
from reports.results.case_folder import command, comparison, manifest, tensors, writing
from reports.results.case_folder.tensors import StoredTensor
from reports.results.case_folder.writing import CaseFiles, Inference
from reports.results.facts_of_departures import Facts
from reports.results.failures.folder_plan import FolderPlan
from reports.results.failures.folders import FolderBudget, folder_name, read, write
from reports.results.outcomes import Outcome
from tests.unit.reports.synthetic_results import record

RECORD = record(
    "Relu-1/type/f32[2,3]",
    outcome="FAIL",
    gate="new",
    detail="1 of 6 elements",
)
DATA = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
RELU = np.maximum(DATA, 0)

MODEL = """<?xml version="1.0"?>
<net name="one" version="11">
  <layers>
    <layer id="0" name="data" type="Parameter" version="opset1">
      <data shape="{shape}" element_type="{element_type}"/>
      <output><port id="0" precision="{precision}">{dims}</port></output>
    </layer>
    <layer id="1" name="layer" type="{layer}" version="opset1">
      <input><port id="0" precision="{precision}">{dims}</port></input>
      <output><port id="1" precision="{precision}">{dims}</port></output>
    </layer>
    <layer id="2" name="result" type="Result" version="opset1">
      <input><port id="0" precision="{precision}">{dims}</port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
  </edges>
</net>
"""


def model(layer="Relu", element_type="f32", precision="FP32", dims=(2, 3)):
    return MODEL.format(
        layer=layer,
        element_type=element_type,
        precision=precision,
        shape=",".join("?" if d < 0 else str(d) for d in dims),
        dims="".join(f"<dim>{d}</dim>" for d in dims),
    ).encode()


def f32(values, name="output"):
    return StoredTensor(name, "f32", values.shape, values)


def save(root, result=RECORD, *, inference=None, plan=None, **changes):
    """Write a folder of one inference, or of those in `inferences`."""
    one = {"inputs": [f32(DATA, "data")], "expected": [f32(RELU)], **(inference or {})}
    content = {
        "case": result.case,
        "model_xml": model(),
        "model_bin": b"",
        "inferences": [Inference(**one)],
        **changes,
    }
    return root / write(root, result, CaseFiles(**content), plan)


def run(folder, *arguments, path=None, prepare=None):
    """Run a folder's reproduce.py elsewhere, without the project on the path; the process calls ``prepare`` first."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, str(folder / "reproduce.py"), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder.anchor,
        timeout=120,
        check=False,
        preexec_fn=prepare,
    )


def case_content(case_id):
    """What the folder of a case holds that nobody asked a device about."""
    return of_case(prepare(ir_models.parse(case_id), 0), "CPU", parse_profile("accuracy"))


def pretend(folder, body):
    """Make a stand-in for the openvino package whose reading of a model does `body`."""
    package = folder / "openvino"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import os, time, types\n"
        "__version__ = 'pretended'\n"
        "def Shape(dims): return tuple(dims)\n"
        "class Type: f32 = 'f32'\n"
        "class Tensor:\n"
        "    def __init__(self, kind, shape):\n"
        "        import numpy\n"
        "        self.data = numpy.zeros(shape, numpy.float32)\n"
        "        self.byte_size = self.data.nbytes\n"
        "class Core:\n"
        "    available_devices = ['CPU']\n"
        "    def get_property(self, *key): raise RuntimeError(key)\n"
        f"    def read_model(self, model, weights): {body}\n"
    )
    return folder


# ------------------------------------------------------------------ what a folder holds


def test_a_folder_holds_all_that_one_needs(tmp_path):
    folder = save(
        tmp_path,
        inference={"allowed": [np.full((2, 3), 0.5)], "actual": [f32(RELU + 1)]},
        settings={"INFERENCE_PRECISION_HINT": "f32"},
        environment={"OV_CPU_MAX_ISA": "AVX2"},
    )
    assert sorted(p.name for p in folder.iterdir()) == [
        "actual_0_0.npy",
        "allowed_0_0.npy",
        "case_folder",
        "expected_0_0.npy",
        "input_0_0.npy",
        "manifest.json",
        "model.bin",
        "model.xml",
        "reproduce.py",
    ]
    case = read(folder, RECORD)
    assert case.result == to_builtins(RECORD)
    assert not case.invalid
    assert case.settings == {"INFERENCE_PRECISION_HINT": "f32"}
    assert case.environment == {"OV_CPU_MAX_ISA": "AVX2"}
    (inference,) = case.inferences
    assert np.array_equal(inference.expected[0].load(folder).values(), RELU)
    assert np.array_equal(inference.actual[0].load(folder).values(), RELU + 1)
    assert np.array_equal(inference.allowed_errors(folder, 0), np.full((2, 3), 0.5))


def test_the_script_is_the_same_in_every_folder(tmp_path):
    one = save(tmp_path)
    other = save(tmp_path, replace(RECORD, case="Relu-1/type/f16[2,3]", outcome=Outcome.CRASH))
    assert one != other
    assert (one / "reproduce.py").read_bytes() == (other / "reproduce.py").read_bytes()


def test_a_folder_of_another_result_is_not_read(tmp_path):
    folder = save(tmp_path)
    with pytest.raises(ValueError, match="of another device, 'CPU'"):
        read(folder, replace(RECORD, device="GPU"))


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"schema": 1}', b"\xff", {"case": 5}, {"device": None}, {"result": 3}]
)
def test_a_damaged_manifest_is_named(tmp_path, content):
    folder = save(tmp_path)
    path = folder / "manifest.json"
    if isinstance(content, dict):
        content = json.dumps({**json.loads(path.read_bytes()), **content}).encode()
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{re.escape(str(folder))}: manifest\.json is damaged"):
        read(folder, RECORD)


def test_writing_again_replaces_the_folder_and_leaves_nothing_else(tmp_path):
    folder = save(tmp_path, inference={"actual": [f32(RELU)]})
    assert save(tmp_path, replace(RECORD, detail="newer")) == folder
    assert not (folder / "actual_0_0.npy").exists()
    assert json.loads((folder / "manifest.json").read_text())["result"]["detail"] == "newer"
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]


def test_a_folder_is_there_whole_or_not_at_all(tmp_path):
    with pytest.raises(TypeError):
        save(tmp_path, settings={"KEY": object()})
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    "device", ["../..", "AUTO:GPU,CPU", "BATCH:CPU(4)", "a/b\\c", "", "é" * 99]
)
def test_the_name_is_safe_on_any_system(device):
    name = folder_name(replace(RECORD, device=device, profile="K=V\n", purpose="in/valid"))
    assert len(name.split("/")) == 3
    assert set("..\\:\n ").isdisjoint(name)
    assert all(0 < len(part) < 140 for part in name.split("/"))


def test_names_that_look_alike_have_folders_of_their_own():
    assert folder_name(replace(RECORD, device="A:B")) != folder_name(replace(RECORD, device="A.B"))


# ------------------------------------------------------------------ budget


def test_the_budget_bounds_number_and_sizes():
    budget = FolderBudget(number=2, total_bytes=100, folder_bytes=60)
    assert [budget.claim(size) for size in (61, 60, 41, 40, 0)] == [False, True, False, True, False]
    assert (budget.written, budget.written_bytes) == (2, 100)


def plan(first=99, more=99, claims=None, **limits):
    return FolderPlan(FolderBudget(first, **limits), FolderBudget(more), claims)


def known(operation, cause, number=0):
    return record(
        f"{operation}/type/f32[{number}]", outcome="FAIL", gate="known", cause=cause, detail="x"
    )


def test_each_cause_of_each_operation_has_a_folder_whatever_comes_before(tmp_path):
    many = [known("Abs-1", "a", n) for n in range(300)]
    rare = [known("Tile-1", "a"), known("Abs-1", "b", 999), known("Tile-1", "c", 9)]
    content = CaseFiles(case="c", model_xml=model(), model_bin=b"", inferences=[])
    limited = plan(first=4, more=2)
    with_folder = [one for one in [*many, *rare] if write(tmp_path, one, content, limited)]
    assert with_folder == [many[0], many[3], many[15], *rare]
    assert len(list(tmp_path.rglob("reproduce.py"))) == len(with_folder)


def test_frequent_causes_have_more_at_growing_distances():
    one = plan()
    claimed = [n for n in range(1, 300) if one.claim(known("Abs-1", "a", n), 1)]
    assert claimed == [1, 4, 16, 64, 256]


def test_red_departures_are_told_apart_by_gate_outcome_and_facts():
    one = plan(more=0)

    def claims(kind, outcome="FAIL", gate="new", **facts):
        departed = record(outcome=outcome, gate=gate, facts=Facts(kind=kind, **facts))
        return one.claim(departed, 1)

    assert claims("value", output=0)
    assert not claims("value")
    assert claims("value", output=1)
    assert claims("shape", output=0)
    assert claims("value", "FLAKE", output=0)
    assert claims("value", gate="broken", output=0)


def test_a_case_that_is_too_large_leaves_the_first_folder_to_the_next():
    one = plan(more=0, folder_bytes=10)
    assert [one.claim(known("Abs-1", "a", n), size) for n, size in enumerate((11, 10, 9))] == [
        False,
        True,
        False,
    ]


def test_processes_share_the_first_folders(tmp_path):
    one, other = plan(more=0, claims=tmp_path), plan(more=0, claims=tmp_path)
    assert one.claim(known("Abs-1", "a", 1), 1)
    assert not other.claim(known("Abs-1", "a", 2), 1)
    assert other.claim(known("Abs-1", "b", 3), 1)
    small = plan(more=0, claims=tmp_path, folder_bytes=1)
    assert not small.claim(known("Abs-1", "c"), 2)
    assert one.claim(known("Abs-1", "c"), 2)


def test_the_size_that_is_claimed_is_about_the_size_on_disk(tmp_path):
    one = plan()
    values = np.zeros(500_000, np.float32)
    folder = save(tmp_path, inference={"inputs": [f32(values)]}, plan=one)
    on_disk = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    assert on_disk <= one.first.written_bytes <= on_disk + 48 * 1024


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(
    "element_type, dtype",
    [
        ("bf16", ml_dtypes.bfloat16),
        ("f8e4m3", ml_dtypes.float8_e4m3fn),
        ("f8e5m2", ml_dtypes.float8_e5m2),
        ("f8e8m0", ml_dtypes.float8_e8m0fnu),
    ],
)
def test_small_floats_are_what_ml_dtypes_makes_of_them(element_type, dtype):
    size = np.dtype(dtype).itemsize
    codes = np.arange(256 if size == 1 else 65536, dtype=f"u{size}")
    with np.errstate(invalid="ignore"):
        expected = codes.view(dtype).astype(np.float32)
    actual = tensors.decode(element_type, codes.shape, codes.view(np.uint8))
    np.testing.assert_array_equal(actual, expected)
    number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(actual)[number], np.signbit(expected)[number])


@pytest.mark.parametrize(
    "element_type, data, values",
    [  # the bytes are those of constants that OpenVINO made of these values
        ("u1", [0b10000000, 0b10000000], [1, 0, 0, 0, 0, 0, 0, 0, 1]),
        ("u2", [0b111001, 0b1], [1, 2, 3, 0, 1]),
        ("u3", [0b1101100, 0b1101100, 0b11110], [1, 2, 3, 4, 5, 6, 7, 0]),
        ("u6", [0x12, 0x3F, 3, 0x12, 0x3E, 0b10101011], [1, 2, 3, 63, 33, 34, 35, 62]),
        ("u4", [0x21, 0x03], [1, 2, 3]),
        ("i4", [0xE1, 0x03], [1, -2, 3]),
        ("f4e2m1", [0x17, 0x0A], [6, 0.5, -1]),
        ("nf4", [0xF0, 0x07], [-1, 1, 0]),
    ],
)
def test_packed_types_come_in_the_order_of_openvino(element_type, data, values):
    actual = tensors.decode(element_type, (len(values),), np.array(data, np.uint8))
    assert actual.tolist() == values


def test_an_unknown_type_is_an_error():
    with pytest.raises(ValueError, match="'f7' is not known"):
        tensors.decode("f7", (1,), np.zeros(1, np.uint8))


def test_bit_for_bit_tells_zeros_apart_but_not_nans():
    expected = np.array([0.0, np.nan, np.inf, 1.0], np.float32)
    actual = np.array([-0.0, -np.nan, -np.inf, 1.0], np.float32)
    assert comparison.compare(expected, actual, None).wrong.tolist() == [True, False, True, False]


def test_a_bound_is_kept_in_both_directions_and_nan_is_never_within():
    expected = np.array([1, 1, 1, 1, np.nan, np.inf, 1])
    actual = np.array([1.5, 0.5, 1.75, np.nan, 1, np.inf, np.inf])
    found = comparison.compare(expected, actual, np.array(0.5))
    assert found.wrong.tolist() == [False, False, True, True, True, False, True]
    assert found.fraction.tolist() == [1, 1, 1.5, np.inf, np.inf, 0, np.inf]
    assert not comparison.compare(expected, actual, np.array(np.inf)).wrong.any()


def test_64_bit_integers_are_compared_exactly():
    big = np.array([2**62], np.int64)
    assert comparison.compare(big, big + 1, None).wrong.all()
    assert comparison.compare(big, big + 2, np.array(1.0)).error.tolist() == [2.0]
    assert comparison.interval(big[0], 1.0) == (str(2**62 - 1), str(2**62 + 1))


def test_errors_are_counted_from_exact_values():
    expected, exact = np.array([1, 1], np.float32), np.array([1.25, 0.75])
    actual = np.array([1.5, 1.5], np.float32)
    assert comparison.compare(expected, actual, np.array(0.5), exact).wrong.tolist() == [
        False,
        True,
    ]
    # What is rounded right is right.
    assert not comparison.compare(expected, expected, np.array(0.1), exact).wrong.any()


def test_the_worst_are_those_farthest_beyond_their_bound():
    found = comparison.compare(np.zeros(4), np.array([1.0, 3, 2, 0]), np.array([0.1, 1, 0.1, 1]))
    assert comparison.worst(found, 9) == [(2,), (0,), (1,)]


# ------------------------------------------------------------------ reproduce.py


def test_a_defect_is_shown_with_its_worst_element(tmp_path):
    wrong = RELU.copy()
    wrong[1, 2] = 7
    folder = save(tmp_path, inference={"expected": [f32(wrong)], "allowed": [np.array(0.25)]})
    result = run(folder)
    assert result.returncode == 1, result.stderr
    assert "1 of 6 elements are wrong" in result.stdout
    assert "worst at [1, 2]: expected 7.0, actual 6.0, allowed from 6.75 to 7.25" in result.stdout
    assert "case      Relu-1/type/f32[2,3]" in result.stdout
    assert result.stdout.endswith("verdict   FAIL: the defect is there\n")


@pytest.mark.parametrize("device", [None, "CPU", "CORE"])
def test_a_device_that_conforms_exits_with_0(tmp_path, device):
    arguments = [] if device is None else ["--device", device]
    result = run(save(tmp_path), *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "verdict   PASS: the device conforms\n" in result.stdout


def test_a_sequence_of_shapes_is_inferred_with_one_compiled_model(tmp_path):
    shapes = [DATA, DATA.T.copy(), DATA]
    folder = save(
        tmp_path,
        model_xml=model(dims=(-1, -1)),
        inferences=[
            Inference(inputs=[f32(data)], expected=[f32(np.maximum(data, 0))]) for data in shapes
        ],
    )
    result = run(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "inference 1, output 0 (output), f32[3, 2]" in result.stdout


@pytest.mark.parametrize("memory", ["offset", "foreign", "strided"])
def test_inputs_lie_where_they_lay(tmp_path, memory):
    result = run(save(tmp_path, memory=memory))
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_difference_where_any_value_is_allowed_is_no_defect(tmp_path):
    allowed, expected = np.zeros((2, 3)), RELU.copy()
    allowed[0, 0], expected[0, 0] = np.inf, 99.0
    quality = replace(
        RECORD,
        outcome="QUALITY",
        detail="1 of 6 elements differs where the specification is silent",
    )
    folder = save(
        tmp_path,
        quality,
        inference={"expected": [f32(expected)], "allowed": [allowed], "actual": [f32(RELU)]},
    )
    result = run(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "silent    inference 0, output 0" in result.stdout
    assert "elements that differ where any value is allowed: 1" in result.stdout
    verdict = "verdict   QUALITY: the device conforms; it differs where the specification is silent"
    assert verdict in result.stdout
    assert "defect" not in result.stdout


def test_unusual_memory_is_unusual():
    script = """
import numpy, openvino
from reports.results.case_folder.openvino_run import placed
values = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
for memory in ("offset", "foreign", "strided"):
    tensor, held = placed(openvino, values, memory)
    assert (tensor.data == values).all(), memory
    print(memory, list(tensor.strides) == list(values.strides), tensor.data.ctypes.data % 64)
scalar, held = placed(openvino, numpy.array(3, numpy.float32), "strided")
print(scalar.data)
"""
    root = Path(__file__).resolve().parents[4]
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=True
    ).stdout.splitlines()
    assert told[0].startswith("offset True")
    assert not told[0].endswith(" 0")
    assert told[1:] == ["foreign True 0", told[2], "3.0"]
    assert told[2].startswith("strided False")


def test_two_requests_run_at_once(tmp_path):
    wrong = RELU.copy()
    wrong[0, 0] = 9
    right = save(
        tmp_path,
        inferences=[
            Inference(inputs=[f32(data, "data")], expected=[f32(np.maximum(data, 0))])
            for data in (DATA, -DATA)
        ],
        requests="two",
    )
    result = run(right)
    assert result.returncode == 0, result.stdout + result.stderr
    crossed = save(
        tmp_path,
        inferences=[
            Inference(inputs=[f32(DATA, "data")], expected=[f32(RELU)]),
            Inference(inputs=[f32(-DATA, "data")], expected=[f32(wrong)]),
        ],
        requests="two",
    )
    result = run(crossed)
    assert result.returncode == 1, result.stderr
    assert "inference 1, output 0 (output), f32[2, 3]: 6 of 6 elements are wrong" in result.stdout


def test_a_wrong_shape_is_said(tmp_path):
    result = run(save(tmp_path, inference={"expected": [f32(RELU.reshape(3, 2))]}))
    assert result.returncode == 1
    assert "shape is [2, 3], expected [3, 2]" in result.stdout


def test_a_wrong_number_of_bytes_is_said(tmp_path):
    """The first bytes of a u1 tensor that has a byte for each element may be right."""
    right = StoredTensor("output", "u1", (2, 3), np.array([0b10110100], np.uint8))
    long = StoredTensor("output", "u1", (2, 3), np.array([0b10110100, *[7] * 5], np.uint8))
    folder = save(tmp_path, inference={"expected": [right]})
    case = manifest.read(folder)
    for tensor, told in ((right, ""), (long, "has 6 bytes, expected 1")):
        output = tensors.save(tmp_path, "output", tensor)
        found = command.judge_output(folder, case.inferences[0], 0, tmp_path, output)
        assert found == (told, 0)


def test_a_refused_layer_shows_what_the_device_says(tmp_path):
    words = "at read: Opset opset1 doesn't contain the operation with type: NoSuchLayer"
    refused = replace(RECORD, outcome=Outcome.REFUSED, detail=words)
    result = run(save(tmp_path, refused, model_xml=model(layer="NoSuchLayer")))
    assert result.returncode == 1
    assert "refused at read: " in result.stdout
    assert "NoSuchLayer" in result.stdout


@pytest.mark.parametrize("layer, code", [("NoSuchLayer", 0), ("Relu", 1)])
def test_an_invalid_layer_must_be_refused(tmp_path, layer, code):
    one = replace(RECORD, purpose="invalid-type", outcome=Outcome.ACCEPTED_INVALID)
    result = run(
        save(tmp_path, one, model_xml=model(layer=layer), inference={"expected": []}, invalid=True)
    )
    assert result.returncode == code, result.stdout + result.stderr
    assert ("accepted" in result.stdout) == bool(code)


def test_a_crash_is_said_with_its_signal(tmp_path):
    fake = pretend(tmp_path, "print('last words', flush=True); os.kill(os.getpid(), 11)")
    result = run(save(tmp_path), path=fake)
    assert result.returncode == 1
    assert "died or hung in read: signal 11 (SIGSEGV)" in result.stdout
    assert "last words" in result.stdout


def test_a_crash_on_an_invalid_layer_is_no_clean_refusal(tmp_path):
    fake = pretend(tmp_path, "os.kill(os.getpid(), 6)")
    result = run(save(tmp_path, invalid=True), path=fake)
    assert result.returncode == 1
    assert "SIGABRT" in result.stdout


@pytest.mark.parametrize("outcome", ["TIMEOUT", "CRASH", "FAIL"])
def test_a_hang_ends_at_the_limit(tmp_path, outcome):
    """A wrong answer that does not come on a slow machine is no hang."""
    fake = pretend(tmp_path, "time.sleep(60)")
    one = record("Relu-1/type/f32[2,3]", outcome=outcome, gate="new")
    result = run(save(tmp_path, one), "--timeout", "10", path=fake)
    if outcome == "FAIL":
        assert result.returncode == 3
        told = (
            "not decided: no answer in read after 10 s, but the run had FAIL; --timeout gives more"
        )
        assert told in result.stderr
    else:
        assert result.returncode == 1
        assert "did not end within 10 s" in result.stdout


def test_a_device_that_has_not_been_opened_is_no_verdict(tmp_path):
    result = run(save(tmp_path), "--timeout", "0.01")
    assert result.returncode == 3
    assert "the device is not open after 0.01 s" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    ["--timeout 0", "--timeout -1", "--timeout nan", "--repeat 0", "--repeat -3", "--repeat x"],
)
def test_wrong_usage_is_no_verdict(tmp_path, arguments):
    result = run(save(tmp_path), *arguments.split())
    assert result.returncode == 2
    assert "must be a" in result.stderr
    assert "verdict" not in result.stdout


def test_without_the_rest_of_its_folder_there_is_no_verdict(tmp_path):
    folder = save(tmp_path)
    shutil.rmtree(folder / "case_folder")
    result = run(folder)
    assert result.returncode == 3
    assert result.stderr.startswith("cannot run: ")
    assert "the whole folder is needed" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_interrupting_is_no_verdict(tmp_path):
    fake = pretend(tmp_path, "print('there', flush=True); time.sleep(60)")
    folder = save(tmp_path)
    started = subprocess.Popen(
        [sys.executable, str(folder / "reproduce.py")],
        env={**os.environ, "PYTHONPATH": str(fake), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout.readline().startswith("case ")
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=30)
    assert (started.returncode, errors) == (130, "interrupted\n")


def test_an_array_that_is_cut_off_is_named(tmp_path):
    folder = save(tmp_path)
    (path, *_) = sorted(folder.glob("input_*.npy"))
    path.write_bytes(path.read_bytes()[:60])
    result = run(folder)
    assert result.returncode == 3
    assert result.stderr.startswith(f"cannot run: {path.name}: is no array of NumPy: ")


def test_the_variables_stand_before_openvino_is_loaded(tmp_path):
    fake = pretend(tmp_path, "raise RuntimeError(f'cap {CAP}')")
    refused = replace(RECORD, outcome=Outcome.REFUSED, detail="at read: cap AVX2")
    init = fake / "openvino" / "__init__.py"
    init.write_text("import os\nCAP = os.environ.get('OV_CPU_MAX_ISA')\n" + init.read_text())
    result = run(save(tmp_path, refused, environment={"OV_CPU_MAX_ISA": "AVX2"}), path=fake)
    assert "cap AVX2" in result.stdout


def test_a_device_that_is_not_there_is_no_verdict(tmp_path):
    result = run(save(tmp_path), "--device", "AUTO:NOSUCH,CPU")
    assert result.returncode == 3
    assert result.stderr == "cannot run: device NOSUCH is not present; present are: CPU\n"
    assert "verdict" not in result.stdout


def test_without_openvino_there_is_no_verdict(tmp_path):
    (tmp_path / "openvino.py").write_text("raise ImportError('No module named openvino')")
    result = run(save(tmp_path), path=tmp_path)
    assert result.returncode == 3
    assert "pip install openvino" in result.stderr


def test_the_openvino_of_the_run_is_the_one_that_runs(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    pretend(own, "raise RuntimeError('mine')")
    refused = replace(RECORD, outcome=Outcome.REFUSED, detail="at read: mine")
    folder = save(tmp_path, refused, openvino="pretended", own_openvino=str(own))
    result = run(folder)
    assert f"OpenVINO pretended of {own}" in result.stdout
    assert "verdict   REFUSED: the defect is there" in result.stdout
    assert "the run had" not in result.stdout
    # Where it is not any more, the installed one runs, which is said and is no verdict on the run's.
    shutil.move(own, tmp_path / "moved")
    result = run(folder)
    assert f"the run had an OpenVINO of its own, which is not here: {own}" in result.stdout
    assert "the run had OpenVINO pretended: --openvino DIR names one of your own" in result.stdout
    assert "does not always come" not in result.stdout
    assert "mine" in run(folder, "--openvino", str(tmp_path / "moved")).stdout
    nowhere = run(folder, "--openvino", str(tmp_path / "nowhere"))
    assert (nowhere.returncode, nowhere.stderr.count("\n")) == (2, 1)
    assert "--openvino takes a path, got ''" in run(folder, "--openvino=").stderr


def test_without_its_manifest_there_is_no_verdict(tmp_path):
    folder = save(tmp_path)
    (folder / "manifest.json").unlink()
    result = run(folder)
    assert result.returncode == 3
    assert "manifest.json" in result.stderr


def test_nothing_of_the_record_reaches_the_terminal_raw(tmp_path):
    hostile = "\x1b[2J\nverdict   the device conforms\u202e"
    result = run(
        save(
            tmp_path,
            replace(
                RECORD,
                case=hostile,
                detail=hostile,
                inputs=[hostile],
                parameters={hostile: hostile},
            ),
        )
    )
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert result.stdout.count("\nverdict") == 1


def test_settings_reach_the_device_and_are_left_out_where_another_has_none(tmp_path):
    folder = save(tmp_path, settings={"NO_SUCH_SETTING": "1"})
    refused = run(folder)
    assert refused.returncode == 1
    assert "NO_SUCH_SETTING" in refused.stdout
    other = run(folder, "--device", "CPU")
    assert other.returncode == 0, other.stdout + other.stderr
    assert "CPU has no setting NO_SUCH_SETTING: omitted" in other.stdout


def test_every_element_type_goes_to_openvino_and_back():
    script = """
import numpy, openvino
from reports.results.case_folder.openvino_run import stored_tensor, tensor_for
from reports.results.case_folder.tensors import NUMPY_TYPES, StoredTensor
done = []
for name in "f16 f32 f64 bf16 i4 i8 i16 i32 i64 u1 u2 u3 u4 u6 u8 u16 u32 u64 boolean nf4".split() \
        + ["f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1"]:
    kind = getattr(openvino.Type, name, None)
    if kind is None:
        continue
    for shape in ([2, 3, 3], [], [0, 2]):
        size = openvino.Tensor(kind, openvino.Shape(shape)).byte_size
        raw = (numpy.arange(size) % 2).astype(numpy.uint8)
        if name in NUMPY_TYPES:
            raw = raw.view(NUMPY_TYPES[name]).reshape(shape)
        tensor, _ = tensor_for(openvino, StoredTensor(name, name, tuple(shape), raw), "")
        back = stored_tensor(tensor, name).raw
        assert back.tobytes() == raw.tobytes() and back.shape == raw.shape, (name, shape)
    done.append(name)
words = numpy.array([["a", "b\\u00e9"], ["", "long word"]], dtype=object)
tensor, _ = tensor_for(openvino, StoredTensor("words", "string", (2, 2), words), "strided")
assert stored_tensor(tensor, "words").raw.tolist() == words.tolist()
print(len(done))
"""
    root = Path(__file__).resolve().parents[4]
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=False
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 19


def test_an_output_that_may_be_another_is_no_defect(tmp_path):
    folder = save(tmp_path, inference={"expected": [f32(RELU + 1)], "choice": [True]})
    result = run(folder)
    assert result.returncode == 3, result.stdout + result.stderr
    assert "the specification admits other outputs too" in result.stdout
    of_suite = save(
        tmp_path / "of the suite",
        replace(RECORD, outcome="ERROR"),
        inference={"expected": [f32(RELU + 1)], "choice": [True]},
    )
    said = run(of_suite).stdout
    assert "the suite failed to judge it" in said
    assert "admits other outputs" not in said
    # Nor is it said to be right.
    assert "verdict   not decided here" in result.stdout
    assert "the device conforms" not in result.stdout


@pytest.mark.parametrize(
    "outcome, actual, code, verdict",
    [
        ("FAIL", [], 3, "not decided"),
        ("FAIL", [f32(RELU + 1)], 3, "not decided"),
        ("FAIL", [f32(RELU)], 1, "FAIL: the defect is there"),
        ("PASS", [], 0, "PASS: the device conforms"),
    ],
)
def test_an_output_whose_elements_failed_together_is_not_called_right(
    tmp_path, outcome, actual, code, verdict
):
    """Each of them may be right, and all of them be too large: the run reported, of these very outputs."""
    inference = {"expected": [f32(RELU)], "together": [True], "actual": actual}
    folder = save(tmp_path, replace(RECORD, outcome=Outcome(outcome)), inference=inference)
    result = run(folder)
    assert result.returncode == code, result.stdout + result.stderr
    assert f"verdict   {verdict}" in result.stdout


def test_another_output_that_the_run_admitted_conforms(tmp_path):
    inference = {"expected": [f32(RELU + 1)], "choice": [True], "actual": [f32(RELU)]}
    result = run(save(tmp_path, replace(RECORD, outcome=Outcome.PASS), inference=inference))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "verdict   PASS: the device conforms" in result.stdout


@pytest.mark.parametrize(
    "inferred, told",
    [
        ({"may_be_dynamic": False, "known_rank": None}, ""),
        ({"may_be_dynamic": False, "known_rank": True}, ""),
        ({"may_be_dynamic": False, "known_rank": False}, "its rank should be unknown"),
    ],
)
def test_what_is_inferred_at_reading_is_judged(tmp_path, inferred, told):
    result = run(save(tmp_path, inferred=[inferred]))
    assert result.returncode == bool(told), result.stdout + result.stderr
    assert told in result.stdout


def test_a_wrong_shape_at_reading_is_a_defect(tmp_path):
    wrong = f32(np.zeros((2, 4), np.float32))
    promise = {"may_be_dynamic": False, "known_rank": None}
    result = run(save(tmp_path, inference={"expected": [wrong]}, inferred=[promise]))
    assert result.returncode == 1
    assert "inferred at reading: shape [2,3], expected [2, 4]" in result.stdout


TWO = """<?xml version="1.0"?>
<net name="two" version="11">
  <layers>
    <layer id="0" name="b" type="Parameter" version="opset1">
      <data shape="2,3" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="a" type="Parameter" version="opset1">
      <data shape="2,3" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
    </layer>
    <layer id="2" name="layer" type="Subtract" version="opset1">
      <input>
        <port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port>
        <port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port>
      </input>
      <output><port id="2" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
    </layer>
    <layer id="3" name="out" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""


@pytest.mark.parametrize("device", ["CPU", "CORE"])
def test_tensors_go_to_parameters_by_their_names(tmp_path, device):
    inference = {"inputs": [f32(DATA, "a"), f32(RELU, "b")], "expected": [f32(DATA - RELU, "out")]}
    result = run(save(tmp_path, model_xml=TWO.encode(), inference=inference), "--device", device)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_layer_that_was_folded_is_told_by_its_name(tmp_path):
    """The device executes other layers behind it."""
    content = case_content("Exp-1/plain/f32[2,3,5,4]/-/data=constant,behind=relu")
    folder = tmp_path / "case"
    writing.write(folder, content)
    result = run(folder)
    if result.returncode != 1:  # everything was folded, as nothing else is there
        pytest.fail(result.stdout + result.stderr)
    assert "verdict   FOLDED: the defect is there" in result.stdout


def test_two_answers_for_the_same_data_are_a_flake(tmp_path):
    body = (
        "return Read\n"
        "    def compile_model(self, model, device, settings): return Compiled()\n"
        "class Port:\n"
        "    get_element_type = staticmethod(lambda: Kind)\n"
        "    get_partial_shape = staticmethod(lambda: '[2,3]')\n"
        "class Node:\n"
        "    get_friendly_name = staticmethod(lambda: 'x')\n"
        "    input = staticmethod(lambda k: Port)\n"
        "class Read:\n"
        "    inputs = [1]\n"
        "    get_parameters = get_results = staticmethod(lambda: [Node])\n"
        "class Kind:\n"
        "    get_type_name = staticmethod(lambda: 'f32')\n"
        "class Compiled:\n"
        "    outputs = [1]\n"
        "    def get_property(self, key): raise RuntimeError(key)\n"
        "    def create_infer_request(self): return Request()\n"
        "class Request:\n"
        "    n = 0\n"
        "    def set_input_tensor(self, k, tensor): self.tensor = tensor\n"
        "    def infer(self): self.n += 1\n"
        "    def get_output_tensor(self, k):\n"
        "        import numpy\n"
        "        data = numpy.maximum(self.tensor.data, 0) * self.n\n"
        "        return types.SimpleNamespace(element_type=Kind, shape=data.shape, data=data)\n"
    )
    folder = save(tmp_path, twice="request")
    stand_in = tmp_path / "stand-in"
    stand_in.mkdir()
    result = run(folder, path=pretend(stand_in, body))
    assert result.returncode == 1, result.stdout + result.stderr
    assert "inference 0 gave two answers for the same data" in result.stdout
    assert "verdict   FLAKE: the defect is there" in result.stdout
    assert run(save(tmp_path / "once"), path=stand_in).returncode == 0


@pytest.mark.parametrize("words, outcome", [("Check failed", "PASS"), ("", "FAIL")])
def test_a_refusal_of_an_invalid_layer_says_why(tmp_path, words, outcome):
    stand_in = tmp_path / "stand-in"
    stand_in.mkdir()
    pretend(stand_in, f"raise RuntimeError({words!r})")
    result = run(save(tmp_path, invalid=True, inference={"expected": []}), path=stand_in)
    assert f"verdict   {outcome}: " in result.stdout, result.stdout + result.stderr


def test_in_process_it_says_the_same(tmp_path):
    folder = save(tmp_path, inference={"expected": [f32(RELU + 1)]})
    result = run(folder, "--in-process")
    assert result.returncode == 1, result.stderr
    assert result.stdout == run(folder).stdout


def allow_core_dumps():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


@pytest.mark.parametrize("arguments", [(), ("--in-process",)], ids=["child", "in-process"])
def test_a_crash_may_leave_a_core_dump_only_in_process(tmp_path, arguments):
    """How much the process might write, where ``ulimit -c`` allows all that the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    told = tmp_path / "told"
    limit = "__import__('resource').getrlimit(4)[0]"
    assert resource.RLIMIT_CORE == 4
    tell = f"open({str(told)!r}, 'w').write(str({limit}))"
    folder = save(tmp_path / "case")
    pretend(tmp_path, f"exec({tell!r}); os._exit(9)")
    run(folder, *arguments, path=tmp_path, prepare=allow_core_dumps)
    assert int(told.read_text()) == (most if arguments else 0)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="apt-get install gdb")
def test_in_process_a_debugger_has_the_stack_of_the_crash(tmp_path):
    crash = "import ctypes; ctypes.string_at(0)"
    folder = save(tmp_path / "case")
    script = [sys.executable, str(folder / "reproduce.py"), "--in-process"]
    environment = {**os.environ, "PYTHONPATH": str(pretend(tmp_path, f"exec({crash!r})"))}
    debugged = subprocess.run(
        ["gdb", "-batch", "-ex", "run", "-ex", "backtrace", "--args", *script],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert "SIGSEGV" in debugged.stdout
    # A system's Python has no names of its own functions; libffi, through which the crash was called, has.
    assert re.search(r"^#\d+ .* ffi_call ", debugged.stdout, re.MULTILINE)
    assert (
        "debug     gdb --args python reproduce.py --in-process" in run(folder, path=tmp_path).stdout
    )


def test_in_process_the_variables_stand_before_openvino_is_loaded(tmp_path):
    folder = save(tmp_path / "case", environment={"MADE_UP": "before"})
    path = pretend(tmp_path, "raise RuntimeError(os.environ['MADE_UP'])")
    assert "before" in run(folder, "--in-process", path=path).stdout


def test_running_leaves_no_file_in_the_folder(tmp_path):
    folder = save(tmp_path)
    before = sorted(folder.rglob("*"))
    run(folder)
    assert sorted(folder.rglob("*")) == before


def test_strings_have_their_shape_again(tmp_path):
    for values in ([["a", "b\u00e9"], ["", "c"]], [[], []], "x"):
        words = np.array(values, dtype=object)
        entry = tensors.save(tmp_path, "words", StoredTensor("words", "string", words.shape, words))
        assert entry.load(tmp_path).values().tolist() == words.tolist()
