"""The report of a model: its graph as a picture, a table of its layers, the evidence of each. One file, no network."""

from __future__ import annotations

import importlib.resources
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from reports.models.layout import layout
from reports.models.text import lines
from reports.results.model_run import LayerRecord, ModelRun, VerdictRecord
from reports.results.shared.text import printable


def model_report(run: ModelRun) -> str:
    """The report as text."""
    templates = importlib.resources.files("reports.views").joinpath("templates")
    style, script = (
        templates.joinpath(f"model.{kind}").read_text("utf-8") for kind in ("css", "js")
    )
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports.views"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("model.html").render(
        title=printable(run.model.replace("\\", "/").rpartition("/")[2]),
        run=run,
        lines=list(lines(run, most=0)),
        style=Markup(style),
        script=Markup(script),
        # Nothing in the data can end the script's element.
        data=Markup(msgspec.json.encode(data(run)).decode().replace("</", "<\\/")),
    )


def data(run: ModelRun) -> dict[str, Any]:
    """What the report's script shows."""
    shown = [not layer.is_constant for layer in run.layers]
    places = layout([layer.inputs for layer in run.layers], shown)
    suspects = {number for layer in run.layers if layer.departs for number in layer.members}
    order = {layer.name: number for number, layer in enumerate(run.ranked())}
    return {
        "layers": [
            _layer(layer, place, number in suspects)
            for number, (layer, place) in enumerate(zip(run.layers, places, strict=True))
        ],
        "ranked": [place for _, place in sorted(
            (order[layer.name], place) for place, layer in enumerate(run.layers) if layer.name in order
        )],
    }  # fmt: skip


def _layer(layer: LayerRecord, place: tuple[float, int] | None, is_suspect: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "t": printable(layer.title),
        "o": layer.operation,
        "v": "suspect" if is_suspect and not layer.departs else _kind(layer),
        "i": sorted({each for each in layer.inputs if each >= 0}),
        "s": layer.shapes,
        "a": {name: printable(text)[:200] for name, text in layer.attributes.items()},
    }
    if place is not None:
        found["at"] = list(place)
    for key, verdict in (("p", layer.in_place), ("l", layer.alone)):
        if verdict is not None:
            found[key] = _verdict(verdict)
    others = {
        "m": layer.members, "k": layer.alike, "u": layer.unjudged, "n": layer.note, "c": layer.cause,
        "ct": layer.cause_title, "f": layer.folder, "w": printable(layer.known_as),
    }  # fmt: skip
    found |= {key: value for key, value in others.items() if value}
    if layer.effect is not None:
        found |= {"e": layer.effect, "x": layer.changes_choice}
    return found


def _verdict(verdict: VerdictRecord) -> dict[str, Any]:
    found: dict[str, Any] = {"o": str(verdict.outcome), "k": verdict.kernel, "p": verdict.precision}
    if verdict.detail:
        found["d"] = printable(verdict.detail)
    if verdict.fraction is not None:
        found["f"] = verdict.fraction
    if verdict.wrong:
        found |= {"w": verdict.wrong, "n": verdict.elements}
    if verdict.histogram:
        found["h"] = verdict.histogram
    return found


def _kind(layer: LayerRecord) -> str:
    """How the layer is coloured."""
    if layer.departs:
        return "known" if layer.cause else "departs"
    if layer.unjudged:
        return "unjudged"
    if layer.is_constant:
        return "constant"
    if layer.outcome is None:
        return "alike" if layer.alike else "inside"
    return "quality" if str(layer.outcome) == "QUALITY" else "passes"
