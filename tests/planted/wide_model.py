"""A model of about ninety layers of many kinds, which is in no other place: what is told of it was not tuned on it.

Like a vision network with attention, a sequence branch and a head that counts and sorts; types other than f32 stand
where models have them: token ids, masks, images of bytes, weights of half precision.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.planted.small_model import SmallModel

_SAME: dict[str, Any] = {
    "strides": "1,1",
    "dilations": "1,1",
    "pads_begin": "1,1",
    "pads_end": "1,1",
    "auto_pad": "explicit",
}


class _Wide(SmallModel):
    """With the layers that stand in it more than once."""

    def i64(self, *values: int) -> int:
        return self.constant(np.array(values), "i64")

    def binary(
        self, kind: str, a: int, b: int, types: tuple[str, ...] = ("f32",), opset: str = "opset1"
    ) -> int:
        return self.layer(kind, a, b, opset=opset, types=types, auto_broadcast="numpy")

    def product(self, a: int, b: int, transpose_b: str = "false") -> int:
        return self.layer("MatMul", a, b, transpose_a="false", transpose_b=transpose_b)

    def reshape(self, x: int, *shape: int) -> int:
        return self.layer("Reshape", x, self.i64(*shape), special_zero="true")

    def transpose(self, x: int, *order: int) -> int:
        return self.layer("Transpose", x, self.i64(*order))

    def reduce(
        self,
        kind: str,
        x: int,
        *axes: int,
        opset: str = "opset1",
        types: tuple[str, ...] = ("f32",),
    ) -> int:
        return self.layer(kind, x, self.i64(*axes), opset=opset, types=types, keep_dims="true")


def wide_network(folder: Path, **recurrent: Any) -> Path:
    """Write it; the path of its XML. ``recurrent``: attributes of the LSTM, such as its activations."""
    m = _Wide(7)
    image = m.parameter("image", "2,3,32,32", "u8")
    tokens = m.parameter("tokens", "2,7", "i64")
    mask = m.parameter("mask", "2,7", "i32")
    m.result(_vision(m, image), "vision")
    m.result(_sequence(m, tokens, mask, recurrent), "sequence")
    for name, result in _head(m, tokens, mask).items():
        m.result(result, name)
    return m.write(folder, "wide")


def _vision(m: _Wide, image: int) -> int:
    x = m.layer("Convert", image, types=("f32",), destination_type="f32")
    x = m.binary(
        "Subtract", x, m.constant(np.array([[[[123.7]], [[116.3]], [[103.5]]]], np.float32))
    )
    x = m.binary("Divide", x, m.constant(np.array([[[[58.4]], [[57.1]], [[57.4]]]], np.float32)))
    x = m.layer("Convolution", x, m.weight(16, 3, 3, 3), **{**_SAME, "strides": "2,2"})
    x = m.binary("Add", x, m.weight(1, 16, 1, 1))
    x = m.layer("HSwish", x, opset="opset4")
    skip = x
    x = m.layer("GroupConvolution", x, m.weight(16, 1, 1, 3, 3), **_SAME)
    scale, shift, mean, variance = (
        m.constant(m.random.uniform(0.5, 1.5, 16).astype(np.float32)) for _ in range(4)
    )
    x = m.layer(
        "BatchNormInference", x, scale, shift, mean, variance, opset="opset5", epsilon="0.001"
    )
    x = m.layer("PReLU", x, m.weight(16))
    gate = m.reduce("ReduceMean", x, 2, 3)
    gate = m.layer(
        "Convolution",
        gate,
        m.weight(16, 16, 1, 1),
        **{**_SAME, "pads_begin": "0,0", "pads_end": "0,0"},
    )
    gate = m.layer("Sigmoid", gate)
    x = m.binary("Multiply", x, gate)
    x = m.binary("Add", x, skip)
    x = m.layer(
        "MVN",
        x,
        m.i64(2, 3),
        opset="opset6",
        normalize_variance="true",
        eps="1e-5",
        eps_mode="inside_sqrt",
    )
    x = m.layer(
        "GroupNormalization",
        x,
        m.weight(16),
        m.weight(16),
        opset="opset12",
        num_groups="4",
        epsilon="1e-5",
    )
    x = m.layer("Mish", x, opset="opset4")
    small = m.layer(
        "MaxPool", x, opset="opset8", types=("f32", "i64"), strides="2,2", dilations="1,1", pads_begin="0,0",
        pads_end="0,0", kernel="2,2", rounding_type="ceil", auto_pad="explicit", index_element_type="i64", axis="0",
    )  # fmt: skip
    up = m.layer(
        "Interpolate", small, m.i64(16, 16), m.i64(2, 3), opset="opset11", mode="linear_onnx",
        shape_calculation_mode="sizes", coordinate_transformation_mode="half_pixel", nearest_mode="floor",
        antialias="false", pads_begin="0,0,0,0", pads_end="0,0,0,0", cube_coeff="-0.75",
    )  # fmt: skip
    x = m.layer("Concat", x, up, axis="1")
    x = m.layer("DepthToSpace", x, mode="depth_first", block_size="2")
    x = m.layer("NormalizeL2", x, m.i64(1), eps="1e-10", eps_mode="add")
    x = m.layer("LRN", x, m.i64(1), alpha="0.0001", beta="0.75", bias="2", size="3")
    pads, value = m.i64(0, 0, 1, 2), m.constant(np.array(0, np.float32))
    x = m.layer("Pad", x, pads, m.i64(0, 0, 2, 1), value, opset="opset12", pad_mode="reflect")
    ends = m.i64(1000, 1000)
    x = m.layer("Slice", x, m.i64(1, 2), ends, m.i64(2, 2), m.i64(2, 3), opset="opset8")
    low, high = (m.constant(np.array(v, np.float32)) for v in (-2.5, 2.5))
    x = m.layer("FakeQuantize", x, low, high, low, high, levels="256", auto_broadcast="numpy")
    x = m.layer("Elu", x, alpha="1.0")
    x = m.layer(
        "AvgPool", x, strides="3,3", pads_begin="1,1", pads_end="1,1", kernel="3,3", exclude_pad="true",
        rounding_type="floor", auto_pad="explicit",
    )  # fmt: skip
    return m.layer("Clamp", x, min="-1.5", max="1.5")


def _sequence(m: _Wide, tokens: int, mask: int, recurrent: dict[str, Any]) -> int:
    index = m.binary("FloorMod", tokens, m.i64(50), ("i64",))
    index = m.layer("Abs", index, types=("i64",))
    table = m.constant(m.random.uniform(-1, 1, (50, 24)).astype(np.float16), "f16")
    table = m.layer("Convert", table, types=("f32",), destination_type="f32")
    x = m.layer("Gather", table, index, m.i64(0), opset="opset8", batch_dims="0")
    q, k, v = (m.reshape(m.product(x, m.weight(24, 24)), 0, 0, 4, 6) for _ in range(3))
    q, k, v = (m.transpose(one, 0, 2, 1, 3) for one in (q, k, v))
    scores = m.product(q, k, "true")
    scores = m.binary("Multiply", scores, m.constant(np.array(6**-0.5, np.float32)))
    allowed = m.binary("Greater", mask, m.constant(np.array(0, np.int32), "i32"), ("boolean",))
    allowed = m.layer("Unsqueeze", allowed, m.i64(1, 2), types=("boolean",))
    forbidden = m.constant(np.array(-1e9, np.float32))
    scores = m.layer("Select", allowed, scores, forbidden, auto_broadcast="numpy")
    x = m.product(m.layer("Softmax", scores, opset="opset8", axis="-1"), v)
    x = m.reshape(m.transpose(x, 0, 2, 1, 3), 0, 0, 24)
    x = m.layer("Gelu", x, opset="opset7", approximation_mode="TANH")
    x = m.binary("Add", x, m.layer("Swish", x, opset="opset4"))
    mean = m.reduce("ReduceMean", x, -1)
    centred = m.binary("Subtract", x, mean)
    power = m.binary("Power", centred, m.constant(np.array(2, np.float32)))
    spread = m.layer(
        "Sqrt",
        m.binary("Add", m.reduce("ReduceMean", power, -1), m.constant(np.array(1e-6, np.float32))),
    )
    x = m.binary("Divide", centred, spread)
    initial = m.constant(np.zeros((2, 1, 8), np.float32))
    lengths = m.constant(np.array([7, 5], np.int32), "i32")
    x = m.layer(
        "LSTMSequence", x, initial, initial, lengths, m.weight(1, 32, 24), m.weight(1, 32, 8), m.weight(1, 32),
        opset="opset5", types=("f32", "f32", "f32"), hidden_size="8", direction="forward", **recurrent,
    )  # fmt: skip
    x = m.layer("Squeeze", x, m.i64(1))
    x = m.layer("SoftPlus", x, opset="opset4")
    x = m.layer("LogSoftmax", x, opset="opset5", axis="-1")
    x = m.layer("ReverseSequence", x, m.i64(3, 7), batch_axis="0", seq_axis="1")
    x = m.layer(
        "CumSum",
        x,
        m.constant(np.array(1), "i64"),
        opset="opset3",
        exclusive="false",
        reverse="true",
    )
    half = m.layer("Convert", x, types=("f16",), destination_type="f16")
    half = m.layer("Tanh", half, types=("f16",))
    half = m.layer("Exp", half, types=("f16",))
    return m.layer("Convert", half, types=("f32",), destination_type="f32")


def _head(m: _Wide, tokens: int, mask: int) -> dict[str, int]:
    numbers = m.layer("Convert", tokens, types=("f32",), destination_type="f32")
    numbers = m.layer("Sin", m.binary("Multiply", numbers, m.constant(np.array(0.37, np.float32))))
    best = m.layer(
        "TopK", numbers, m.constant(np.array(3), "i64"), opset="opset11", types=("f32", "i32"), axis="1", mode="max",
        sort="value", index_element_type="i32",
    )  # fmt: skip
    steps = m.binary("Add", tokens, m.i64(2**33), ("i64",))
    steps = m.reduce("ReduceSum", steps, 1, types=("i64",))
    codes = m.binary("Multiply", mask, m.constant(np.array(70000, np.int32), "i32"), ("i32",))
    codes = m.binary("Maximum", codes, m.constant(np.array(-5, np.int32), "i32"), ("i32",))
    codes = m.layer("ReduceMax", codes, m.i64(1), types=("i32",), keep_dims="false")
    ones = m.layer(
        "OneHot", m.layer("Clamp", mask, types=("i32",), min="0", max="4"), m.constant(np.array(5), "i64"),
        m.constant(np.array(1, np.float32)), m.constant(np.array(0, np.float32)), axis="-1",
    )  # fmt: skip
    counts = m.reduce("ReduceSum", ones, 1)
    wide = m.layer("Tile", counts, m.i64(1, 3, 2))
    rounded = m.layer(
        "Round",
        m.binary("Multiply", wide, m.constant(np.array(0.5, np.float32))),
        opset="opset5",
        mode="half_to_even",
    )
    order = m.constant(np.array([[2, 0, 1], [1, 1, 0]]), "i64")
    picked = m.layer("GatherElements", best, order, opset="opset6", axis="1")
    scattered = m.layer(
        "ScatterElementsUpdate",
        numbers,
        order,
        picked,
        m.constant(np.array(1), "i64"),
        opset="opset3",
    )
    whole = m.layer("Floor", m.layer("Exp", scattered))
    log = m.layer("Log", m.binary("Add", whole, m.constant(np.array(1.5, np.float32))))
    erf = m.layer("Erf", m.layer("Negative", log))
    return {"best": best, "steps": steps, "codes": codes, "rounded": rounded, "erf": erf}
