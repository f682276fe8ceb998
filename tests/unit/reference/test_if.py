"""If: each body by hand, and which of the two is taken."""

import numpy as np
import pytest

from ir_models.catalog import operation
from ir_models.vocabulary.element_types import ELEMENT_TYPES
from reference import answer, compare, lookup

NAME = "If-8"
if_ = lookup(NAME)

X, Y = np.array([[1.5, -2.0]], np.float32), np.array([[0.5, 4.0]], np.float32)
Z = np.array([7, -3], np.int32)


def given(array):
    kind = next(kind for kind in ELEMENT_TYPES.values() if kind.dtype == array.dtype)
    return kind[array.shape]


def bodies(then_body, else_body, x=X, y=Y, z=Z):
    """The bodies that the declaration has under these names, with their port maps, for a layer with such inputs."""
    inputs = {"x": given(x), "y": given(y), "z": given(z)}
    return operation(NAME).layer(**inputs, then_body=then_body, else_body=else_body).arguments()


def run(cond, then_body, else_body, x=X, y=Y, z=Z):
    return if_(np.array(cond), x, y, z, **bodies(then_body, else_body, x, y, z))


@pytest.mark.parametrize("cond", [True, [True]])
def test_true_takes_the_then_body(cond):
    assert run(cond, "add", "subtract")[0].tolist() == [[2.0, 2.0]]


@pytest.mark.parametrize("cond", [False, [False]])
def test_false_takes_the_else_body(cond):
    assert run(cond, "add", "subtract")[0].tolist() == [[1.0, -6.0]]


@pytest.mark.parametrize(
    "body, outputs",
    [
        ("first", [[[1.5, -2.0]]]),
        ("second", [[[0.5, 4.0]]]),
        ("add_z", [[[8.5, -5.0]]]),
        ("concat", [[[1.5, -2.0], [0.5, 4.0]]]),
        ("convert_z", [[7.0, -3.0]]),
        ("constant", [[[1.0, 2.0]]]),
        ("swap", [[[0.5, 4.0]], [[1.5, -2.0]]]),
        ("keep", [[[1.5, -2.0]], [[0.5, 4.0]]]),
        ("less", [[[False, True]]]),
        ("greater", [[[True, False]]]),
        ("sum_and_less", [[[2.0, 2.0]], [[False, True]]]),
        ("difference_and_greater", [[[1.0, -6.0]], [[True, False]]]),
    ],
)
def test_bodies(body, outputs):
    assert [output.tolist() for output in run(True, body, body)] == outputs


def test_integers_wrap():
    most = np.array([127], np.int8)
    assert run(True, "add", "add", most, np.array([1], np.int8))[0].tolist() == [-128]


def test_bodies_may_have_no_inputs():
    found = if_(np.array(True), X, **bodies("constant", "first"))
    assert found[0].tolist() == [[1.0, 2.0]]


def test_each_output_has_the_accuracy_of_its_body():
    inputs = [np.array(False), X, Y]
    exact = answer(NAME, inputs, bodies("swap", "keep"), ["f32", "f32"])
    assert [each.bound for each in exact] == [None, None]
    attributes = bodies("difference_and_greater", "sum_and_less")
    total, less = answer(NAME, inputs, attributes, ["f32", "boolean"])
    # Sums that f32 holds have no error, others that of Add.
    right = np.array([[2.0, 2.0]], np.float32)
    assert compare(total, right).wrong == 0
    assert compare(total, np.nextafter(right, np.float32(3))).wrong == 2
    inputs[2] = np.array([[0.1, 4.1]], np.float32)
    total, _ = answer(NAME, inputs, attributes, ["f32", "boolean"])
    right = X + inputs[2]
    assert compare(total, right).wrong == 0
    assert compare(total, right + np.spacing(right)).coarse == 2
    assert compare(total, right + np.float32(1e-3)).wrong == 2
    inputs[2] = Y
    _, less = answer(NAME, inputs, attributes, ["f32", "boolean"])
    assert compare(less, np.array([[False, False]])).wrong == 1


@pytest.mark.parametrize("kind", ["f8e8m0", "nf4", "bf16", "u4"])
def test_an_input_and_a_result_of_a_layer_have_one_type(kind):
    kind = ELEMENT_TYPES[kind]
    x = np.array([[1.0]]).astype(kind.dtype)
    layer = operation(NAME).layer(x=kind[1, 1], y=kind[1, 1], then_body="first", else_body="concat")
    (first,) = if_(np.array(True), x, x, **layer.arguments())
    (both,) = if_(np.array(False), x, x, **layer.arguments())
    assert first.astype(float).tolist() == [[1.0]]
    assert both.astype(float).tolist() == [[1.0], [1.0]]


def test_rules():
    with pytest.raises(ValueError, match="the bodies have 1 and 2 outputs"):
        run(True, "add", "keep")
