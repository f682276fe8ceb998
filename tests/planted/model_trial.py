"""Plants faults in layers of models and counts how often that layer is named first.

    python -m tests.planted.model_trial MODEL.xml ... --count 100

Each plant is one kind of fault in one layer, drawn by a seed (see ``tests.planted.model_device``).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from devices.models.groups import constant_nodes
from devices.models.inputs import feeds_of
from devices.models.recording import run_of
from devices.models.survey import Surveyor
from devices.profiles import parse
from devices.session import Session
from ir_models.models import Model, read
from reports.gate.causes import Causes
from reports.models.records import Layer, ModelRun
from tests.planted.model_device import KINDS
from tests.planted.small_model import network, with_state

DEVICE = "PYTHON:tests.planted.model_device"


def survey(model: Model, path: Path, plant: str = "", shapes: list[str] | None = None, samples: int = 1) -> ModelRun:
    """The record of a model on the device with a fault; nothing is planted where there is no text."""
    profile = parse("accuracy" + (f",PLANT={plant}" if plant else ""))
    feeds = feeds_of(model, [], shapes or [], samples, 0)
    session = Session(DEVICE, profile, 60)
    try:
        is_crash = plant.startswith("crash")
        found = Surveyor(model, session, feeds).survey(alone=is_crash)
        return run_of(model, found, str(path), DEVICE, "accuracy", session.open().facts, feeds, Causes())
    finally:
        session.close()


def named_first(run: ModelRun) -> list[Layer]:
    """The layer in front, and those that were judged with it."""
    ranked = run.ranked()
    return [ranked[0], *(run.layers[number] for number in ranked[0].members)] if ranked else []


def candidates(model: Model, kind: str) -> list[str]:
    """The layers in which a fault can be planted."""
    return [node.name for node in model.graph.nodes if _can(model, node.name, kind)]


def _can(model: Model, name: str, kind: str) -> bool:
    source, node = model.sources[name], model.nodes[name]
    if kind == "state":
        return source.type == "Assign"
    if source.operation is None or source.operation.partner or source.operation.bodies or not node.types:
        return False
    if kind == "crash":
        return True
    if any(t.name != "f32" for t in node.types) or len(node.types) > 1:
        return False
    if kind == "kernel":
        return True
    readers = model.readers.get(source.outputs[0], [])
    if kind == "fused":
        results = {each.source for each in model.graph.results}
        return len(readers) == 1 and source.outputs[0] not in results
    constants = [v for v in source.inputs if v in model.graph.constants and model.types[v].name == "f32"]
    large = [v for v in constants if model.graph.constants[v].size > (64 if kind == "precision" else 0)]
    return any(len(model.readers[value]) == 1 for value in large) and len(constants) == 1


def _own(model: Model, shapes: list[str]) -> list[str]:
    """The shapes that name an input of this model."""
    titles = {model.sources[each.name].title for each in model.graph.parameters}
    return [text for text in shapes if text.rpartition("=")[0] in titles]


def trial(paths: list[Path], shapes: list[str], count: int, seed: int) -> Iterator[tuple[str, str, str, bool, str]]:
    """Model, kind, layer, whether it was named first, and what was, for each plant."""
    draw = random.Random(seed)
    models = [(path, read(path)) for path in paths]
    kinds = [kind for kind in KINDS if kind != "state"]
    for number in range(count):
        path, model = models[number % len(models)]
        kind = kinds[(number // len(models)) % len(kinds)]
        own = _own(model, shapes)
        samples = 1
        if any(source.type == "Assign" for source in model.sources.values()):
            kind, samples = "state", 3
        constants = constant_nodes(model)
        # A layer of constants alone is executed by no device.
        names = [name for name in candidates(model, kind) if name not in constants]
        name = draw.choice(names)
        run = survey(model, path, f"{kind}:{name}", own, samples)
        first = named_first(run)
        right = name in [layer.name for layer in first]
        if kind == "state":
            right = any(layer.operation.startswith(("ReadValue", "Assign")) for layer in first)
        shown = f"{first[0].operation} {first[0].title!r}" if first else "nothing"
        yield path.stem, kind, f"{model.sources[name].label} {model.sources[name].title!r}", right, shown


def main() -> None:
    """Run a trial and print its counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted.model_trial")
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--shape", action="append", default=[])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    counts: Counter[tuple[str, bool]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        paths = [*options.models, network(Path(folder)), with_state(Path(folder))]
        for path in paths:
            model = read(path)
            samples = 3 if any(source.type == "Assign" for source in model.sources.values()) else 1
            healthy = survey(model, path, "", _own(model, options.shape), samples)
            for layer in healthy.ranked():
                print(f"healthy {path.stem}: {layer.operation} {layer.title!r} departs", flush=True)
        for model, kind, layer, right, first in trial(paths, options.shape, options.count, options.seed):
            counts[kind, right] += 1
            if not right:
                print(f"missed {kind} in {layer} of {model}: first is {first}", flush=True)
    for kind in KINDS:
        found, missed = counts[kind, True], counts[kind, False]
        print(f"{kind:10} {found:3} of {found + missed:3}: {KINDS[kind]}")
    total = sum(counts.values())
    right = sum(number for (_, is_right), number in counts.items() if is_right)
    print(f"named first: {right} of {total}, in {time.monotonic() - started:.0f} s")
    sys.exit(right < 0.95 * total)


if __name__ == "__main__":
    main()
