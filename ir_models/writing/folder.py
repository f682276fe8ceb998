"""A case written as a folder of files: see ``reports.case_folder`` for the format."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ir_models.asking.case import Case
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.rules import broken_rule
from ir_models.writing import ir
from reference import Expected, answer, behind
from reports.case_folder import writing
from reports.case_folder.manifest import MANIFEST
from reports.case_folder.tensors import NUMPY_TYPES, StoredTensor
from reports.case_folder.writing import SCRIPT, CaseFiles, Inference

# What a case's folder can hold, its script's caches included.
_IS_OF_A_CASE = re.compile(
    r"(input|expected|allowed|actual|state)_[0-9]+_[0-9]+\.(npy|json)"
    rf"|{re.escape(MANIFEST)}|model\.(xml|bin)|{re.escape(SCRIPT)}|case_folder|__pycache__"
)


def write(case: Case, folder: Path, seed: int = 0, replace: bool = False) -> None:
    """Write a case to ``folder``, which appears at once, whole.

    An invalid layer has no expected output. ``replace`` allows a folder that an earlier call made to be replaced.

    Raises ValueError for a layer that breaks a rule of its page where the case is not about that, FileExistsError for
    a folder that holds files, MissingReferenceError where no reference answers, and OSError.
    """
    folder = folder.absolute()
    _check_is_free(folder, replace)
    outputs = _expected(case, seed)
    stated = [e.value.shape for e in outputs[0]] if outputs else None
    expected = [_with_neighbours(case, each) for each in outputs]
    model = ir.write([case], [stated], seed)
    types = case.output_types
    queried = list(model.variables) if case.queried_types else []
    names = [*model.results, *queried]
    inferences = []
    for number in range(case.how.inferences):
        arrays = case.fed(case.arrays(number, seed))
        mapped = [*expected[number], *_queried(case, number, seed)] if expected else []
        inferences.append(
            Inference(
                inputs=[
                    _stored(name, port.element_type, arrays[port.port])
                    for name, port in model.parameters.items()
                ],
                expected=[
                    _stored(name, kind, output.value)
                    for name, kind, output in zip(names, types, mapped, strict=True)
                ]
                if mapped
                else [],
                allowed=[output.allowed_errors() for output in mapped],
                choice=[output.choose is not None for output in mapped],
                together=[output.together is not None for output in mapped],
                states=[_stored(model.variables[0], types[0], value)]
                if (value := case.set_before(number, seed)) is not None
                else [],
            )
        )
    broken = case.broken_rule
    content = CaseFiles(
        case=case.id,
        seed=seed,
        model_xml=model.xml,
        model_bin=model.weights,
        inferences=inferences,
        invalid=case.is_invalid,
        broken_rule=broken.text if broken else "",
        memory=case.how.memory,
        requests=case.how.requests,
        turns=[
            {"request": turn.request, "before": turn.before, "at_once": turn.at_once}
            for turn in case.how.turns
        ],
        queried=queried,
    )
    writing.write(folder, content)


def _check_is_free(folder: Path, replace: bool) -> None:
    if folder.is_symlink():
        raise FileExistsError(f"{folder} is a symbolic link; a case is written to a folder")
    if folder.is_dir():
        held = [path.name for path in folder.iterdir()]
        if held and not (MANIFEST in held and all(map(_IS_OF_A_CASE.fullmatch, held))):
            raise FileExistsError(f"{folder} holds files that are not a case's; choose another")
        if held and not replace:
            raise FileExistsError(f"{folder} holds a case already; --force replaces it")
    elif folder.exists():
        raise FileExistsError(f"{folder} is a file; a case is written to a folder")


def _expected(case: Case, seed: int) -> list[list[Expected]]:
    """The expected outputs of each inference; none for an invalid layer."""
    if case.is_invalid:
        return []
    rule = broken_rule(case.layer)
    # An example is written as the page prints it, errors included.
    if rule is not None and case.purpose != "example":
        raise ValueError(f"{case.id}: the layer breaks a rule of its page: {rule.text}")
    return [
        answer(case.operation.name, case.arrays(number, seed), case.arguments(number, seed))
        for number in range(case.how.inferences)
    ]


def _queried(case: Case, number: int, seed: int) -> list[Expected]:
    """The variable that is queried after an inference; none where it is not."""
    if not case.queried_types:
        return []
    after = case.arguments_after(number, seed)
    return answer(case.operation.name, case.arrays(number, seed), after)[:1]


def _with_neighbours(case: Case, outputs: list[Expected]) -> list[Expected]:
    types = [kind.name for kind in case.operation.output_types(case.layer)]
    return behind(outputs, case.behind, types, with_middle=bool(case.how.middle))


def _stored(name: str, kind: ElementType, values: np.ndarray | None) -> StoredTensor:
    assert values is not None, "a Parameter feeds an input that is not left out"
    if kind.kind == "string":
        return StoredTensor(name, kind.name, values.shape, values)
    with np.errstate(all="ignore"):
        typed = values.astype(kind.dtype, copy=False)
    raw = typed if kind.name in NUMPY_TYPES else kind.pack(typed)
    return StoredTensor(name, kind.name, values.shape, raw)
