"""A case as the content of a folder of files: of a question alone, or of a verdict.

See ``reports.results.case_folder``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, zip_longest

import numpy as np

from devices.engine.prepared import PreparedCase
from devices.engine.questions import question_for
from devices.engine.single import twice_in
from devices.engine.verdicts.judging import determined
from devices.engine.verdicts.verdict import Evidence, Verdict
from devices.process import interpreter, own_build
from devices.process.forking.fork_client import child_environment
from devices.process.protocol import Question, Reply, TensorData
from devices.targets import npu_compiler
from devices.targets.profiles import Profile
from ir_models import ELEMENT_TYPES, Case
from reference import Expected, compare
from reports.results.case_folder.tensors import NUMPY_TYPES, StoredTensor
from reports.results.case_folder.writing import CaseFiles, Inference
from reports.results.outcomes import Outcome


def of_case(
    prepared: PreparedCase, device: str, profile: Profile, *, compile_only: bool = False
) -> CaseFiles:
    """What a folder of a case holds that nobody asked. Raises what its reference raises.

    ``compile_only``: the device compiles, and infers nothing.
    """
    case = prepared.case
    question = question_for([prepared])
    files = _files([case], question, prepared.expected, None, device, profile, prepared.seed)
    return _of_compiler(files) if compile_only else files


def of_verdict(
    verdict: Verdict,
    evidence: Evidence,
    device: str,
    profile: Profile,
    seed: int,
    *,
    openvino: str = "",
    compile_only: bool = False,
) -> CaseFiles:
    """What the failure folder of a case holds. ``openvino`` is the version that the run had.

    ``compile_only``: the device compiled, and inferred nothing.
    """
    cases = evidence.pack or [verdict.case]
    nearest = _nearest_expected(verdict, evidence)
    files = _files(
        cases,
        evidence.question,
        nearest,
        evidence.reply,
        device,
        profile,
        seed,
        quality=verdict.outcome is Outcome.QUALITY,
    )
    if compile_only:
        files = _of_compiler(files)
    broken = verdict.case.broken_rule
    return replace(
        files,
        case=verdict.case.id,
        openvino=openvino,
        invalid=verdict.case.is_invalid,
        broken_rule=broken.text if broken else "",
    )


def _of_compiler(files: CaseFiles) -> CaseFiles:
    """The files of a case that is compiled alone, without the variables of what stands for the device here."""
    settings = {**npu_compiler.SETTINGS, **files.settings}
    return replace(files, compile_only=True, settings=settings, environment=child_environment({}))


def _inferences(
    cases: Sequence[Case],
    question: Question,
    expected: Sequence[Sequence[Expected]],
    reply: Reply | None,
    quality: bool,
) -> list[Inference]:
    """The inputs, expected and actual outputs of each inference."""
    # The results of all cases, then the variables that are queried.
    types = [t.name for case in cases for t in case.result_types]
    types += [t.name for case in cases for t in case.queried_types]
    names = [*question.results, *question.queried]
    answered = reply.outputs if reply is not None else []
    return [
        Inference(
            inputs=[stored(name, tensor) for name, tensor in feed.items()],
            expected=[
                stored(name, TensorData.of(_in_type(output.value, kind), kind))
                for name, kind, output in zip(names, types, outputs, strict=True)
            ]
            if outputs
            else [],
            allowed=[output.allowed_errors(quality=quality) for output in outputs or ()],
            choice=[output.choose is not None for output in outputs or ()],
            together=[output.together is not None for output in outputs or ()],
            random=[output.is_random for output in outputs or ()],
            exact=[
                _exact_of(output, kind) for output, kind in zip(outputs or (), types, strict=False)
            ],
            actual=_actual(names, actual or ()),
            states=[stored(*each) for each in (turn.states if turn else {}).items()],
        )
        for feed, outputs, actual, turn in zip_longest(
            question.feeds, expected, answered, question.turns
        )
    ]


def _files(
    cases: Sequence[Case],
    question: Question,
    expected: Sequence[Sequence[Expected]],
    reply: Reply | None,
    device: str,
    profile: Profile,
    seed: int,
    *,
    quality: bool = False,
) -> CaseFiles:
    broken = cases[0].broken_rule
    return CaseFiles(
        case=cases[0].id,
        seed=seed,
        device=device,
        model_xml=question.xml,
        model_bin=question.weights,
        inferences=_inferences(cases, question, expected, reply, quality),
        settings=profile.for_device(device),
        environment=_environment(profile),
        own_openvino=os.environ.get(own_build.OPENVINO, ""),
        invalid=cases[0].is_invalid,
        broken_rule=broken.text if broken else "",
        memory=question.memory,
        requests=question.requests,
        turns=[
            {"request": turn.request, "before": turn.before, "at_once": turn.at_once}
            for turn in question.turns
        ],
        queried=question.queried,
        layers=question.layers,
        inferred=[
            {"may_be_dynamic": bool(case.operation.partner), "known_rank": case.promised_rank}
            for case in cases
            if not case.is_invalid
            for _ in case.result_types
        ],
        # Invalid layers and packs are asked once.
        twice="" if len(cases) > 1 else twice_in(cases[0], question),
        judged=len(determined(cases[0], question.feeds)),
    )


def _environment(profile: Profile) -> dict[str, str]:
    """The variables of the case's process, but for the program that runs it, which is of this machine."""
    given = child_environment(profile.environment)
    return {name: value for name, value in given.items() if name != interpreter.PYTHON}


def _actual(names: Sequence[str], outputs: Sequence[TensorData]) -> list[StoredTensor]:
    """What the device answered in one inference; nothing where a shape is one that no array has."""
    try:
        return [stored(*each) for each in zip(names, outputs, strict=False)]
    except ValueError:
        return []


def _in_type(value: np.ndarray, kind: str) -> np.ndarray:
    """Values as an element type rounds them."""
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(ELEMENT_TYPES[kind].dtype, copy=False)


def _exact_of(output: Expected, kind: str) -> np.ndarray | None:
    """An expected output that its type rounds, and that has a bound."""
    value = output.value
    if (
        output.bound is None
        or value.dtype != np.float64
        or np.array_equal(value, _in_type(value, kind))
    ):
        return None
    return value


def _nearest_expected(verdict: Verdict, evidence: Evidence) -> list[list[Expected]]:
    """The admissible outputs that are nearest to the actual ones, by inference and output.

    There are several where the page or the precision of the computation allows a choice.
    """
    reply = evidence.reply
    if reply is None or not reply.outputs or (verdict.comparison is None and not evidence.pack):
        return evidence.expected
    cases = evidence.pack or [verdict.case]
    counts = [len(case.result_types) for case in cases]
    counts += [len(case.queried_types) for case in cases]
    nearest = []
    # Nothing is expected of invalid layers, and a device may stop before the last inference.
    for expected, outputs in zip(evidence.expected, reply.outputs, strict=False):
        pairs = iter(zip(expected, (tensor.values() for tensor in outputs), strict=True))
        found: list[Expected] = []
        for count in counts:
            found += _nearest_of_case(list(islice(pairs, count)))
        nearest.append(found)
    return nearest + evidence.expected[len(nearest) :]


def _nearest_of_case(pairs: list[tuple[Expected, np.ndarray]]) -> list[Expected]:
    """The nearest of each expected output of one case; as they are where an actual one has another shape."""
    if any(expected.value.shape != actual.shape for expected, actual in pairs):
        return [expected for expected, _ in pairs]
    actual = [values for _, values in pairs]
    return [_nearest(expected.chosen(actual), values) for expected, values in pairs]


def _nearest(expected: Expected, actual: np.ndarray) -> Expected:
    # An exact output has one value, however the inputs are rounded.
    if expected.bound is None or actual.shape != expected.value.shape:
        return expected
    readings = [replace(expected, others=()), *expected.others]
    return min(readings, key=lambda each: compare(each, actual).wrong)


def stored(name: str, tensor: TensorData) -> StoredTensor:
    """A tensor as a folder has it."""
    kind = tensor.element_type
    has_numpy_type = kind in NUMPY_TYPES or kind == "string"
    raw = tensor.values() if has_numpy_type else tensor.data
    return StoredTensor(name, kind, tensor.shape, raw)
