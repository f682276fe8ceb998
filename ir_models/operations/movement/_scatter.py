"""What the declarations of scatters have in common: the values of data and updates."""

import numpy as np

from ir_models.values import distinct


def reduces(layer):
    """Whether updates are combined with what they meet, not just written."""
    return layer.attributes.get("reduction", "none") != "none"


def data_values(layer, state):
    """Small numbers for a reduction, so that no integer type overflows; any values where data is only moved."""
    return _small(layer, layer.data, state) if reduces(layer) else None


def update_values(places):
    """Values of updates, for an operation whose updates go to ``places(layer)``.

    ``places`` gives a number for each slice of updates, the first dimension of the array of values, or None where
    no two are the same. The pages leave the order of updates open, so those written to one place are equal.
    """

    def values(layer, state):
        if reduces(layer):
            return _small(layer, layer.updates, state)
        numbers = places(layer)
        if numbers is None:
            return None
        kind, size = layer.updates.element_type, layer.updates.size
        slices = distinct(kind, size, state).reshape(len(numbers), -1)
        _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        return slices[first][inverse.reshape(-1)]

    return values


def _small(layer, tensor, state):
    kind = tensor.element_type
    if kind.kind == "boolean":
        return state.randint(0, 2, tensor.shape)
    if kind.kind == "uint":
        # What is left after subtracting some updates is not below zero.
        above = 100 if layer.reduction == "sub" and tensor is layer.data else 0
        return state.randint(above, above + 12, tensor.shape)
    if kind.kind == "int":
        return state.randint(-11, 12, tensor.shape)
    # As all ordinary data, within what f32 holds.
    return state.uniform(-4, 4, tensor.shape).astype(np.float32)
