"""The child process: how it starts, answers, dies and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import ir_models
from devices import Child, ChildDiedError, ChildHungError, NoDeviceError, ProfileError
from devices import parse_profile as profile
from devices.engine.session import Session
from devices.process.forking import fork_client
from devices.process.protocol import Question, TensorData
from ir_models.writing import ir
from tests.unit.conformance.running import ROOT, run, survivors, wait_until

DEVICE = "PYTHON:tests.unit.devices.faulty"
CASE = ir_models.parse(
    "SpaceToDepth-1/variant.depth-first/f32[2,5,6]/block_size=2,mode=depth_first"
)


def question() -> Question:
    model = ir.write([CASE])
    (values,) = CASE.arrays()
    assert values is not None
    feed = {name: TensorData.of(values, "f32") for name in model.parameters}
    return Question(model.xml, model.weights, [feed], list(model.results), list(model.layers))


def child(**settings: str) -> Child:
    return Child(DEVICE, settings, {})


def test_it_answers_and_tells_about_itself() -> None:
    device = child()
    assert device.facts["full_name"] == "A device with a fault"
    for count in (1, 2):
        reply = device.ask(question(), 10)
        assert not reply.refused
        assert [tensor.shape for tensor in reply.outputs[0]] == [(2, 10, 3)]
        assert device.questions == count
    device.close()


def test_its_death_tells_the_signal_and_the_stage() -> None:
    device = child(FAULT="segfault", STAGE="compile")
    with pytest.raises(ChildDiedError) as caught:
        device.ask(question(), 10)
    assert (caught.value.status, caught.value.stage) == ("SIGSEGV", "compile")


def test_a_hang_is_ended_within_the_limit() -> None:
    device = child(FAULT="hang", STAGE="read")
    started = time.monotonic()
    with pytest.raises(ChildHungError, match=r"^no answer in read within 0\.3 s$"):
        device.ask(question(), 0.3)
    assert time.monotonic() - started < 5


def test_work_without_end_is_ended_within_the_limit() -> None:
    device = child(BUSY="60")
    with pytest.raises(ChildHungError):
        device.ask(question(), 0.3)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes cannot share a core")
def test_time_in_which_others_had_the_core_does_not_count() -> None:
    """A machine with a dozen processes for each core: what takes 0.2 s takes longer than the limit of 0.6 s."""
    device = child(BUSY="0.2")
    core = {min(os.sched_getaffinity(0))}
    # In sessions of their own, as the device is: Linux may share a core by session and not by process.
    busy = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(busy, start_new_session=True) for _ in range(12)]
    try:
        for process_id in (device._process.pid, *(other.pid for other in others)):
            os.sched_setaffinity(process_id, core)
        started = time.monotonic()
        assert not device.ask(question(), 0.6).refused
        assert time.monotonic() - started > 0.6
        device.close(0.6)
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_time_in_which_this_process_was_stopped_does_not_count() -> None:
    """Somebody stops a worker, or a whole machine stands still: the child has answered in time."""
    script = (
        "from tests.unit.devices.process.test_process import child, question\n"
        "device = child(DELAY='2')\n"
        "print('asks', flush=True)\n"
        "print(device.ask(question(), 4).stage, flush=True)\n"
        "device.close()"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asks\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)
        time.sleep(6)
        process.send_signal(signal.SIGCONT)
        assert process.stdout.read() == "done\n"


def test_a_child_that_somebody_stops_hangs_and_is_ended() -> None:
    device = child(DELAY="60")
    os.kill(device._process.pid, signal.SIGSTOP)
    with pytest.raises(ChildHungError):
        device.ask(question(), 1)
    assert device._process.poll() == -signal.SIGKILL


def test_a_device_that_does_not_open_leaves_its_last_words() -> None:
    with pytest.raises(ChildDiedError, match="RuntimeError: the driver's table is empty") as caught:
        child(FAULT="open_error")
    assert (caught.value.status, caught.value.stage) == ("exit status 1", "open")


@pytest.mark.parametrize(
    "device, settings, absent, told",
    [
        (DEVICE, {"FAULT": "absent"}, True, "PYTHON is not on this machine"),
        (DEVICE, {"FAULT": "unknown"}, False, "PYTHON: unknown fault 'unknown'"),
        ("PYTHON:no_such_module", {}, False, "No module named 'no_such_module'"),
        ("GPU", {}, True, "GPU is not on this machine; available: "),
        ("NPU", {}, True, "NPU is not on this machine: its plugin finds no device, which takes"),
        ("NPU.3", {}, True, "NPU.3 is not on this machine; available: "),
        ("AUTO:GPU,CPU", {}, True, "GPU is not on this machine; available: "),
        ("XPU", {}, False, "XPU"),
        ("CPU", {"NO_SUCH_KEY": "1"}, False, "NO_SUCH_KEY"),
    ],
)
def test_a_device_that_is_absent_or_unknown(
    device: str, settings: dict[str, str], absent: bool, told: str
) -> None:
    with pytest.raises(NoDeviceError) as caught:
        Child(device, settings, {})
    assert caught.value.absent is absent
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "fault, told",
    [
        ("die_on_release", "SIGSEGV in release"),
        ("exit_on_release", "exit status 3 in release"),
    ],
)
def test_dying_on_release_is_told(fault: str, told: str) -> None:
    device = child(FAULT=fault)
    device.ask(question(), 10)
    with pytest.raises(ChildDiedError, match=told):
        device.close()


def test_hanging_on_release_is_ended() -> None:
    device = child(FAULT="hang_on_release")
    device.ask(question(), 10)
    with pytest.raises(ChildHungError, match=r"no answer in release within 0\.2 s"):
        device.close(0.2)


@pytest.mark.parametrize("fault", ["", "hang"])
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_it_ends_when_the_suite_is_killed_whatever_it_is_doing(tmp_path: Path, fault: str) -> None:
    suite = f"""
from tests.unit.devices.process.test_process import child, question
device = child(FAULT={fault!r}, LOG={str(tmp_path / "log")!r})
device.ask(question(), 1000)
input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", suite],
        cwd=ROOT,
        env={**survivors.environment(tmp_path), "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
    )
    wait_until(lambda: (tmp_path / "log").exists())
    assert len(survivors.of(tmp_path)) == (3 if fork_client.CAN_FORK else 2)
    process.kill()
    process.communicate()
    wait_until(lambda: not survivors.of(tmp_path))
    assert not list(tmp_path.glob("devices-*"))


def test_openvino_does_not_call_home_from_a_fork_of_the_child(tmp_path: Path) -> None:
    script = """
import sys
from devices.process.child import open_device
open_device("CORE", {})
print("openvino" in sys.modules, [m for m in sys.modules if m.startswith("openvino_telemetry.")])
"""
    came = run(tmp_path, "-c", script)
    assert came.out == "True []\n", came.text


def test_profiles() -> None:
    assert profile("accuracy").settings == {"EXECUTION_MODE_HINT": "ACCURACY"}
    assert profile("performance,NUM_STREAMS=2").settings == {
        "EXECUTION_MODE_HINT": "PERFORMANCE",
        "NUM_STREAMS": "2",
    }
    assert profile("isa=AVX2").environment == {
        "OV_CPU_MAX_ISA": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
    }
    assert profile("accuracy").environment == {}
    assert profile("accuracy").for_device("BATCH:CPU(4)")["AUTO_BATCH_TIMEOUT"] == "1"
    assert profile("AUTO_BATCH_TIMEOUT=9").for_device("BATCH:CPU")["AUTO_BATCH_TIMEOUT"] == "9"


def test_a_cap_without_effect_is_no_cap() -> None:
    profile("isa=AVX2").check({"y": "jit_avx2_f32"})
    with pytest.raises(ProfileError, match="the cap has no effect here, kernel jit_avx512_f32 ran"):
        profile("isa=AVX2").check({"y": "jit_avx512_f32"})


@pytest.mark.parametrize("text", ["", "fast", "isa=MMX", "KEY=", "=1", "accuracy,,performance"])
def test_a_profile_that_is_none(text: str) -> None:
    with pytest.raises(ProfileError, match="unknown"):
        profile(text)


# --- how it is started --------------------------------------------------------------------------------------------

forks = pytest.mark.skipif(not fork_client.CAN_FORK, reason="only Linux forks processes safely")


@pytest.mark.parametrize("is_forked", [pytest.param(True, marks=forks), False])
def test_it_is_started_with_and_without_a_fork_server(
    is_forked: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fork_client, "CAN_FORK", is_forked)
    first, second = child(LOG=str(tmp_path / "log")), child()
    for device in (first, second):
        assert not device.ask(question(), 10).refused
    first.kill()
    assert not second.ask(question(), 10).refused
    second.close()
    dying = child(FAULT="die_on_release")
    dying.ask(question(), 10)
    with pytest.raises(ChildDiedError, match="SIGSEGV in release"):
        dying.close()


def settings_of_environment(environment: dict[str, str]) -> Child:
    return Child(DEVICE, {"FAULT": "", "TELL": "COLOUR"}, environment)


@forks
def test_each_environment_has_a_fork_server_of_its_own() -> None:
    for colour in ("red", "blue", "red"):
        device = settings_of_environment({"COLOUR": colour})
        assert device.facts["driver"] == colour
        device.close()
    assert len({fork_client.addresses()[f'{{"COLOUR": "{c}"}}'] for c in ("red", "blue")}) == 2


@forks
def test_a_fork_server_that_was_killed_is_replaced() -> None:
    environment = {"COLOUR": "green"}
    before = settings_of_environment(environment)
    (server,) = [
        each for key, each in fork_client._fork_servers.items() if key == '{"COLOUR": "green"}'
    ]
    assert server._process is not None
    server._process.kill()
    server._process.wait()
    after = settings_of_environment(environment)
    assert after.facts["driver"] == "green"
    after.close()
    # Nobody can tell any more how the first one ends, but it does.
    with pytest.raises(ChildDiedError, match="SIGKILL in release"):
        before.close()


@forks
def test_a_fork_server_of_another_process_is_used_while_it_is_there(tmp_path: Path) -> None:
    elsewhere = fork_client.ForkServerClient.start_server({"COLOUR": "white"})
    key = '{"COLOUR": "black"}'
    fork_client.adopt({key: elsewhere.address})
    device = settings_of_environment({"COLOUR": "black"})
    assert device.facts["driver"] == "white", "started by that fork server"
    device.close()
    elsewhere.close()
    device = settings_of_environment({"COLOUR": "black"})
    assert device.facts["driver"] == "black"
    device.close()


@forks
def test_a_device_is_opened_in_the_fork_only() -> None:
    device = Child("CPU", {}, {})
    forked, server = device._process, fork_client._fork_servers["{}"]._process  # type: ignore[attr-defined]
    assert server is not None
    loaded = [Path(f"/proc/{p.pid}/maps").read_text() for p in (forked, server)]  # type: ignore[attr-defined]
    assert ["libopenvino.so" in maps for maps in loaded] == [True, True]
    assert ["intel_cpu_plugin" in maps for maps in loaded] == [True, False]
    device.close()


@forks
def test_deep_folders_are_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 200)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    fork_client.prepare({"COLOUR": "deep"})
    assert fork_client.addresses()['{"COLOUR": "deep"}'].startswith(str(deep))
    device = settings_of_environment({"COLOUR": "deep"})
    assert device.facts["driver"] == "deep"
    device.close()


@forks
def test_a_fork_server_that_does_not_start_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(environment: dict[str, str], loaded: Sequence[str]) -> fork_client.ForkServerClient:
        raise PermissionError("no sockets here")

    monkeypatch.setattr(fork_client.ForkServerClient, "start_server", started)
    fork_client.prepare({"COLOUR": "none"})
    device = settings_of_environment({"COLOUR": "none"})
    assert isinstance(device._process, subprocess.Popen)
    assert device.facts["driver"] == "none"
    device.close()


@forks
@pytest.mark.parametrize(
    "devices, is_loaded",
    [(["PYTHON:a"], False), (["PYTHON:a", "CPU"], True), ([], True)],
    ids=["python", "both", "usual"],
)
def test_a_fork_server_for_devices_in_python_loads_no_openvino(
    devices: list[str], is_loaded: bool
) -> None:
    environment = {"COLOUR": "-".join(devices)}
    fork_client.prepare(environment, devices)
    # It answers once it has loaded everything.
    settings_of_environment(environment).close()
    process = fork_client._fork_servers[fork_client._key(environment)]._process
    assert process is not None
    assert ("libopenvino" in Path(f"/proc/{process.pid}/maps").read_text()) is is_loaded


def test_software_is_asked_about_itself_once() -> None:
    session = Session("CPU", profile("isa=AVX2"), 10)
    told = session.open().facts
    release = session.release
    session.discard()
    again = session.open()
    assert told["kernels"]
    assert "kernels" not in again.facts
    assert session.release == release == again.facts["openvino"]
    assert not session.ask(question()).refused
    session.close()


def test_hardware_shows_each_time_that_it_is_well() -> None:
    session = Session(DEVICE, profile("accuracy"), 10)
    for _ in range(2):
        assert "full_name" in session.open().facts
        session.discard()
