"""Memory: what there is for a process, on machines and in containers that are files here, and what a case needs."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from devices.process.child import _limit_memory
from devices.process.resources import memory
from devices.process.resources.limits import be_ended_first, take_no_more_than

GB = 10**9
HEAVY = "ScatterUpdate-3/example/u8[1000,256,10,15],i64[125,20],u8[1000,125,20,10,15]/axis=[1]"


def machine(root: Path, **files: str) -> Path:
    """A root folder with these files; ``__`` in a name stands for a slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def meminfo(total: float, available: float) -> str:
    return f"MemTotal: {int(total * GB / 1024)} kB\nMemAvailable: {int(available * GB / 1024)} kB\n"


def test_a_laptop_of_8_gb_shares_what_is_free_among_its_workers(tmp_path):
    root = machine(tmp_path, proc__meminfo=meminfo(8, 6))
    one, four = memory.ceiling(1, root), memory.ceiling(4, root)
    assert one == pytest.approx(0.9 * 6 * GB - 2**29, rel=1e-3)
    assert four == pytest.approx(0.9 * 6 * GB / 4 - 2**29, rel=1e-3)
    assert memory.total(root) == pytest.approx(8 * GB, rel=1e-3)
    assert four < memory.need(HEAVY) < one


def test_each_process_has_a_limit_whatever_is_asked(tmp_path):
    root = machine(tmp_path, proc__meminfo=meminfo(8, 6))
    assert memory.limit(1, root) == pytest.approx(0.9 * 6 * GB, rel=1e-3)
    assert memory.limit(2, root) == pytest.approx(0.9 * 3 * GB, rel=1e-3)
    # Less than this is not enough for OpenVINO and its threads.
    assert memory.limit(16, root) == 2**31
    assert memory.limit(1, machine(tmp_path, proc__meminfo=meminfo(1, 0.5))) == GB // 1024 * 1024
    assert memory.limit(1, tmp_path / "nothing") is None


@pytest.mark.parametrize("path", ["/", "/docker/abc"])
def test_a_container_has_less_than_its_machine(tmp_path, path):
    folder = tmp_path / "sys/fs/cgroup" / path.lstrip("/")
    folder.mkdir(parents=True)
    (folder / "memory.max").write_text(f"{2 * GB}\n")
    (folder / "memory.current").write_text(f"{GB}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {GB // 2}\n")
    root = machine(tmp_path, proc__meminfo=meminfo(64, 60), proc__self__cgroup=f"0::{path}\n")
    assert memory.total(root) == 2 * GB
    assert memory.ceiling(1, root) == int(0.9 * 1.5 * GB) - 2**29


def test_a_container_of_version_1_is_read_too(tmp_path):
    folder = tmp_path / "sys/fs/cgroup/memory"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text(f"{2 * GB}\n")
    (folder / "memory.usage_in_bytes").write_text("0\n")
    root = machine(
        tmp_path, proc__meminfo=meminfo(64, 60), proc__self__cgroup="9:cpu,memory:/docker/1\n"
    )
    assert memory.total(root) == 2 * GB


def test_no_limit_of_either_version_is_none(tmp_path):
    one, two = tmp_path / "sys/fs/cgroup/memory", tmp_path / "sys/fs/cgroup"
    one.mkdir(parents=True)
    (one / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    (one / "memory.usage_in_bytes").write_text("7\n")
    (two / "memory.max").write_text("max\n")
    assert memory.total(tmp_path) is None


def test_a_limit_of_the_process_counts():
    script = (
        "import resource; from devices.process.resources import memory;"
        f"resource.setrlimit(resource.RLIMIT_AS, ({3 * GB}, {3 * GB})); print(memory.ceiling())"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert 2 * GB < int(told.stdout) < 3 * GB - 2**29


def test_an_allocation_beyond_the_ceiling_fails_and_harms_nobody():
    script = (
        "from devices.process.resources.limits import be_ended_first, most, take_any, take_no_more_than\n"
        f"be_ended_first(); take_no_more_than({GB})\n"
        f"assert most() == {GB}\n"
        "import numpy\n"
        "try:\n    numpy.ones(10**9)\nexcept MemoryError:\n    print('refused')\n"
        "print(open('/proc/self/oom_score_adj').read())\n"
        "take_any()\n"
        "assert most() is None\n"
        "numpy.ones(2 * 10**8)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["refused", "1000"]


@pytest.mark.parametrize(
    ("device", "on_processor", "limit"),
    [("CPU", False, 6), ("GPU.1", False, None), ("GPU", True, 6), ("NPU", True, None)],
)
def test_drivers_of_hardware_alone_may_reserve_any_memory(monkeypatch, device, on_processor, limit):
    set_to = []
    monkeypatch.delenv("OPENCL_LAYERS", raising=False)
    if on_processor:
        monkeypatch.setenv("OPENCL_LAYERS", "/a/layer.so")
    monkeypatch.setattr("devices.process.resources.limits.take_any", lambda: set_to.append(None))
    monkeypatch.setattr("devices.process.resources.limits.take_no_more_than", set_to.append)
    _limit_memory(device, 6)
    assert set_to == [limit]


def test_a_ceiling_never_lifts_a_limit(monkeypatch):
    set_to = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (5, 7))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: set_to.append(limits))
    monkeypatch.setattr(Path, "write_text", lambda *_: 0)
    be_ended_first()
    take_no_more_than(6)
    assert set_to == [(5, 7)]


@pytest.mark.parametrize(
    "case, bytes_",
    [
        ("Exp-1/plain/f32[10,20]", 8 * 800),
        ("Exp-1/plain/f32[10,20]/-/shape=dims", 3 * 8 * 800),
        ("Convert-1/plain/u4[10,20]/destination_type=f32", 8 * 100),
        ("Exp-1/plain/no_type[10,20]", 0),
    ],
)
def test_what_a_case_needs_grows_with_its_inputs(case, bytes_):
    assert memory.need(case) == bytes_
