"""The functions of a stack in the shipped libraries: by the classes in whose virtual tables they stand."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from devices.places.frames import library, place_in

SPEC = find_spec("openvino")
assert SPEC is not None
assert SPEC.origin is not None
PLUGIN = next(Path(SPEC.origin).parent.glob("libs/libopenvino_intel_cpu_plugin.so"), None)
LIBRARY = next(Path(SPEC.origin).parent.glob("libs/libopenvino.so.*"), None)
BASE = 0x7FFF00000000

pytestmark = pytest.mark.skipif(PLUGIN is None, reason="no shared library of the CPU plugin")


@pytest.fixture
def roll() -> int:
    """The address of a function that the node Roll alone has."""
    assert PLUGIN is not None
    owners = library(str(PLUGIN.resolve()))._owners
    return min(
        address
        for address, names in owners.items()
        if names == {"N2ov9intel_cpu4node4RollE"}
    )  # fmt: skip


def stack(*frames: str) -> str:
    """What gdb prints of a stack, with the places of two libraries."""
    assert PLUGIN is not None
    rows = [f"#{number}  {frame}" for number, frame in enumerate(frames)]
    mapped = [
        f"      {BASE:#x}     0x7fff00001000     0x1000        0x0  r--p   {PLUGIN.resolve()}",
        f"      0x7ffe00000000     0x7ffe00001000     0x1000        0x0  r--p   {LIBRARY}",
    ]
    return "\n".join([*rows, *mapped])


def test_a_function_without_a_symbol_has_the_class_of_its_table(roll: int) -> None:
    assert PLUGIN is not None
    found = stack(
        "0x00007fff12345678 in __memmove_avx () from /lib/libc.so.6",
        f"0x{BASE + roll + 5:x} in ?? () from {PLUGIN}",
    )
    where = f"({PLUGIN.name}+{roll + 5:#x})"
    assert place_in(found) == f"ov::intel_cpu::node::Roll {where}"


def test_a_symbol_names_its_own_function_and_none_behind_it() -> None:
    assert LIBRARY is not None
    core = library(str(LIBRARY.resolve()))
    name = "_ZN2ov2op2v05PRelu24validate_and_infer_typesEv"
    start = next((at for at, symbol in core._symbols.items() if symbol == name), 0)
    starts = core._starts
    behind = starts[starts.index(start) + 1]
    assert core.function_at(start + 1) == "ov::op::v0::PRelu::validate_and_infer_types"
    assert core.function_at(behind + 1) != "ov::op::v0::PRelu::validate_and_infer_types"


def test_without_a_name_the_innermost_address_is_told() -> None:
    assert PLUGIN is not None
    found = stack(
        f"0x{BASE + 1:x} in ?? () from {PLUGIN}", f"0x{BASE + 2:x} in ?? () from {PLUGIN}"
    )
    assert place_in(found) == f"{PLUGIN.name}+0x1"
    assert place_in("[Inferior 1 exited normally]") == ""


def test_a_task_of_threads_has_the_function_that_it_is_written_in() -> None:
    assert PLUGIN is not None
    owners = library(str(PLUGIN.resolve()))._owners
    task = min(
        at for at, names in owners.items()
        if any(name.startswith("N3tbb") and "StridedSliceCommonExecutor" in name for name in names)
    )  # fmt: skip
    found = place_in(stack(f"0x{BASE + task + 1:x} in ?? () from {PLUGIN}"))
    assert found.startswith("ov::intel_cpu::node::StridedSlice::StridedSliceCommonExecutor::")
    assert found.endswith(f" ({PLUGIN.name}+{task + 1:#x})")


def test_a_destructor_is_no_place() -> None:
    """A damaged heap is noticed where memory is freed."""
    assert PLUGIN is not None
    assert LIBRARY is not None
    core = library(str(LIBRARY.resolve()))
    freed = next(
        at
        for at, name in core._symbols.items()
        if name in ("_ZN2ov6TensorD1Ev", "_ZN2ov6TensorD2Ev")
    )
    base = 0x7FFE00000000
    frames = f"0x{base + freed + 1:x} in ov::Tensor::~Tensor() from {LIBRARY}"
    assert place_in(stack(frames, f"0x{BASE + 1:x} in ?? () from {PLUGIN}")) == ""
