"""Assign (pages Assign-3 and Assign-6). ``init_value`` is what its partner, a ReadValue, takes."""

from collections.abc import Sequence

from reference import implements
from reference.shared.graph import Evaluator, PlainGraph, Propagated, Value
from reference.shared.variables import Array, Inputs, Variable, in_arrays


def _outputs(
    found: Variable,
    evaluate: Evaluator,
    inputs: Sequence[Array],
    variable: Array,
    earlier: Sequence[Sequence[Array]],
    result: bool,
) -> list[Value]:
    # The inputs of an inference end with the last one that is there.
    pairs = [(*each, None)[:2] for each in (*earlier, inputs)]
    history = [Inputs(init_value, new_value) for new_value, init_value in pairs]
    outputs = found.read_and_assigned(history, variable, evaluate)
    return [*outputs] if result else [outputs[0]]


def assign_3(
    evaluate: Evaluator,
    *inputs: Array,
    variable_id: str,
    update: PlainGraph,
    result: bool = False,
    variable: Array = None,
    earlier: Sequence[Sequence[Array]] = (),
) -> list[Value]:
    """What the partner reads in this inference; with ``result`` the output of Assign as well, which is its input."""
    found = Variable("Assign-3", variable_id, update)
    return _outputs(found, evaluate, inputs, variable, earlier, result)


def assign_6(
    evaluate: Evaluator,
    *inputs: Array,
    variable_id: str,
    variable_type: str,
    variable_shape: Sequence[int],
    update: PlainGraph,
    result: bool = False,
    variable: Array = None,
    earlier: Sequence[Sequence[Array]] = (),
) -> list[Value]:
    """Like ``assign_3``; ``variable_type`` and ``variable_shape`` are the partner's."""
    found = Variable("Assign-6", variable_id, update, variable_shape, variable_type)
    return _outputs(found, evaluate, inputs, variable, earlier, result)


ASSIGN_3 = implements("Assign-3", accuracy=Propagated(assign_3))(in_arrays(assign_3))
ASSIGN_6 = implements("Assign-6", accuracy=Propagated(assign_6))(in_arrays(assign_6))
