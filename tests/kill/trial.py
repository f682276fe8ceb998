"""Tries wrong references on the cases of an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ir_models import LayerCase, Operation, cases
from ir_models.asking.how import How
from ir_models.declaration import Input
from reference import Expected, answer, as_rounded, compare, lookup, outputs_of
from reference.accuracy import Arrays

Outputs = list[np.ndarray]

# Cases of larger data are left out: what they could catch, smaller ones do.
LARGEST = 20_000  # elements


@dataclass(frozen=True)
class Question:
    """One case with everything that a wrong reference may look at, and the right answer.

    ``inputs`` holds an array or None for each port, ``outputs`` what the reference answers.
    """

    case: LayerCase
    inputs: list[np.ndarray | None]
    attributes: Mapping[str, Any]
    outputs: Arrays

    @cached_property
    def right(self) -> Outputs:
        """The right outputs in the types of the layer."""
        return self.in_type([np.asarray(each) for each in self.outputs])

    @cached_property
    def expected(self) -> list[Expected]:
        """The expected outputs with their bounds, which most wrong references never need."""
        operation = self.case.operation
        types = [t.name for t in operation.output_types(self.case.layer)]
        with np.errstate(all="ignore"):
            return answer(operation.name, self.inputs, self.attributes, types, outputs=self.outputs)

    @cached_property
    def _right_bytes(self) -> list[bytes | None]:
        """The bytes of the right outputs, where these pass whatever the bounds are; nothing where they may not."""
        is_known = as_rounded(self.case.operation.name, self.outputs)
        return [None if r.dtype == object else r.tobytes() for r in self.right if is_known]

    @cached_property
    def ports(self) -> list[Input]:
        """The declared input of each port."""
        found: list[Input] = []
        for declared in self.case.operation.inputs:
            given = self.case.layer.inputs[declared.name]
            found += [declared] * (len(given) if isinstance(given, tuple) else 1)
        return found[: len(self.inputs)]

    def places(self, declared: Input) -> list[int]:
        """The ports of an input that are not left out."""
        return [
            place
            for place, each in enumerate(self.ports)
            if each is declared and self.inputs[place] is not None
        ]

    def answer(
        self,
        inputs: Sequence[np.ndarray | None] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> Outputs:
        """What the reference answers to other inputs or attributes. Raises what it raises."""
        inputs = self.inputs if inputs is None else inputs
        attributes = self.attributes if attributes is None else attributes
        return self.in_type(as_list(lookup(self.case.operation.name)(*inputs, **attributes)))

    def in_type(self, outputs: Outputs) -> Outputs:
        """Outputs as a device would give them: floating-point ones in the layer's own types."""
        types = self.case.operation.output_types(self.case.layer)
        if len(types) != len(outputs):
            return outputs
        with np.errstate(all="ignore"):
            return [
                output.astype(kind.dtype, copy=False) if kind.is_float else output
                for output, kind in zip(outputs, types, strict=True)
            ]

    def is_wrong(self, outputs: Outputs) -> bool:
        """Whether the comparator finds a fault in these outputs."""
        return self.verdict(outputs) == "gate"

    def verdict(self, outputs: Outputs) -> str:
        """``gate`` where the comparator finds a fault in these outputs, ``quality`` where it counts a departure.

        Empty where it finds neither.
        """
        if len(outputs) != len(self.right):
            return "gate"
        pairs = zip(self.right, outputs, strict=True)
        if any(came.shape != right.shape or came.dtype != right.dtype for right, came in pairs):
            return "gate"
        if [came.tobytes() for came in outputs] == self._right_bytes:
            return ""
        return self.verdict_by_bounds(outputs)

    def verdict_by_bounds(self, outputs: Outputs) -> str:
        """``verdict`` for outputs of the right types and shapes, which takes none of them for right before."""
        found = ""
        for expected, came in zip(self.expected, outputs, strict=True):
            comparison = compare(expected.chosen(outputs), came)
            if comparison.wrong:
                return "gate"
            if comparison.coarse or comparison.open:
                found = "quality"
        return found


def as_list(outputs: Any) -> Outputs:
    """What a reference returned, as a list of arrays."""
    return [np.asarray(o) for o in (outputs if isinstance(outputs, tuple) else (outputs,))]


# A wrong reference: the outputs that it gives, or None where it is not wrong about a question of this kind.
Wrong = Callable[[Question], "Outputs | None"]


class Trial:
    """The questions of one operation, smallest first after the plain ones."""

    def __init__(self, operation: Operation, draws: int = 20) -> None:
        self.operation = operation
        asked = [
            case
            for case in cases(operation, draws=draws)
            if not case.is_invalid and case.purpose != "large-output" and is_asked_plainly(case)
        ]
        asked = [case for case in asked if _size(case) <= LARGEST]
        self.cases = sorted(asked, key=lambda case: (case.purpose not in _FIRST, _size(case)))
        self._distinct = len(self.cases)
        if operation.partner:
            self.cases *= 2
        self._questions: dict[int, Question] = {}

    def question(self, number: int) -> Question:
        """The question of one of the cases."""
        if number not in self._questions:
            case = self.cases[number]
            # The last inference finds what those before it left, the first one nothing.
            inference = case.how.inferences - 1 if number < self._distinct else 0
            arrays, attributes = case.arrays(inference), case.arguments(inference)
            with np.errstate(all="ignore"):
                outputs = outputs_of(self.operation.name, arrays, attributes)
            self._questions[number] = Question(case, arrays, attributes, outputs)
        return self._questions[number]

    def caught_by(self, wrong: Wrong) -> str | None:
        """The id of the first case that tells a wrong reference from the right one.

        None where no case does, "" where the reference is wrong about no case at all.
        """
        concerns = False
        for number in range(len(self.cases)):
            question = self.question(number)
            try:
                with np.errstate(all="ignore"):
                    outputs = wrong(question)
            except (ValueError, IndexError, TypeError, OverflowError, ZeroDivisionError):
                # A wrong reference that cannot answer is wrong.
                return question.case.id
            if outputs is None:
                continue
            concerns = True
            if question.is_wrong(outputs):
                return question.case.id
        return None if concerns else ""


# These differ in most that can differ, so that most wrong references fall at once.
_FIRST = ("plain", "enumeration")


def is_asked_plainly(case: LayerCase) -> bool:
    """Whether how it is asked changes only values: all else is the same to a reference."""
    return case.how == How(values=case.how.values, state=case.how.state)


def _size(case: LayerCase) -> int:
    return sum(tensor.size for _, tensor in case.layer.ports() if tensor is not None)
