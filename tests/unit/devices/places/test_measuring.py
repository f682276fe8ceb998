"""Places of known causes, as the installed OpenVINO tells them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from devices.__main__ import main
from devices.commands import place
from devices.places.measuring import _nodes, refusing_line
from reports.gate import causes
from reports.results.case_folder.manifest import Manifest
from tests.unit.command_lines import refusal

KNOWN = causes.load().by_id


@pytest.mark.parametrize(
    "cause, told",
    [
        ("strided-slice-mask-lengths", "line src/core/src/op/strided_slice.cpp:"),
        ("rms-of-higher-rank", "pass ov::pass::RMSFusion"),
        ("mvn-1-reduction-axes", "node MVN ("),
        pytest.param(
            "broadcast-scalar-to-scalar-dies",
            "frame ov::intel_cpu::node::Broadcast (libopenvino_intel_cpu_plugin.so+0x",
            marks=pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb"),
        ),
    ],
)
def test_the_place_of_a_cause(cause: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["place", cause]) == 0
    assert capsys.readouterr().out.startswith(f"{cause}: {told}")


def test_what_conforms_here_has_no_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["place", "arm-tanh-error"]) == 1
    assert capsys.readouterr().out == "arm-tanh-error: –\n"


def test_a_cause_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["place", "nope"]) == 2
    assert "no cause 'nope'" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["ZPU", "", "GPU.7"])
def test_a_device_that_is_not_there(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    refusal(
        capsys,
        main,
        "python -m devices place: --device",
        "place",
        "arm-tanh-error",
        "--device",
        device,
    )


def test_a_node_without_a_kernel_computes_nothing() -> None:
    case = Manifest.__new__(Manifest)
    object.__setattr__(case, "result", {"operation": "RegionYolo-1"})
    gpu = [
        "region_yolo (region_yolo_gpu_ref__f32)",
        "Reshape (undef)",
        "Reorder (reorder_data__f32)",
    ]
    assert _nodes(case, gpu) == gpu[:1]
    assert _nodes(case, gpu[1:]) == gpu[2:]


def test_a_place_is_written_behind_the_smallest_case(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    text = (
        'title = "t"\nclass = "open"\nsmallest = "A-1/plain/f32[2]/-"\n{}devices = ["CPU", "GPU"]\n'
    )
    file.write_text(text.format(""))
    for device, told, places in (
        ("GPU", "line a.cpp:1", '{ GPU = "line a.cpp:1" }'),
        ("CPU", "node A (b)", '{ CPU = "node A (b)", GPU = "line a.cpp:1" }'),
        ("CPU", "node A (c)", '{ CPU = "node A (c)", GPU = "line a.cpp:1" }'),
    ):
        place._store(causes.read(file), device, told)
        assert file.read_text() == text.format(f"place = {places}\n")


@pytest.mark.parametrize(
    "exception, told",
    [
        (
            "Exception from src/inference/src/dev/plugin.cpp:54:\nException from "
            "src/plugins/intel_cpu/src/nodes/mvn.cpp:1964:\nranks from 1 to 5\n\nException from "
            "src/plugins/intel_cpu/src/nodes/reference.cpp:36:\nCannot fallback",
            "line src/plugins/intel_cpu/src/nodes/mvn.cpp:1964",
        ),
        (
            "Exception from src/plugins/intel_cpu/src/nodes/reference.cpp:36:\nCannot fallback",
            "line src/plugins/intel_cpu/src/nodes/reference.cpp:36",
        ),
        (
            "Exception from src/core/src/pass/graph_rewrite.cpp:298:\n[Decomposition] END: node: opset13::A\n"
            "Check failed at src/core/shape_inference/include/broadcast.hpp:79:",
            "line src/core/shape_inference/include/broadcast.hpp:79, in pass Decomposition",
        ),
        (
            "Exception from src/core/src/pass/graph_rewrite.cpp:298:\n[Decomposition] END: node: opset13::A",
            "pass Decomposition",
        ),
        ("Exception from src/inference/src/cpp/core.cpp:117:\nno", ""),
    ],
)
def test_the_line_that_refuses(exception: str, told: str) -> None:
    """The node's own line before that of the fallback, and the pass around it."""
    assert refusing_line(exception) == told
