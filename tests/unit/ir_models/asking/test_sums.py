"""Data for sums: what each set promises, for sums of one operand and of products."""

import ml_dtypes
import numpy as np
import pytest

import ir_models
from ir_models import HOWS
from ir_models.asking.sums import SETS
from ir_models.vocabulary.element_types import f32, f64

NAMES = ["MatMul-1", "ReduceSum-1"]


def asked(name, values):
    """(case, terms of each output [outputs, terms]) for each type."""
    for case in ir_models.cases(ir_models.operation(name), ["sums"]):
        if case.how.values != values:
            continue
        arrays = [array.astype(np.float64) for array in case.arrays()]
        if name == "MatMul-1":
            a, b = arrays
            terms = np.einsum("ik,kj->ijk", a, b).reshape(-1, a.shape[1])
        else:
            terms = np.moveaxis(arrays[0], (1, 3), (-2, -1)).reshape(-1, 170)
        yield case, terms


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", SETS)
def test_each_set_is_asked_in_each_type_and_sums_fit(name, values):
    found = list(asked(name, values))
    kinds = [case.operation.output_types(case.layer)[0] for case, _ in found]
    assert {kind.name for kind in kinds} == {"f16", "f32", "f64", "bf16"}
    for kind, (_, terms) in zip(kinds, found, strict=True):
        assert len(terms) >= 1000
        largest = float(ml_dtypes.finfo(f32.dtype if kind == f64 else kind.dtype).max)
        assert np.abs(terms).sum(1).max() <= largest
        assert len(np.unique(terms.sum(1))) > 100


def test_every_set_is_a_way_to_ask():
    assert SETS.keys() <= HOWS["values"].keys()


@pytest.mark.parametrize("name", NAMES)
def test_what_each_set_promises(name):
    terms = {values: next(t for c, t in asked(name, values) if "f32" in c.id) for values in SETS}
    one_product = np.count_nonzero(terms["one-product"], axis=1)
    assert set(one_product) == ({1} if name == "MatMul-1" else {2})
    large = np.abs(terms["near-the-end"]).sum(1)
    assert (large < np.finfo(np.float32).max).all()
    assert (large > np.finfo(np.float32).max / 4).all()
    small = terms["small-onto-one"]
    assert small[:, 0] == pytest.approx(1)
    assert (np.abs(small[:, 1:]) < 3 * 2.0**-23).all()
    assert terms["varying-onto-sixteen"][:, 0] == pytest.approx(16)
    share = np.mean(terms["mixed-zeros"] != 0)
    assert share == pytest.approx(0.25 if name == "MatMul-1" else 0.5, abs=0.05)
    sizes = np.abs(terms["large-range"])
    assert sizes.max() / sizes.min() > 1e30
