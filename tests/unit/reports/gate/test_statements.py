"""Statements about the shapes and parameters of a case, by which causes select."""

import pytest

from reports.gate.causes import CauseError, read
from reports.gate.selectors import Selector, features_of
from reports.gate.statements import holds, parsed
from tests.unit.reports.small_results import record

RDFT = (
    "shape0=2,3,5",
    "shape1=",
    "axes=0,-1",
    "signal_size=2,8",
    "mode=reflect",
    "-data=1",
    "size=3",
)


@pytest.mark.parametrize(
    "statement",
    [
        "signal_size > shape0[axes]",
        "signal_size == 8",
        "not signal_size == 4",
        "shape0[-1] == 5 and shape0[1] != shape0[2]",
        "shape0 == 7 or shape0 == 3",
        "shape0[1:] > 3",
        "all(shape0[:2] < 4)",
        "shape0[:size] == 5",
        "axes[1:] < axes[:-1]",
        "sum(axes % len(shape0) < 2) == 1",
        "product(shape0) == 30 and product(shape1) == 1 and max(shape0) - min(shape0) == 3",
        "len(shape1) == 0",
        "(size - 1) * 2 + 1 == 5 and size // 2 == 1",
        "all(shape1 > 4)",
        "default(size, 7) == 3 and default(step, 7) == 7 and default(mode, 1) == 1",
    ],
)
def test_a_statement_holds(statement):
    assert holds(statement, RDFT)


@pytest.mark.parametrize(
    "statement",
    [
        "signal_size < shape0[axes]",
        "all(signal_size > shape0[axes])",
        "not signal_size == 8",
        "shape1 > 4",
        "shape0[1:] > 5",
    ],
)
def test_a_statement_does_not_hold(statement):
    assert not holds(statement, RDFT)


@pytest.mark.parametrize(
    "statement",
    ["stride > 1", "mode == 1", "shape0[3] == 1", "shape2 > 0", "shape0 > axes", "size % 0 == 1"],
)
def test_what_a_case_does_not_have_makes_a_statement_and_its_opposite_not_hold(statement):
    assert not holds(statement, RDFT)
    assert not holds(f"not ({statement})", RDFT)


@pytest.mark.parametrize(
    "statement",
    [
        "axes >",
        "axes = 1",
        "exit(axes)",
        "len(axes, axes)",
        "default(3, axes)",
        "axes.real",
        "0 < axes < 2",
        "axes ** 2",
        "axes[::2]",
        "mode == 'reflect'",
        "[1, 2] == axes",
    ],
)
def test_what_is_no_statement_is_refused(statement, tmp_path):
    with pytest.raises(ValueError, match="is no statement"):
        parsed(statement)
    path = tmp_path / "a-cause.toml"
    path.write_text(
        'title = "A cause"\nclass = "defect"\ndevices = ["CPU"]\n'
        f"[[select]]\nwhere = ['''{statement}''']\n"
    )
    with pytest.raises(CauseError, match="is no statement"):
        read(path)


def test_a_selector_admits_a_case_of_which_a_statement_holds():
    case = record("RDFT-9/random/f32[4,3]/axes=i32:[0,1],signal_size=[4,8],name=-", "FAIL")
    features = features_of(case)
    assert features["where"] == ("shape0=4,3", "axes=0,1", "signal_size=4,8", "name=-")
    for where, admits in (
        (("signal_size > shape0[axes]",), True),
        (("len(shape0) == 1", "len(shape0) == 2"), True),
        (("len(shape0) == 1",), False),
        (("name == 0", "name != 0"), False),
    ):
        assert Selector({"where": where}).admits_case(features) is admits


def test_an_input_that_is_left_out_has_no_shape():
    features = features_of(record("MatMul-1/random/f32[4],-,f32[]", "FAIL"))
    assert features["where"] == ("shape0=4", "shape2=")


def test_an_unknown_dimension_has_no_size():
    features = features_of(record("MatMul-1/random/f32[4,-1],f32[4]", "FAIL"))
    assert features["where"] == ("shape1=4",)


@pytest.mark.parametrize(
    "equation, holds_in_one",
    [
        ("ii,j", True),
        ("...ii,i", False),
        ("ij,jk->ik", False),
        ("a,bb...,ab->", False),
        (",", False),
    ],
)
def test_labels_of_an_equation_are_counted(equation, holds_in_one):
    where = features_of(record(f"Einsum-7/random/f32[4,4],f32[4]/equation={equation}"))["where"]
    assert holds("(label_counts > 1) * (label_subscripts == 1)", where) is holds_in_one


def test_labels_are_counted_in_the_order_of_the_equation():
    where = features_of(record("Einsum-7/random/f32[4,4],f32[4]/equation=jij,ik->k"))["where"]
    assert where[2:] == (
        "equation=jij,ik->k", "label_counts=2,2,1", "label_subscripts=1,2,1", "label_kept=0,0,1", "label_leads=0,0,0",
    )  # fmt: skip
    where = features_of(record("Einsum-7/random/f32[4,4,4],f32[4]/equation=ab...c,b->b..."))[
        "where"
    ]
    assert where[-2:] == ("label_kept=0,1,0", "label_leads=1,1,0")
