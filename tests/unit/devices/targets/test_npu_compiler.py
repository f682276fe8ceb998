"""The profile npu=...: a compiler on Wine in place of an NPU. A program that answers as it does stands for it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import ir_models
from devices import Child, ChildDiedError, ChildHungError, ProfileError, parse_profile
from devices.__main__ import main as devices_command
from devices.engine.questions import prepare, question_for
from devices.engine.session import Session
from devices.engine.verdicts.compiling import judge_compiled
from devices.process.opening import NotOpenedError
from devices.process.protocol import Compiled, Port, Question
from devices.targets import npu_compiler
from devices.targets.npu_compiler import installation, log
from reports.results.outcomes import Outcome
from reports.results.records import Header, from_line
from tests.conformance.selection import case_timeout_of, pack_size_of
from tests.unit.conformance.running import (
    SMALL,
    finish,
    outcomes,
    records,
    start,
    suite,
    survivors,
    wait_until,
)

PROGRAM = Path(__file__).with_name("fake_npu_compiler.py")
CASE = ir_models.parse(
    "SpaceToDepth-1/variant.depth-first/f32[2,5,6]/block_size=2,mode=depth_first"
)
NPU4000 = parse_profile("npu=NPU4000")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Wine is for Linux")


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with a compiler."""
    (tmp_path / "npu" / "libs").mkdir(parents=True)
    (tmp_path / "npu" / "libs" / installation.LIBRARY).touch()
    monkeypatch.setenv(installation.FOLDER, str(tmp_path / "npu"))
    monkeypatch.setenv(installation.PROGRAM, str(PROGRAM))


def child(fault: str = "") -> Child:
    profile = parse_profile(f"npu=NPU4000{',FAKE=' if fault else ''}{fault}")
    return Child("NPU", profile.settings, profile.environment)


def question() -> Question:
    return question_for([prepare(CASE, 0)])


def test_it_tells_that_it_only_compiles() -> None:
    device = child()
    assert device.facts["compile_only"] is True
    assert device.facts["openvino"] == "2026.4.1-fake"
    assert device.facts["full_name"] == (
        "NPU compiler for NPU4000, no NPU: models are compiled, and values not checked"
    )
    device.close()


def test_it_tells_the_ports_of_the_compiled_model() -> None:
    device = child()
    reply = device.ask(question(), 10)
    assert reply.inferred == [("f32", "[2,10,3]")]
    assert reply.outputs == []
    assert reply.compiled is not None
    assert reply.compiled.inputs == [Port("f32", "[2,5,6]")]
    assert reply.compiled.outputs == [Port("f32", "[2,10,3]")]
    assert reply.compiled.blobs == [f"100 {0:016x}"] * 2
    assert reply.seconds == {"read": 0.001, "compile": 0.25}
    device.close()


@pytest.mark.parametrize(
    "fault, status, told",
    [
        (
            "llvm",
            "SIGABRT",
            'LLVM ERROR: Failed to infer result type(s): "VPU.X"(...) {} : () -> ( ??? ) '
            "('VPU.X' op requires attribute 'a')",
        ),
        ("zero", "SIGFPE", "division by zero (0xC0000094) in compiler.dll+0x1f"),
    ],
)
def test_the_child_dies_as_the_compiler_does(fault: str, status: str, told: str) -> None:
    device = child(fault)
    with pytest.raises(ChildDiedError) as caught:
        device.ask(question(), 10)
    assert (caught.value.status, caught.value.stage) == (status, "compile")
    assert caught.value.last_line == told


def test_a_compiler_that_hangs_ends_with_its_child() -> None:
    device = child("hang")
    with pytest.raises(ChildHungError, match="no answer in compile"):
        device.ask(question(), 1)
    end = time.monotonic() + 10
    while _running() and time.monotonic() < end:
        time.sleep(0.05)
    assert not _running()


def _running() -> list[str]:
    """The processes of the fake compiler that are alive."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if str(PROGRAM).encode() in words and b"FAKE\0hang" in words:
            found.append(path.parent.name)
    return found


EXPECTED = {
    "": ("COMPILED", ""),
    "refuse": ("REFUSED", "at compile: pass Fuse: Fuse failed : no pattern"),
    "llvm": ("CRASH", "SIGABRT in compile: LLVM ERROR: Failed to infer"),
    "type": ("FAIL", "output 0 of the compiled model has the type f16, should be f32"),
    "shape": ("FAIL", "output 0 of the compiled model has the shape [1,2,3], should be [2,"),
    "input": ("FAIL", "input 0 of the compiled model is f16[2,"),
    "lost": ("FAIL", "the compiled model has 0 outputs, should have 1"),
    "blob": ("FLAKE", "compiled twice, the model is exported as two different blobs of 100 and"),
}


@pytest.mark.parametrize("fault", EXPECTED)
def test_each_case_has_an_outcome_and_none_passes(tmp_path: Path, fault: str) -> None:
    profile = f"npu=NPU4000,FAKE={fault or 'none'}"
    options = ["--profile", profile, "--audit=1", f"--junitxml={tmp_path / 'junit.xml'}"]
    # Causes that the suite knows of the real compiler name some of these words.
    done = suite(tmp_path, *SMALL, *options, "--strict-gate", device="NPU")
    outcome, detail = EXPECTED[fault]
    assert done.code == (1 if fault else 0), done.text
    for record in records(tmp_path):
        if "mode=depth_first" in record["case"]:
            assert record["outcome"] == outcome, record["detail"]
            assert detail in record["detail"]
        else:
            assert (record["outcome"], record["gate"]) == ("COMPILED", "compiled")
    compiled = list(outcomes(tmp_path).values()).count("COMPILED")
    assert f" · {compiled} compiled, values not checked" in done.out
    assert " passed" not in done.out.splitlines()[-1]
    told = [
        skipped.get("message")
        for skipped in ET.parse(tmp_path / "junit.xml").iter("skipped")
        if skipped.get("type") == "compiled"
    ]
    assert told == ["compiled, values not checked"] * compiled


def test_packs_do_not_decide_of_what_is_seen(tmp_path: Path) -> None:
    options = (*SMALL, "--profile", "npu=NPU4000,FAKE=blob", "--audit=0")
    found = []
    for size in ("1", "8"):
        (tmp_path / size).mkdir()
        suite(tmp_path / size, *options, "--pack-size", size, device="NPU")
        found.append(outcomes(tmp_path / size))
    assert found[0] == found[1]
    assert {"COMPILED", "FLAKE"} == set(found[0].values())


def test_the_header_says_what_ran(tmp_path: Path) -> None:
    suite(tmp_path, *SMALL, "--profile", "npu=NPU4000", device="NPU")
    header = from_line((tmp_path / "results.jsonl").read_text().splitlines()[0])
    assert isinstance(header, Header)
    assert header.targets[0].compile_only
    assert header.targets[0].machine == os.uname().machine
    assert header.targets[0].settings["NPU_PLATFORM"] == "NPU4000"


def test_invalid_layers_are_compiled_or_refused(tmp_path: Path) -> None:
    options = ("--operation", "SpaceToDepth-1", "--purpose", "invalid")
    done = suite(tmp_path, *options, "--profile", "npu=NPU4000", device="NPU")
    found = set(outcomes(tmp_path).values())
    # This compiler refuses nothing, and no value of these layers comes at run time.
    assert found == {"ACCEPTED_INVALID"}, done.text
    assert all("the device compiled it" in record["detail"] for record in records(tmp_path))


def test_a_run_is_resumed(tmp_path: Path) -> None:
    options = (*SMALL, "--profile", "npu=NPU4000", "--resume")
    suite(tmp_path, *options, device="NPU")
    whole = (tmp_path / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_text("".join(whole[:3]))
    done = suite(tmp_path, *options, device="NPU")
    assert done.code == 0, done.text
    assert sorted(outcomes(tmp_path)) == sorted(json.loads(line)["case"] for line in whole[1:])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_compiler(tmp_path: Path, number: signal.Signals) -> None:
    process = start(tmp_path, *SMALL, "--profile", "npu=NPU4000,FAKE=hang", device="NPU")
    wait_until(lambda: {int(name) for name in _running()} & {*survivors.of(tmp_path)})
    process.send_signal(number)
    finish(process)
    wait_until(lambda: not survivors.of(tmp_path), 10)


def test_without_its_compiler_a_run_ends_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(installation.FOLDER, str(tmp_path / "nowhere"))
    done = suite(tmp_path, *SMALL, "--profile", "npu=NPU4000", device="NPU")
    assert done.code == 2
    assert re.fullmatch(
        r"error: profile npu=NPU4000: there is no .*/nowhere/libs/openvino_intel_npu_compiler\.dll; "
        r"\.ci/npu-compiler/make-root .*\n",
        done.err,
    )


@pytest.mark.parametrize(
    "fault, told",
    [
        ("closed", "there is no such platform"),
        (
            "setting",
            "SIGSEGV in open: access violation (0xC0000005) in openvino.dll+0x1f (while FAKE=setting is set)",
        ),
    ],
)
def test_a_compiler_that_does_not_open_is_told(tmp_path: Path, fault: str, told: str) -> None:
    done = suite(tmp_path, *SMALL, "--profile", f"npu=NPU4000,FAKE={fault}", device="NPU")
    assert done.code == 2
    assert told in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("fault", ["type", "shape"])
def test_a_departure_is_asked_again_here_and_reproduced_where_the_compiler_is(
    tmp_path: Path, fault: str
) -> None:
    profile = f"npu=NPU4000,FAKE={fault}"
    done = suite(tmp_path, *SMALL, "--profile", profile, "--strict-gate", device="NPU")
    (command,) = re.findall(r"^    pytest tests/conformance (.*)$", done.out, re.MULTILINE)
    assert "reproduce.py" not in done.out
    case = next(each for each in records(tmp_path) if each["gate"] == "new")
    assert shlex.split(command) == ["--device", "NPU", "--profile", profile, "--case", case["case"]]
    script = [sys.executable, str(tmp_path / "results.failures" / case["folder"] / "reproduce.py")]
    here = subprocess.run(script, capture_output=True, text=True, check=False)
    assert here.returncode == 3, here.stdout
    assert here.stderr == (
        "cannot run: there is no NPU, and this OpenVINO has no compiler for one: that for Windows has, on any machine\n"
    )
    cpu = subprocess.run([*script, "--device", "CPU"], capture_output=True, text=True, check=False)
    assert (cpu.returncode, cpu.stdout.count("verdict")) == (3, 0)
    assert (
        "cannot run: this folder is of a compiler for NPU: another device cannot reproduce it"
        in cpu.stderr
    )
    # Where there is a device of the name, it compiles, and infers nothing.
    path = Path(script[1]).with_name("manifest.json")
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "device": "CPU", "settings": {}, "twice": ""}))
    cpu = subprocess.run(script, capture_output=True, text=True, check=False)
    assert cpu.returncode == 0, cpu.stderr
    assert "verdict   COMPILED: its values are not checked" in cpu.stdout
    assert "conforms" not in cpu.stdout
    assert manifest["settings"]["NPU_COMPILER_TYPE"] == "PLUGIN"
    assert set(manifest["environment"]) == {"MALLOC_PERTURB_"}


def test_a_folder_of_a_case_that_nobody_asked_is_of_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(installation.FOLDER, str(tmp_path / "nowhere"))
    words = ["write", CASE.id, "--device", "NPU", "--profile", "npu=NPU4000"]
    assert devices_command([*words, "--out", str(tmp_path / "case")]) == 0
    assert "no verdict: profile npu=NPU4000: there is no " in capsys.readouterr().out
    manifest = json.loads((tmp_path / "case" / "manifest.json").read_text())
    assert manifest["compile_only"] is True
    assert manifest["settings"]["NPU_COMPILER_TYPE"] == "PLUGIN"


def test_an_absent_compiler_is_skipped_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(installation.FOLDER, str(tmp_path / "nowhere"))
    done = suite(tmp_path, *SMALL, "--profile", "npu=NPU4000", "--allow-absent", device="NPU")
    assert done.code == 0, done.text
    assert {*outcomes(tmp_path).values()} == {"ABSENT"}


def test_models_and_graphs_need_values(tmp_path: Path) -> None:
    session = Session("NPU", NPU4000, 10)
    try:
        with pytest.raises(NotOpenedError, match=r"NPU \(npu=NPU4000\) only compiles here"):
            session.open_for_values()
    finally:
        session.close()
    (tmp_path / "model.xml").write_text("<net/>")
    options = ("--profile", "npu=NPU4000", "--model", str(tmp_path / "model.xml"))
    done = suite(tmp_path, *options, device="NPU")
    told = "error: --model: NPU(npu=NPU4000) only compiles here, and models are judged by values"
    assert (done.code, done.err.strip()) == (2, told), done.text


@pytest.mark.parametrize("option", ["--openvino", "--python"])
def test_the_profile_has_an_openvino_of_its_own(tmp_path: Path, option: str) -> None:
    given = str(Path(sys.executable)) if option == "--python" else str(tmp_path)
    (tmp_path / "openvino").mkdir()
    (tmp_path / "openvino" / "__init__.py").touch()
    options = ("--profile", "npu=NPU4000", option, given)
    done = suite(tmp_path, *SMALL, *options, device="NPU")
    assert done.code == 2, done.text
    assert done.err.startswith(f"error: {option}: profile npu=NPU4000 has an OpenVINO of its own")
    assert len(done.err.splitlines()) == 1


def test_without_the_profile_an_npu_is_asked_for() -> None:
    assert "CONFORMANCE_NPU_COMPILE_ONLY" not in parse_profile("accuracy").environment
    session = Session("NPU", parse_profile("NPU_PLATFORM=NPU4000"), 10)
    with pytest.raises(Exception, match="NPU is not on this machine"):
        session.open()


def test_names_of_npus_are_checked() -> None:
    assert NPU4000.settings["NPU_PLATFORM"] == "NPU4000"
    with pytest.raises(ProfileError, match="unknown npu '4000'; known: NPU3720, NPU4000, NPU5010"):
        parse_profile("npu=4000")
    with pytest.raises(ProfileError, match="NPU_PLATFORM=NPU3720 contradicts npu=NPU4000"):
        parse_profile("npu=NPU4000,NPU_PLATFORM=NPU3720")
    with pytest.raises(ProfileError, match="npu stands there twice"):
        parse_profile("npu=NPU4000,npu=NPU3720")
    with pytest.raises(ProfileError, match="npu and arm exclude each other"):
        parse_profile("npu=NPU4000,arm=max")
    with pytest.raises(ProfileError, match="npu and isa exclude each other"):
        parse_profile("npu=NPU4000,isa=AVX2")
    with pytest.raises(ProfileError, match="arm is for plugins of the CPU, not NPU"):
        parse_profile("arm=max").check_device("NPU")
    with pytest.raises(ProfileError, match="npu is for the NPU, not for CPU"):
        NPU4000.check_device("CPU")


def test_models_are_small_and_have_time() -> None:
    assert pack_size_of(None, [NPU4000]) == 8
    assert case_timeout_of(None, [NPU4000]) == 60
    assert case_timeout_of(None, [parse_profile("accuracy")]) == 10
    assert case_timeout_of("3", [NPU4000]) == 3


def test_what_is_missing_is_told() -> None:
    given = {installation.FOLDER: os.environ[installation.FOLDER], "PATH": "/nowhere"}
    assert npu_compiler.what_is_missing(given).startswith("wine is not installed; .ci/npu-comp")
    assert npu_compiler.environment(given) == {}


def test_the_program_is_compiled_once(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    text = f'while [ "$1" != -o ]; do shift; done; echo x >>{tmp_path}/log; echo y >"$2"\n'
    for name in ("wine", "x86_64-w64-mingw32-gcc"):
        (tools / name).write_text(f"#!/bin/sh\n{text}")
        (tools / name).chmod(0o755)
    given = {
        installation.FOLDER: os.environ[installation.FOLDER],
        "PATH": f"{tools}:/bin:/usr/bin",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    found = [npu_compiler.environment(given)[installation.PROGRAM] for _ in range(2)]
    assert found[0] == found[1]
    assert Path(found[0]).read_text() == "y\n"
    assert (tmp_path / "log").read_text() == "x\n"
    words = installation.command("NPU", {"A": "1"}, {**given, installation.PROGRAM: found[0]})
    libraries = os.environ[installation.FOLDER] + "/libs"
    assert words == ["wine", found[0], libraries, "NPU", "A", "1"]
    (tools / "x86_64-w64-mingw32-gcc").write_text("#!/bin/sh\necho 'c:1: error: no' >&2; exit 1\n")
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(npu_compiler.NpuCompilerError, match=r"cannot compile compile\.c: c:1: err"):
        npu_compiler.environment(given)
    assert not list(tmp_path.rglob("*.exe"))


GENERAL = "Compilation failed. vclAllocatedExecutableCreate4 result: 0x78000004 - [NPU_VCL] Compiler returned msg:"


@pytest.mark.parametrize(
    "message, printed, told",
    [
        (f"{GENERAL}Attribute strides can't be processed", [], "Attribute strides can't be processed"),
        (f"{GENERAL} Compilation failed", [], "Compilation failed"),
        (f"{GENERAL}node 'GRUCell_227708' at 0x00007F61EABAA820", [], "node 'GRUCell' at "),
        (
            f"{GENERAL} Compilation failed",
            [
                "[ERROR] 09:30:18.367 [vpux-compiler] Lower failed : no kernel",
                "[ERROR] 09:30:18.367 [vpux-compiler] Failed Pass Lower on Operation "
                'loc(fused<{name = "c3.l", type = "Relu"}>["c3.l"])',
            ],
            "pass Lower on c3.l: Lower failed : no kernel",
        ),
        (
            "Check 'x' failed",
            ["[ERROR] 09:30:18.059 [fusion] At least one instance has no outputs values, which"],
            "Check 'x' failed",
        ),
    ],
)  # fmt: skip
def test_a_refusal_names_the_pass(message: str, printed: list[str], told: str) -> None:
    assert log.refusal(message, printed) == told


def test_last_words_without_a_fatal_message_are_the_last_line() -> None:
    assert log.death(["", "something", "the end", ""]) == "the end"
    assert log.death([]) == ""


def test_a_port_by_port_comparison_names_the_input() -> None:
    own, other = Port("f32", "[2]", "a"), Port("f32", "[2]", "b")
    compiled = Compiled([own], [own], [other], [own])
    verdict = judge_compiled(CASE, ["f32"], [(2,)], compiled)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.detail == (
        "input 0 of the compiled model is f32[2] 'b', that of the model f32[2] 'a'"
    )


# --- with Wine, where it is there -----------------------------------------------------------------------------------

INSTALLED = npu_compiler.environment(
    {**os.environ, installation.FOLDER: "", installation.PROGRAM: ""}
)
needs_compiler = pytest.mark.skipif(
    not INSTALLED, reason="needs Wine and the compiler: .ci/npu-compiler/make-root"
)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(installation.FOLDER)
    monkeypatch.delenv(installation.PROGRAM)


@needs_compiler
@pytest.mark.usefixtures("installed")
def test_the_compiler_compiles(tmp_path: Path) -> None:
    options = ("--operation", "ReLU-1", "MatMul-1", "--purpose", "plain", "--how", "usual")
    done = suite(tmp_path, *options, "--profile", "npu=NPU4000", "--audit=1", device="NPU")
    assert set(outcomes(tmp_path).values()) == {"COMPILED"}, done.text


@needs_compiler
@pytest.mark.usefixtures("installed")
def test_results_come_in_the_order_of_the_model() -> None:
    """The program tells outputs by their position, where the suite asks for Results by their name."""
    names = ("TopK-11", "Split-1", "VariadicSplit-1", "ReLU-1")
    cases = [next(iter(ir_models.cases(ir_models.operation(n), ["plain"]))) for n in names]
    asked = question_for([prepare(case, 0) for case in cases])
    device = Child("NPU", NPU4000.settings, NPU4000.environment)
    reply = device.ask(asked, 120)
    assert not reply.refused, reply.error
    core = Child("CORE", {}, {})
    assert reply.inferred == core.ask(asked, 120).inferred
    device.close()
    core.close()


@pytest.mark.skipif(not shutil.which("x86_64-w64-mingw32-gcc"), reason="needs mingw")
def test_the_program_compiles_without_a_warning(tmp_path: Path) -> None:
    command = ["x86_64-w64-mingw32-gcc", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run([*command, "-o", tmp_path / "x.exe", installation.SOURCE], check=True)
