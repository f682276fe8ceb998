"""What ONNX's reference evaluator says of models as OpenVINO reads them."""

import importlib.util
import sys

import numpy as np
import pytest

from devices.__main__ import main
from devices.models.onnx_opinion.opinion import tensors_of
from ir_models.models import read
from reports.results import model_run
from tests.planted.small_model import SmallModel


def resized(folder, antialias):
    """Conv, Relu, Resize and Sigmoid; OpenVINO's reader leaves the antialias of a linear Resize out."""
    helper, types = pytest.importorskip("onnx.helper"), pytest.importorskip("onnx").TensorProto
    draw = np.random.RandomState(0).uniform(-1, 1, (3, 3, 3, 3))
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c"], ["r"], "relu"),
            helper.make_node(
                "Resize", ["r", "", "", "size"], ["z"], "down", mode="linear", antialias=antialias
            ),
            helper.make_node("Sigmoid", ["z"], ["y"], "sigmoid"),
        ],
        "graph",
        [helper.make_tensor_value_info("x", types.FLOAT, [1, 3, 12, 14])],
        [helper.make_tensor_value_info("y", types.FLOAT, [1, 3, 5, 6])],
        [
            helper.make_tensor("w", types.FLOAT, draw.shape, draw.ravel()),
            helper.make_tensor("size", types.INT64, [4], [1, 3, 5, 6]),
        ],
    )
    opsets = [helper.make_opsetid("", 18)]
    path = folder / "resize.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    )
    return path


def test_a_node_that_was_read_as_another_layer_is_told_apart_from_the_device(tmp_path, capsys):
    path, out = resized(tmp_path, 1), tmp_path / "out"
    assert main(["model", str(path), "--onnx", "--out", str(out)]) == 1
    run = model_run.read(out / "model.json")
    assert run.ranked() == []
    (node,) = run.onnx.differing
    assert (node.operation, node.title, node.layers) == ("Resize", "down", ["Interpolate-11"])
    assert node.error > 0.01 * node.scale
    (result,) = run.onnx.results
    assert result.read > 0.01 * result.scale
    assert abs(result.read - result.device) < 1e-5 * result.scale
    said = capsys.readouterr().out
    assert "Resize 'down' was read as Interpolate-11" in said
    assert "OpenVINO's reader differs here" in said


def test_nodes_that_were_read_as_they_are_show_nothing(tmp_path, capsys):
    path, out = resized(tmp_path, 0), tmp_path / "out"
    assert main(["model", str(path), "--onnx", "--out", str(out)]) == 0
    opinion = model_run.read(out / "model.json").onnx
    assert (opinion.nodes, opinion.evaluated, opinion.compared) == (4, 4, 4)
    assert (opinion.differing, opinion.unevaluated, opinion.failure) == ([], {}, "")
    assert opinion.results[0].read < 1e-12
    assert "all alike" in capsys.readouterr().out


def test_what_the_time_was_not_enough_for_is_told(tmp_path, capsys):
    path, out = resized(tmp_path, 0), tmp_path / "out"
    assert main(["model", str(path), "--onnx", "--minutes", "0.0001", "--out", str(out)]) == 0
    assert model_run.read(out / "model.json").onnx.compared < 4
    assert "it did not end within 0.006 s" in capsys.readouterr().out


def test_without_onnx_or_its_package_one_line_says_so(tmp_path, capsys, monkeypatch):
    m = SmallModel()
    m.result(m.layer("Tanh", m.parameter("x", "2,3")))
    path = m.write(tmp_path)
    assert main(["model", str(path), "--onnx"]) == 2
    assert capsys.readouterr().err == f"python -m devices model: --onnx: {path} is not ONNX\n"
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / "net.onnx").write_bytes(b"")
    assert main(["model", str(tmp_path / "net.onnx"), "--onnx"]) == 2
    said = capsys.readouterr().err
    assert said == "python -m devices model: --onnx needs the package onnx: pip install onnx\n"


def test_tensors_have_the_names_of_the_file(tmp_path):
    m = SmallModel()
    m.result(m.layer("Tanh", m.parameter("x", "2,3"), name="tanh"))
    path = m.write(tmp_path)
    text = path.read_text("utf-8")
    port = '<port id="1" precision="FP32"'
    assert text.count(port) == 1
    path.write_text(text.replace(port, port + ' names="a,b\\,c"'), "utf-8")
    model = read(path)
    tanh = next(name for name, source in model.sources.items() if source.title == "tanh")
    assert tensors_of(model) == {"a": tanh, "b,c": tanh}
