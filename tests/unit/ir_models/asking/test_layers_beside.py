"""Layers before and behind: what they are written with, and what the layer then receives."""

import numpy as np
import pytest

from ir_models import CaseIdError, parse
from ir_models.asking import neighbours, operands
from ir_models.vocabulary.element_types import bf16, f16, f32, f64
from ir_models.writing import ir

ADD = "Add-1/plain/f32[2,3,5,4],f32[3,1,4]/auto_broadcast=numpy"
MATMUL = "MatMul-1/plain/f32[2,5,3,7],f32[2,5,7,4]/transpose_a=false,transpose_b=false"


@pytest.mark.parametrize("kind", [f16, bf16, f32, f64])
@pytest.mark.parametrize("name", neighbours.EXACT_BEFORE)
def test_what_is_received_is_exactly_what_the_layer_before_gives(kind, name):
    drawn = np.random.default_rng(3).uniform(-100, 100, (2, 3, 4)).astype(kind.dtype)
    for number in neighbours.EXACT_BEFORE[name]:
        for operand in ("", "one", "ones", "last", "axis-1", "full"):
            asked = (name, operand, number, kind)
            got = neighbours.received(*asked, drawn)
            fed = neighbours.fed(*asked, got)
            tensor = neighbours.constant_of(*asked, drawn.shape)
            constant = tensor.array().astype(np.float64)
            given = getattr(np, name)(fed.astype(np.float64), constant)
            assert np.array_equal(given, got.astype(np.float64)), asked
            assert fed.dtype == got.dtype == drawn.dtype


def test_shapes_of_constants():
    shape = (2, 3, 5)
    found = {name: operands.shape_of(name, shape) for name in ("", *operands.SHAPES)}
    assert found == {
        "": (), "one": (1,), "ones": (1, 1, 1), "more-ones": (1, 1, 1, 1), "last": (5,), "full": shape,
        "axis-0": (2, 1, 1), "axis-1": (1, 3, 1), "axis-2": (1, 1, 5),
        "axis-3": None, "axis-4": None, "axis-5": None,
    }  # fmt: skip


def test_a_vector_has_different_numbers():
    tensor = operands.constant("last", "three-halves", 2.0, f32, (2, 5))
    assert tensor.value == (1.5, 0.75, 0.375, 0.1875, 1.5)


@pytest.mark.parametrize(
    "how, layers",
    [
        ("behind=divide,operand=axis-1", ["Parameter", "Parameter", "Add", "Const", "Divide", "Result"]),
        ("behind=keep-two", ["Parameter", "Parameter", "Add", "Const", "Reshape", "Result"]),
        ("before=split", ["Parameter", "Const", "Split", "Parameter", "Add", "Result"]),
        ("before=squeeze", ["Parameter", "Const", "Squeeze", "Parameter", "Add", "Result"]),
        ("constant=b,before=slice", ["Parameter", *["Const"] * 4, "Slice", "Const", "Add", "Result"]),
        ("also=both", ["Parameter", "Parameter", "Add", "Result", *["Negative", "Result"] * 2]),
        ("behind=to-boolean", ["Parameter", "Parameter", "Add", "Convert", "Result"]),
    ],
)  # fmt: skip
def test_what_is_written(how, layers):
    from lxml import etree

    case = parse(f"{ADD}/{how}")
    model = ir.write([case], [[(2, 3, 5, 4)]])
    types = [each.get("type") for each in etree.fromstring(model.xml).iter("layer")]
    assert types == layers
    assert len(model.results) == len(case.result_types)


def test_one_dimension_is_unknown_where_it_changes():
    from lxml import etree

    case = parse(f"{MATMUL}/shape=axis-2,before=transpose")
    model = etree.fromstring(ir.write([case], [[(2, 5, 3, 4)]]).xml)
    shapes = [each.get("shape") for each in model.iter("data") if each.get("shape")]
    assert shapes == ["7,?,5,2", "4", "2,5,7,4"]
    assert [layer.a.shape[2] for layer in case.layers] == [3, 4, 3]
    case = parse(f"{MATMUL}/shape=axis-3")
    model = etree.fromstring(ir.write([case], [[(2, 5, 3, 4)]]).xml)
    shapes = [each.get("shape") for each in model.iter("data") if each.get("shape")]
    assert shapes == ["2,5,3,?", "2,5,?,4"]


def test_one_tensor_at_two_inputs():
    case = parse(
        "Add-1/variant.equal-shapes/f32[2,3,5,4],f32[2,3,5,4]/auto_broadcast=numpy/twice=plain"
    )
    one, other = case.arrays()
    assert np.array_equal(one, other)
    assert len(ir.write([case]).parameters) == 1


def test_all_parameters_are_constants():
    limits = "f32[1,3,1,1],f32[1,3,1,1],f32[1,1,1,1],f32[1,3,1,1]"
    layer = f"f32[2,3,5,4],{limits}/levels=16,auto_broadcast=numpy"
    case = parse(f"FakeQuantize-1/plain/{layer}/data=first")
    assert list(ir.write([case]).parameters) == ["X"]
    assert case.constants == ("input_low", "input_high", "output_low", "output_high")


@pytest.mark.parametrize(
    "how, why",
    [
        ("operand=one", "needs a layer before or behind that has a constant"),
        ("behind=relu,number=zero", "needs a layer before or behind that has a constant"),
        ("behind=divide,number=zero", "number=zero cannot be what a layer divides by"),
        ("shape=dims,resize=one,behind=multiply,operand=full", "it has sizes of the data"),
        ("values=zeros", "needs data that is constant"),
        ("before=multiply,operand=more-ones", "has no such constant"),
        ("before=multiply,number=zero", "gives no exact values"),
        ("shape=dims,before=reshape", "is asked with known shapes"),
        ("shape=axis-4", "needs data of such a rank"),
        ("twice=plain", "needs two alike tensors"),
        ("behind=split", "behind is one of"),
    ],
)
def test_ways_that_contradict_each_other(how, why):
    with pytest.raises(CaseIdError, match=why):
        parse(f"{ADD}/{how}")


def test_a_constant_with_sizes_of_unknown_data_is_for_one_shape():
    """The model does not know the shape, and is given the same one in each inference, with other data."""
    case = parse(f"{ADD}/shape=axis-2,behind=multiply,operand=full")
    first, second, third = case.layers
    assert first == second == third == case.layer != case.allowed[1]
    model = ir.write([case], [[case.layer.a.shape]])
    unknown = ",".join("?" if axis == 2 else str(n) for axis, n in enumerate(case.layer.a.shape))
    assert f'shape="{unknown}"'.encode() in model.xml
    assert not np.array_equal(case.arrays(0)[0], case.arrays(1)[0])


def test_gather_of_one_index_stands_before_a_layer():
    case = parse(f"{ADD}/shape=axis-0,before=gather")
    received = case.arrays(0)
    given = case.fed(received)
    assert given[0].shape == (received[0].shape[0], 3, *received[0].shape[1:])
    assert np.array_equal(given[0][:, 1], received[0])
    assert not np.array_equal(given[0][:, 0], received[0])


def test_zeros_are_those_of_constants_alone():
    boxes = "MatrixNonMaxSuppression-8/plain/f32[1,3,4],f32[1,2,3]/sort_result=none"
    given, zero = parse(f"{boxes}/values=zeros,constant=scores").arrays()
    assert given.any()
    assert not zero.any()


@pytest.mark.parametrize("behind", ["keep-two", "end-one"])
def test_an_empty_layer_of_unknown_shape_has_no_layer_behind_that_writes_sizes(behind):
    """The sizes of the first inference are not those of the others."""
    empty = "Abs-1/dim-0/f32[2,3,0,4]/-"
    assert parse(f"{empty}/behind={behind}")
    with pytest.raises(
        CaseIdError, match="layer without elements cannot be combined with shape=axis-0"
    ):
        parse(f"{empty}/shape=axis-0,behind={behind}")
