"""Case ids: a sentence that names a case, and rebuilds it."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ir_models import (
    HOWS,
    CaseIdError,
    How,
    LayerCase,
    UnknownOperationError,
    operation,
    operations,
    parse,
)
from ir_models.asking.how import USUAL
from ir_models.declaration import Draw
from ir_models.vocabulary.element_types import string
from ir_models.vocabulary.layers import random_layer

OPERATIONS = pytest.mark.parametrize("operation", operations(), ids=lambda o: o.name)
PLAIN = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"


def assert_comes_back(case):
    """The id alone rebuilds everything; cases compare by id, so the parts are compared one by one."""
    parsed = parse(case.id)
    assert parsed.id == case.id
    assert parsed.layer == case.layer, case.id
    assert parsed.how == case.how, case.id
    assert parsed.purpose == case.purpose


def test_every_case_comes_back_from_its_id(listed):
    seen = set()
    for case in listed:
        assert case.id not in seen
        seen.add(case.id)
        assert case.id.startswith(f"{case.operation.name}/")
        assert case.id.isprintable()
        assert case.id == case.id.strip()
        assert_comes_back(case)


@OPERATIONS
@given(source=st.randoms(use_true_random=False))
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
def test_any_random_layer_comes_back(operation, source):
    assert_comes_back(LayerCase(random_layer(operation, Draw(source)), "random"))


LEVELS = {**{name: [*found] for name, found in HOWS.items()}, "constant": ["arg", "input_order"]}


@given(how=st.builds(How, **{name: st.sampled_from(["", *LEVELS[name]]) for name in HOWS}))
@settings(max_examples=300)
def test_any_way_to_ask_comes_back_or_is_refused(how):
    layer = parse("Transpose-1/plain/f32[3,5,2,4]/input_order=2,0,3,1").layer
    case = LayerCase(layer, "plain", how)
    if case.contradiction:
        with pytest.raises(CaseIdError, match=re.escape(case.contradiction)):
            parse(case.id)
    else:
        assert_comes_back(case)


@pytest.mark.parametrize(
    "how, why",
    [
        ("constant=input_order", "constant is one of arg, got 'input_order'"),
        ("values=large", "values=large needs an input of a 64-bit type"),
        (
            "values=sweep",
            "values=sweep needs a function of one number, with data of f16, bf16, f32",
        ),
        ("resize=zero", "resize=zero needs a shape that is not known"),
        ("middle=result", "middle=result needs a layer behind"),
        ("behind=logical-not", "behind=logical-not takes no output of this layer"),
        ("before=logical-not", "before=logical-not does not take f32"),
        ("data=constant,before=relu", "before=relu needs data that is given at run time"),
    ],
)
def test_ways_that_contradict_the_layer_are_refused(how, why):
    with pytest.raises(CaseIdError, match=re.escape(why)):
        parse(f"Transpose-1/plain/f32[3,5,2,4]/input_order=2,0,3,1/{how}")


def test_a_type_without_a_sweep_is_refused():
    with pytest.raises(CaseIdError, match="values=sweep needs a function of one number"):
        parse("Convert-1/plain/i32[2,3,5,4]/destination_type=f32/values=sweep")
    parse("Convert-1/type/f16[2,3,5,4]/destination_type=f32/values=sweep")


def test_the_id_is_a_sentence():
    case = parse(PLAIN)
    assert case.operation.name == "SpaceToDepth-1"
    assert case.purpose == "plain"
    assert str(case.layer.data) == "f32[3,5,4,6]"
    assert case.layer.attributes == {"block_size": 2, "mode": "blocks_first"}
    assert case.how == USUAL


def test_what_is_left_out_is_not_in_the_layer():
    layer = parse("SpaceToDepth-1/left-out/f32[3,5,4,6]/mode=blocks_first").layer
    assert layer.attributes == {"mode": "blocks_first"}
    assert layer.block_size == 1


def test_types_of_index_inputs_and_how_they_are_given_are_told():
    case = parse("Transpose-1/index-type/f32[3,5,2,4]/input_order=i32:2,0,3,1/index=computed")
    assert case.layer.input_order.element_type.name == "i32"
    assert case.layer.input_order.value == (2, 0, 3, 1)
    assert case.how == How(index="computed")


MALFORMED = [
    ("", "expected operation/what/data"),
    ("SpaceToDepth-1", "expected operation/what/data"),
    ("SpaceToDepth-1/plain", "expected operation/what/data"),
    ("SpaceToDepth-1/plain/", "it reads as 'SpaceToDepth-1/plain/-'"),
    ("SpaceToDepth-1/plain/f32", "is not a list of tensors"),
    ("SpaceToDepth-1/plain/f32[2,3", "is not a list of tensors"),
    ("SpaceToDepth-1/plain/f32[2;3]", "is not a list of tensors"),
    ("SpaceToDepth-1/plain/f33[2,3,4]", "unknown element type 'f33'"),
    ("SpaceToDepth-1/plain/f32[2,x,4]", "is not a list of tensors"),
    ("SpaceToDepth-1/plain/f32[2,-1,4]", "dimensions of f32.2,-1,4. are whole numbers from 0 on"),
    ("SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,block_size=2", "block_size is given twice"),
    ("SpaceToDepth-1/plain/f32[2, 3, 4]", "is not a list of tensors"),
    ("Abs-1/plain/f32[0,9223372036854775807]", "more dimensions or elements than an array"),
    (f"Abs-1/plain/f32[{','.join('1' * 65)}]", "more dimensions or elements than an array"),
    ("SpaceToDepth-1/plain/f32[2,3,4],f32[2]", "takes 1 data inputs at most"),
    (f"{PLAIN},colour=red", "'colour' is not an input or attribute of it, which are data, block_size, mode"),
    ("SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=two", "block_size takes a whole number, got 'two'"),
    ("SpaceToDepth-1/plain/f32[3,5,4,6]/block_size", "is not NAME=VALUE"),
    ("Abs-1/plain/f32[2,3]/-/shape=axis-1,shape=axis-0", "shape is given twice"),
    ("Abs-1/plain/f32[2,3]/-/behind=", "'behind=' is not a way of running the layer: that is FACTOR=LEVEL"),
    ("Abs-1/plain/f32[2,3]/-/", "'' is not a way of running the layer: that is FACTOR=LEVEL"),
    ("Abs-1/plain/f32[2,{1..5]", "is not a list of tensors such as"),
    ("Gather-8/plain/f32[4,3],i64[2]/axis=0;batch_dims=x", "batch_dims takes a whole number, got 'x'"),
    ("SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=02,mode=blocks_first", "it reads as"),
    (f"{PLAIN}/memory=nowhere", "memory is one of strided, offset, foreign"),
    ("Tile-1/plain/f32[2]/repeats=2/memory=offset/shape=dims", "'2/memory=offset' is not a number"),
    ("Tile-1/plain/f32[2]/repeats=2/colours=offset", "'colours=offset' is not a way of running the layer"),
    ("Transpose-1/plain/f32[2,3]/input_order=1,a", "input_order: 'a' is not a number"),
    ("Transpose-1/plain/f32[2,3]/input_order=[[1,0]", "unbalanced brackets"),
    ("Transpose-1/plain/f32[2,3]/input_order=i33:1,0", "unknown element type 'i33'"),
    ("Transpose-1/plain/f32[2,3]/input_order=i64:1,0", "it reads as"),
    ("Transpose-1/plain/f32[2,3]/input_order=u8:1,-300", "input_order: u8 does not hold each of"),
    ("Transpose-1/plain/f32[2,3]/input_order=1,0/index=constants", "index is one of parameters, computed"),
    ("GatherND-8/plain/f32[3,5],i64[2]/indices=[1]", "is not the value of a tensor"),
    ("Exp-1/plain/f32[]/-/shape=dims", r"no dimension of f32\[\] can change$"),
    ("Exp-1/plain/f32[0,0]/-/shape=dims,resize=zero", r"no dimension of f32\[0,0\] can change to 0"),
]  # fmt: skip


@pytest.mark.parametrize("text, told", MALFORMED)
def test_a_malformed_id_is_told_in_one_line(text, told):
    with pytest.raises(CaseIdError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.startswith("malformed case id ")
    assert repr(text) in message
    assert "\n" not in message
    assert re.search(told, message), message


def test_a_string_may_hold_a_slash():
    """An attribute of an invalid layer may be any text, so what follows it says how to ask only if it reads so."""
    case = parse("SpaceToDepth-1/invalid/f32[3,5,4,6]/block_size=2,mode=a/b")
    assert case.layer.mode == "a/b"
    assert case.how == USUAL


def test_stated_strings_come_back():
    tensor = string.tensor([["7", "seven"], ["true", "-1.5"]])
    case = LayerCase(operation("Tile-1").layer(data=tensor, repeats=[2]), "variant.strings")
    assert case.id == "Tile-1/variant.strings/string[2,2]/data=[[7,seven],[true,-1.5]];repeats=2"
    assert_comes_back(case)


def test_stated_values_of_an_input_that_repeats_come_back():
    text = "Einsum-7/plain/f32[2],f32[],i64[1,2]/data=[1.0,2.0],3.0,[[4,5]];equation=a,,ba"
    layer = parse(text).layer
    assert [tensor.value for tensor in layer.data] == [(1.0, 2.0), 3.0, ((4, 5),)]
    assert LayerCase(layer, "plain").id == text
    with pytest.raises(CaseIdError, match="malformed"):
        parse(text.replace(",3.0,", ","))


def test_numbers_given_as_strings_come_back():
    case = parse(
        "ReverseSequence-1/invalid/f32[3,4,5,2]/seq_lengths=string:4,2,3;batch_axis=0;seq_axis=2"
    )
    assert case.layer.seq_lengths.value == ("4", "2", "3")


def test_an_unknown_operation_is_told():
    with pytest.raises(UnknownOperationError, match="'SpaceToDept-1'; did you mean SpaceToDepth-1"):
        parse("SpaceToDept-1/plain/f32[3,5,4,6]")


def _parts(text: str) -> list[str]:
    """What an id says, in whatever order and with whichever of the two separators."""
    return sorted(re.split("[,;/]", text.strip()))


@given(
    place=st.integers(0, len(PLAIN)),
    removed=st.integers(0, 4),
    inserted=st.text(st.characters(codec="utf-8"), max_size=4),
)
@example(place=PLAIN.index("blocks_first"), removed=0, inserted=",")
@settings(max_examples=300)
def test_a_damaged_id_says_all_that_is_read_of_it_or_is_refused(place, removed, inserted):
    text = PLAIN[:place] + inserted + PLAIN[place + removed :]
    try:
        found = parse(text).id
    except (CaseIdError, UnknownOperationError) as error:
        said = str(error)
    else:
        said = ""
        assert _parts(found) == _parts(text)
        assert parse(found).id == found
    assert "\n" not in said


def test_cases_are_equal_by_id():
    first, second = parse(PLAIN), parse(PLAIN)
    assert first == second
    assert hash(first) == hash(second)
    assert first != parse(PLAIN.replace("plain", "example"))
    np.testing.assert_array_equal(first.arrays()[0], second.arrays()[0])


def test_a_value_without_an_element_reads_as_its_tensor():
    text = "MatMul-1/covering/f64[0,3],f64[3,0]/a=[];b=[[],[],[]];transpose_a=true;transpose_b=true"
    layer = parse(text).layer
    assert layer.a.shape == layer.a.array().shape == (0, 3)
    with pytest.raises(CaseIdError, match="is not the value of a tensor"):
        parse(text.replace("[0,3]", "[2,3]"))


@pytest.mark.parametrize(
    "text, canonical",
    [
        (
            "SpaceToDepth-1/plain/f32[3,5,4,6]/mode=blocks_first,block_size=2",
            "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first",
        ),
        (
            "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2;mode=blocks_first",
            "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first",
        ),
        (
            "Transpose-1/plain/f32[2,3]/input_order=1,0/shape=dims,index=computed",
            "Transpose-1/plain/f32[2,3]/input_order=1,0/index=computed,shape=dims",
        ),
    ],
)
def test_another_order_names_the_same_case(text, canonical):
    assert parse(text).id == canonical
