"""What came of a case."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from devices.protocol import Kernel, Question, Reply, TensorData
from ir_models import Case
from reference import Comparison, Expected, compare
from reports.outcomes import Outcome


@dataclass
class Evidence:
    """What a failure folder is made of: the question, the right answers of each inference, what came."""

    question: Question
    expected: list[list[Expected]]
    reply: Reply | None


@dataclass
class Verdict:
    """The outcome of one case, with what a person needs to believe it.

    ``lacking``: the release does not have the operation, which is no fault of the device.
    """

    case: Case
    outcome: Outcome
    detail: str = ""
    seconds: float = 0.0
    kernel: Kernel | None = None
    pack: int = 1
    comparison: Comparison | None = None
    output: int = 0
    lacking: bool = False
    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def wanted(self) -> Outcome:
        """The outcome that the case asks for: a layer of nothing but constants is rightly folded."""
        return Outcome.FOLDED if self.case.is_constant else Outcome.PASS


def judge(
    case: Case,
    expected: list[list[Expected]],
    outputs: list[list[TensorData]],
    inferred: list[tuple[str, str]],
    kernel: Kernel | None,
) -> Verdict:
    """Compare what came with what is right, one output of one inference after the other; the first wrong one decides.

    ``outputs`` are TensorData by inference and output. Type and shape are judged before values, what OpenVINO infers at
    reading before what the device computes.
    """
    types = case.operation.output_types(case.layer)
    names = [t.name for t in types]
    if len(inferred) != len(names):
        return Verdict(case, Outcome.FAIL, f"{len(inferred)} outputs, should be {len(names)}")
    for place, (kind, shape) in enumerate(inferred):
        wanted_shape = expected[0][place].value.shape
        if kind != names[place]:
            return _fail(
                case, place, 0, f"type inferred at reading is {kind}, should be {names[place]}"
            )
        if not admits(shape, wanted_shape):
            detail = f"shape inferred at reading is {shape}, should be {_shape(wanted_shape)}"
            return _fail(case, place, 0, detail)
    worst: Verdict | None = None
    for inference, (wanted, came) in enumerate(zip(expected, outputs, strict=True)):
        rights = _chosen(wanted, names, came)
        for place, (right, tensor) in enumerate(zip(rights, came, strict=True)):
            verdict = _judge_output(case, inference, place, names[place], right, tensor)
            if verdict.outcome is Outcome.FAIL:
                verdict.kernel = kernel
                return verdict
            if worst is None or _fraction(verdict) > _fraction(worst):
                worst = verdict
    verdict = worst or Verdict(case, Outcome.PASS)
    verdict.kernel = kernel
    if kernel is not None and kernel.is_constant:
        verdict.outcome = Outcome.FOLDED
        verdict.detail = "folded to a constant; the device did not execute the layer"
    return verdict


def _chosen(wanted: list[Expected], names: list[str], came: list[TensorData]) -> list[Expected]:
    """What is right in view of what came, where the page leaves a choice."""
    if all(right.choose is None for right in wanted):
        return wanted
    try:
        values = [tensor.values() for tensor in came]
    except ValueError:
        return wanted
    if [tensor.element_type for tensor in came] != names:
        return wanted
    return [right.chosen(values) for right in wanted]


def _fraction(verdict: Verdict) -> tuple[bool, float]:
    fraction = verdict.comparison.fraction if verdict.comparison else None
    return verdict.outcome is Outcome.QUALITY, -1.0 if fraction is None else fraction


def _judge_output(
    case: Case, inference: int, place: int, name: str, right: Expected, tensor: TensorData
) -> Verdict:
    kind, shape = tensor.element_type, tensor.shape
    if kind != name:
        return _fail(case, place, inference, f"type is {kind}, should be {name}")
    if shape != right.value.shape:
        detail = f"shape is {_shape(shape)}, should be {_shape(right.value.shape)}"
        return _fail(case, place, inference, detail)
    try:
        values = tensor.values()
    except ValueError as error:
        return _fail(case, place, inference, str(error))
    compared = compare(right, values)
    if compared.statistic:
        verdict = _fail(case, place, inference, compared.statistic)
        verdict.comparison = compared
        return verdict
    if compared.wrong:
        index = ",".join(map(str, compared.index or ()))
        exact = compared.low == compared.high
        bound = "" if exact else f" within {compared.low} to {compared.high}"
        detail = (
            f"[{index}] is {compared.actual}, should be {compared.expected}{bound}; "
            f"{compared.wrong:,} of {compared.of:,} wrong"
        )
        verdict = _fail(case, place, inference, detail)
        verdict.comparison = compared
        return verdict
    verdict = Verdict(case, Outcome.PASS, comparison=compared, output=place)
    if compared.coarse:
        verdict.outcome = Outcome.QUALITY
        verdict.detail = f"{compared.coarse:,} of {compared.of:,} outside the quality bound"
    return verdict


def _fail(case: Case, place: int, inference: int, detail: str) -> Verdict:
    where = f"output {place}" if len(case.operation.outputs) > 1 or place else "output"
    if case.form.inferences > 1:
        where = f"inference {inference + 1}, {where}"
        if case.form.shape:
            ports = [
                t for _, t in case.layers[inference].ports() if t is not None and t.value is None
            ]
            where += f" for {','.join(map(str, ports))}"
    return Verdict(case, Outcome.FAIL, f"{where}: {detail}", output=place)


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def admits(partial: str, shape: tuple[int, ...]) -> bool:
    """Whether a partial shape, written as OpenVINO does (``[2,?,1..7]``, ``[...]``), admits a shape."""
    text = partial.strip("[]{}() ")
    if text.startswith("..."):
        return True
    dims = [part.strip() for part in text.split(",") if part.strip()]
    if len(dims) != len(shape):
        return False
    return all(_dim_admits(part, size) for part, size in zip(dims, shape, strict=True))


def _dim_admits(part: str, size: int) -> bool:
    if part.startswith("?") or part == "-1":
        return True
    low, dots, high = part.partition("..")
    if not dots:
        return int(low) == size
    return (not low or int(low) <= size) and (not high or size <= int(high))


def words(error: str) -> str:
    """What an exception of OpenVINO says, in one line, without the chain of source files before it."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    told = [line for line in lines if not re.match(r"(Exception|Check .*failed) (from|at) ", line)]
    checks = [m[1] for line in lines if (m := re.match(r"(Check '.*') failed at ", line))]
    text = " ".join([*checks, *told] or lines)
    return text if len(text) <= 400 else f"{text[:200]} ... {text[-195:]}"


def same_outputs(first: list[TensorData], second: list[TensorData]) -> bool:
    """Whether two answers are the same, bit for bit but for NaN."""
    for one, two in zip(first, second, strict=True):
        if one.element_type != two.element_type or one.shape != two.shape:
            return False
        if one.element_type == "string":
            if one.data != two.data:
                return False
        elif not np.array_equal(one.data, two.data):
            values = Expected(one.values())
            if compare(values, two.values()).wrong:
                return False
    return True
