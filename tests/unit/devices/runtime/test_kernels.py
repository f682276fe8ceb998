"""Which kernel computed a layer: the layer's own, not one that the plugin inserted around it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ir_models
from devices import Child
from devices.process.protocol import Kernel, Question, TensorData
from ir_models.writing import ir

CPU = "CPU"
ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def cpu() -> Iterator[Child]:
    pytest.importorskip("openvino", reason="pip install openvino")
    device = Child(CPU, {"EXECUTION_MODE_HINT": "ACCURACY"}, {})
    yield device
    device.close()


def kernel_of(device: Child, case_id: str) -> Kernel:
    case = ir_models.parse(case_id)
    arrays = case.arrays()
    model = ir.write([case])
    feed = {}
    for name, port in model.parameters.items():
        values = arrays[port.port]
        assert values is not None
        feed[name] = TensorData.of(values, port.element_type.name)
    layers = list(model.layers)
    reply = device.ask(Question(model.xml, model.weights, [feed], list(model.results), layers), 60)
    assert not reply.refused, reply.error
    return reply.kernels[layers[0]]


@pytest.mark.parametrize(
    ("case", "layer_type"),
    [
        # Between two Transposes, the second of which has the layer's name.
        (
            "Interpolate-11/variant.axes/f32[2,3,5,7]/scales_or_sizes=3,5;axes=0,1;mode=nearest;"
            "shape_calculation_mode=sizes;coordinate_transformation_mode=half_pixel;"
            "nearest_mode=round_prefer_floor;antialias=false;pads_begin=0,0,1,0;pads_end=0,0,0,2;"
            "cube_coeff=-0.75",
            "Interpolate",
        ),
        # Reshape, Transpose, Reshape: the last one has the layer's name.
        ("DepthToSpace-1/rank/f32[2,48,4,5,1,2]/block_size=2,mode=blocks_first", "Transpose"),
        # Between two Converts.
        ("Transpose-1/type/i16[3,5,2,4]/input_order=2,0,3,1", "Transpose"),
        # Unrolled to a loop before two Reshapes.
        (
            "GRUSequence-5/random/f32[2,7,3],f32[2,1,6],f32[1,18,3],f32[1,18,6],f32[1,24]/"
            "sequence_lengths=3,1;hidden_size=6;activations=relu,tanh;direction=reverse;"
            "linear_before_reset=true",
            "TensorIterator",
        ),
    ],
)
def test_the_kernel_is_that_of_the_layer(cpu: Child, case: str, layer_type: str) -> None:
    assert kernel_of(cpu, case).layer_type == layer_type


def test_a_kernel_without_a_name_is_called_by_its_layer_type() -> None:
    assert Kernel("ScatterUpdate", "unknown_f32", "f32").name == "ScatterUpdate"
    assert Kernel("Eltwise", "jit_avx512_f32", "f32").name == "jit_avx512_f32"


def test_a_folded_layer_stays_a_constant(cpu: Child) -> None:
    assert kernel_of(cpu, "Erf-1/plain/f32[2,3,5,4]/-/data=constant").is_constant


# Prints the precision of the layer y, of a run-time model that is x (an Input), a layer before, a Reorder, and y.
RUN_TIME_MODEL = """
import sys
from types import SimpleNamespace

import openvino as ov
from openvino import opset13

from devices.runtime.kernels import kernels

hint, before = sys.argv[1:]
parameter = opset13.parameter([2], name="x")
nodes = [parameter]
for name in ("before", "reorder", "y"):
    nodes.append(opset13.relu(nodes[-1], name=name))
kinds = [("Input", "f32"), (before, "f32"), ("Reorder", "bf16"), ("Interpolate", "f32")]
for node, (kind, precision) in zip(nodes, kinds):
    info = node.get_rt_info()
    info["layerType"], info["primitiveType"] = kind, f"jit_{precision}"
    info["runtimePrecision"] = precision
    info["originalLayersNames"] = node.get_friendly_name()
model = ov.Model([nodes[-1]], [parameter])
compiled = SimpleNamespace(
    get_runtime_model=lambda: model,
    get_property=lambda name: SimpleNamespace(get_type_name=lambda: hint),
)
print(kernels(compiled, ["y"], {"before": "Relu", "y": "Interpolate"})["y"].precision)
"""


@pytest.mark.parametrize(
    ("hint", "before", "precision"),
    [
        # What a layer computed was kept in bf16 before y read it.
        ("bf16", "Subgraph", "bf16"),
        # An input of the model, which has bf16 elements itself.
        ("bf16", "Input", "f32"),
        # The layers of the model have bf16 elements: the device keeps nothing in less.
        ("dynamic", "Subgraph", "f32"),
    ],
)
def test_a_layer_is_as_coarse_as_the_tensors_between_it_and_those_before(
    hint: str, before: str, precision: str
) -> None:
    # In a process of its own: this one stays without openvino.
    script = [sys.executable, "-c", RUN_TIME_MODEL, hint, before]
    ended = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.stdout.strip(), ended.returncode) == (precision, 0), ended.stderr
