"""Judges a device's reply: compares the actual outputs with the expected ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from devices.engine.prepared import PreparedCase
from devices.engine.verdicts.compiling import judge_compiled
from devices.engine.verdicts.digests import digest, settled_digest
from devices.engine.verdicts.verdict import Verdict, error_verdict
from devices.process.protocol import Kernel, Reply, TensorData
from ir_models import Case
from reference import Comparison, Expected, compare, wrong_elements
from reports.results.case_folder.shapes import admits, dimensions, shape_text
from reports.results.facts_of_departures import Facts, Kind
from reports.results.outcomes import Outcome

_Inference = TypeVar("_Inference")


def judge_reply(
    prepared: PreparedCase, reply: Reply, device: str, inference_precision: str
) -> Verdict:
    """The verdict on a reply with outputs.

    ``inference_precision`` is what the device says it computes in, for layers whose kernel has no precision.
    """
    if reply.compiled is not None:
        return _judge_compile(prepared, reply)
    unexpected = _unexpected_devices(device, reply) if prepared.is_of_corpus else []
    if unexpected:
        detail = f"{', '.join(unexpected)} executed instead of {device}"
        return Verdict(prepared.case, Outcome.ABSENT, detail)
    kernel = next(iter(reply.kernels.values()), None)
    try:
        prepared.set_precision(kernel, inference_precision)

        def judged(expected: list[list[Expected]]) -> Verdict:
            return judge(prepared.case, expected, reply.outputs, reply.inferred, kernel)

        is_inferred = bool(reply.outputs)
        verdict = (
            prepared.judged(judged, reply.outputs) if is_inferred else judged(prepared.expected)
        )
        if verdict.outcome is Outcome.FAIL and prepared.is_of_corpus:
            verdict.digest = answer_digest(prepared, reply)
        return verdict
    except Exception as error:  # an error of the suite in one case must not stop the whole pack
        return error_verdict(prepared.case, "judging fails", error)


def answer_digest(prepared: PreparedCase, reply: Reply) -> str:
    """The digest of all that is judged of a reply with outputs."""
    pairs = [*zip(prepared.expected, reply.outputs, strict=True)]
    return digest(reply.inferred, determined(prepared.case, pairs))


def answer_that_is_settled(prepared: PreparedCase, one: Reply, other: Reply) -> str:
    """The digest of what two replies of processes with other memory have in common."""
    triples = [*zip(prepared.expected, one.outputs, other.outputs, strict=True)]
    return settled_digest(one.inferred, other.inferred, determined(prepared.case, triples))


def _judge_compile(prepared: PreparedCase, reply: Reply) -> Verdict:
    """The verdict on a model that was compiled and not inferred: what reading inferred, and the model's ports."""
    case = prepared.case
    assert reply.compiled is not None
    try:
        # Of the model: what variables hold is nowhere in it.
        names = [t.name for t in case.result_types]
        expected = prepared.expected[0][: len(names)]
        failure = _judge_inferred(case, expected, reply.inferred, names)
        shapes = [output.value.shape for output in expected]
    except Exception as error:
        return error_verdict(case, "judging fails", error)
    return failure or judge_compiled(case, names, shapes, reply.compiled)


def _unexpected_devices(device: str, reply: Reply) -> list[str]:
    """The devices that executed but are not part of the name of the tested device."""
    tested = device.replace(":", ",").replace("(", ",").split(",")
    kinds = {name.strip().lstrip("-").partition(".")[0] for name in tested}
    return [name for name in reply.devices if name.partition(".")[0] not in kinds]


def judge(
    case: Case,
    expected: list[list[Expected]],
    actual: list[list[TensorData]],
    inferred: list[tuple[str, str]],
    kernel: Kernel | None,
) -> Verdict:
    """Compare actual with expected outputs, one inference after the other; the first wrong output decides.

    ``expected`` and ``actual`` are by inference and output. What OpenVINO infers at reading is judged before the
    outputs, and of an output the element type and the shape before the values.
    """
    names = [t.name for t in case.output_types]
    # What is inferred at reading is of results, of which variables are none.
    failure = _judge_inferred(case, expected[0], inferred, names[: len(case.result_types)])
    if failure is not None:
        return failure
    verdict = _judge_outputs(case, expected, actual, names)
    verdict.kernel = kernel
    verdict.outputs_are_empty = all(_is_empty(shape) for _, shape in inferred)
    if verdict.outcome is not Outcome.FAIL and kernel is not None and kernel.is_constant:
        verdict.outcome = Outcome.FOLDED
        verdict.detail = "folded to a constant; the device did not execute the layer"
    return verdict


def _judge_inferred(
    case: Case, expected: list[Expected], inferred: list[tuple[str, str]], names: list[str]
) -> Verdict | None:
    """A FAIL when the types or shapes inferred at reading are wrong, else None."""
    if len(inferred) != len(names):
        detail = f"{len(inferred)} outputs, should be {len(names)}"
        return Verdict(case, Outcome.FAIL, detail, Facts(kind="outputs"))
    for index, (element_type, shape) in enumerate(inferred):
        expected_shape = expected[index].value.shape
        # The page has the type of a variable there, which may be dynamic.
        is_open = element_type == "dynamic" and bool(case.operation.partner)
        if element_type != names[index] and not is_open:
            detail = f"type inferred at reading is {element_type}, should be {names[index]}"
            return _fail(case, index, 0, "type at reading", detail)
        if not admits(shape, expected_shape):
            detail = f"shape inferred at reading is {shape}, should be {shape_text(expected_shape)}"
            return _fail(case, index, 0, "shape at reading", detail)
        promised = case.promised_rank
        if promised is not None and promised == (dimensions(shape) is None):
            wanted = f"known, {len(expected_shape)}" if promised else "unknown"
            detail = f"shape inferred at reading is {shape}, its rank should be {wanted}"
            return _fail(case, index, 0, "rank at reading", detail)
    return None


def _judge_outputs(
    case: Case,
    expected: list[list[Expected]],
    actual: list[list[TensorData]],
    names: list[str],
) -> Verdict:
    """The first FAIL, or the verdict on the output with the largest error."""
    worst: Verdict | None = None
    pairs = determined(case, [*zip(expected, actual, strict=True)])
    for inference, (choices, outputs) in enumerate(pairs):
        chosen = chosen_outputs(choices, names, outputs)
        for index, (output, tensor) in enumerate(zip(chosen, outputs, strict=True)):
            verdict = _judge_output(case, inference, index, names[index], output, tensor)
            if verdict.outcome is Outcome.FAIL:
                return verdict
            if worst is None or _badness(verdict) > _badness(worst):
                worst = verdict
    return worst or Verdict(case, Outcome.PASS)


def determined(case: Case, inferences: Sequence[_Inference]) -> Sequence[_Inference]:
    """The inferences of a case that are judged: of one request that keeps state, the first one alone.

    What a variable holds is determined in all of them.
    """
    is_open = case.operation.keeps_state and not case.operation.partner
    if is_open and case.how.requests != "two":
        return inferences[:1]
    return inferences


def chosen_outputs(
    expected: list[Expected], names: list[str], actual: list[TensorData]
) -> list[Expected]:
    """The admissible outputs that belong to the actual ones, where the page allows several."""
    if all(output.choose is None for output in expected):
        return expected
    try:
        values = [tensor.values() for tensor in actual]
    except ValueError:
        return expected
    if [tensor.element_type for tensor in actual] != names:
        return expected
    return [output.chosen(values) for output in expected]


def _badness(verdict: Verdict) -> tuple[bool, float]:
    fraction = verdict.comparison.fraction if verdict.comparison else None
    return verdict.outcome is Outcome.QUALITY, -1.0 if fraction is None else fraction


def _judge_output(
    case: Case,
    inference: int,
    index: int,
    element_type: str,
    expected: Expected,
    actual: TensorData,
) -> Verdict:
    found = judge_output(expected, actual, element_type)
    if found.outcome is Outcome.FAIL:
        verdict = _fail(case, index, inference, found.kind, found.detail)
        verdict.comparison = found.comparison
        return verdict
    return Verdict(
        case, found.outcome, found.detail, comparison=found.comparison, output_index=index
    )


@dataclass(frozen=True)
class OutputVerdict:
    """The verdict on one output. ``kind`` is the way in which it is wrong; ``comparison`` is that of its values."""

    outcome: Outcome
    detail: str = ""
    kind: Kind = ""
    comparison: Comparison | None = None


def judge_output(expected: Expected, actual: TensorData, element_type: str) -> OutputVerdict:
    """Compare one output with what is expected: its element type, its shape, then its values."""
    if actual.element_type != element_type:
        detail = f"type is {actual.element_type}, should be {element_type}"
        return OutputVerdict(Outcome.FAIL, detail, "type")
    if actual.shape != expected.value.shape:
        detail = (
            f"shape is {shape_text(actual.shape)}, should be {shape_text(expected.value.shape)}"
        )
        return OutputVerdict(Outcome.FAIL, detail, "shape")
    if actual.unreadable:
        return OutputVerdict(Outcome.FAIL, actual.unreadable, "bytes")
    try:
        values = actual.values()
    except ValueError as error:
        return OutputVerdict(Outcome.FAIL, str(error), "bytes")
    return verdict_of(compare(expected, values))


def verdict_of(compared: Comparison) -> OutputVerdict:
    """The verdict on an output of the right type and shape, from the comparison of its values."""
    if compared.statistic:
        return OutputVerdict(Outcome.FAIL, compared.statistic, "distribution", compared)
    if compared.wrong:
        element = ",".join(map(str, compared.index or ()))
        is_exact = compared.low == compared.high
        bound = "" if is_exact else f" within {compared.low} to {compared.high}"
        detail = (
            f"[{element}] is {compared.actual}, should be {compared.expected}{bound}; "
            f"{compared.wrong:,} of {compared.of:,} wrong"
        )
        is_finite = compared.actual.lstrip("+-") not in ("nan", "inf")
        return OutputVerdict(Outcome.FAIL, detail, "value" if is_finite else "not finite", compared)
    if compared.coarse or compared.open:
        return OutputVerdict(Outcome.QUALITY, quality_detail(compared), "", compared)
    return OutputVerdict(Outcome.PASS, comparison=compared)


def count_wrong_in_any(prepared: PreparedCase, verdict: Verdict, replies: Sequence[Reply]) -> None:
    """Let a verdict on values count the elements that are wrong in one of several answers."""
    compared = verdict.comparison
    if compared is None or compared.index is None:
        return
    inference, index = max(verdict.facts.inference - 1, 0), verdict.output_index
    names = [t.name for t in prepared.case.output_types]
    expected, wrong = prepared.expected[inference], np.zeros((), bool)
    for reply in replies:
        outputs = reply.outputs[inference]
        own = chosen_outputs(expected, names, outputs)[index]
        try:
            values = outputs[index].values()
        except ValueError:  # bytes that are no values of the type
            return
        if values.shape != own.value.shape:
            return
        wrong = wrong | wrong_elements(own, values)
    verdict.comparison = replace(compared, wrong=int(np.count_nonzero(wrong)))


def quality_detail(compared: Comparison) -> str:
    """Say what is outside the quality bound, and apart from it what the page leaves open."""
    coarse, silent, of = compared.coarse, compared.open, f"of {compared.of:,} elements"
    differ = (
        "differs where the specification is silent"
        if silent == 1
        else "differ where the specification is silent"
    )
    if not coarse:
        return f"{silent:,} {of} {differ}"
    text = f"{coarse:,} {of} outside the quality bound"
    if not silent:
        return text
    return f"{text}; {silent:,} {'element' if silent == 1 else 'elements'} {differ}"


def _fail(case: Case, index: int, inference: int, kind: Kind, detail: str) -> Verdict:
    has_several = case.inferences > 1
    facts = Facts(kind=kind, output=index, inference=inference + 1 if has_several else 0)
    where = f"output {index}" if len(case.operation.outputs) > 1 or index else "output"
    if has_several:
        where = f"inference {inference + 1}, {where}"
        sizes = case.sizes_at(inference)
        where += f" for {sizes}" if sizes else ""
    return Verdict(case, Outcome.FAIL, f"{where}: {detail}", facts, output_index=index)


def _is_empty(partial: str) -> bool:
    """Whether a partial shape in OpenVINO's notation has a dimension that is known to be 0."""
    return "0" in [part.strip() for part in partial.strip("[]{}() ").split(",")]


def same_outputs(first: Sequence[TensorData], second: Sequence[TensorData]) -> bool:
    """Whether the outputs of two inferences are the same, bit for bit except that any NaN equals any NaN.

    Bytes that hold no values of their type are the same if there are as many.
    """
    for one, two in zip(first, second, strict=True):
        if one.element_type != two.element_type or one.shape != two.shape:
            return False
        if one.element_type == "string":
            if one.data != two.data:
                return False
        elif not np.array_equal(one.data, two.data):
            if one.data.size != two.data.size:
                return False
            if one.unreadable:
                continue
            if not _are_same_values(one, two):
                return False
    return True


def _are_same_values(one: TensorData, two: TensorData) -> bool:
    try:
        return not compare(Expected(one.values()), two.values()).wrong
    except ValueError:  # what is not a value of the type, such as a boolean of 2
        return False
