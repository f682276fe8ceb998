"""How much memory a survey takes: ``python -m tests.planted.large_tensors FOLDER --megabytes 64``.

Writes models with one kind of layer on tensors of that size, surveys each, and prints the largest resident memory of
the process that judges, and the largest sum of all processes, both less that of a model of a few numbers, as multiples
of the largest tensor and the weights. What the device takes for the model alone is in the sum.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tests.planted.small_model import SmallModel

_POLL = 0.02
# Channels of an image; its width follows from the size of the tensor.
_CHANNELS = 8


def _image(megabytes: int) -> tuple[int, int, int, int]:
    width = 512
    return 1, _CHANNELS, megabytes * 2**20 // 4 // _CHANNELS // width, width


def _shape(sizes: tuple[int, ...]) -> str:
    return ",".join(map(str, sizes))


def _elementwise(m: SmallModel, megabytes: int) -> int:
    last = m.parameter("x", _shape(_image(megabytes)))
    last = m.layer("Add", last, m.weight(1, _CHANNELS, 1, 1), auto_broadcast="numpy")
    last = m.layer("Swish", last, opset="opset4")
    last = m.layer("Multiply", last, m.weight(1, _CHANNELS, 1, 1), auto_broadcast="numpy")
    return m.layer("Tanh", last)


def _convolution(m: SmallModel, megabytes: int) -> int:
    weights = m.random.standard_normal((_CHANNELS, _CHANNELS, 3, 3)).astype(np.float32) / 12
    last = m.layer(
        "Convolution", m.parameter("x", _shape(_image(megabytes))), m.constant(weights), strides="1,1",
        dilations="1,1", pads_begin="1,1", pads_end="1,1", auto_pad="explicit",
    )  # fmt: skip
    last = m.layer("Add", last, m.weight(1, _CHANNELS, 1, 1), auto_broadcast="numpy")
    return m.layer("ReLU", last)


def _product(m: SmallModel, megabytes: int) -> int:
    rows = megabytes * 2**20 // 4 // 64
    weights = m.random.standard_normal((64, 64)).astype(np.float32) / 8
    last = m.layer(
        "MatMul", m.parameter("x", f"1,{rows},64"), m.constant(weights), transpose_a="false", transpose_b="false"
    )  # fmt: skip
    return m.layer("Add", last, m.weight(1, 1, 64), auto_broadcast="numpy")


def _pooling(m: SmallModel, megabytes: int) -> int:
    pads: dict[str, Any] = {"pads_begin": "1,1", "pads_end": "1,1", "auto_pad": "explicit"}
    window: dict[str, Any] = {"kernel": "3,3", "strides": "1,1", "rounding_type": "floor", **pads}
    last = m.parameter("x", _shape(_image(megabytes)))
    last = m.layer("MaxPool", last, **window)
    return m.layer("AvgPool", last, exclude_pad="true", **window)


def _softmax(m: SmallModel, megabytes: int) -> int:
    rows = megabytes * 2**20 // 4 // 512
    last = m.layer("SoftMax", m.parameter("x", f"1,{rows},512"), opset="opset8", axis="-1")
    axes = m.constant(np.array([-1], np.int64), "i64")
    return m.layer(
        "MVN", last, axes, opset="opset6", eps="1e-5", normalize_variance="true", eps_mode="inside_sqrt"
    )  # fmt: skip


def _concat(m: SmallModel, megabytes: int) -> int:
    one, height, width = (_image(megabytes)[place] for place in (0, 2, 3))
    halves = [m.parameter(name, f"{one},{_CHANNELS // 2},{height},{width}") for name in "xy"]
    return m.layer("Sigmoid", m.layer("Concat", *halves, axis="1"))


KINDS: dict[str, Callable[[SmallModel, int], int]] = {
    "elementwise": _elementwise,
    "convolution": _convolution,
    "product": _product,
    "pooling": _pooling,
    "softmax": _softmax,
    "concat": _concat,
}


def _family(root: int) -> list[int]:
    """A process and those that it started, directly or not."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            text = Path("/proc", name, "stat").read_text()
            parents[int(name)] = int(text.rpartition(")")[2].split()[1])
    found = [root]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def _resident(process: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path("/proc", str(process), "statm").read_text().split()[1]) * 4096
    return 0


def survey(model: Path, out: Path, *options: str) -> tuple[int, int, float, str]:
    """The largest resident memory of the process that judges and of all, CPU seconds, the last line printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = out.parent / f"{out.name}.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "devices", "model", str(model), "--out", str(out), *options],
            stdout=stream, stderr=stream,
        )  # fmt: skip
        own, most, family, looked = 0, 0, [process.pid], 0.0
        while process.poll() is None:
            if time.monotonic() - looked > 10 * _POLL:
                family, looked = _family(process.pid), time.monotonic()
            sizes = [*map(_resident, family)]
            own, most = max(own, sizes[0]), max(most, sum(sizes))
            time.sleep(_POLL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = log.read_text().strip().splitlines()
    return own, most, seconds, f"exit {process.returncode}; {lines[-1] if lines else ''}"


def main() -> None:
    """Write, survey, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--kind", action="append", choices=KINDS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    small = SmallModel()
    small.result(small.layer("Tanh", small.parameter("x", "2,3")))
    base, base_of_all, _, _ = survey(small.write(options.folder, "empty"), options.folder / "empty")
    print(f"base {base / 2**20:.0f} MB, {base_of_all / 2**20:.0f} MB of all", flush=True)
    for kind in options.kind or KINDS:
        m = SmallModel()
        m.result(KINDS[kind](m, options.megabytes))
        path = m.write(options.folder, f"{kind}{options.megabytes}")
        own, most, seconds, line = survey(path, options.folder / path.stem)
        allowed = options.megabytes * 2**20 + path.with_suffix(".bin").stat().st_size
        figures = [
            f"{more / 2**20:.0f} MB, {more / allowed:.1f} times"
            for more in (own - base, most - base_of_all)
        ]
        print(
            f"{path.stem}: judging {figures[0]}; all {figures[1]}; {seconds:.0f} s of CPU; {line}",
            flush=True,
        )


if __name__ == "__main__":
    main()
