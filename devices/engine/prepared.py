"""A case that is prepared for a device: its input values, expected outputs, its part of a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from devices.engine.verdicts.verdict import Verdict
from devices.process.protocol import Kernel, Question, Reply, TensorData
from ir_models import Case
from reference import Expected

Judge = Callable[[list[list[Expected]]], Verdict]
"""The verdict on a reply for expected outputs, by inference."""


class PreparedCase(ABC):
    """A case with the values of its inputs and what its reference computes, a list of each for every inference.

    ``inputs`` are what is given at run time. ``computed_in`` is the precision that the bounds of ``expected`` are for,
    or "" for the element types of the case.
    """

    judges_what_is_kept = False
    """Whether a wrong answer to a later inference counts as it is, though a second run may give another one."""
    is_of_corpus = True
    """Whether the named device alone may execute it, and a wrong answer has a digest for baselines."""

    def __init__(self, case: Case, inputs: list[list[np.ndarray | None]], seed: int = 0) -> None:
        self.case, self.inputs, self.seed = case, inputs, seed
        self.computed_in = ""

    @abstractmethod
    def question(self, pack: Sequence[PreparedCase]) -> Question:
        """The model of a pack of cases of this kind, and its inputs."""

    @property
    @abstractmethod
    def outputs(self) -> Sequence[Sequence[np.ndarray]]:
        """The outputs of what is asked, without bounds, by inference. Raises what its reference raises."""

    @property
    def layer_shapes(self) -> list[tuple[int, ...]] | None:
        """The shapes of the layer's own outputs at the first inference, as far as the model states them."""
        return None

    @property
    def is_partly_empty(self) -> bool:
        """Whether an input or an output has no elements while an output has some.

        A kernel that has nothing to read, or nothing to write to one output, may leave the others as they are.
        """
        given = [values.size for ports in self.inputs for values in ports if values is not None]
        results = [values.size for outputs in self.outputs for values in outputs]
        return 0 in (*given, *results) and any(results)

    @cached_property
    def expected(self) -> list[list[Expected]]:
        """The expected outputs with their bounds, which take time: of a case that is refused nobody asks."""
        return self._expected()

    @abstractmethod
    def _expected(self) -> list[list[Expected]]: ...

    @abstractmethod
    def set_precision(self, kernel: Kernel | None, of_device: str) -> None:
        """Give the expected outputs the bounds of the precision in which a kernel computed, or a device does."""

    def judged(self, judge: Judge, actual: Sequence[Sequence[TensorData]]) -> Verdict:
        """The verdict on a reply with the ``actual`` outputs by inference, by all that may be expected."""
        return judge(self.expected)

    def add_clues(self, verdict: Verdict, reply: Reply) -> None:  # noqa: B027 - a graph has none
        """Add to a verdict on a wrong answer what the answer tells of its cause."""
