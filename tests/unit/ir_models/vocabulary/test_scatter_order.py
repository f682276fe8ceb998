"""The pages leave the order of several updates of one element open, so no case may depend on it."""

import numpy as np
import pytest

from ir_models.corpus import purposes
from ir_models.operations.movement import (
    scatter_elements_update,
    scatter_nd_update,
    scatter_update,
)

SCATTERS = {
    scatter_update.ScatterUpdate: scatter_update.PLACES,
    scatter_elements_update.ScatterElementsUpdate3: scatter_elements_update.PLACES,
    scatter_elements_update.ScatterElementsUpdate12: scatter_elements_update.PLACES,
    scatter_nd_update.ScatterNDUpdate3: scatter_nd_update.PLACES,
    scatter_nd_update.ScatterNDUpdate15: scatter_nd_update.PLACES,
}
LARGEST = 10_000


def depends_on_order(case, places):
    """Whether two updates of one element differ where they replace it."""
    layer = case.layer
    _, indices, updates, *_ = case.arrays()
    positions = np.ravel(places.positions(layer, indices.astype(np.int64)))
    values = np.ravel(updates)
    _, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
    return values.tobytes() != values[first][inverse].tobytes()


@pytest.mark.parametrize("operation", SCATTERS, ids=lambda operation: operation.name)
def test_updates_of_one_element_are_equal(operation):
    tried, wrong = 0, []
    for case in purposes.cases(operation, draws=20):
        # What a page's example writes twice is an erratum of its own.
        if case.purpose in ("invalid", "example") or case.how.before:
            continue
        layer = case.layer
        reduces = layer.attributes.get("reduction", "none") != "none"
        if reduces or layer.data.size + layer.updates.size > LARGEST:
            continue
        tried += 1
        if depends_on_order(case, SCATTERS[operation]):
            wrong.append(case.id)
    assert wrong == []
    assert tried > 100
