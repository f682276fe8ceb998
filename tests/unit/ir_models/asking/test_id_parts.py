"""The parts of an id without its declaration say what the parsed case says."""

import pytest

from ir_models.asking.how import HOWS, How
from ir_models.asking.id_parts import (
    FACTORS,
    DataPart,
    IdParts,
    pairs,
    segments,
    split_id,
    tensors,
    typed,
)


def test_each_segment():
    found = split_id(
        "SpaceToBatch-2/plain/f32[2,4,5,7],u8[3],i64[]/"
        "block_shape=i32:1,1,2,3;pads_begin=0,0,1,3;mode=a/index=parameters,shape=dims"
    )
    assert found == IdParts(
        "SpaceToBatch-2",
        "plain",
        (DataPart("f32", (2, 4, 5, 7)), DataPart("u8", (3,)), DataPart("i64", ())),
        {"block_shape": "i32:1,1,2,3", "pads_begin": "0,0,1,3", "mode": "a"},
        {"index": "parameters", "shape": "dims"},
    )
    assert found.index_types == ("i32",)


@pytest.mark.parametrize(
    "text, parts",
    [
        ("A-1/plain/-", IdParts("A-1", "plain", (), {}, {})),
        ("A-1/plain/-/-/ir=10", IdParts("A-1", "plain", (), {}, {"ir": "10"})),
        ("A-1/plain/-,f32[2]", IdParts("A-1", "plain", (None, DataPart("f32", (2,))), {}, {})),
        ("A-1/plain/-,-,i4[]", IdParts("A-1", "plain", (None, None, DataPart("i4", ())), {}, {})),
        ("A-1/plain/-/id=a/b,c=d", IdParts("A-1", "plain", (), {"id": "a/b", "c": "d"}, {})),
        ("A-1/plain/-/id=a/data", IdParts("A-1", "plain", (), {"id": "a/data"}, {})),
        ("A-1/plain/-/id=a/b,c=d/ir=10", IdParts("A-1", "plain", (), {"id": "a/b", "c": "d"}, {"ir": "10"})),
        ("A-1/invalid/-/mode=a/b", IdParts("A-1", "invalid", (), {"mode": "a/b"}, {})),
        ("A-1/invalid/-/mode=a/b/ir=10", IdParts("A-1", "invalid", (), {"mode": "a/b"}, {"ir": "10"})),
    ],
)  # fmt: skip
def test_what_is_left_out_and_what_holds_a_slash(text, parts):
    assert split_id(text) == parts


def test_an_index_type_stands_before_a_value():
    def index_types(parameters):
        return split_id(f"A-1/index-type/f32[2]/{parameters}").index_types

    assert index_types("axes=1,2") == ()
    assert index_types("axes=u8:1,2;mode=ceil") == ("u8",)
    assert index_types("axis=i32:1,other=f32:0.5") == ("i32", "f32")
    assert index_types("axes=string:4,2,3;batch_axis=0") == ("string",)


def test_pairs_of_either_separator():
    assert pairs("a=1,b=2") == {"a": "1", "b": "2"}
    assert pairs("a=1,2;b=[[1,2],[3,4]]") == {"a": "1,2", "b": "[[1,2],[3,4]]"}
    assert pairs("a=1,c") == {"a": "1,c"}
    assert pairs("-") == pairs("") == {}


def test_the_factors_are_those_of_how():
    assert tuple(HOWS) == FACTORS


def test_tensors_have_their_places():
    assert tensors("-") == ()
    assert tensors("-,-,u4[0,3]") == (None, None, DataPart("u4", (0, 3)))


def test_a_typed_value():
    assert typed("i32:1,2") == ("i32", "1,2")
    assert typed("1,2") == ("", "1,2")
    assert typed("string:a:b") == ("string", "a:b")


@pytest.mark.parametrize("text", ["", "A-1", "A-1/plain"])
def test_too_few_segments_are_refused(text):
    with pytest.raises(ValueError, match="not enough values"):
        segments(text)


def test_they_agree_with_the_case(listed):
    for case in listed:
        operation, parts = case.operation, split_id(case.id)
        assert (parts.operation, parts.purpose) == (operation.name, case.purpose)
        assert How(**parts.how) == case.how
        data = [t for i in operation.inputs if not i.index for t in case.layer.tensors(i.name)]
        assert parts.data == tuple(DataPart(t.element_type.name, t.shape) for t in data), case.id
        unusual = [
            tensor.element_type.name
            for declared in operation.index_inputs
            for tensor in case.layer.tensors(declared.name)
            if tensor.element_type is not declared.types.usual_index
        ]
        assert list(parts.index_types) == unusual, case.id
        stated = [
            i.name
            for i in operation.inputs
            for t in case.layer.tensors(i.name)
            if t.value is not None
        ]
        assert set(parts.parameters) == {*stated, *case.layer.attributes}, case.id
