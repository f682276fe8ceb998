"""Puts known defects of the CPU into the middle of real networks, and follows them from the model to an issue's text.

    python -m tests.planted.known_trial FOLDER MODEL ... [--defect NAME]

Each defect is a part of some layers that keeps the shape of its input, in the middle of the first model that has a
place for it. ``python -m devices model`` must name one of them in its first line and write a folder whose script shows
it, from which ``python -m reports issue`` makes a text with a script that fails. Exit code 0 where all that holds for
each.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import openvino as ov
from openvino import opset13 as op

from reports.results import model_run
from reports.results.model_run import ModelRun

_MARK = "planted"
_MOST_ELEMENTS = 200_000


class Defect(NamedTuple):
    """A part that a device has wrong; it goes behind values of ``rank`` with unknown dimensions if ``is_open``."""

    cause: str
    part: Callable[[Any], Any]
    rank: int = 4
    is_open: bool = False


def _sizes(value: Any) -> list[int]:
    return [size.get_length() if size.is_static else 0 for size in value.get_partial_shape()]


def _weights(*shape: int) -> Any:
    drawn = np.random.RandomState(1).uniform(-0.5, 0.5, shape)
    return op.constant(drawn.astype(np.float32))


def _numbers(*values: int) -> Any:
    return op.constant(np.array(values, np.int64))


def _lrn(x: Any) -> Any:
    return op.lrn(x, _numbers(1, 2, 3), alpha=1.5, beta=0.75, bias=2.0, size=3)


def _transposed(x: Any) -> Any:
    _, channels, *sizes = _sizes(x)
    return op.convolution_backprop_data(
        x, _weights(channels, channels, 3, 3), [1, 1], output_shape=_numbers(*sizes)
    )


def _pad(x: Any) -> Any:
    most = op.reduce_max(x, _numbers(0, 1, 2, 3))
    padded = op.pad(x, _numbers(0, 0, 1, 1), _numbers(0, 0, 1, 1), "constant", most)
    return op.avg_pool(padded, [1, 1], [0, 0], [0, 0], [3, 3], exclude_pad=False)


def _antialias(x: Any) -> Any:
    sizes, axes = _sizes(x)[2:], _numbers(2, 3)
    half = _numbers(*((size + 1) // 2 for size in sizes))
    small = op.interpolate(x, half, "linear", "sizes", axes=axes, antialias=True)
    return op.interpolate(small, _numbers(*sizes), "nearest", "sizes", axes=axes)


def _hard_sigmoid(x: Any) -> Any:
    def number(value: float) -> Any:
        return op.constant(np.float32(value))

    return op.multiply(x, op.hard_sigmoid(x, number(0.0), number(0.75)))


def _grn(x: Any) -> Any:
    last = op.grn(op.transpose(x, _numbers(0, 2, 3, 1)), 0.5)
    return op.transpose(last, _numbers(0, 3, 1, 2))


def _reduction(x: Any) -> Any:
    rows = _sizes(x)[2]
    total = op.reduce_mean(op.squeeze(x, _numbers(0)), _numbers(0), False)
    return op.multiply(x, op.add(total, _weights(rows, 1)))


def _rms(x: Any) -> Any:
    rows, columns = _sizes(x)[1:]
    square = op.matmul(op.squeeze(x, _numbers(0)), _weights(columns, rows), False, False)
    mean = op.reduce_mean(op.power(square, np.float32(2.0)), _numbers(-1), False)
    root = op.divide(np.float32(1.0), op.sqrt(op.add(mean, np.float32(1e-5))))
    normal = op.multiply(op.multiply(square, root), _weights(rows))
    back = op.matmul(normal, _weights(rows, columns), False, False)
    return op.unsqueeze(back, _numbers(0))


def _max_pool(x: Any) -> Any:
    pool = op.max_pool(
        x, [1, 1], [2, 2], [0, 0], [0, 0], [3, 3], auto_pad="same_upper", index_element_type="i64"
    )
    return op.add(
        pool.output(0), op.multiply(op.convert(pool.output(1), np.float32), np.float32(1e-6))
    )


def _is_inf(x: Any) -> Any:
    mask = np.zeros((1, _sizes(x)[1], 1, 1), np.float32)
    mask[:, ::2] = -np.inf
    masked = op.add(x, op.constant(mask))
    return op.select(op.is_inf(op.abs(masked)), op.multiply(x, np.float32(0.5)), masked)


DEFECTS = (
    Defect("lrn-other-axes-ignored", _lrn),
    Defect("transposed-output-shape-pads", _transposed),
    Defect("pad-value-not-constant-ignored", _pad),
    Defect("interpolate-linear-antialias", _antialias),
    Defect("hard-sigmoid-alpha-of-0", _hard_sigmoid),
    Defect("grn-moved-before-transposes-and-reshap", _grn),
    Defect("reduction-then-add-along-the-wrong-axi", _reduction),
    Defect("rms-without-keep-dims", _rms, rank=3),
    Defect("max-pool-same-padding-of-unknown-dimen", _max_pool, is_open=True),
    Defect("is-inf-fused-of-seven-dimensions", _is_inf, is_open=True),
)


def _places(model: Any, defect: Defect) -> Iterator[Any]:
    """The values behind which a defect can stand, those in the middle first."""
    depends: set[str] = set()
    found = []
    for node in model.get_ordered_ops():
        names = [each.get_source_output().get_node().get_name() for each in node.inputs()]
        if node.get_type_name() == "Parameter" or not depends.isdisjoint(names):
            depends.add(node.get_name())
            found += [value for value in node.outputs() if _fits(value, defect)]
    middle = len(found) // 2
    yield from sorted(found, key=lambda value: abs(found.index(value) - middle))


def _fits(value: Any, defect: Defect) -> bool:
    shape = value.get_partial_shape()
    if value.get_element_type() != ov.Type.f32 or shape.rank.is_dynamic:
        return False
    if len(shape) != defect.rank or not value.get_target_inputs():
        return False
    if value.get_node().get_type_name() == "Parameter":
        return False
    sizes = _sizes(value)
    if defect.is_open:
        return 0 in sizes[2:] and sizes[1] > 0
    return sizes[0] == 1 and min(sizes[1:]) >= 4 and math.prod(sizes) <= _MOST_ELEMENTS


def plant(path: Path, defect: Defect, out: Path) -> str:
    """Write a model with a defect in its middle; the layer behind which it stands, or "" where there is no place."""
    model = ov.Core().read_model(path)
    if not defect.is_open and model.is_dynamic():
        shapes = {each: each.get_partial_shape() for each in model.inputs}
        for shape in shapes.values():
            if len(shape) and shape[0].is_dynamic:
                shape[0] = 1
        model.reshape(shapes)
    for value in _places(model, defect):
        readers = value.get_target_inputs()
        before = {node.get_name() for node in model.get_ordered_ops()}
        new = defect.part(value)
        last = new.output(0)
        for reader in readers:
            reader.replace_source_output(last)
        for node in model.get_ordered_ops():
            if node.get_name() not in before and node.get_type_name() != "Constant":
                node.set_friendly_name(f"{_MARK} {node.get_type_name()} {node.get_name()}")
        model.validate_nodes_and_infer_types()
        ov.save_model(model, out, compress_to_fp16=False)
        return str(value.get_node().get_friendly_name())
    return ""


def _run(*command: object) -> tuple[int, str]:
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def follow(path: Path, out: Path) -> Iterator[str]:
    """Judge a model with a defect; what is not as it should be, a line each."""
    code, said = _run("-m", "devices", "model", path, "--out", out)
    if not (out / "model.json").is_file():
        yield f"devices model ends with {code}: {said.splitlines()[-1:]}"
        return
    run: ModelRun = model_run.read(out / "model.json")
    print(
        *(f"    {line[:200]}" for line in said.splitlines() if line.startswith("first")), sep="\n"
    )
    first = run.culprits()[:1]
    if not first or code != 1:
        yield f"devices model ends with {code}, and names nothing"
        return
    titles = [first[0].title, *(run.layers[number].title for number in first[0].members)]
    if not any(title.startswith(_MARK) for title in titles):
        yield f"the first line names {titles}"
    if not first[0].folder:
        yield "there is no folder"
        return
    folder = out / first[0].folder
    code, said = _run(folder / "reproduce.py")
    if code != 1:
        yield f"reproduce.py ends with {code}: {said.splitlines()[-1:]}"
    code, said = _run("-m", "reports", "issue", folder)
    if code or "```python" not in said or "The script prints" not in said:
        yield f"reports issue ends with {code}: {said.splitlines()[-1:]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Follow each defect; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted.known_trial")
    parser.add_argument("folder", type=Path, help="for models and results")
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--defect", choices=[each.cause for each in DEFECTS])
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    right = total = 0
    for number, defect in enumerate(DEFECTS):
        if options.defect not in (None, defect.cause):
            continue
        models = options.models
        # Another model for each, as far as they have a place.
        first = number % len(models)
        path = options.folder / f"{defect.cause}.xml"
        for model in [*models[first:], *models[:first]]:
            before = plant(model, defect, path)
            if before:
                break
        else:
            print(f"{defect.cause}: no model has a place for it")
            continue
        print(f"{defect.cause} in {model.name}, behind {before}", flush=True)
        started = time.monotonic()
        wrong = list(follow(path, options.folder / defect.cause))
        total += 1
        right += not wrong
        for line in wrong:
            print(f"    wrong: {line}")
        print(f"    {time.monotonic() - started:.0f} s", flush=True)
    print(f"{right} of {total} named, reproduced and written for upstream")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
