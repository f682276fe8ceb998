"""Models that tests build: written as IR by a few lines, with weights from a seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

PRECISIONS = {
    "f32": "FP32",
    "i64": "I64",
    "i32": "I32",
    "f16": "FP16",
    "u8": "U8",
    "boolean": "BOOL",
}


class SmallModel:
    """Layers one after the other; each call returns the id of a layer, whose first output others read."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.RandomState(seed)
        self.net = etree.Element("net", name="small", version="11")
        self.layers = etree.SubElement(self.net, "layers")
        self.edges = etree.SubElement(self.net, "edges")
        self.weights = bytearray()

    def layer(
        self,
        kind: str,
        *inputs: int,
        opset: str = "opset1",
        name: str = "",
        types: tuple[str, ...] = ("f32",),
        **data: object,
    ) -> int:
        """A layer; attributes whose names Python cannot say are given with ``_`` for ``-``."""
        number = len(self.layers)
        layer = etree.SubElement(
            self.layers,
            "layer",
            id=str(number),
            name=name or f"{kind} {number}",
            type=kind,
            version=opset,
        )
        if data:
            etree.SubElement(
                layer,
                "data",
                {k.replace("exclude_pad", "exclude-pad"): str(v) for k, v in data.items()},
            )
        if inputs:
            ports = etree.SubElement(layer, "input")
            for place, source in enumerate(inputs):
                etree.SubElement(ports, "port", id=str(place), precision="FP32")
                ends = {"from-layer": str(source), "from-port": self._port(source)}
                etree.SubElement(
                    self.edges, "edge", {**ends, "to-layer": str(number), "to-port": str(place)}
                )
        if types:
            ports = etree.SubElement(layer, "output")
            for place, kind_of in enumerate(types):
                etree.SubElement(
                    ports, "port", id=str(len(inputs) + place), precision=PRECISIONS[kind_of]
                )
        return number

    def _port(self, number: int) -> str:
        port = self.layers[number].find("output/port")
        assert port is not None
        return str(port.get("id"))

    def parameter(self, name: str, shape: str, kind: str = "f32") -> int:
        """A Parameter; ``shape`` as IR has it."""
        return self.layer("Parameter", name=name, types=(kind,), shape=shape, element_type=kind)

    def state_shape(self, number: int, *sizes: int) -> None:
        """State the shape of a layer's output, as OpenVINO does; -1 is unknown."""
        port = self.layers[number].find("output/port")
        assert port is not None
        for size in sizes:
            etree.SubElement(port, "dim").text = str(size)

    def constant(self, values: np.ndarray, kind: str = "f32") -> int:
        """A Const of these values."""
        content = np.array(values, order="C")
        self.weights.extend(b"\0" * (-len(self.weights) % 64))
        offset = len(self.weights)
        self.weights.extend(content.tobytes())
        return self.layer(
            "Const", types=(kind,), element_type=kind, shape=",".join(map(str, content.shape)), offset=offset,
            size=content.nbytes,
        )  # fmt: skip

    def weight(self, *shape: int) -> int:
        """A Const of numbers from -0.5 to 0.5."""
        return self.constant(self.random.uniform(-0.5, 0.5, shape).astype(np.float32))

    def result(self, source: int, name: str = "") -> int:
        """A Result of a layer."""
        return self.layer("Result", source, name=name, types=())

    def write(self, folder: Path, name: str = "small") -> Path:
        """Write the model; the path of its XML."""
        path = folder / f"{name}.xml"
        path.write_bytes(etree.tostring(self.net))
        path.with_suffix(".bin").write_bytes(bytes(self.weights) or bytes(64))
        return path


def in_f16(path: Path, folder: Path) -> Path:
    """The model with f16 in place of f32, in a folder; numbers beyond f16 become its largest."""
    net, weights = etree.parse(str(path)).getroot(), path.with_suffix(".bin").read_bytes()
    held = bytearray()
    for layer in net.iter("layer"):
        data = layer.find("data")
        if data is not None and layer.get("type") == "Const":
            begin, size = int(data.get("offset", "0")), int(data.get("size", "0"))
            content = weights[begin : begin + size]
            if data.get("element_type") == "f32":
                most = float(np.finfo(np.float16).max)
                numbers = np.frombuffer(content, np.float32).clip(-most, most)
                content = numbers.astype(np.float16).tobytes()
            held.extend(b"\0" * (-len(held) % 64))
            data.set("offset", str(len(held)))
            data.set("size", str(len(content)))
            held.extend(content)
    for data in net.iter("data"):
        for name, value in data.attrib.items():
            if value == "f32":
                data.set(name, "f16")
    for port in net.iter("port"):
        if port.get("precision") == "FP32":
            port.set("precision", "FP16")
    found = folder / f"{path.stem}-f16.xml"
    found.write_bytes(etree.tostring(net))
    found.with_suffix(".bin").write_bytes(bytes(held) or bytes(64))
    return found


def network(folder: Path) -> Path:
    """A small network: convolution with bias and activation, pooling, a matrix product, a softmax."""
    m = SmallModel()
    x = m.parameter("x", "1,3,12,10")
    conv = m.layer(
        "Convolution", x, m.weight(8, 3, 3, 3), name="conv", strides="1,1", dilations="1,1", pads_begin="1,1",
        pads_end="1,1", auto_pad="explicit",
    )  # fmt: skip
    biased = m.layer("Add", conv, m.weight(1, 8, 1, 1), name="bias", auto_broadcast="NUMPY")
    relu = m.layer("ReLU", biased, name="relu")
    pooled = m.layer(
        "AvgPool", relu, name="pool", strides="2,2", kernel="2,2", pads_begin="0,0", pads_end="0,0",
        exclude_pad="true", rounding_type="floor", auto_pad="explicit",
    )  # fmt: skip
    flat = m.layer(
        "Reshape", pooled, m.constant(np.array([1, -1]), "i64"), name="flat", special_zero="true"
    )
    product = m.layer(
        "MatMul", flat, m.weight(240, 10), name="product", transpose_a="false", transpose_b="False"
    )  # fmt: skip
    tanh = m.layer("Tanh", product, name="tanh")
    m.result(m.layer("Softmax", tanh, opset="opset8", name="softmax", axis="1"), "probabilities")
    return m.write(folder, "network")


def with_state(folder: Path) -> Path:
    """A network that adds its input, through a layer, to a variable."""
    m = SmallModel(1)
    x = m.parameter("x", "2,5")
    start = m.constant(np.zeros((2, 5), np.float32))
    variable: dict[str, Any] = {"variable_id": "v", "variable_type": "f32", "variable_shape": "2,5"}
    read = m.layer("ReadValue", start, opset="opset6", name="read", **variable)
    product = m.layer(
        "MatMul", x, m.weight(5, 5), name="product", transpose_a="false", transpose_b="false"
    )
    total = m.layer("Add", read, product, name="total", auto_broadcast="numpy")
    m.layer("Assign", total, opset="opset6", name="assign", types=("f32",), **variable)
    m.result(m.layer("Tanh", total, name="tanh"), "y")
    return m.write(folder, "state")
