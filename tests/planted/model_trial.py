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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from devices.engine.session import Session
from devices.models.groups import constant_nodes
from devices.models.inputs import feeds_of
from devices.models.survey import Surveyor
from devices.models.writing.recording import run_of
from devices.targets.profiles import parse
from ir_models.models import Model, read
from reports.gate.causes import Causes
from reports.results.model_run import LayerRecord, ModelRun
from tests.planted.model_device import KINDS
from tests.planted.small_model import in_f16, network, with_state

DEVICE = "PYTHON:tests.planted.model_device"
# With native f16 the plants would have to be found between other roundings.
CAP = parse("isa=AVX2").environment


class Trial:
    """One session with the device, whose fault stands in a file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "plant"
        self.file.write_text("", "utf-8")
        self.session = Session(DEVICE, parse(f"accuracy,PLANT=@{self.file}"), 60, CAP)

    def survey(
        self,
        model: Model,
        path: Path,
        plant: str = "",
        shapes: Sequence[str] = (),
        samples: int = 1,
    ) -> ModelRun:
        """The record of a model on the device with a fault; nothing is planted where there is no text."""
        self.file.write_text(plant, "utf-8")
        feeds = feeds_of(model, [], shapes, samples, 0)
        found = Surveyor(model, self.session, feeds).survey()
        facts = self.session.open().facts
        return run_of(model, found, str(path), DEVICE, "accuracy", facts, feeds, Causes())


def named_first(run: ModelRun) -> list[LayerRecord]:
    """The layer in front, and those that were judged with it; or the one of these that explains it."""
    for first in run.ranked():
        return [run.layers[m] for m in ([first.by] if first.by is not None else first.members)] or [
            first
        ]
    return []


def candidates(model: Model, kind: str) -> list[str]:
    """The layers in which a fault can be planted."""
    return [node.name for node in model.graph.nodes if _can(model, node.name, kind)]


def _can(model: Model, name: str, kind: str) -> bool:
    source, node = model.sources[name], model.nodes[name]
    if kind == "state":
        return source.type == "Assign"
    if (
        source.operation is None
        or source.operation.partner
        or source.operation.bodies
        or not node.types
    ):
        return False
    if kind == "crash":
        return True
    if any(t.name not in ("f32", "f16") for t in node.types) or len(node.types) > 1:
        return False
    if kind == "kernel":
        return True
    readers = model.readers.get(source.outputs[0], [])
    if kind == "fused":
        results = {each.source for each in model.graph.results}
        return len(readers) == 1 and source.outputs[0] not in results
    constants = [
        v
        for v in source.inputs
        if v in model.graph.constants and model.types[v].name in ("f32", "f16")
    ]
    large = [
        v for v in constants if model.graph.constants[v].size > (64 if kind == "precision" else 0)
    ]
    return any(len(model.readers[value]) == 1 for value in large) and len(constants) == 1


def _own(model: Model, shapes: Sequence[str]) -> list[str]:
    """The shapes that name an input of this model."""
    titles = {model.sources[each.name].title for each in model.graph.parameters}
    return [text for text in shapes if text.rpartition("=")[0] in titles]


class Plant(NamedTuple):
    """A fault, whether its layer was named first, and what was; ``reaches``: a result is another one."""

    kind: str
    layer: str
    model: str
    is_right: bool
    first: str
    reaches: bool


def plants(
    trial: Trial, paths: Sequence[Path], shapes: Sequence[str], count: int, seed: int
) -> Iterator[Plant]:
    """Each plant of a trial; those that reach no result are counted, and others are planted in their place."""
    draw = random.Random(seed)
    models = [(path, read(path)) for path in paths]
    healthy: dict[Path, ModelRun] = {}
    for path, model in models:
        healthy[path] = trial.survey(model, path, "", _own(model, shapes), _samples(model))
        for layer in healthy[path].ranked():
            print(f"healthy {path.stem}: {layer.operation} {layer.title!r} departs", flush=True)
    kinds = [kind for kind in KINDS if kind not in ("state", "inexact")]
    number = tried = 0
    while number < count:
        path, model = models[tried % len(models)]
        kind = kinds[(tried // len(models)) % len(kinds)]
        tried += 1
        if _samples(model) > 1:
            kind = "state"
        constants = constant_nodes(model)
        # A layer of constants alone is executed by no device.
        names = [name for name in candidates(model, kind) if name not in constants]
        if not names:
            continue
        name = draw.choice(names)
        run = trial.survey(model, path, f"{kind}:{name}", _own(model, shapes), _samples(model))
        first = named_first(run)
        is_right = name in [layer.name for layer in first]
        if kind == "state":
            is_right = any(layer.operation.startswith(("ReadValue", "Assign")) for layer in first)
        reaches = str(run.whole) != "PASS" or _errors(run) != _errors(healthy[path])
        shown = f"{first[0].operation} {first[0].title!r}" if first else "nothing"
        number += reaches
        title = f"{model.sources[name].label} {model.sources[name].title!r}"
        yield Plant(kind, title, path.stem, is_right, shown, reaches)


def _samples(model: Model) -> int:
    return 3 if any(source.type == "Assign" for source in model.sources.values()) else 1


def _errors(run: ModelRun) -> list[float]:
    return [each.error for each in run.results]


def main() -> None:
    """Run a trial and print its counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted.model_trial")
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--shape", action="append", default=[])
    parser.add_argument("--f16", action="store_true", help="the models with f16 in place of f32")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    counts: Counter[tuple[str, bool]] = Counter()
    without = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [*options.models, network(Path(folder)), with_state(Path(folder))]
        if options.f16:
            paths = [in_f16(path, Path(folder)) for path in paths]
        trial = Trial(Path(folder))
        for each in plants(trial, paths, options.shape, options.count, options.seed):
            if not each.reaches:
                without += 1
                continue
            counts[each.kind, each.is_right] += 1
            if not each.is_right:
                print(
                    f"missed {each.kind} in {each.layer} of {each.model}: first is {each.first}",
                    flush=True,
                )
            if not sum(counts.values()) % 10:
                print(
                    f"{sum(counts.values())} plants, {time.monotonic() - started:.0f} s", flush=True
                )
        trial.session.close()
    print(f"plants that change no result, which do not count: {without}")
    for kind in dict.fromkeys(kind for kind, _ in counts):
        found, missed = counts[kind, True], counts[kind, False]
        print(f"{kind:10} {found:3} of {found + missed:3}: {KINDS[kind]}")
    total = sum(counts.values())
    right = sum(number for (_, is_right), number in counts.items() if is_right)
    print(f"named first: {right} of {total}, in {time.monotonic() - started:.0f} s")
    sys.exit(right < 0.95 * total)


if __name__ == "__main__":
    main()
