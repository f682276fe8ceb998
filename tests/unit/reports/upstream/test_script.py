"""Scripts of issues: what they hold, and that they tell a departure from a device that conforms, on the CPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_models
from devices import parse_profile
from devices.engine.case_files import of_case
from devices.engine.questions import prepare
from reports.results.case_folder import writing
from reports.results.case_folder.tensors import StoredTensor
from reports.results.case_folder.writing import CaseFiles
from reports.results.releases import is_not_in_release
from reports.upstream.running import ScriptRun, run
from reports.upstream.script import _DIFFERS, LINES, NoScriptError, script_of, scripts_of


def files(case_id: str, profile: str = "accuracy", device: str = "CPU") -> CaseFiles:
    """The content of a case's folder that nobody asked a device about."""
    return of_case(prepare(ir_models.parse(case_id), 0), device, parse_profile(profile))


def folder(root: Path, content: CaseFiles) -> Path:
    writing.write(root / "case", content)
    return root / "case"


def with_wrong(content: CaseFiles, output: int = 0) -> CaseFiles:
    """The same with another first element expected in the last inference, so that a right device departs."""
    *others, last = content.inferences
    stored = last.expected[output]
    raw = np.array(stored.raw)
    raw.reshape(-1)[0] = "other" if stored.element_type == "string" else raw.reshape(-1)[0] + 1
    expected = list(last.expected)
    expected[output] = replace(stored, raw=raw)
    return replace(content, inferences=[*others, replace(last, expected=expected)])


@pytest.mark.parametrize(
    "case_id",
    [
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1",
        "Exp-1/plain/f32[2,3,4]",
        "SpaceToDepth-1/type/bf16[1,5,2,6]/block_size=2,mode=blocks_first",
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1/memory=strided",
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1/memory=offset",
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1/memory=foreign",
        "Split-1/plain/f32[3,6,5,4]/axis=1,num_splits=3/layers=reversed",
        "ReLU-1/rank/f32[2,3]/-/shape=dims",
        "Assign-6/plain/f32[3,4,5],f32[3,4,5]/variable_id=lstm_state_1;variable_type=f32;variable_shape=3,4,5;"
        "update=add/state=kept",
    ],
)
def test_a_script_passes_where_the_device_is_right_and_fails_where_not(
    case_id: str, tmp_path: Path
) -> None:
    _check_script(files(case_id), tmp_path)


@pytest.mark.parametrize(
    "case_id",
    [
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1/memory=offset",
        "SpaceToDepth-1/type/bf16[1,5,2,6]/block_size=2,mode=blocks_first",
        "NonZero-3/plain/f32[3,6,4]/output_type=i32",
    ],
)
def test_a_script_evaluates_a_model_without_a_plugin(case_id: str, tmp_path: Path) -> None:
    _check_script(files(case_id, device="CORE"), tmp_path)


def _check_script(content: CaseFiles, tmp_path: Path) -> None:
    script = script_of(folder(tmp_path / "right", content))
    assert script.count("\n") <= LINES
    right = run(script)
    assert (right.ending, right.shows) == ("passes", False), right.output
    wrong = run(script_of(folder(tmp_path / "wrong", with_wrong(content))))
    assert (wrong.ending, wrong.shows) == ("wrong", True), wrong.output
    assert "expected" in wrong.output


def test_strings_are_compared(tmp_path: Path) -> None:
    content = files("StringTensorPack-15/plain/i64[3,4],i64[3,4],u8[50]")
    script = script_of(folder(tmp_path / "a", content))
    assert "str_data" in script
    assert run(script).ending == "passes"
    assert run(script_of(folder(tmp_path / "b", with_wrong(content)))).ending == "wrong"


def test_what_is_inferred_at_reading_is_compared_without_an_inference(tmp_path: Path) -> None:
    content = files("ReLU-1/plain/f32[2,3,5,4]/-")
    script = script_of(folder(tmp_path / "right", content), is_at_reading=True)
    assert "infer(" not in script
    assert run(script).ending == "passes"
    (one,) = content.inferences
    other = StoredTensor(one.expected[0].name, "f32", (2, 3, 5, 5), np.zeros((2, 3, 5, 5), "f4"))
    wrong = replace(content, inferences=[replace(one, expected=[other])])
    found = run(script_of(folder(tmp_path / "wrong", wrong), is_at_reading=True))
    assert found.ending == "wrong"
    assert "[2,3,5,4]" in found.output


def test_an_invalid_layer_must_be_refused(tmp_path: Path) -> None:
    content = files("ReLU-1/plain/f32[2,3,5,4]/-")
    accepted = replace(content, invalid=True, broken_rule='a "rule"')
    found = run(script_of(folder(tmp_path / "a", accepted)))
    assert found.ending == "wrong"
    assert "accepted, although the layer breaks this: a 'rule'" in found.output
    no_axis = content.model_xml.replace(b'type="ReLU"', b'type="Transpose"')
    refused = replace(accepted, model_xml=no_axis)
    found = run(script_of(folder(tmp_path / "b", refused)))
    assert found.ending == "passes"
    assert "refused, as it should be" in found.output


def test_a_script_ends_with_the_inference_that_departs(tmp_path: Path) -> None:
    content = files("ReLU-1/rank/f32[2,3]/-/shape=dims")
    result = {"outcome": "FAIL", "facts": {"inference": 1}}
    (first, *others) = content.inferences
    assert others
    wrong = with_wrong(replace(content, inferences=[first]))
    both = replace(wrong, inferences=[*wrong.inferences, *others])
    for one, inferences in ((both, len(content.inferences)), (replace(both, result=result), 1)):
        script = script_of(folder(tmp_path / str(inferences), one))
        assert script.count(".infer(") == inferences
        assert run(script).ending == "wrong"


def test_of_a_large_output_the_elements_around_the_worst_are_compared(tmp_path: Path) -> None:
    content = files("Range-4/plain/-/start=2,stop=23,step=3,output_type=f32")
    (one,) = content.inferences[:1]
    (expected,) = one.expected
    many = np.arange(3000, dtype=np.float32)
    other = np.where(many == 2500, -1.0, many).astype(np.float32)
    stored = {
        name: StoredTensor(expected.name, "f32", (3000,), raw)
        for name, raw in (("e", many), ("a", other))
    }
    large = replace(one, expected=[stored["e"]], actual=[stored["a"]], allowed=[])
    script = script_of(folder(tmp_path / "a", replace(content, inferences=[large])))
    assert "output 0, from element 2496" in script
    assert ".ravel()[2496:2504], np.array([2496.0, 2497.0, " in script
    # Without an answer nobody knows where it departs.
    unknown = folder(tmp_path / "b", replace(content, inferences=[replace(large, actual=[])]))
    with pytest.raises(NoScriptError, match="3,000 elements"):
        script_of(unknown)


@pytest.mark.parametrize(("twice", "compiles"), [("request", 1), ("model", 2), ("", 1)])
def test_what_gives_two_answers_is_asked_again(twice: str, compiles: int, tmp_path: Path) -> None:
    flake = {"outcome": "FLAKE", "facts": {"inference": 1, "kind": "two answers"}}
    content = replace(files("Exp-1/plain/f32[2,3,4]"), result=flake, twice=twice)
    script = script_of(folder(tmp_path, content))
    assert script.count("compile_model(") == compiles
    times = 3 * len(content.inferences) if twice else len(content.inferences)
    found = run(script)
    assert (found.ending, found.output.count("output 0 actual")) == ("passes", times)


def test_a_process_that_ends_is_asked_again_if_it_does_not_at_once(tmp_path: Path) -> None:
    content = files("Exp-1/plain/f32[2,3,4]")
    again = []
    for outcome, twice in (("CRASH", "request"), ("CRASH", ""), ("REFUSED", "request")):
        one = replace(
            content, result={"outcome": outcome, "facts": {"stage": "infer"}}, twice=twice
        )
        scripts = list(scripts_of(folder(tmp_path / f"{outcome}{twice}", one), is_value=False))
        assert "for _ in range(3):" not in scripts[0]
        again.append([each for each in scripts if "for _ in range(3):" in each])
    assert [bool(each) for each in again] == [True, False, False]
    assert run(again[0][0]).output == "computed"


def test_a_process_that_ends_needs_no_numbers_of_its_own(tmp_path: Path) -> None:
    """Scripts with ones come first; the data of an invalid layer that is accepted may be what is wrong."""
    died, accepted = (
        {"outcome": outcome, "facts": {}} for outcome in ("CRASH", "ACCEPTED_INVALID")
    )
    content = files("ReLU-1/plain/f32[2,3,5,4]/-")
    for number, (result, invalid, is_filled) in enumerate(
        ((died, False, True), (died, True, True), (accepted, True, False))
    ):
        path = folder(tmp_path / str(number), replace(content, result=result, invalid=invalid))
        scripts = [*scripts_of(path, is_value=False)]
        assert ("np.ones([2, 3, 5, 4], np.float32)" in scripts[0]) is is_filled
        assert any("np.ones(" not in each for each in scripts)
        assert len({*scripts}) == len(scripts)


@pytest.mark.parametrize("how", ["", "/memory=strided"])
@pytest.mark.parametrize(
    ("stage", "has_data"), [("compile", False), ("read", False), ("infer", True)]
)
def test_a_model_that_is_refused_before_its_inference_has_no_data(
    stage: str, has_data: bool, how: str, tmp_path: Path
) -> None:
    result = {"outcome": "REFUSED", "facts": {"stage": stage}}
    content = replace(files(f"ReLU-1/plain/f32[2,3,5,4]/-{how}"), result=result)
    script = script_of(folder(tmp_path, content), is_value=False)
    assert [text in script for text in ("np.array(", "infer(", "def placed")] == [
        has_data,
        has_data,
        has_data and bool(how),
    ]
    assert run(script).output == ("computed" if has_data else "compiled")


def test_a_script_sets_what_counts_when_a_process_starts(tmp_path: Path) -> None:
    content = files("Exp-1/plain/f32[2,3,4]", "isa=AVX2")
    path = folder(tmp_path, content)
    assert "MALLOC_PERTURB_" not in script_of(path)
    script = script_of(path, fills_memory=True).replace(
        "sys.exit(bool(wrong))",
        'print(os.environ["OV_CPU_MAX_ISA"], os.environ["MALLOC_PERTURB_"]); sys.exit(bool(wrong))',
    )
    found = run(script)
    assert found.ending == "passes", found.output
    assert found.output.splitlines()[-1] == "AVX2 165"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"device": "CORE", "turns": [{"request": 0, "before": "", "at_once": False}]},
            "variables",
        ),
        ({"requests": "two"}, "two requests at once"),
        ({"result": {"outcome": "FOLDED"}}, "folded"),
    ],
)
def test_what_fits_into_no_script_says_why(
    change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    content = replace(files("Exp-1/plain/f32[2,3,4]"), **change)
    with pytest.raises(NoScriptError, match=told):
        script_of(folder(tmp_path, content))


def test_a_long_model_loses_the_shapes_that_openvino_infers_before_it_has_no_script(
    tmp_path: Path,
) -> None:
    content = files("Concat-1/plain/f32[2,3,5,4],f32[2,1,5,4]/axis=1")
    long = content.model_xml.replace(b"<dim>2</dim>", b"<dim>2</dim>" + b" " * 4000, 1)
    script = script_of(folder(tmp_path / "a", replace(content, model_xml=long)))
    assert script.count("\n") <= LINES
    assert run(script).ending == "passes"


@pytest.mark.parametrize(
    ("found", "ending"),
    [
        (ScriptRun(0, ""), "passes"),
        (ScriptRun(1, "output 0: actual"), "wrong"),
        (ScriptRun(-11, ""), "died"),
        (ScriptRun(1, "no end", hung=True), "hung"),
        (
            ScriptRun(1, "Traceback (most recent call last):\n  File x\nRuntimeError: Check"),
            "refused",
        ),
        (
            ScriptRun(1, "Traceback (most recent call last):\n  File x\nAttributeError: u2"),
            "cannot run",
        ),
        (ScriptRun(1, "Traceback (most recent call last):\n  File x"), "cannot run"),
    ],
)
def test_how_a_script_ended(found: ScriptRun, ending: str) -> None:
    assert found.ending == ending
    assert found.shows == (ending not in ("passes", "cannot run"))


@pytest.mark.parametrize("is_value", [True, False])
def test_a_model_that_was_compiled_alone_is_not_inferred(tmp_path: Path, is_value: bool) -> None:
    content = replace(files("ReLU-1/plain/f32[2,3,5,4]/-"), compile_only=True)
    script = script_of(folder(tmp_path / "right", content), is_value)
    assert "infer" not in script
    assert run(script).ending == "passes"
    (one,) = content.inferences
    other = StoredTensor(one.expected[0].name, "f32", (2, 3, 5, 5), np.zeros((2, 3, 5, 5), "f4"))
    wrong = replace(content, inferences=[replace(one, expected=[other])])
    found = run(script_of(folder(tmp_path / "wrong", wrong), is_value))
    assert found.ending == ("wrong" if is_value else "passes")


@pytest.mark.parametrize(
    "actual, expected, bound, wrong",
    [
        ([1.0, np.nan, np.inf], [1.0, np.nan, np.inf], -1, False),
        ([1.0, np.nan], [1.0, 2.0], -1, True),
        ([1.0, np.nan], [1.0, 2.0], np.array([0, np.inf]), False),
        ([1.0, 2.1], [1.0, 2.0], 0.2, False),
        ([1.0, 2.1], [1.0, 2.0], 0.05, True),
        ([2**60 + 1], [2**60], -1, True),
        ([5], [6], 1, False),
        ([[5]], [5], 1, True),
        ([True], [False], -1, True),
        (["a"], ["a"], -1, False),
        (["a"], ["b"], -1, True),
    ],
)
def test_what_a_script_calls_wrong(
    actual: list[object], expected: list[object], bound: object, wrong: bool
) -> None:
    names: dict[str, Any] = {"np": np}
    exec("\n".join(_DIFFERS), names)
    with np.errstate(invalid="ignore"):
        assert names["differs"]("", np.array(actual), np.array(expected), bound) == wrong


@pytest.mark.parametrize(
    "case_id",
    [
        "Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1",
        "SoftMax-8/plain/f32[2,3,5,4]/axis=1",
        "Split-1/plain/f32[3,6,5,4]/axis=1,num_splits=3/layers=reversed",
        "MaxPool-1/rank/f16[2,3,7]/kernel=2;strides=1;pads_begin=0;pads_end=1;rounding_type=floor;auto_pad=explicit",
        "ReLU-1/rank/f32[2,3]/-/shape=dims",
    ],
)
def test_a_model_is_built_by_the_api_where_that_is_shorter(case_id: str, tmp_path: Path) -> None:
    content = files(case_id)
    path = folder(tmp_path / "right", content)
    first, second, *_ = scripts_of(path)
    assert "read_model" not in first
    assert "read_model" in second
    assert len(first) < len(second)
    assert run(first).ending == "passes", run(first).output
    wrong = folder(tmp_path / "wrong", with_wrong(content))
    assert run(next(scripts_of(wrong))).ending == "wrong"
    # The IR is what the departure is of.
    assert all("read_model" in each for each in scripts_of(path, is_of_reader=True))


def test_a_layer_that_the_api_cannot_make_says_nothing_of_a_device(tmp_path: Path) -> None:
    path = folder(tmp_path, files("Transpose-1/plain/f32[5,3,4,2]/input_order=2,0,3,1"))
    script = next(scripts_of(path)).replace('"Transpose"', '"Nothing"')
    found = run(script)
    assert (found.ending, found.shows) == ("cannot run", False)
    assert is_not_in_release("read", found.output, "2024.0")


def test_bodies_and_variables_stay_in_their_ir(tmp_path: Path) -> None:
    case_id = (
        "Assign-6/plain/f32[3,4,5],f32[3,4,5]/variable_id=lstm_state_1;variable_type=f32;variable_shape=3,4,5;"
        "update=add/state=kept"
    )
    assert all("read_model" in each for each in scripts_of(folder(tmp_path, files(case_id))))
