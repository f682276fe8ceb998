"""Conditions on a layer as expressions: what they see, and what they cannot do."""

import pytest

from reports.conditions import ConditionError, check, holds, value_of

DATA = "f32[2,1,4],i8[]"


@pytest.mark.parametrize(
    "text, value",
    [
        ("-", None),
        ("", []),
        ("i32:", []),
        ("2", 2),
        ("-1,2", [-1, 2]),
        ("i32:1,2", [1, 2]),
        ("u8:[0,-1]", [0, -1]),
        ("[[1,2],[3,4]]", [[1, 2], [3, 4]]),
        ("0.5,1.5", [0.5, 1.5]),
        ("true", True),
        ("false", False),
        ("linear_onnx", "linear_onnx"),
    ],
)
def test_what_a_parameter_is(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("ranks == [3, 0]", True),
        ("shapes[0][1] == 1 and types[1] == 'i8'", True),
        ("ranks[0] == 4", False),
        ("axes is None", True),
        ("mode == 'edge'", True),
        ("any([p > 0 and d == 1 for p, d in zip(pads, shapes[0])])", True),
        ("any([p > 1 for p in pads])", False),
        ("listed(axes) == [] and listed(axis) == [1] and listed(pads) == pads", True),
        ("[prod(shape) for shape in shapes] == [8, 1]", True),
        ("pads[3] > 0", False),
        ("unknown > 0", False),
        ("unknown is None", True),
        ("mode > 1", False),
        ("1 / 0", False),
    ],
)
def test_what_an_expression_sees(expression, expected):
    assert holds(expression, DATA, "axes=-;axis=1;mode=edge;pads=0,1,0") is expected


@pytest.mark.parametrize("expression", ["pads >", "import os", "a = 1", "\0"])
def test_what_is_no_expression_is_refused(expression):
    with pytest.raises(ConditionError, match="where must be an expression"):
        check(expression)


def test_an_expression_runs_nothing_else(tmp_path):
    path = tmp_path / "made"
    assert not holds(f"open({str(path)!r}, 'w')", DATA, "")
    assert not holds("().__class__.__bases__[0]", DATA, "")
    assert not path.exists()
