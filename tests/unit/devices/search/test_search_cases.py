"""A user's model as a graph that can be shrunk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from devices.__main__ import main
from devices.search.cases import graph_of_model
from ir_models.graphs import GraphError
from tests.planted.small_model import SmallModel

DEVICE = "PYTHON:tests.planted.fusing_device"


def model_of(folder: Path, rows: int) -> Path:
    """A product with constants of so many rows behind a transposition that the device has along the wrong axis."""
    m = SmallModel()
    x = m.parameter("x", f"?,{rows}")
    moved = m.layer("Transpose", x, m.constant(np.array([1, 0]), "i64"), name="moved")
    product = m.layer("Multiply", moved, m.weight(rows, 2), name="y", auto_broadcast="numpy")
    m.result(product, "result")
    return m.write(folder)


def test_values_of_large_tensors_are_random_and_sizes_stay_unknown(tmp_path: Path) -> None:
    graph = graph_of_model(model_of(tmp_path, 30_000))
    assert [name for name, each in graph.fed.items() if each.fill == "~"] == ["x", "Const_3"]
    assert graph.fed["x"].unknown == {0}
    assert graph.fed["Const_1"].fill == ":1,0"
    small = graph_of_model(model_of(tmp_path, 3))
    assert all(each.fill.startswith(":") for each in small.fed.values())


def test_what_is_no_real_number_and_too_large_is_told(tmp_path: Path) -> None:
    m = SmallModel()
    numbers = m.constant(np.zeros(30_000, np.int64), "i64")
    m.result(m.layer("Add", m.parameter("x", "30000", "i64"), numbers, types=("i64",)), "y")
    with pytest.raises(GraphError, match="more than 20,000 elements that are no real numbers"):
        graph_of_model(m.write(tmp_path))


def test_the_command_takes_the_file_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = model_of(tmp_path, 3)
    assert main(["shrink", str(path), "--device", "CPU"]) == 0
    assert capsys.readouterr().out.startswith("it conforms on CPU")
    assert main(["shrink", str(tmp_path / "none.xml")]) == 2
    assert "none.xml: there is no such file" in capsys.readouterr().err
    (tmp_path / "text.xml").write_text("no model", "utf-8")
    assert main(["shrink", str(tmp_path / "text.xml")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "text.xml" in line
