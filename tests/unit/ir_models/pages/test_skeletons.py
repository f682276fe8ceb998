"""Skeletons of operations, made from specification pages."""

import shutil
import subprocess
import sys

import pytest

import ir_models.__main__ as command_line
from ir_models import skeletons
from ir_models.__main__ import main
from ir_models.skeletons import pages
from ir_models.vocabulary import element_types
from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.type_sets import meaning

PAGE = """
Blend
=====

**Versioned name**: *BlendRows-17*

**Attributes**

* *num_rows*

  * **Description**: how many
  * **Range of values**: a positive integer
  * **Type**: ``int``
  * **Default value**: 2
  * **Required**: *no*

* *weights, offsets*

  * **Description**: lists
  * **Type**: ``float[]``
  * **Default value**: None
  * **Required**: *no*

* *mode*

  * **Description**: which
  * **Range of values**:

    * *near* - the nearest
    * *far* - the farthest
  * **Type**: string
  * **Required**: *yes*

* *keep*

  * **Description**: whether
  * **Type**: ``boolean``
  * **Default value**: false
  * **Required**: *no*

**Inputs**

* **1**: ``data`` - 3D tensor of type *T* ``[batch_size, num_rows, 2 * width]``. **Required.**
* **2**: ``axes`` - 1D tensor of type *T_IND*. **Required.**
* **3**: ``bias`` - tensor of type *T* and rank 1 or 2. Optional.

**Outputs**

* **1**: ``blended`` - tensor of type *T*.

**Types**

* *T*: any supported floating-point type.
* *T_IND*: ``int64`` or ``int32``.

**Example**

.. code-block:: xml

    <layer ... type="BlendRows">
        <data num_rows="2" mode="near" keep="1"/>
        <input>
            <port id="0">
                <dim>3</dim>
                <dim>2</dim>
                <dim>8</dim>
            </port>
            <port id="1">
                <dim>2</dim>   <!-- [0, -1] -->
            </port>
        </input>
        <output>
            <port id="3">
                <dim>3</dim>
                <dim>8</dim>
            </port>
        </output>
    </layer>
"""


def declared(text: str) -> Operation:
    found: dict[str, object] = {}
    exec(text, found)
    return next(value for value in found.values() if isinstance(value, Operation))


@pytest.fixture(scope="module")
def made():
    return skeletons.skeleton(skeletons.read(PAGE))


@pytest.fixture(scope="module")
def operation(made):
    return declared(made.declaration)


def test_inputs(operation):
    data, axes, bias = operation.inputs
    assert (data.name, data.shape) == ("data", "batch_size, num_rows, 2*width")
    assert (axes.index, axes.rank.least, axes.rank.most) == (True, 1, 1)
    assert (bias.optional, bias.rank.least, bias.rank.most) == (True, 1, 2)


def test_type_variables(operation):
    assert operation.type_sets["T"].types == element_types.FLOATS
    assert operation.type_sets["T_IND"].types == (element_types.i64, element_types.i32)


def test_attributes(operation):
    rows, weights, offsets, mode, keep = operation.attributes
    assert (rows.type, rows.default, rows.least, rows.required) == (int, 2, 1, False)
    assert [weights.name, offsets.name] == ["weights", "offsets"]
    assert weights.type == list[float]
    assert (mode.type, mode.required) == (("near", "far"), True)
    assert (keep.type, keep.default) == (bool, False)


def test_examples_with_port_ids_and_printed_values(operation):
    (example,) = operation.examples
    layer = operation.layer(**operation.parameters(example.layer))
    assert layer.data.shape == (3, 2, 8)
    assert layer.axes.value == (0, -1)
    assert (layer.mode, layer.keep) == ("near", True)
    assert (example.output_shapes, example.ports) == ([(3, 8)], (0, 1, 3))


def test_several_examples_are_one_text():
    block = PAGE[PAGE.index("    <layer") :]
    (first, second) = declared(
        skeletons.skeleton(skeletons.read(PAGE + block)).declaration
    ).examples
    assert first == second
    text = skeletons.skeleton(skeletons.read(PAGE + block.replace("<dim>8</dim>", "<dim>N</dim>")))
    assert "an example whose inputs are not those of the list" in text.questions
    unknown = block.replace(
        "                <dim>8</dim>\n            </port>\n        </output", "</port></output"
    )
    unknown = unknown.replace("<dim>3</dim>\n</port></output", "<dim>N</dim></port></output")
    (_, last) = declared(skeletons.skeleton(skeletons.read(PAGE + unknown)).declaration).examples
    assert last.output is None


def test_the_values_of_an_enumeration_need_no_marks():
    page = PAGE.replace("*near* - ", "near - ").replace("*far* - ", "far - ")
    assert declared(skeletons.skeleton(skeletons.read(page)).declaration).attributes[3].type == (
        "near",
        "far",
    )


def test_the_reference_has_the_names_and_defaults_of_the_page(made):
    assert '@implements("BlendRows-17")' in made.reference
    assert "def blend_rows(" in made.reference
    assert "num_rows: int = 2" in made.reference
    assert "bias: np.ndarray | None = None" in made.reference


def test_the_reference_refuses_what_is_none_of_an_enumeration(made):
    found: dict[str, object] = {}
    exec(made.reference, found)
    with pytest.raises(ValueError, match="mode must be near or far, got 'between'"):
        found["blend_rows"](None, None, mode="between")


def test_a_required_attribute_that_an_example_leaves_out_is_told():
    page = PAGE.replace(' mode="near"', "")
    questions = skeletons.skeleton(skeletons.read(page)).questions
    assert any(each.startswith("an example without mode, which is required") for each in questions)


def test_a_family_is_told():
    page = PAGE.replace("*keep*", "*keep_dims*")
    questions = skeletons.skeleton(skeletons.read(page)).questions
    assert any("reductions.py" in each for each in questions)


UNARY = """
**Versioned name**: *Whirl-17*

**Attributes**: *Whirl* has no attributes.

**Inputs**

* **1**: A tensor of type *T* and arbitrary shape. **Required.**

**Outputs**

* **1**: The result. A tensor of type *T*.

**Types**

* *T*: any numeric type.

**Example**

.. code-block:: xml

    <layer ... type="Whirl">
        <input>
            <port id="0">
                <dim>7</dim>
                <dim>56</dim>
            </port>
        </input>
        <output>
            <port id="1">
                <dim>7</dim>
                <dim>56</dim>
            </port>
        </output>
    </layer>
"""


def test_a_page_with_one_input_and_no_attribute_is_unary():
    made = skeletons.skeleton(skeletons.read(UNARY))
    assert 'unary("Whirl-17", "opset17", T, reals(' in made.declaration
    found = declared(made.declaration)
    assert found.type_sets["T"].types == meaning("any numeric type")
    (example,) = found.examples
    assert example.output == (7, 56)
    assert "return unary(..., data)" in made.reference
    assert any(question.startswith("the accuracy class") for question in made.questions)


@pytest.mark.parametrize(
    "item, name, variable",
    [
        ("``rows``: tensor of type *T*. **Required.**", "rows", "T"),
        ("``data`` tensor of type *T* with arbitrary data. **Required.**", "data", "T"),
        ("a ``shift`` scalar or 1D tensor of type *T_IND*. **Required.**", "shift", "T_IND"),
        ("Scalar or 1D tensor ``axis`` of *T_AXIS* type is a dimension.", "axis", "T_AXIS"),
        ("output tensor with shape and type equal to the ``data`` tensor.", "input_0", ""),
        ("tensor of type *T* that is like ``data``.", "input_0", "T"),
    ],
)
def test_the_name_and_the_type_of_a_port_in_the_words_of_pages(item, name, variable):
    port = pages._port(f"* **1**: {item}", 0)
    assert (port.name, port.type_variable) == (name, variable)


def test_what_the_page_leaves_open_is_told(made):
    assert any(question.startswith("rules of the page") for question in made.questions)


# The same page with what a declaration cannot say, or what contradicts the rest of the page.
ODD = (
    PAGE.replace('type="BlendRows"', 'type="Blend"')
    .replace('num_rows="2" mode', 'num_rows="2" rows="2" mode')
    .replace("*T* ``[batch_size,", "*T* ``[batch_size, width]`` or ``[batch_size,")
    .replace("``blended`` - tensor of type *T*.", "``blended`` - the result.")
    .replace("        </output>", '            <port id="4"/>\n        </output>')
    .replace("**Description**: whether", "**Range of values**: False")
    .replace("**Default value**: None", "**Default value**: those of ``data``")
)
UNREAD = [
    "the name: BlendRows on the page, Blend in an example",
    'rows="2" in an example: no attribute of the list',
    "outputs of an example: 2, where the list has 1",
    "when data has which of its shapes, [batch_size, width], [batch_size, num_rows, 2*width]: the first one is taken",
    "the rank of data: 3 on the page, 2 in its shape, which is taken",
    "the element type of blended, which names no type variable: T is taken",
    "the default of weights: those of data",
    "the default of offsets: those of data",
    "the values of keep: False",
]


def test_what_is_not_read_is_told_and_stands_in_the_declaration(made):
    assert made.unread == []
    assert "Left to you" not in made.declaration
    odd = skeletons.skeleton(skeletons.read(ODD))
    assert odd.unread == UNREAD
    lines = [line for line in odd.declaration.splitlines() if line.startswith("#")]
    told = " ".join(line.removeprefix("#").strip() for line in lines)
    assert told == "Left to you: " + " ".join(f"- {each}" for each in UNREAD)
    assert declared(odd.declaration).name == "BlendRows-17"


def test_what_is_not_read_is_on_standard_error(tmp_path, capsys):
    path = tmp_path / "blend.rst"
    path.write_text(ODD)
    assert main(["new", str(path), "--print"]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines() == [f"{path}: left to you: {each}" for each in UNREAD]
    assert declared(told.out).name == "BlendRows-17"


@pytest.mark.parametrize(
    "kind, text, default",
    [
        ("``int``", "``-1`` meaning to keep all of them", -1),
        ("``float``", "``0.`` that means that nothing is cut", 0.0),
        ("``float[]``", "[]", ()),
        ("a list of strings", "*near* for f, *far* for g", ("near", "far")),
        ("a list of strings", "*near,far*", ("near", "far")),
        ("``string``", '"near" (which is what the others are called)', "near"),
    ],
)
def test_a_default_with_its_explanation(kind, text, default):
    page = PAGE.replace("``int``", kind).replace(
        "**Default value**: 2", f"**Default value**: {text}"
    )
    assert (
        declared(skeletons.skeleton(skeletons.read(page)).declaration).attributes[0].default
        == default
    )


@pytest.mark.parametrize("page", [PAGE, ODD, UNARY, UNARY.replace('type="Whirl"', 'type="Swirl"')])
def test_skeletons_are_formatted(page, tmp_path):
    path = tmp_path / "declaration.py"
    path.write_text(skeletons.skeleton(skeletons.read(page)).declaration, encoding="utf-8")
    ruff = shutil.which("ruff")
    if ruff is None:
        pytest.skip("ruff is not installed")
    command = [ruff, "format", "--isolated", "--line-length", "100", "--diff", str(path)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == ""


def test_a_text_that_is_no_page(tmp_path, capsys):
    path = tmp_path / "readme.rst"
    path.write_text("hello")
    assert main(["new", str(path), "--print"]) == 2
    assert f"{path}: no versioned name" in capsys.readouterr().err


def test_a_page_that_is_not_there_says_where_pages_are(tmp_path, capsys):
    assert main(["new", str(tmp_path / "PAGES" / "sin-1.rst")]) == 2
    told = capsys.readouterr().err
    assert "there is no such page; pages are in docs/articles_en/" in told
    assert told.count("\n") == 1


def test_an_operation_that_exists(tmp_path, capsys):
    path = tmp_path / "gather-8.rst"
    path.write_text(PAGE.replace("BlendRows-17", "Gather-8"))
    assert main(["new", str(path), "--category", "movement"]) == 2
    assert "gather.py exist: add the version to them" in capsys.readouterr().err


def test_a_file_that_is_missing_is_written(tmp_path, monkeypatch, capsys):
    path = tmp_path / "blend-rows-17.rst"
    path.write_text(PAGE)
    monkeypatch.setattr(command_line, "__file__", str(tmp_path / "ir_models" / "__main__.py"))
    for room in ("ir_models/operations", "reference"):
        (tmp_path / room).mkdir(parents=True)
    assert main(["new", str(path), "--category", "movement"]) == 0
    declaration, reference = (
        tmp_path / room / "movement" / "blend_rows.py"
        for room in ("ir_models/operations", "reference")
    )
    written = reference.read_text()
    reference.unlink()
    declaration.write_text("mine")
    assert main(["new", str(path), "--category", "movement"]) == 0
    assert (declaration.read_text(), reference.read_text()) == ("mine", written)
    assert main(["new", str(path), "--category", "movement"]) == 2
    assert (
        "movement/blend_rows.py and reference/movement/blend_rows.py exist"
        in capsys.readouterr().err
    )


def test_the_command_prints_a_declaration(tmp_path):
    path = tmp_path / "blend-rows-17.rst"
    path.write_text(PAGE)
    command = [sys.executable, "-m", "ir_models", "new", str(path), "--print"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert declared(printed).name == "BlendRows-17"


def test_an_internal_page_has_no_version():
    page = skeletons.read(
        ".. {#openvino_docs_ops_internal_RMS}\n\nRMS\n===\n\n**Versioned name**: *RMS*\n\n"
        "**Inputs**\n\n* **1**: ``data`` - A tensor of type *T*. **Required.**\n"
    )
    assert (page.name, page.is_internal) == ("RMS-1", True)
    made = skeletons.skeleton(page)
    assert 'RMS = Operation(\n    "RMS-1"' in made.declaration
    assert any("internal" in question for question in made.questions)
