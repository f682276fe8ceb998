"""``python -m tests.benchmark``: the suite against a plain loop over the same cases, start-up included."""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import ir_models
from ir_models import LayerCase
from ir_models.writing import ir
from reports.results.files import reading as results

ROOT = Path(__file__).resolve().parents[2]
# What ov.Tensor takes as it is: bf16 arrays it does not.
NATURAL = ["f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "boolean"]
# What pytest-xdist itself costs.
_EMPTY = """import pytest

@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description=__doc__)
    parser.add_argument(
        "--operation", action="append", help="default SpaceToDepth-1 and DepthToSpace-1"
    )
    parser.add_argument("--random", type=int, default=1000, help="cases of each (default 1000)")
    parser.add_argument("--workers", type=int, default=2, help="pytest-xdist workers (default 2)")
    args = parser.parse_args()
    names = args.operation or ["SpaceToDepth-1", "DepthToSpace-1"]
    cases = [
        case
        for operation in ir_models.select(names)
        for case in ir_models.cases(operation, ["random"], args.random)
    ]
    select = [f"--operation={name}" for name in names] + [
        "--purpose=random",
        "--depth=single",
        f"--random={args.random}",
    ]
    with tempfile.TemporaryDirectory() as folder:
        pickled = Path(folder, "cases.pickle")
        pickled.write_bytes(pickle.dumps([_plain(case) for case in cases]))
        file = Path(folder, "results.jsonl")
        suite = [
            "-m",
            "pytest",
            "tests/conformance",
            "-q",
            "-n",
            str(args.workers),
            "--results",
            str(file),
        ]
        plain = _wall("-m", "tests.benchmark.plain_loop", str(pickled))
        whole = _wall(*suite, *select)
        records = results.load(file).records
        start = _wall(*suite, f"--operation={names[0]}", "--purpose=example")
        collect = _wall("-m", "pytest", "tests/conformance", "-q", "--collect-only", *select)
        nothing = _wall(
            "-m",
            "pytest",
            "tests/conformance",
            "-q",
            "--collect-only",
            f"--operation={names[0]}",
            "--purpose=example",
        )
        empty = Path(folder, "test_empty.py")
        empty.write_text(_EMPTY.format(count=len(records)))
        bare = _wall("-m", "pytest", "-q", f"-n{args.workers}", f"--rootdir={folder}", str(empty))
    inside = sum(record.seconds for record in records)
    alone = sum(record.pack_size == 1 for record in records)
    print(f"cases                                  {len(records):8,}")
    print(
        f"plain loop, one process                {plain:8.2f} s   {1000 * plain / len(cases):6.2f} ms a case"
    )
    print(
        f"suite, {args.workers} workers, whole                {whole:8.2f} s   "
        f"{1000 * whole / len(records):6.2f} ms a case"
    )
    print(f"  ratio                                {plain / whole:8.1f}")
    print(
        f"  start-up and end (a single case)     {start:8.2f} s   {start / whole:6.0%} of the wall time"
    )
    print(
        f"  collecting, in every process         {collect - nothing:8.2f} s   {(collect - nothing) / whole:6.0%}"
    )
    print(
        f"  inside OpenVINO, by worker           {inside / args.workers:8.2f} s   {inside / args.workers / whole:6.0%}"
    )
    rest = whole - start - max(collect - nothing, 0) - inside / args.workers
    print(f"  references, IR, judging, pytest      {rest:8.2f} s   {rest / whole:6.0%}")
    print(
        f"pytest-xdist, as many empty tests      {bare:8.2f} s   {1000 * bare / len(records):6.2f} ms a case"
    )
    print(f"cases asked alone (refused, wrong, audited): {alone}")
    return 0


def _plain(case: LayerCase) -> tuple[bytes, bytes, list[np.ndarray]]:
    model = ir.write([case])
    arrays = case.arrays()
    fed = []
    for port in model.parameters.values():
        array = arrays[port.port]
        assert array is not None
        fed.append(array if port.element_type.name in NATURAL else array.view(np.uint16))
    return model.xml, model.weights, fed


def _wall(*command: str) -> float:
    started = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
