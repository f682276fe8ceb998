"""The trial of bounds: small errors and wrong formulas are seen in every type, or the reason is written down."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ir_models
from reference import MissingReferenceError, answer, lookup
from tests.kill import bounds
from tests.kill.__main__ import main
from tests.kill.bounds import COLUMNS, FORMULAS, OFF, Result, asked, is_tried, render, try_bounds

DOCUMENT = Path(ir_models.__file__).parents[1] / "docs" / "bounds.md"


def has_reference(operation):
    try:
        return lookup(operation.name) is not None
    except MissingReferenceError:
        return False


TRIED = [each for each in ir_models.operations() if has_reference(each) and is_tried(each)]


@pytest.fixture(scope="module")
def results():
    return [result for operation in TRIED for result in try_bounds(operation)]


def test_every_error_is_seen_or_excused(results):
    assert [(each.operation, each.error, each.column) for each in bounds.unexcused(results)] == []


def test_every_excuse_is_needed(results):
    assert bounds.unused(results) == []
    assert {each.operation for each in bounds.excuses()} <= {each.operation for each in results}


def test_a_kernel_that_computes_in_f32_has_no_excuse(results):
    stated = [each for each in results if each.column.endswith(" in f32")]
    assert stated
    assert all(each.is_seen for each in stated)
    of_plain = [each for each in bounds.excuses() if not each.layers]
    assert not any(" in f32" in column for each in of_plain for column in each.columns)


def test_every_operation_is_tried_in_f32(results):
    tried = {(each.operation, each.column) for each in results}
    assert {(each.name, "f32") for each in TRIED} <= tried
    assert {(name, column) for name in FORMULAS for column in COLUMNS} <= tried


@pytest.mark.parametrize("name", FORMULAS)
def test_wrong_formulas_are_seen_in_narrow_types(results, name):
    error, _ = FORMULAS[name]
    found = {each.column for each in results if (each.operation, each.error) == (name, error)}
    assert {"f16", "f16 in f32", "bf16", "bf16 in f32"} <= found


def test_the_exact_answer_is_not_seen():
    """Functions, sums, transforms, and cells that carry errors from step to step."""
    smooth = ("Erf-1", "Convolution-1", "MVN-6", "CTCLoss-4")
    transforms = ("DFT-7", "IDFT-7", "RDFT-9", "IRDFT-9", "STFT-15", "ISTFT-16")
    for name in (*smooth, *transforms, "LSTMCell-4", "LSTMSequence-5", "RNNSequence-5"):
        for question in asked(ir_models.operation(name)):
            exact = [each.value for each in question.expected]
            is_seen, share = question.planted(exact)
            assert (is_seen, share) == (False, 0.0), question.column


def test_the_document_is_that_of_the_command(results):
    """Made by ``python -m tests.kill --bounds --plain --markdown``, under the heading that it has."""
    head, rule, table = DOCUMENT.read_text("utf-8").partition("\n| operation |")
    assert head.startswith("# Trial of bounds")
    assert (rule + table).strip() == render(results, markdown=True).strip()


# --- every layer --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ROIPooling-1", "Mish-4", "MVN-6", "NonMaxSuppression-9"])
def test_every_variant_and_random_layer_is_tried(name):
    operation = ir_models.operation(name)
    found = {each.column: each for each in try_bounds(operation, plain=False)}
    plain = {each.column for each in try_bounds(operation)}
    assert found.keys() == plain
    assert all(each.layers > 10 for each in found.values())
    assert bounds.unexcused(list(found.values())) == []
    assert bounds.unused(list(found.values())) == []
    purposes = {q.case.purpose.partition(".")[0] for q in asked(operation, plain=False)}
    assert {"type", "random", "variant"} <= purposes
    assert all(q.case.id.count("f16") for q in asked(operation, plain=False) if q.column == "f16")


def test_no_bound_is_negative():
    """A scale with a sign would make one so."""
    for name in ("DetectionOutput-8", "MatrixNonMaxSuppression-8", "ISTFT-16", "Selu-1", "Elu-1"):
        for question in asked(ir_models.operation(name)):
            for each in question.expected:
                assert each.bound is None or np.all(each.bound >= 0), question.case.id


def test_an_excuse_of_some_layers_does_not_count_for_the_plain_one(excuses_file):
    excuses_file(entry(layers=["variant.many-terms"]))
    missed = Result("A-1", OFF, "f16", False, 0.0)
    assert bounds.unexcused([missed]) == [missed]
    of_all = Result("A-1", OFF, "f16", False, 0.0, ("A-1/variant.many-terms/f16[2]",), 7)
    assert bounds.unexcused([of_all]) == []
    assert bounds.unused([of_all]) == []
    assert "6/7" in render([of_all])
    excuses_file("")
    told = "A-1: off everywhere in f16, of 1 layer such as A-1/variant.many-terms/f16[2]"
    assert told in render([of_all])


def test_an_excuse_of_some_layers_covers_no_other(excuses_file):
    excuses_file(entry(layers=["variant.many-terms"]) + entry(layers=["random"]))
    many, drawn, plain = (
        f"A-1/{purpose}/f16[2]" for purpose in ("variant.many-terms", "random", "type")
    )
    both = Result("A-1", OFF, "f16", False, 0.0, (many, drawn), 7)
    assert bounds.unexcused([both]) == []
    assert bounds.unused([both]) == []
    more = Result("A-1", OFF, "f16", False, 0.0, (many, drawn, plain), 7)
    assert bounds.unexcused([more]) == [more]
    assert more.unexcused == (plain,)
    fewer = Result("A-1", OFF, "f16", False, 0.0, (many,), 7)
    assert bounds.unexcused([fewer]) == []
    (needless,) = bounds.unused([fewer])
    assert needless.layers == ("random",)
    assert "not needed:\n  A-1: off everywhere in f16" in render([fewer])


def test_an_error_in_one_output_is_seen_in_any():
    """The answer nearest to other scores may be one with other boxes."""
    operation = ir_models.operation("Proposal-4")
    case = ir_models.parse(
        "Proposal-4/random/bf16[3,2,4,2],bf16[3,4,4,2],bf16[4]/base_size=8,pre_nms_topn=37,post_nms_topn=10,"
        "nms_thresh=0.2803,feat_stride=8,min_size=6,ratio=0.5,scale=1.0,clip_before_nms=false,clip_after_nms=true,"
        "box_size_scale=2.0"
    )
    types = [each.name for each in operation.output_types(case.layer)]
    expected = answer(operation.name, case.arrays(), case.arguments(), types)
    question = bounds.Asked(case, "bf16", case.arrays(), types, expected)
    assert question.planted([each.value * 1.05 for each in expected])[0]
    assert not question.planted([each.value for each in expected])[0]


# --- excuses and the command line ---------------------------------------------------------------------------------


@pytest.fixture
def excuses_file(monkeypatch, tmp_path):
    def write(text):
        (tmp_path / "bounds.toml").write_text(text)
        monkeypatch.setattr(bounds, "EXCUSES", tmp_path / "bounds.toml")
        bounds.excuses.cache_clear()

    yield write
    monkeypatch.undo()
    bounds.excuses.cache_clear()


def entry(**facts):
    given = {"operation": "A-1", "error": OFF, "columns": ["f16"], "reason": "why", **facts}
    lines = (
        f"{key} = {value if isinstance(value, list) else str(value)!r}"
        for key, value in given.items()
    )
    return "[[excuse]]\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "facts",
    [{"reason": ""}, {"columns": []}, {"columns": ["i32"]}, {"layers": []}, {"layers": "a"}],
)
def test_an_excuse_needs_a_reason_and_columns(excuses_file, facts):
    excuses_file(entry(**facts))
    with pytest.raises(bounds.ExcuseError, match="entry 1"):
        bounds.excuses()


def test_an_excuse_for_what_is_seen_is_unused(excuses_file):
    excuses_file(entry(columns=["f16", "bf16"]))
    missed = Result("A-1", OFF, "f16", False, 0.0)
    assert bounds.unexcused([missed]) == []
    assert bounds.unused([missed, Result("A-1", OFF, "bf16", True, 1.0)]) == list(bounds.excuses())
    assert bounds.unused([missed, Result("A-1", OFF, "bf16", False, 0.0)]) == []
    assert bounds.unused([Result("B-1", OFF, "f16", True, 1.0)]) == []


def test_the_command(capsys, excuses_file):
    assert main(["--bounds", "--plain", "Exp", "Transpose"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.match("operation +error +f64", lines[0])
    assert [line.split()[0] for line in lines[1:]] == ["Exp-1"]
    excuses_file("")
    assert main(["--bounds", "--plain", "ReduceMean"]) == 1
    assert "Not seen:\n  ReduceMean-1: off everywhere in f16" in capsys.readouterr().out


def test_ulps_of_f32_are_not_ulps_of_narrow_types():
    """16 ulps of bf16 would be 12% of an erf."""
    for question in asked(ir_models.operation("Erf-1")):
        (expected,) = question.expected
        relative = np.max(
            expected.bound / np.abs(expected.value), where=np.abs(expected.value) > 0.1, initial=0
        )
        limit = {"f64": 1e-14, "f32": 2e-6, "f16": 0.004, "bf16": 0.016}
        limit |= {"f16 in f32": 0.00099, "bf16 in f32": 0.0079}
        assert relative <= limit[question.column], question.column
