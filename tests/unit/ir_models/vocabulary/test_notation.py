"""Parameters of a layer as text, on a small operation: each row of the notation, and what is refused."""

import pytest

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    between,
    exactly,
    example,
    examples,
    variant,
    variants,
)
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, f32, i32, i64, string, u8
from ir_models.vocabulary.type_sets import types

T = types("T", f32, u8, i64, string)
T_IND = types("T_IND", i32, i64)

SAMPLE = Operation(
    "Sample-1",
    opset="opset1",
    inputs=[
        Input("data", T),
        Input("indices", T_IND),
        Input("parts", T, many=True, optional=True),
        Index("axes", T_IND),
        Index("axis", T_IND, between(0, 1), optional=True),
        Index("paddings", T_IND, exactly(2), optional=True),
        Index("fill", types("T_FILL", f32), exactly(0), optional=True),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("mode", ("floor", "ceil")),
        Attribute("exclusive", bool, default=False),
        Attribute("strides", list),
        Attribute("scales", list[float]),
        Attribute("times", int),
        Attribute("alpha", float),
        Attribute("output_type", ElementType),
    ],
)


def read(text):
    return SAMPLE.parameters(text)


@pytest.mark.parametrize(
    "text, name, value",
    [
        # Data by shape and type.
        ("data=[2,4,3]", "data", f32[2, 4, 3]),
        ("data=u8[2,4,3]", "data", u8[2, 4, 3]),
        ("data=u8[2, 4, 3]", "data", u8[2, 4, 3]),
        ("data=[]", "data", f32[()]),
        ("data=[0]", "data", f32[0]),
        ("indices=[3]", "indices", i64[3]),
        ("data=u8", "data", u8),
        ("axes=i32", "axes", i32),
        # Data by value.
        ("indices=i64:[[0,-2],[1,0]]", "indices", i64.tensor([[0, -2], [1, 0]])),
        ("indices=i64:7", "indices", i64.tensor(7)),
        ("indices=i32:[ 1, 2 ]", "indices", i32.tensor([1, 2])),
        ("data=f32:[0.5,-1e3]", "data", f32.tensor([0.5, -1000.0])),
        ("data=string:[7,seven]", "data", string.tensor(["7", "seven"])),
        # Index inputs.
        ("axes=1,2", "axes", i64.tensor([1, 2])),
        ("axes=[1,2]", "axes", i64.tensor([1, 2])),
        ("axes=i32:1,2", "axes", i32.tensor([1, 2])),
        ("axes=", "axes", i64.tensor([])),
        ("axis=3", "axis", i64.tensor(3)),
        ("axis=-1", "axis", i64.tensor(-1)),
        ("axis=[3]", "axis", i64.tensor([3])),
        ("axis=i32:3", "axis", i32.tensor(3)),
        ("paddings=[[1,2],[3,4]]", "paddings", i64.tensor([[1, 2], [3, 4]])),
        ("fill=0.5", "fill", f32.tensor(0.5)),
        # Several tensors.
        ("parts=[2,3],[4,3]", "parts", (f32[2, 3], f32[4, 3])),
        ("parts=u8[2,3], u8[4]", "parts", (u8[2, 3], u8[4])),
        ("parts=[2]", "parts", (f32[2],)),
        # Attributes.
        ("mode=floor", "mode", "floor"),
        ("mode=unheard_of", "mode", "unheard_of"),
        ("exclusive=true", "exclusive", True),
        ("exclusive=false", "exclusive", False),
        ("strides=1,2", "strides", (1, 2)),
        ("strides=", "strides", ()),
        ("scales=0.5,2", "scales", (0.5, 2.0)),
        ("times=-3", "times", -3),
        ("alpha=0.5", "alpha", 0.5),
        ("output_type=i32", "output_type", i32),
        # Left out.
        ("axes=-", "axes", None),
        ("mode=-", "mode", None),
        ("data=-", "data", None),
    ],
)
def test_each_row_of_the_notation(text, name, value):
    assert read(text) == {name: value}


def test_several_parameters():
    given = read("data=u8[2,4,3]; axes=1,2;mode = floor ; exclusive=-")
    assert given == {
        "data": u8[2, 4, 3],
        "axes": i64.tensor([1, 2]),
        "mode": "floor",
        "exclusive": None,
    }


def test_the_last_value_of_a_name_counts():
    assert read("axes=1; times=2; axes=3") == {"axes": i64.tensor([3]), "times": 2}


def test_text_and_python_say_the_same_layer():
    text = (
        "data=u8[2,4,3]; indices=i64:[0,-2]; axes=1,2; axis=1; mode=floor; strides=1,2; alpha=0.5"
    )
    assert SAMPLE.layer(**read(text)) == SAMPLE.layer(
        data=u8[2, 4, 3],
        indices=i64.tensor([0, -2]),
        axes=[1, 2],
        axis=1,
        mode="floor",
        strides=[1, 2],
        alpha=0.5,
    )


@pytest.mark.parametrize("kind", ELEMENT_TYPES.values(), ids=str)
def test_a_shape_in_each_type(kind):
    assert read(f"data={kind}[2,3]") == {"data": kind[2, 3]}
    assert read(f"data={kind}") == {"data": kind}


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "'' is not NAME=VALUE with one of data, indices, parts"),
        ("axes=1;", "'' is not NAME=VALUE"),
        ("axes", "'axes' is not NAME=VALUE"),
        ("colour=red", "'colour=red' is not NAME=VALUE"),
        ("axes=1,2, mode=floor", "axes"),
        ("data=2,3", "data='2,3' is not a shape such as [2,3] or f32[2,3]"),
        ("data=[2,3", "data='[2,3' is not a shape"),
        ("data=[2,3]]", "is not a shape"),
        ("data=[2,-3]", "is not a shape"),
        ("data=f33[2,3]", "data: unknown element type 'f33'"),
        ("data=[2],[3]", "data takes one tensor"),
        ("data=f33", "data='f33' is not a shape"),
        ("indices=i65:[1]", "indices: unknown element type 'i65'"),
        ("indices=i64:[[1,2],[3]]", "indices"),
        ("indices=i64:[1,2", "indices: unbalanced brackets in '[1,2'"),
        ("indices=i64:[1],[2]", "unbalanced brackets"),
        ("indices=i64:[1]]", "unbalanced brackets"),
        ("axes=1,a", "axes: 'a' is not a number"),
        ("axes=i65:1", "axes: unknown element type 'i65'"),
        ("axis=", "axis"),
        ("times=two", "times takes a whole number, got 'two'"),
        ("alpha=x", "alpha takes a number, got 'x'"),
        ("exclusive=yes", "exclusive must be true or false, got 'yes'"),
        ("strides=1,x", "strides takes a whole number"),
    ],
)  # fmt: skip
def test_what_is_refused_is_told_in_one_line(text, told):
    with pytest.raises(ValueError, match=r".") as caught:
        read(text)
    assert type(caught.value) is ValueError
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_operation_without_parameters_takes_none():
    with pytest.raises(ValueError, match="with one of none"):
        Operation("Nothing-1", opset="opset1").parameters("a=1")


def test_variants_are_a_line_and_the_changes_under_it():
    found = variants("""
        axis: any axis
            axis=0|1
            axis=-1; k=2
        empty-slice (may be empty): nothing is left
            stop=0
    """)
    assert found == [
        variant("axis", "any axis", "axis=0", "axis=1", "axis=-1; k=2"),
        variant("empty-slice", "nothing is left", "stop=0", may_be_empty=True),
    ]


@pytest.mark.parametrize("text", ["axis", "axis:", "an axis: any", "axis (may be red): any"])
def test_a_variant_without_a_name_or_what_it_is_about_is_refused(text):
    with pytest.raises(ValueError, match="is not NAME: ABOUT"):
        variants(f"{text}\n    axis=0")


def test_examples_are_a_layer_an_arrow_and_the_outputs():
    found = examples(
        """
        data=f32[5,7]; axis=1 -> [7,5]
        data=f32[4];
            axis=0 -> [1],[3]
            erratum: 1 and 3 are 4 -> [1],[4] = [7],[1,2,3,4]
        data=f32[] -> []
        """,
        ports=[0, 2],
    )
    assert found == [
        example("data=f32[5,7]; axis=1", output=[[7, 5]], ports=[0, 2]),
        example(
            "data=f32[4]; axis=0",
            output=[[1], [3]],
            ports=[0, 2],
            erratum="1 and 3 are 4",
            corrected=[[1], [4]],
            values=[[7], [1, 2, 3, 4]],
        ),
        example("data=f32[]", output=[[]], ports=[0, 2]),
    ]
    assert [each.output_shapes for each in found] == [[(7, 5)], [(1,), (4,)], [()]]


def test_an_example_without_an_output_is_refused():
    with pytest.raises(ValueError, match="'data=f32\\[4\\]' lacks its arrow"):
        examples("data=f32[4]")
