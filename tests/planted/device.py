"""A device that computes with our references and is wrong where two factors meet, asked in this process."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from devices.engine.prepared import PreparedCase
from devices.engine.questions import prepare
from devices.engine.verdicts.judging import judge_reply
from devices.engine.verdicts.verdict import Verdict
from devices.process.protocol import Kernel, Reply, TensorData
from ir_models import ELEMENT_TYPES, LayerCase
from reports.results.outcomes import Outcome
from tests.planted.defects import Defect

NAME = "PLANTED"
_REFUSAL = "at compile: Check 'kernel' failed at src/plugin.cpp:7: no kernel on this device"
_DEATH = "SIGSEGV in infer"

prepared = lru_cache(maxsize=5000)(lambda case: prepare(case, 0))


def verdict_on(defect: Defect | None, case: LayerCase) -> Verdict:
    """The verdict on what the device with this defect answers to a case; None for a device without any."""
    is_struck = defect is not None and defect.strikes(case)
    if case.is_invalid:
        return Verdict(case, Outcome.ACCEPTED_INVALID if is_struck else Outcome.PASS)
    if is_struck and defect is not None and defect.effect == "refusal":
        return Verdict(case, Outcome.REFUSED, _REFUSAL)
    if is_struck and defect is not None and defect.effect == "death":
        return Verdict(case, Outcome.CRASH, _DEATH)
    known: PreparedCase = prepared(case)
    reply = _answer(known)
    if is_struck and defect is not None:
        for outputs in reply.outputs:
            outputs[defect.output] = _LIES[defect.effect](outputs[defect.output])
    return judge_reply(known, reply, NAME, "f32")


def _answer(known: PreparedCase) -> Reply:
    """What our references answer, in the types of the case's outputs."""
    case = known.case
    kinds = case.output_types
    outputs = [
        [
            TensorData.of(each.value.astype(kind.dtype, copy=False), kind.name)
            for each, kind in zip(expected, kinds, strict=True)
        ]
        for expected in known.expected
    ]
    inferred = [(tensor.element_type, "[...]") for tensor in outputs[0]]
    kernels = {
        "layer": Kernel("Const" if case.gives_constants else "Reference", "python_ref", "f32")
    }
    return Reply(devices=[NAME], stage="done", outputs=outputs, inferred=inferred, kernels=kernels)


def _with_wrong_values(tensor: TensorData) -> TensorData:
    """Every value another one."""
    values = tensor.values().copy()
    if values.dtype == object:
        for place in np.ndindex(values.shape):
            values[place] = f"{values[place]}?"
    elif values.dtype == np.bool_:
        values = ~values
    elif values.dtype.kind in "iu":
        values = values + values.dtype.type(1)
    elif len(tensor.data) and ELEMENT_TYPES[tensor.element_type].bits < 8:
        # Of few levels, which are no others than those of the type.
        levels = TensorData(tensor.element_type, tensor.shape, bytes(255 - b for b in tensor.data))
        values = levels.values()
    else:
        numbers = values.astype(np.float64)
        wrong = np.where(np.isfinite(numbers), 2 * numbers + 1, 0.0)
        values = wrong.astype(values.dtype)
    return TensorData.of(values, tensor.element_type)


def _with_wrong_shape(tensor: TensorData) -> TensorData:
    return TensorData(tensor.element_type, (*tensor.shape, 1), tensor.data)


_LIES = {"wrong value": _with_wrong_values, "wrong shape": _with_wrong_shape}
