"""What ReadValue and Assign do to a variable, over the inferences of one request.

A request begins without a value. What an inference finds depends on what came before it: ``variable`` is the value that
the variable was given through the request, None for none; ``earlier`` are the inputs of the inferences since then, or
since the variable was reset. What is assigned is the result of the graph ``update`` for ``state``, which is the value
that is read, and ``new_value``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from reference.accuracy import Arrays
from reference.shared.graph import Evaluator, PlainGraph, Value, evaluate_typed, type_of
from reference.shared.stated import admits, has_type

Array = np.ndarray | None


@dataclass(frozen=True)
class Inputs:
    """What an inference is given: the value of a variable that has none, and what is assigned or updates it."""

    init_value: Array
    new_value: Array


@dataclass(frozen=True)
class Variable:
    """A variable of the operation ``name``, updated by a graph.

    ``shape`` is the stated one, -1 for a dimension of any size, or None where it is that of init_value; ``type`` the
    stated one, or ``dynamic`` for any.
    """

    name: str
    variable_id: str
    update: PlainGraph
    shape: Sequence[int] | None = None
    type: str = "dynamic"

    def read_and_assigned(
        self,
        history: Sequence[Inputs],
        given: Array = None,
        evaluate: Evaluator = evaluate_typed,
    ) -> tuple[Value, Value]:
        """What is read in the last inference of ``history``, and what is assigned in it.

        ``given``: what the request set before the first one. Raises ValueError for an empty id, for layers that are no
        pair, and for shapes and types that the variable does not admit.
        """
        if not self.variable_id:
            raise ValueError(f"{self.name}: variable_id must not be empty")
        if len(self.update["results"]) != 1 or {*self.update["parameters"]} - {
            "state",
            "new_value",
        }:
            raise ValueError(f"{self.name}: a variable must have one pair of ReadValue and Assign")
        state = None if given is None else Value.exact(given)
        for each in history:
            read = self._initial(each) if state is None else state
            state = self._assigned(each, read, evaluate)
        assert state is not None
        return read, state

    def _initial(self, inputs: Inputs) -> Value:
        """What a variable holds that was not set or was reset: init_value, or zeros where that is left out."""
        if inputs.init_value is not None:
            return Value.exact(inputs.init_value)
        if inputs.new_value is None or self.shape is None or min(self.shape, default=0) < 0:
            raise ValueError(f"{self.name}: zeros must have a known shape, got {self.shape}")
        return Value.exact(np.zeros(tuple(self.shape), inputs.new_value.dtype))

    def _assigned(self, inputs: Inputs, read: Value, evaluate: Evaluator) -> Value:
        init, new = inputs.init_value, inputs.new_value
        if new is None:
            raise ValueError(f"{self.name}: new_value is required")
        (found,) = evaluate(self.update, {"state": read, "new_value": Value.exact(new)})
        if self.type != "dynamic" and not has_type(new, self.type):
            raise ValueError(f"{self.name}: new_value must be {self.type}, got {type_of(new)}")
        if init is not None:
            if self.shape is not None:
                self._check(init, self.shape, "init_value")
            if found.type != Value.exact(init).type:
                raise ValueError(f"{self.name}: what is assigned must have the type of init_value")
        stated = self.shape if self.shape is not None or init is None else init.shape
        if stated is not None:
            self._check(found.array, stated, "what is assigned")
        return found

    def _check(self, array: np.ndarray, stated: Sequence[int], what: str) -> None:
        if not admits(stated, array.shape):
            raise ValueError(
                f"{self.name}: {what} must have a shape that {list(stated)} admits, "
                f"got {list(array.shape)}"
            )


Values = Callable[..., Sequence[Value]]


def in_arrays(values: Values) -> Callable[..., Arrays]:
    """The reference whose outputs ``values`` computes with a given evaluator of graphs: it returns arrays."""

    @wraps(values)
    def outputs(*inputs: Array, **attributes: Any) -> Arrays:
        return tuple(each.array for each in values(evaluate_typed, *inputs, **attributes))

    return outputs
