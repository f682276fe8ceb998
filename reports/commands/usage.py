"""``python -m reports usage DIR``: how many of the models that packages ship have a layer that a cause concerns."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from reports.gate import baseline_files, causes, precision, usage
from reports.gate.causes import Causes
from reports.gate.precision import NARROW, Share
from reports.gate.selectors import features_of
from reports.gate.usage import PackagedModel, Usage
from reports.results import model_run
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.options import path_of_option
from reports.results.shared.text import count

_SURVEY = "model.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports usage``."""
    parser.description = (
        f"Count the models that have a layer which a cause concerns, for each cause. {usage.DIRECTORY.name}/"
        f"{usage.MODELS} lists the models. Each has a folder in DIR with its IR, and with model.json if "
        "`python -m devices model MODEL --out DIR/MODEL` wrote one. A cause concerns a layer if one of its selectors "
        f"admits the layer: surely if at least {NARROW:.0%} of the cases that the selector admits fail, possibly if "
        f"{usage.POSSIBLE:.0%} do. Exit code: 0 counted, 2 wrong usage."
    )
    parser.add_argument("folder", metavar="DIR", type=path_of_option, help="the folder of models")
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"write the counts into {usage.COUNTS}, which is shipped",
    )


def run(args: argparse.Namespace) -> int:
    """Count the models."""
    listed = usage.models()
    known = causes.load()
    shares = _shares()
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    number = 0
    for model in listed:
        layers = list(_layers(model, args.folder))
        sure, possible = usage.concerning(map(features_of, layers), known, shares)
        seen = _seen(model, args.folder, known)
        in_model = dict(zip(Usage._fields, (sure | seen, possible | seen, seen), strict=True))
        for kind, names in in_model.items():
            for name in names:
                found[name][kind].append(model.name)
        number += len(layers)
        kinds = ", ".join(f"{kind} {len(in_model[kind]):,}" for kind in Usage._fields)
        print(f"{model.name}: {count(len(layers), 'layer')}; causes: {kinds}", flush=True)
    counts = {
        name: Usage(*(len(models[kind]) for kind in Usage._fields))
        for name, models in found.items()
    }
    surveyed = sum((args.folder / one.name / _SURVEY).is_file() for one in listed)
    certain = sum(bool(one.sure) for one in counts.values())
    print(
        f"{count(len(listed), 'model')}, {surveyed:,} of them surveyed, {count(number, 'layer')}: "
        f"{count(certain, 'cause')} for sure in one or more, {len(counts):,} possibly"
    )
    if args.write:
        write_text(usage.DIRECTORY / usage.COUNTS, usage.to_text(counts))
    return 0


def _shares() -> dict[str, Share]:
    """The shares of selectors in the shipped baselines; of several the one with the most cases."""
    found: dict[str, Share] = {}
    for path in sorted(baseline_files.DIRECTORY.rglob(baseline_files.PRECISION)):
        for name, share in precision.from_text(path.read_text("utf-8")).items():
            if name not in found or share.admitted > found[name].admitted:
                found[name] = share
    return found


def _layers(model: PackagedModel, folder: Path) -> Iterator[CaseRecord]:
    """The layers of a model as cases. Raises ResultsError."""
    from ir_models import models  # declarations: other commands do not need them

    path = folder / model.name / f"{model.name}.xml"
    try:
        read = models.read(path)
    except (models.NotIRError, OSError) as error:
        raise ResultsError(f"{path}: {error}") from None
    for layer in models.asked_layers(read, has_values=True):
        yield CaseRecord(
            case=f"{layer.operation}/model/-",
            operation=layer.operation,
            category=layer.category,
            purpose="model",
            how=dict(layer.how),
            inputs=list(layer.inputs),
            parameters=dict(layer.parameters),
            device="CPU",
            profile="",
            outcome=Outcome.COMPILED,
            detail="",
            seconds=0.0,
            kernel="",
            precision="",
            gate=Gate.NEW,
        )


def _seen(model: PackagedModel, folder: Path, known: Causes) -> set[str]:
    """The causes that a survey of the model named."""
    path = folder / model.name / _SURVEY
    if not path.is_file():
        return set()
    names = {layer.cause for layer in model_run.read(path).layers}
    return {name for name in names if known.get(name)}
