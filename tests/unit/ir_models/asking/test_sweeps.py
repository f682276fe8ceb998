"""Sweeps: which numbers they hold, and that each operation of one real number is asked for them."""

import numpy as np
import pytest

import ir_models
from ir_models.asking import sweeps
from ir_models.vocabulary.element_types import bf16, f16, f32, i32


@pytest.mark.parametrize(("kind", "infinite"), [(f16, 2 * 2**10), (bf16, 2 * 2**7)])
def test_every_finite_number_of_a_short_type_once(kind, infinite):
    found = sweeps.numbers(kind)
    # Codes with all bits of the exponent set are infinities and NaN.
    assert found.size == 2**16 - infinite
    assert np.isfinite(found.astype(np.float64)).all()
    assert len(set(found.view(np.uint16).tolist())) == found.size


def test_the_hard_numbers_of_f32():
    found = sweeps.numbers(f32)
    assert np.isfinite(found).all()
    have = set(found.tolist())
    wanted = [2.0**-149, 2.0**-126, 1.0, 1 + 2.0**-23, 1 - 2.0**-24, 2.0**127, 0.125, 88.75]
    wanted += [float(np.float32(n * np.pi / 2)) for n in (1, 2, 3, 4, 64)]
    assert {sign * each for each in wanted for sign in (1, -1)} <= have
    largest = float(np.finfo(np.float32).max)
    assert {largest, -largest} <= have
    assert np.signbit(found[found == 0]).tolist() in ([True, False], [False, True])
    far = [abs(x) for x in have if 9e4 < abs(x) < 1e5]
    assert len(far) > 6000  # of each sign some


def test_multiples_of_half_pi_have_small_sines_or_cosines():
    found = sweeps.numbers(f32).astype(np.float64)
    far = found[(np.abs(found) > 1000) & (np.abs(found) < 99_000)]
    least = np.minimum(np.abs(np.sin(far)), np.abs(np.cos(far)))
    # Half a step of f32 at 1e5 is 2^-8.
    assert np.median(least) < 2.0**-9


def test_another_type_has_none():
    with pytest.raises(KeyError):
        sweeps.numbers(i32)


def test_the_data_of_a_case_are_those_numbers():
    cases = list(ir_models.cases(ir_models.operation("Selu-1"), ["sweep"]))
    assert [case.layer.data.element_type for case in cases] == [f16, bf16, f32]
    for case in cases:
        data, alpha, factor = case.arrays()
        assert data.tobytes() == sweeps.numbers(case.layer.data.element_type).tobytes()
        assert alpha.size == factor.size == 1
        assert ir_models.parse(case.id) == case
        assert case.arrays(0)[0].flags.writeable


def test_only_functions_of_one_real_number_have_sweeps():
    assert list(ir_models.cases(ir_models.operation("LogicalNot-1"), ["sweep"])) == []
    assert list(ir_models.cases(ir_models.operation("Add-1"), ["sweep"])) == []
