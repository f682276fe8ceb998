"""The family of recurrent cells: shapes, random layers and rules of a cell and of a sequence with two bias shapes."""

import random

import pytest

from ir_models.corpus.purposes import cases
from ir_models.declaration import Attribute, Draw
from ir_models.families.cells import cell
from ir_models.vocabulary.layers import plain_layer, random_layer, with_size
from ir_models.vocabulary.rules import broken_rule, broken_rules
from ir_models.vocabulary.type_sets import types

GATED = {
    "gates": 3,
    "activations": ("sigmoid", "tanh"),
    "bias": lambda layer: 4 if layer.linear_before_reset else 3,
    "attributes": [Attribute("linear_before_reset", bool, default=False, plain=True)],
}
CELL = cell("Gated-1", "opset1", types("T", "any floating-point type"), bias_optional=True, **GATED)
SEQUENCE = cell(
    "GatedSequence-1",
    "opset1",
    types("T1", "any floating-point type"),
    outputs=("Y", "Ho"),
    lengths=types("T2", "any integer type"),
    **GATED,
)


def shapes(layer):
    return {i.name: layer.tensors(i.name)[0].shape for i in layer.operation.inputs}


def test_shapes_of_a_cell():
    assert shapes(plain_layer(CELL)) == {
        "X": (3, 5),
        "initial_hidden_state": (3, 4),
        "W": (12, 5),
        "R": (12, 4),
        "B": (16,),
    }


def test_shapes_of_a_sequence():
    layer = plain_layer(SEQUENCE)
    assert (layer.direction, layer.sequence_lengths.value) == ("bidirectional", (6, 2, 4))
    assert shapes(layer) == {
        "X": (3, 6, 5),
        "initial_hidden_state": (3, 2, 4),
        "sequence_lengths": (3,),
        "W": (2, 12, 5),
        "R": (2, 12, 4),
        "B": (2, 16),
    }


def test_lengths_follow_the_time_axis():
    assert with_size(plain_layer(SEQUENCE), "X", 1, 3).sequence_lengths.value == (3, 2, 3)


@pytest.mark.parametrize("operation", [CELL, SEQUENCE])
def test_random_layers_are_valid_and_of_each_bias(operation):
    layers = [random_layer(operation, Draw(random.Random(number))) for number in range(60)]
    assert not any(map(broken_rule, layers))
    assert {layer.linear_before_reset for layer in layers} == {False, True}
    if operation is SEQUENCE:
        assert {layer.direction for layer in layers} == {"forward", "reverse", "bidirectional"}


@pytest.mark.parametrize("operation", [CELL, SEQUENCE])
def test_no_variant_is_dropped_and_invalid_layers_break_one_rule(operation):
    found = list(cases(operation))
    purposes = {case.purpose for case in found}
    assert {f"variant.{each.name}" for each in operation.variants} <= purposes
    assert {"type", "left-out", "dim-0", "dim-1", "tiny", "invalid"} <= purposes

    assert all(broken_rules(case.layer) for case in found if case.is_invalid)
    kept = [
        len([c for c in found if c.variant == v.name]) >= len(v.changes) for v in operation.variants
    ]
    assert all(kept)
