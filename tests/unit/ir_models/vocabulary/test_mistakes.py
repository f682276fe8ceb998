"""A mistake in a declaration is one line that says where it is and what to do, and exit code 2."""

import re
import sys
from itertools import count

import pytest

from ir_models import catalog
from ir_models.__main__ import main

NUMBERS = count(100)
TURN = '''\
from ir_models.declaration import *

T = types("T", "any type")
T_IND = types("T_IND", "int32 or int64")

Turn = Operation(
    "Turn-7",
    "opset7",
    inputs=[
        Input("data", T),
        Index("axes", T_IND, axis_of="data"),
    ],
    outputs=[Output("output", T)],
    attributes=[Attribute("step", int, default=1)],
    examples=examples("data=f32[3,4]; axes=1 -> [3,4]"),
    rules=[
        rule("the step is odd", lambda layer: layer.step % 2, "step=2"),
    ],
    variants=variants("""
        far: more than once
            step=7
    """),
)


@Turn.plain
def plain():
    return "data=[3,4]; axes=0; step=3"


@Turn.random
def layer(draw):
    return {"data": draw.shape(2), "axes": [1]}
'''


@pytest.fixture
def listed(tmp_path, monkeypatch, capsys):
    """Lists the operation of a declaration: the exit code, and the lines on standard error."""
    root = tmp_path / "ir_models" / "operations"
    (root / "made").mkdir(parents=True)
    monkeypatch.setattr(catalog, "_ROOT", root)
    monkeypatch.setattr(sys.modules["ir_models.operations"], "__path__", [str(root)])

    def forget():
        catalog._files.cache_clear()
        catalog._declared.cache_clear()
        catalog.operations.cache_clear()
        catalog.operation.cache_clear()
        for name in [each for each in sys.modules if each.startswith("ir_models.operations.made")]:
            del sys.modules[name]

    def run(content):
        # The layers of an operation are kept by its name.
        name = f"Turn-{next(NUMBERS)}"
        (root / "made" / "turn.py").write_bytes(content.replace(b"Turn-7", name.encode()))
        code = main(["list", "--operation", name, "--random", "2", "--depth", "single"])
        return code, capsys.readouterr().err.replace(name, "Turn-7").splitlines()

    forget()
    yield run
    forget()


def test_what_is_right_is_listed(listed):
    assert listed(TURN.encode()) == (0, [])


FILE = "ir_models/operations/made/turn.py"
SECOND = '\n\nOther = Operation("Turn-7", "opset7", outputs=[Output("output", T)])\n'


@pytest.mark.parametrize(
    "was, made, told",
    [
        ('"step", int', '"step", complex', f"{FILE}:14: attribute step: .* got <class 'complex'>"),
        ('"step", int', '"step", "int"', f"{FILE}:14: attribute step: its type is int, .* got 'int'"),
        ('outputs=[Output("output", T)],', "", f"{FILE}: Turn-7 needs outputs="),
        ('axis_of="data"', 'axis_of="dat"', f"{FILE}:6: Turn-7: axes is an axis of 'dat', which is no input"),
        ('"data", T)', '"data", T, shape=lambda layer: ["N"])', "data: the function .* got \\['N'\\]"),
        ("rules=[", "rules=[[", f"{FILE}:23: SyntaxError: "),
        ("layer.step % 2", "layer.step % unheard", f"{FILE}:17: NameError: name 'unheard' is not defined"),
        ("import *", "import Unheard", f"{FILE}:1: ImportError: "),
        ("step=7", "data=u8:[[300]]", "Turn-7, 'data=u8:\\[\\[300\\]\\]': data: u8 does not hold "),
        ("step=7", "step=8", "Turn-7: variant far, 'step=8': the layer breaks the rule: the step is odd"),
        ("axes=0; step=3", "axes=0; step=4", f".*{FILE}:26: plain: the plain layer .* the step is odd"),
        ('"data=[3,4]; axes=0; step=3"', '{"dat": [3, 4]}', f".*{FILE}:26: plain: Turn-7 has no dat; it has data"),
        ('{"data": draw', '{"dat": draw', f".*{FILE}:31: layer: Turn-7 has no dat; it has data"),
        ("@Turn.plain", "", "Turn-7 has no plain layer: write a function under @Turn.plain"),
        ("step=7\n", "step=7\n        far: again\n            step=9\n", f"{FILE}:6: Turn-7 has two variants 'far'"),
        ("rules=[", 'rules=[rule("the step is odd", bool),', f"{FILE}:6: Turn-7 has two rules of the text 'the step"),
        (TURN[-1:], SECOND, f"{FILE}: Turn-7 is declared twice"),
        ('"Turn-7"', '"Twist-7"', f"{FILE}: Twist-7 needs a file named as its type"),
        (
            '"data=f32[3,4]; axes=1 -> [3,4]"', '"data=[1,3]; axes=0\\ndata=f32[3,4]; axes=1 -> [3,4]"',
            f"{FILE}:15: 'data=\\[1,3\\]; axes=0' lacks its arrow: an example is LAYER -> OUTPUT",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(listed, was, made, told):
    assert was in TURN
    content = TURN[:-1] + made if was == "\n" else TURN.replace(was, made)
    code, lines = listed(content.encode())
    assert (code, len(lines)) == (2, 1), lines
    assert re.match(f"python -m ir_models: {told}", lines[0]), lines[0]


def test_a_file_that_is_no_text(listed):
    code, lines = listed(TURN.encode().replace(b"more than", b"plus \xe9"))
    assert (code, len(lines)) == (2, 1)
    assert re.match(f"python -m ir_models: {FILE}:\\d+: SyntaxError: .*utf-8", lines[0]), lines[0]


def test_two_files_of_one_name(listed, tmp_path):
    other = tmp_path / "ir_models" / "operations" / "other"
    other.mkdir()
    (other / "turn.py").write_text(TURN, "utf-8")
    code, (line,) = listed(TURN.encode())
    assert code == 2
    assert line.endswith(f"{FILE} and ir_models/operations/other/turn.py: two files of one name")
