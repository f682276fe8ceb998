"""A model's results as text for a terminal: the answer first, then the table of what departs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reports.results.facts_of_departures import times_the_bound
from reports.results.model_run import (
    LayerRecord,
    ModelRun,
    OnnxOpinion,
    ResultRecord,
    VerdictRecord,
)
from reports.results.outcomes import Outcome
from reports.results.shared.text import count, printable, trim

_MOST = 30
# Characters of a line: a name of a file may have any number.
_WIDEST = 1000


def lines(run: ModelRun, most: int = _MOST) -> Iterator[str]:
    """The lines of a summary; control characters of names are escaped."""
    for line in _lines(run, most):
        yield trim(printable(line), _WIDEST)


def _counts(run: ModelRun) -> Iterator[str]:
    """How many layers were judged, and why others were not."""
    judged = sum(layer.outcome is not None for layer in run.layers)
    alike = sum(bool(layer.alike) and layer.outcome is None for layer in run.layers)
    groups = sum(bool(layer.members) for layer in run.layers)
    inside = {m for layer in run.layers for m in layer.members}
    yield (
        f"layers   {len(run.layers):,}: {judged:,} judged, {alike:,} not run because they equal a judged layer, "
        f"{sum(layer.is_constant for layer in run.layers):,} that depend on constants alone, "
        f"{sum(bool(layer.unjudged) for layer in run.layers):,} not judged; "
        f"{count(run.questions, 'test model')}, {run.seconds:.0f} s"
    )
    if groups:
        yield (
            f"fused    {groups:,} of the judged layers are the last of a group that the device fused; the groups "
            f"have {len(inside):,} layers"
        )


def _unjudged(run: ModelRun) -> Iterator[str]:
    """The operations without a reference, and the most frequent other reasons for no judgement."""
    unknown = Counter(layer.operation for layer in run.layers if "(" in layer.operation)
    if unknown:
        counted = ", ".join(f"{name} x {count}" for name, count in unknown.most_common())
        yield f"unknown  no reference: {counted}; the layers behind them were judged on the device's own values"
    others = Counter(
        f"{layer.operation}: {layer.unjudged}"
        for layer in run.layers
        if layer.unjudged and "(" not in layer.operation
    )
    for text, number in others.most_common(5):
        yield f"unjudged {text}" + (f" (and {number - 1} more)" if number > 1 else "")


def _lines(run: ModelRun, most: int) -> Iterator[str]:
    yield f"{run.model} on {run.device}, profile {run.profile}: {run.full_name}; OpenVINO {run.openvino}"
    if run.inputs:
        more = f"; {run.samples} samples" if run.samples > 1 else ""
        yield f"inputs   {', '.join(run.inputs)}{more}"
    if not run.is_whole:
        yield "interrupted: what follows is known so far"
    yield from _counts(run)
    if run.whole is not Outcome.PASS:
        yield f"whole    {run.whole}: {run.whole_detail}"
    for each in run.results:
        yield f"result   {each.title}: {_result(each)}"
    for note in run.notes:
        yield f"note     {note}"
    yield from _unjudged(run)
    if run.onnx is not None:
        yield from (f"onnx     {line}" for line in _onnx(run.onnx, most))
    ranked = run.ranked()
    if not ranked:
        so_far = "" if run.is_whole else " of those judged so far"
        whole = "" if run.whole is Outcome.PASS else f"; the model as a whole is {run.whole}"
        yield f"verdict  no layer departs{so_far}{whole}"
        return
    culprits = run.culprits()
    if culprits:
        yield f"first    {_headline(culprits[0], run)}"
    # Of the layers of one cause the first is shown, and the number of the others.
    counts = Counter(layer.cause for layer in ranked if layer.cause)
    shown = [
        layer
        for number, layer in enumerate(ranked)
        if not layer.cause or layer.cause not in {each.cause for each in ranked[:number]}
    ]
    for layer in shown[:most]:
        yield from _departing(layer, run, counts[layer.cause] - 1)
    if len(shown) > most:
        yield f"         and {len(shown) - most:,} more"
    yield f"verdict  {_verdict(run, ranked, culprits)}"


def _onnx(opinion: OnnxOpinion, most: int) -> Iterator[str]:
    """What ONNX's evaluator says of what OpenVINO's reader made of the file; nothing of it is the device's."""
    counted = [
        f"{opinion.compared:,} of {count(opinion.nodes, 'node')} compared with what OpenVINO's reader made of them",
        f"{len(opinion.differing):,} otherwise" if opinion.differing else "all alike",
    ]
    inside = opinion.evaluated - opinion.compared
    if inside:
        counted.append(f"{inside:,} inside others")
    if opinion.failure:
        counted.append(opinion.failure)
    version = f" (onnx {opinion.version})" if opinion.version else ""
    yield f"reference evaluator{version}: {'; '.join(counted)}"
    for why, number in list(opinion.unevaluated.items())[:5]:
        yield f"not evaluated: {why}" + (f" (and {number - 1} more)" if number > 1 else "")
    for node in opinion.differing[: most or None]:
        layers = ", ".join(node.layers) or "no layer"
        yield (
            f"{node.operation} {node.title!r} was read as {layers}: {node.detail}; {_apart(node.error, node.scale)}; "
            "OpenVINO's reader differs here from ONNX's evaluator, not the device"
        )
    for each in opinion.results:
        said = [
            f"{name} {_apart(error, each.scale)}"
            for name, error in (("as read", each.read), ("on the device", each.device))
            if error is not None
        ]
        yield f"result {each.title}: from ONNX's evaluator {', '.join(said)}"


def _apart(error: float, scale: float) -> str:
    relative = error / scale if scale else error
    return f"off by {error:.3g}, {relative:.2g} of the largest value {scale:.3g}"


def _headline(layer: LayerRecord, run: ModelRun) -> str:
    """The layer that explains most: how much of the error, whether it is known, where its folder is."""
    share = run.share(layer)
    said = [name_of(layer, run)]
    if share is not None:
        said.append(f"explains {share:.0%} of the largest error of a result")
    said.append(
        f"known as {layer.cause} ({layer.cause_history})" if layer.cause else "no known cause"
    )
    if layer.folder:
        said.append(f"folder {layer.folder}")
    return "; ".join(said)


def _verdict(run: ModelRun, ranked: list[LayerRecord], culprits: list[LayerRecord]) -> str:
    known = sum(bool(layer.cause) for layer in ranked)
    departs = f"{count(len(ranked), 'layer')} {'departs' if len(ranked) == 1 else 'depart'}"
    said = [f"{departs}, {known:,} of them for known causes"]
    harmless = {layer.name for layer in run.harmless() if layer.departs}
    slight = {layer.name for layer in run.layers if layer.is_slight}
    slight |= {run.layers[m].name for layer in run.layers if layer.is_slight for m in layer.members}
    if harmless & slight:
        said.append(f"{len(harmless & slight):,} change the results by less than their rounding")
    if harmless - slight:
        said.append(f"{len(harmless - slight):,} are wrong alone and right in this model")
    if run.whole is not Outcome.PASS:
        said.append(f"the model as a whole is {run.whole}")
    else:
        said.append("the results are wrong" if culprits else "they make no result wrong")
    return "; ".join(said)


def difference(one: ModelRun, other: ModelRun) -> Iterator[str]:
    """What two runs of a model have different: layers that one device, or release, has right, or fails otherwise."""
    names = [_label(one, other), _label(other, one)]
    pairs = _pairs(one, other)
    if not pairs:
        yield "differ   the two runs are of different models"
        return
    found = 0
    for pair in pairs:
        ends = [layer.outcome if layer.departs else None for layer in pair]
        if ends[0] is ends[1]:
            continue
        found += 1
        order = (1, 0) if ends[0] is None else (0, 1)
        said = ", ".join(f"{names[each]} {_end(pair[each])}" for each in order)
        yield printable(f"differ   {name_of(pair[order[0]], (one, other)[order[0]])}: {said}")
    yield f"differ   {count(found, 'layer')} between {names[0]} and {names[1]}"
    alone = [len(run.layers) - len(pairs) for run in (one, other)]
    if any(alone):
        yield f"differ   layers in one of the two only: {alone[0]} and {alone[1]}"


def _end(layer: LayerRecord) -> str:
    verdict = layer.worst
    if verdict is None:
        return "was not judged there"
    return f"departs ({verdict.outcome}: {verdict.detail})" if layer.departs else "is right"


def _pairs(one: ModelRun, other: ModelRun) -> list[tuple[LayerRecord, LayerRecord]]:
    """The layers of two runs that are the same.

    Releases that read a format number layers differently, and name those that they add. Where all operations are the
    same in order, so are the layers; otherwise those of one operation and title that only one layer of each has.
    """
    if [each.operation for each in one.layers] == [each.operation for each in other.layers]:
        return list(zip(one.layers, other.layers, strict=True))

    def by_title(run: ModelRun) -> dict[tuple[str, str], LayerRecord]:
        counts = Counter((each.operation, each.title) for each in run.layers)
        found = {(each.operation, each.title): each for each in run.layers}
        return {key: layer for key, layer in found.items() if counts[key] == 1}

    theirs = by_title(other)
    return [(layer, theirs[key]) for key, layer in by_title(one).items() if key in theirs]


def _label(run: ModelRun, other: ModelRun) -> str:
    """What tells a run from another one."""
    parts = [run.device]
    if run.profile != other.profile:
        parts.append(run.profile)
    if run.openvino != other.openvino:
        parts.append(f"OpenVINO {run.openvino.partition('-')[0]}")
    return ", ".join(parts)


def _result(each: ResultRecord) -> str:
    error, scale = each.error, each.scale
    if each.detail:
        return each.detail
    relative = error / scale if scale else error
    text = f"largest error {error:.3g}, {relative:.2g} of the largest value {scale:.3g}"
    if each.choice:
        text += "; another element is the largest"
    if not each.same_bits:
        text += f"; with inner values read {each.read_error:.3g}"
    return text


def name_of(layer: LayerRecord, run: ModelRun) -> str:
    """A layer's operation and name, and the layers before it that were judged with it; or the one of them it is by."""
    if layer.by is not None and run.layers[layer.by] is not layer:
        by = run.layers[layer.by]
        return f"{_named(by)}, seen behind it at {_named(layer)}"
    before = [
        run.layers[number].operation for number in layer.members if run.layers[number] is not layer
    ]
    group = f" with {', '.join(before)} before it" if before else ""
    return f"{_named(layer)}{group}"


def _named(layer: LayerRecord) -> str:
    known = f" ({layer.known_as})" if layer.known_as else ""
    return f"{layer.operation} {layer.title!r}{known}"


def _departing(layer: LayerRecord, run: ModelRun, alike: int) -> Iterator[str]:
    verdict = layer.worst
    assert verdict is not None
    yield f"{verdict.outcome!s:8} {name_of(layer, run)}"
    yield f"         {_where(layer, verdict)}: {verdict.detail}"
    facts = [layer.shapes] if layer.shapes else []
    if verdict.fraction is not None and verdict.wrong:
        facts.append(times_the_bound(verdict.fraction))
    if verdict.kernel:
        facts.append(f"kernel {verdict.kernel} in {verdict.precision or 'unknown precision'}")
    if layer.effect is not None:
        moved = "; another element is the largest" if layer.changes_choice else ""
        facts.append(f"moves the results by {layer.effect:.2g} of their largest value{moved}")
    if layer.folder:
        facts.append(layer.folder)
    elif layer.members and verdict is layer.in_place:
        facts.append("no folder: right in a model of its own, --reduce finds what else it takes")
    yield f"         {'; '.join(facts)}"
    if layer.cause:
        more = f"; {count(alike, 'more layer')}" if alike > 0 else ""
        yield f"         known as {layer.cause} ({layer.cause_history}): {layer.cause_title}{more}"


def _where(layer: LayerRecord, verdict: VerdictRecord) -> str:
    in_place = layer.in_place is not None and layer.in_place.outcome is verdict.outcome
    alone = layer.alone is not None and layer.alone.outcome is verdict.outcome
    if in_place and alone:
        return "in place and alone"
    if not in_place:
        return "alone" + (", right in place" if layer.in_place is not None else "")
    return "in place" + (", right alone" if layer.alone is not None else "")
