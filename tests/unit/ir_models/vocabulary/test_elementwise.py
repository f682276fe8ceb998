"""The family of elementwise operations: shapes that broadcast, and the values that comparisons get."""

import pytest

from ir_models import operation
from ir_models.families.elementwise import broadcast, broadcastable, is_part, repeats_to
from ir_models.families.reductions import terms
from ir_models.vocabulary.element_types import boolean, f8e8m0, f32, i8, string, u8
from ir_models.vocabulary.page import Interval


@pytest.mark.parametrize(
    ("part", "whole", "numpy", "pdpd"),
    [
        ((5, 4), (2, 3, 5, 4), True, True),
        ((), (2, 3), True, True),
        ((3, 1, 4), (2, 3, 5, 4), True, True),
        ((1, 1, 1, 1), (3, 4), False, False),
        ((3, 4), (1, 4), False, False),
        ((3, 5), (2, 3, 5, 4), False, False),
    ],
)
def test_parts_of_a_shape(part, whole, numpy, pdpd):
    assert repeats_to(f32[part], f32[whole]) is numpy
    assert is_part(f32[part], f32[whole]) is pdpd


def test_both_shapes_may_widen():
    assert broadcast(f32[8, 1, 6, 1], f32[7, 1, 5])
    assert not broadcast(f32[2, 3], f32[2])


def test_sizes_that_do_not_broadcast_become_the_smallest():
    layer = operation("Add-1").layer(a=[2, 0, 5, 4], b=[3, 1, 6])
    found = broadcastable(layer, "ab")
    assert found["a"].shape == (2, 0, 5, 4)
    assert found["b"].shape == (0, 1, 4)


def test_comparisons_see_few_numbers_and_one_in_the_middle_for_all():
    less = operation("Less-1")
    layer = less.layer(a=[4, 5], b=[])
    a, b = (declared.values.range for declared in less.inputs)
    assert a(layer, f32) == a(layer, i8) == [-1, 0, 1, 2]
    assert a(layer, u8) == [0, 1, 2]
    assert a(layer, boolean) == [0, 1]
    assert a(layer, f8e8m0) == [1, 2, 4, 8]
    assert a(layer, string) is None
    assert b(layer, f32) == [0]
    assert b(layer, u8) == [1]


def test_terms_of_a_sum_fit_together():
    assert terms(f32, 10) is None
    assert terms(i8, 4) == Interval(-32, 31)
    assert terms(u8, 5) == Interval(0, 51)
    assert terms(i8, 0) == terms(i8, 1) == Interval(-128, 127)
