"""Cases named on the command line: one by one, in files, and as sweeps."""

import re

import pytest

import ir_models
from tests.conformance.naming import NamingError, described, expand, read_file, sweep

CONCAT = "Concat-1/plain/f16[1,{16..24..4},8],f16[1,8,8]/axis=1"
RELU = "ReLU-1/plain/f32[{1..3}]"


def test_a_range_with_a_step():
    found = sweep(CONCAT)
    assert found.names == ("1",)
    assert list(found.points) == [("16",), ("20",), ("24",)]
    assert found.cases[0] == "Concat-1/plain/f16[1,16,8],f16[1,8,8]/axis=1"


def test_places_are_crossed_and_a_name_stands_twice():
    found = sweep("Add-1/type/{t=f32,i8}[{n=1..2}],{t}[{n}]/auto_broadcast=numpy")
    assert found.names == ("t", "n")
    assert found.cases == [
        f"Add-1/type/{t}[{n}],{t}[{n}]/auto_broadcast=numpy" for t in ("f32", "i8") for n in (1, 2)
    ]


def test_invalid_layers_are_counted_and_not_asked():
    found = sweep("Add-1/plain/f32[{2..5}],f32[3]/auto_broadcast=numpy")
    assert found.cases == ["Add-1/plain/f32[3],f32[3]/auto_broadcast=numpy"]
    assert found.table(dict.fromkeys(found.cases, "PASS"))[1:] == [
        "  3 layers invalid, left out",
        "  PASS             1=3",
        "  invalid          1=2, 4 to 5",
    ]
    found = sweep("Add-1/invalid/f32[{2..5}],f32[3]/auto_broadcast=numpy")
    assert len(found.cases) == 3
    assert found.table({found.cases[0]: "FAIL"})[1:] == [
        "  1 layer valid, left out",
        "  FAIL             1=2",
        "  not asked        1=4 to 5",
        "  valid            1=3",
    ]


def test_a_range_of_a_table_has_no_size_that_was_not_asked():
    found = sweep("Add-1/plain/f32[{n=1..6}],f32[{m=3,5}]/auto_broadcast=numpy")
    outcomes = dict.fromkeys(found.cases, "PASS")
    outcomes["Add-1/plain/f32[5],f32[5]/auto_broadcast=numpy"] = "FAIL"
    assert found.table(outcomes)[1:] == [
        "  8 layers invalid, left out",
        "  PASS             n=1, m=3, 5",
        "  invalid          n=2, m=3, 5",
        "  PASS             n=3, m=3",
        "  invalid          n=3, m=5",
        "  invalid          n=4, m=3, 5",
        "  FAIL             n=5, m=5",
        "  invalid          n=5, m=3",
        "  invalid          n=6, m=3, 5",
    ]
    found = sweep("Add-1/plain/f32[{m=3,5}],f32[{n=1..6}]/auto_broadcast=numpy")
    assert found.table(dict.fromkeys(found.cases, "PASS"))[2:] == [
        "  PASS             m=3, n=1, 3",
        "  invalid          m=3, n=2, 4 to 6",
        "  PASS             m=5, n=1, 5",
        "  invalid          m=5, n=2 to 4, 6",
    ]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ("{16..400..4}", "16 to 400 in steps of 4"),
        ("{1,17,64,130}", "1, 17, 64, 130"),
        ("{1..2}", "1 to 2"),
        ("{4..8..4}", "4, 8"),
        ("{1,2,4,6,8,9}", "1 to 2, 4 to 8 in steps of 2, 9"),
        ("{9,8,7}", "9 to 7 in steps of -1"),
        ("{7}", "7"),
    ],
)
def test_numbers_with_one_step_are_joined(values, shown):
    found = sweep(f"ReLU-1/plain/f32[{values}]")
    assert found.table(dict.fromkeys(found.cases, "PASS"))[1:] == [f"  PASS             1={shown}"]


def test_a_table_joins_neighbours_of_one_outcome():
    found = sweep("ReLU-1/plain/{t=f32,f16}[{n=1..4}]")
    outcomes = dict.fromkeys(found.cases, "PASS")
    outcomes["ReLU-1/plain/f16[2]"] = outcomes["ReLU-1/plain/f16[3]"] = "FAIL"
    del outcomes["ReLU-1/plain/f16[4]"]
    assert found.table(outcomes) == [
        "sweep of ReLU-1/plain/{t=f32,f16}[{n=1..4}]",
        "  PASS             t=f32, n=1 to 4",
        "  PASS             t=f16, n=1",
        "  FAIL             t=f16, n=2 to 3",
        "  not asked        t=f16, n=4",
    ]


@pytest.mark.parametrize(
    "pattern, why",
    [
        ("ReLU-1/plain/f32[3]", "no place"),
        ("ReLU-1/plain/f32[{3..1}]", "has no values"),
        ("ReLU-1/plain/f32[{}]", "has no values"),
        ("ReLU-1/plain/f32[{n=1..3},{n=5..7}]", "the place n has values twice; {n} uses it again"),
        ("ReLU-1/plain/f32[{1..5]", "'{1..5]' is not a place: one begins with"),
        ("ReLU-1/plain/f32[{1..5},2}]", "'}]' is not a place"),
        ("ReLU-1/plain/f32[{1..1000000}]", "more than 100,000"),
        ("ReLU-1/plain/f32[{1..99999999999999}]", "more than 100,000"),
        (
            "Add-1/plain/f32[{4..5}],f32[3]/auto_broadcast=numpy",
            "2 layers invalid, and none is left",
        ),
    ],
)
def test_patterns_that_name_nothing(pattern, why):
    with pytest.raises(NamingError, match=why):
        sweep(pattern)


def test_a_file_of_ids(tmp_path):
    path = tmp_path / "cases.txt"
    path.write_text("# mine\n\nReLU-1/plain/f32[3]\tFAIL\nReLU-1/plain/f32[4]\n", "utf-8")
    assert list(read_file(path).values()) == ["ReLU-1/plain/f32[3]", "ReLU-1/plain/f32[4]"]
    found = list(expand(["ReLU-1/plain/f32[5]"], [str(path)], [sweep(RELU)]))
    assert [each[-2] for each in found] == ["5", "3", "4", "1", "2", "3"]
    path.write_text("ReLU-1/plain/f32[3]\n", "utf-8-sig")
    assert list(read_file(path).values()) == ["ReLU-1/plain/f32[3]"]
    path.write_text('{"kind":"run"}\n', "utf-8")
    with pytest.raises(NamingError, match="it is a results file"):
        read_file(path)
    with pytest.raises(NamingError, match=f"--cases {tmp_path}: cannot be read: Is a directory$"):
        read_file(tmp_path)
    path.write_text("# nothing\n", "utf-8")
    with pytest.raises(NamingError, match="names no case"):
        read_file(path)
    with pytest.raises(NamingError, match="No such file"):
        read_file(tmp_path / "absent")
    with pytest.raises(NamingError, match="malformed"):
        list(expand(["ReLU-1/plain/f32[3]/axis=1"], [], []))


CONVOLUTION = "Convolution-1/plain/f32[1,2,9,9],f32[3,2,3,3]/strides=1,1;pads_begin=0,0;pads_end=0,0;dilations=1,1"


@pytest.mark.parametrize(
    "case, why",
    [
        ("Abs-1/plain/boolean[2]", "the layer breaks a rule of the specification: data: T is one of"),
        ("Abs-1/example/boolean[2]", "the layer breaks a rule of the specification"),
        (
            "Unique-10/plain/f32[4,3]/axis=0,sorted=true/index=parameters",
            "rule of the specification: axis is a Constant",
        ),
        ("Abs-1/invalid/f32[2]", "the layer breaks no rule of its page"),
        ("Abs-1/foo/f32[2]", "unknown purpose 'foo'"),
        ("Abs-1/variant.negative-step/f32[2]", "unknown purpose 'variant.negative-step'"),
        ("Abs-1/plain/f32[2,3]/-/data=constant,shape=dims", "shape=dims needs data that is given at run time"),
        ("Abs-1/plain/f32[2,3]/-/index=parameters", "index=parameters needs an index input"),
        ("Abs-1/plain/f32[2,3]/-/data=runtime", "data=runtime needs data whose value the layer states"),
        ("Abs-1/plain/f32[2,3]/-/data=constant,memory=strided", "memory=strided needs an input"),
        ("Abs-1/plain/f32[2,3]/-/shape=axis-1,resize=zero", "resize=zero needs a shape of dims"),
        ("Abs-1/plain/f32[2,3]/-/values=one-product", "values=one-product needs an operation that sums"),
        ("Abs-1/plain/f32[2,3]/-/attributes=reversed", "needs two attributes"),
        ("Abs-1/plain/f32[2,3]/-/constant=weights", "constant is one of data, got 'weights'"),
        ("Abs-1/plain/f32[2,3,4,5]/-/behind=multiply,operand=axis-5", "no such constant for an output of rank 4"),
        (f"{CONVOLUTION}/behind=prelu,operand=full", "no such constant for an output of rank 4"),
    ],
)  # fmt: skip
def test_what_a_hand_writes_and_no_case_asks(case, why):
    with pytest.raises(ir_models.CaseIdError, match=re.escape(why)):
        ir_models.named(case)


@pytest.mark.parametrize(
    "case",
    [
        "Abs-1/plain/f32[7,2]/-/shape=dims,behind=multiply,operand=ones",
        "Abs-1/plain/f32[2,3,4,5]/-/behind=multiply,operand=axis-3",
        f"{CONVOLUTION}/behind=prelu,operand=axis-1",
        "Abs-1/invalid/boolean[2]",
        # An example that breaks a rule, in a way of one's own.
        "StridedSlice-1/example/f32[2,2]/begin=1234,2;end=1234,4321;stride=1,-1;begin_mask=0;end_mask=0/ir=10",
        # A way that changes nothing, which the corpus has.
        "Acos-1/plain/f32[2,3,5,4]/-/behind=divide,operand=axis-5",
        "Gelu-erf/graphs/f32[2,3,4],f32[],f32[],f32[]",
    ],
)
def test_what_a_hand_may_write(case):
    assert ir_models.named(case).id == case


def test_words_of_a_sweep_are_no_range():
    found = sweep("ReLU-1/plain/{f32,f16,bf16}[3]")
    assert found.table(dict.fromkeys(found.cases, "PASS"))[1:] == [
        "  PASS             1=f32, f16, bf16"
    ]


def test_a_file_of_other_cases_is_another_selection(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("ReLU-1/plain/f32[3]\n")
    before = described(str(path))
    path.write_text("ReLU-1/plain/f32[4]\n")
    assert before.startswith(f"--cases {path} (1 of ")
    assert described(str(path)) != before


def test_the_text_of_a_graph_is_its_id() -> None:
    text = "x=f32[2?,3]; a=ReLU-1(x); y=Negative-1(a); return y"
    case = ir_models.named(text)
    assert case.id == f"Graph/graphs/f32[2,3]/{text}"
    assert ir_models.named(case.id).id == case.id
    with pytest.raises(ir_models.CaseIdError, match="nothing before it is called 'z'"):
        ir_models.named("x=f32[2]; a=ReLU-1(z); return a")


def test_a_value_that_no_case_has_is_found_before_all_others(monkeypatch):
    read, parse = [], ir_models.parse_layer
    monkeypatch.setattr(ir_models, "parse_layer", lambda text: read.append(text) or parse(text))
    with pytest.raises(ir_models.CaseIdError, match="unknown element type 'f99'"):
        sweep("ReLU-1/plain/{f32,f99}[{1..50000}]")
    assert len(read) < 5
