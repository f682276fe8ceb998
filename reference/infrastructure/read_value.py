"""ReadValue (pages ReadValue-3 and ReadValue-6). ``new_value`` is what its partner, an Assign, takes."""

from collections.abc import Sequence

from reference import implements
from reference.shared.graph import Evaluator, PlainGraph, Propagated, Value
from reference.shared.variables import Array, Inputs, Variable, in_arrays


def read_value_3(
    evaluate: Evaluator,
    init_value: Array,
    new_value: Array,
    *,
    variable_id: str,
    update: PlainGraph,
    variable: Array = None,
    earlier: Sequence[Sequence[Array]] = (),
) -> list[Value]:
    """What the variable holds: what was assigned, else init_value."""
    history = [Inputs(*each) for each in (*earlier, (init_value, new_value))]
    found = Variable("ReadValue-3", variable_id, update)
    return [found.read_and_assigned(history, variable, evaluate)[0]]


def read_value_6(
    evaluate: Evaluator,
    init_value: Array,
    new_value: Array,
    *,
    variable_id: str,
    variable_type: str,
    variable_shape: Sequence[int],
    update: PlainGraph,
    variable: Array = None,
    earlier: Sequence[Sequence[Array]] = (),
) -> list[Value]:
    """What the variable holds: what was assigned, else init_value, else zeros of ``variable_shape``."""
    history = [Inputs(*each) for each in (*earlier, (init_value, new_value))]
    found = Variable("ReadValue-6", variable_id, update, variable_shape, variable_type)
    return [found.read_and_assigned(history, variable, evaluate)[0]]


READ_VALUE_3 = implements("ReadValue-3", accuracy=Propagated(read_value_3))(in_arrays(read_value_3))
READ_VALUE_6 = implements("ReadValue-6", accuracy=Propagated(read_value_6))(in_arrays(read_value_6))
