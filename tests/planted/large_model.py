"""Writes models that show what a survey costs: ``python -m tests.planted.large_model FOLDER``.

``deep`` has 498 layers and 1.06 GFLOP, ``wide`` two convolutions of 1.4 GFLOP on tensors of 4 MB.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tests.planted.small_model import SmallModel


def _convolution(m: SmallModel, source: int, channels: tuple[int, int], window: int) -> int:
    given, made = channels
    weights = m.random.standard_normal((made, given, window, window)) / (given * window**2) ** 0.5
    pads = f"{window // 2},{window // 2}"
    return m.layer(
        "Convolution", source, m.constant((0.5 * weights).astype(np.float32)), strides="1,1", dilations="1,1",
        pads_begin=pads, pads_end=pads, auto_pad="explicit",
    )  # fmt: skip


def residual(folder: Path, name: str, channels: int, size: int, blocks: int) -> Path:
    """A network of residual blocks of seven layers."""
    m = SmallModel()
    last = _convolution(m, m.parameter("x", f"1,3,{size},{size}"), (3, channels), 3)
    for _ in range(blocks):
        made = _convolution(m, last, (channels, channels), 3)
        made = m.layer("Add", made, m.weight(1, channels, 1, 1), auto_broadcast="numpy")
        made = m.layer("Swish", made, opset="opset4")
        made = _convolution(m, made, (channels, channels), 1)
        made = m.layer("Add", made, m.weight(1, channels, 1, 1), auto_broadcast="numpy")
        made = m.layer("Add", made, last, auto_broadcast="numpy")
        last = m.layer("ReLU", made)
    m.result(last)
    return m.write(folder, name)


def main() -> None:
    """Write both models and print where they are."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for path in (residual(folder, "deep", 32, 27, 71), residual(folder, "wide", 64, 128, 1)):
        print(path)


if __name__ == "__main__":
    main()
