"""Judges a model that a device compiled and did not infer: its ports, and whether it is the same twice."""

from __future__ import annotations

from collections.abc import Sequence

from devices.protocol import Compiled, Port
from devices.shapes import admits, shape_text
from devices.verdict import Verdict
from ir_models import Case
from reports.outcomes import Outcome


def judge_compiled(
    case: Case, names: Sequence[str], shapes: Sequence[tuple[int, ...]], compiled: Compiled
) -> Verdict:
    """The verdict, by the element types and shapes of the outputs that the reference has."""
    wrong = _wrong_outputs(names, shapes, compiled.outputs) or _wrong_inputs(compiled)
    if wrong:
        return Verdict(case, Outcome.FAIL, wrong)
    if len(set(compiled.blobs)) > 1:
        sizes = " and ".join(blob.partition(" ")[0] for blob in compiled.blobs)
        detail = f"compiled twice, the model is exported as two different blobs of {sizes} bytes"
        return Verdict(case, Outcome.FLAKE, detail)
    return Verdict(case, Outcome.COMPILED)


def _wrong_outputs(
    names: Sequence[str], shapes: Sequence[tuple[int, ...]], outputs: Sequence[Port]
) -> str:
    if len(outputs) != len(names):
        return f"the compiled model has {len(outputs)} outputs, should have {len(names)}"
    for index, (port, name, shape) in enumerate(zip(outputs, names, shapes, strict=True)):
        what = f"output {index} of the compiled model"
        if port.element_type != name:
            return f"{what} has the type {port.element_type}, should be {name}"
        if not admits(port.shape, shape):
            return f"{what} has the shape {port.shape}, should be {shape_text(shape)}"
    return ""


def _wrong_inputs(compiled: Compiled) -> str:
    """How the inputs differ from those of the model that was read."""
    given, ported = compiled.model_inputs, compiled.inputs
    if len(given) != len(ported):
        return f"the compiled model has {len(ported)} inputs, the model {len(given)}"
    for index, (own, port) in enumerate(zip(given, ported, strict=True)):
        if own != port:
            return f"input {index} of the compiled model is {_text(port)}, that of the model {_text(own)}"
    return ""


def _text(port: Port) -> str:
    return f"{port.element_type}{port.shape}" + (f" {port.name!r}" if port.name else "")
