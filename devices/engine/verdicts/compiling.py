"""Judges a model that a device compiled and did not infer: its ports, and whether it is the same twice."""

from __future__ import annotations

from collections.abc import Sequence

from devices.engine.verdicts.verdict import Verdict
from devices.process.protocol import Compiled, Port
from ir_models import Case
from reports.results.case_folder.shapes import admits, shape_text
from reports.results.facts_of_departures import Facts, Kind
from reports.results.outcomes import Outcome


def judge_compiled(
    case: Case, names: Sequence[str], shapes: Sequence[tuple[int, ...]], compiled: Compiled
) -> Verdict:
    """The verdict, by the element types and shapes of the outputs that the reference has."""
    wrong = _wrong_outputs(case, names, shapes, compiled.outputs) or _wrong_inputs(case, compiled)
    if wrong is not None:
        return wrong
    if len(set(compiled.blobs)) > 1:
        sizes = " and ".join(blob.partition(" ")[0] for blob in compiled.blobs)
        detail = f"compiled twice, the model is exported as two different blobs of {sizes} bytes"
        return Verdict(case, Outcome.FLAKE, detail, Facts(stage="compile", kind="two answers"))
    return Verdict(case, Outcome.COMPILED)


def _wrong_outputs(
    case: Case, names: Sequence[str], shapes: Sequence[tuple[int, ...]], outputs: Sequence[Port]
) -> Verdict | None:
    """A FAIL for the first output that is not as the reference has it, else None."""
    if len(outputs) != len(names):
        detail = f"the compiled model has {len(outputs)} outputs, should have {len(names)}"
        return _fail(case, "outputs", detail)
    for index, (port, name, shape) in enumerate(zip(outputs, names, shapes, strict=True)):
        what = f"output {index} of the compiled model"
        if port.element_type != name:
            detail = f"{what} has the type {port.element_type}, should be {name}"
            return _fail(case, "type", detail, index)
        if not admits(port.shape, shape):
            detail = f"{what} has the shape {port.shape}, should be {shape_text(shape)}"
            return _fail(case, "shape", detail, index)
    return None


def _wrong_inputs(case: Case, compiled: Compiled) -> Verdict | None:
    """A FAIL for the first input that is not as the model that was read has it, else None."""
    given, ported = compiled.model_inputs, compiled.inputs
    if len(given) != len(ported):
        detail = f"the compiled model has {len(ported)} inputs, the model {len(given)}"
        return _fail(case, "inputs", detail)
    for index, (own, port) in enumerate(zip(given, ported, strict=True)):
        if own != port:
            detail = f"input {index} of the compiled model is {_text(port)}, that of the model {_text(own)}"
            return _fail(case, "inputs", detail)
    return None


def _fail(case: Case, kind: Kind, detail: str, output: int | None = None) -> Verdict:
    facts = Facts(stage="compile", kind=kind, output=output)
    return Verdict(case, Outcome.FAIL, detail, facts, output_index=output or 0)


def _text(port: Port) -> str:
    return f"{port.element_type}{port.shape}" + (f" {port.name!r}" if port.name else "")
