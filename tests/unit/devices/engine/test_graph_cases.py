"""Graphs as cases of the suite: ids, values, packs, verdicts on a device with planted faults; graphs that are kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ir_models
from devices import Options, Runner
from devices.__main__ import main
from devices.commands import keep as keep_command
from devices.commands.write import write
from devices.engine import packs
from devices.engine.graph_bounds import expected_results
from devices.engine.questions import prepare, question_for
from devices.engine.verdicts.recording import observed
from devices.engine.verdicts.verdict import Verdict
from devices.search.finds.naming import CauseNaming
from devices.targets.profiles import parse
from ir_models import CaseIdError, patterns
from ir_models.asking.id_parts import pairs, segments, split_id
from ir_models.graphs import GraphCase, GraphError, evaluate, read
from ir_models.graphs.evaluation import values
from ir_models.patterns.found import FOUND
from reports.gate.selectors import features_of
from reports.results.explained.factors import factors_of
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from tests.conformance.selection import SuiteSelection

DEVICE = "PYTHON:tests.planted.fusing_device"
RANK_DROPPED = "rank dropped:Maximum-1>Minimum-1"
PLAIN = "Clamp/graphs/f32[2,3,4],f32[],f32[]"
HIGHER = "Clamp/graphs/f32[2,3,4],f32[],f32[1,1,1,1]/high.shape=more-ones"
TEXT = "x=f32[2,3]; const b=f32[3]~1; a=ReLU-1(x); y=Add-1(a,b); return y"


def judged(ids: list[str], fault: str = "", **options: int) -> dict[str, Outcome]:
    """The outcomes of cases on the device with a fault."""
    profile = parse(f"FAULT={fault}" if fault else "accuracy")
    with Runner(DEVICE, profile, Options(case_timeout=120, **options)) as runner:  # type: ignore[arg-type]
        runner.open()
        found = runner.judge([ir_models.parse(each) for each in ids])
    return {verdict.case.id: verdict.outcome for verdict in found}


# --- ids ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", patterns.PATTERNS, ids=lambda each: each.name)
def test_an_id_is_read_as_the_case_that_wrote_it(pattern: patterns.Pattern) -> None:
    names = pattern.candidates()
    for name in (names[0], names[len(names) // 3], names[-1]):
        try:
            graph = pattern.with_levels(_levels(name))
            evaluate(graph)
        except GraphError:
            continue
        case = GraphCase.of(pattern.name, graph, _levels(name))
        again = ir_models.parse(case.id)
        assert isinstance(again, GraphCase)
        assert (again.id, again.graph.text) == (case.id, graph.text)
        assert split_id(case.id).parameters == _levels(name)


def _levels(name: str) -> dict[str, str]:
    factors = name.partition("/")[2]
    return dict(part.split("=") for part in factors.split(",")) if factors else {}


def test_a_graph_as_text_is_a_case() -> None:
    case = ir_models.parse(f"Graph/graphs/f32[2,3],f32[3]/{TEXT}")
    assert isinstance(case, GraphCase)
    assert case.graph.text == TEXT
    assert ir_models.parse(case.id) == case
    assert split_id(case.id).parameters == {"graph": TEXT}


def test_factors_come_in_any_order() -> None:
    one = "Gelu-erf/graphs/f32[2,3,4],f32[],f32[],f32[1,1,1,1]/half.shape=more-ones,c.order=swapped"
    other = one.replace(
        "half.shape=more-ones,c.order=swapped", "c.order=swapped;half.shape=more-ones"
    )
    assert ir_models.parse(one).id == ir_models.parse(other).id


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (PLAIN.replace("Clamp", "Clamq"), "no pattern is called 'Clamq'"),
        (PLAIN.replace("2,3,4", "2,3,5"), "it reads as"),
        (f"{PLAIN}/low.shape=round", "low.shape is one of"),
        (f"{PLAIN}/lower.shape=one", "has no factor 'lower.shape'"),
        ("Graph/graphs/f32[2]/x=f32[2]; y=Relu-1(x); return y", "unknown operation"),
        ("MatMul-Add-ReLU/graphs/-", "it reads as"),
    ],
)
def test_what_is_no_id_is_told(wrong: str, words: str) -> None:
    with pytest.raises(CaseIdError, match="malformed case id") as raised:
        ir_models.parse(wrong)
    assert words in str(raised.value)


def test_graphs_are_listed_by_pattern_and_by_operation() -> None:
    of_clamp = [*ir_models.graph_ids(["Clamp"])]
    assert PLAIN in of_clamp
    assert HIGHER in of_clamp
    assert len({*of_clamp}) == len(of_clamp)
    names = {each.partition("/")[0] for each in ir_models.graph_ids(["Squeeze-1"])}
    assert names == {
        each.name for each in patterns.PATTERNS if "Squeeze-1" in each.graph.operations
    }


def test_single_has_the_formula_with_each_condition_alone() -> None:
    single = [*patterns.case_ids("Clamp", "single")]
    every = [*patterns.case_ids("Clamp", "pairs")]
    assert single[0] == PLAIN
    assert len(single) > 10
    assert {*single} < {*every}
    assert all(len(pairs(segments(each)[0][3])) <= 1 for each in single)
    conditions = {*patterns.select(["Clamp"])[0]._with_cases}
    assert {name for each in single for name in pairs(segments(each)[0][3])} <= conditions


@pytest.mark.parametrize(
    "given, purposes, count",
    [
        ((), (), len(patterns.PATTERNS)),
        (("Clamp-1",), (), 0),
        (("MatMul-Add-ReLU", "Clamp-1"), ("graphs",), None),
        (("MatMul-Add-ReLU",), (), 1),
        ((), ("plain",), 0),
    ],
)
def test_graphs_belong_to_a_run_of_everything_or_are_named(
    given: tuple[str, ...],
    purposes: tuple[str, ...],
    count: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patterns, "case_ids", lambda name, depth: [f"{name} at {depth}"])
    chosen: Any = SimpleNamespace(
        named=(), operations=(), given=given, purposes=purposes, depth="single"
    )
    found = [*SuiteSelection._found(chosen)]
    assert len({*found}) == len(found)
    assert all(each.endswith(" at single") for each in found)
    with_clamp = [one for one in patterns.PATTERNS if "Clamp-1" in one.graph.operations]
    assert len(found) == (len(with_clamp) + 1 if count is None else count)


# --- values and packs ---------------------------------------------------------------------------------------------


def test_values_hang_on_the_seed_and_on_the_inference_but_constants_on_the_seed_alone() -> None:
    case = ir_models.parse("MatMul-Add-ReLU/graphs/f32[2,3,4],f32[4,5],f32[1,1,5]")
    assert isinstance(case, GraphCase)
    first, second, other = case.evaluated(), case.evaluated(0, 1), case.evaluated(1)
    assert not np.array_equal(first.arrays["x"], second.arrays["x"])
    assert np.array_equal(first.arrays["w"], second.arrays["w"])
    assert not np.array_equal(first.arrays["w"], other.arrays["w"])


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("x=f32[2?,3]; const b=f32[3]~1; y=Add-1(x,b); return y", [(2, 3), (3, 3), (2, 3)]),
        # The constant holds the last dimension.
        ("x=f32[2?,3?]; const b=f32[3]~1; y=Add-1(x,b); return y", [(2, 3), (3, 3), (2, 3)]),
        ("x=f32[0?,3?]; y=ReLU-1(x); return y", [(0, 3), (1, 4), (0, 3)]),
        ("x=f32[2,3]; y=ReLU-1(x); return y", [(2, 3), (2, 3)]),
    ],
)
def test_dimensions_that_the_model_does_not_know_have_another_size_in_the_second_inference(
    text: str, sizes: list[tuple[int, ...]]
) -> None:
    case = patterns.case_of(text)
    found = [case.evaluated(0, number).arrays["x"] for number in range(case.inferences)]
    assert [each.shape for each in found] == sizes
    if found[0].size:
        assert not np.array_equal(found[0], found[-1])


def test_weights_inside_a_body_hold_the_sizes_that_they_were_made_for() -> None:
    (name,) = [each for each in patterns.case_ids("TensorIterator-LSTM") if "/unknown=all" in each][
        :1
    ]
    case = ir_models.parse(name)
    assert isinstance(case, GraphCase)
    first, second = (case.evaluated(0, number).arrays["x"].shape for number in (0, 1))
    assert second == first


VARIABLE = (
    "x=f32[2]; const one=f32[2]:1; r=ReadValue-6(one){variable_id=v;variable_type=f32;variable_shape=2}; "
    "a=Add-1(r,x); s=Assign-6(a){variable_id=v}; y=Negative-1(a); return y"
)


def test_a_variable_holds_what_the_inference_before_has_set_until_it_is_reset() -> None:
    case = patterns.case_of(VARIABLE)
    assert case.graph.text == VARIABLE
    found = [case.evaluated(0, number) for number in range(case.inferences)]
    given = [each.arrays["x"] for each in found]
    held = np.float32(1)
    for number, each in enumerate(found):
        held = np.float32(1) if case.turns[number].before else held
        held = held + given[number]
        assert np.array_equal(each.arrays["y"], -held)
    question = question_for([prepare(case, 0)])
    assert [turn.before for turn in question.turns] == ["", "", "reset", ""]
    assert question.xml.count(b'variable_id="v"') == 2


@pytest.mark.parametrize(
    "wrong",
    [
        VARIABLE.replace("s=Assign-6(a){variable_id=v}; ", ""),
        VARIABLE.replace("Assign-6(a){variable_id=v}", "Assign-6(a){variable_id=w}"),
        VARIABLE.replace("variable_shape=2}", "variable_shape=3}"),
    ],
)
def test_a_variable_is_read_by_one_layer_and_set_by_one_in_its_shape(wrong: str) -> None:
    with pytest.raises(GraphError):
        evaluate(read(wrong))


def test_a_layer_with_bodies_is_written_with_them() -> None:
    case = patterns.case_of(
        "x=f32[2]; z=f32[2]~1; c=boolean[]; a=If-8(c,x,z){then_body=add;else_body=subtract}; return a"
    )
    found = case.evaluated()
    sign = 1 if found.arrays["c"] else -1
    assert np.allclose(found.arrays["a"], found.arrays["x"] + sign * found.arrays["z"])
    xml = question_for([prepare(case, 0)]).xml.decode()
    for part in ("<then_body>", "<else_port_map>", 'type="Add"', 'type="Subtract"'):
        assert xml.count(part) == 1


@pytest.mark.parametrize(
    "body",
    [
        "b=If-8(c,a,z){then_body=add;else_body=subtract}",
        "b=Loop-5(count,c,a,z){body=until;output_axis=0}",
        "b=TensorIterator-1(z,a){body=accumulate;axis=0;start=0;end=0;stride=1;output_axis=0}",
    ],
)
def test_a_body_computes_in_the_type_of_what_a_layer_gives_it(body: str) -> None:
    graph = evaluate(
        read(
            "x=f32[1,3,4]; z=f32[1,3,4]~1; const c=boolean[]:true; const count=i64[]:1; "
            f"a=ReLU-1(x); {body}; return a,b"
        )
    )
    _, last = expected_results(graph, "")
    sums = graph.arrays["a"] + graph.arrays["z"]
    step = np.spacing(np.abs(sums))
    assert sums.dtype == np.float32
    assert (np.abs(sums - last.value) <= last.bound).all()
    assert ((last.bound >= step / 2) & (last.bound <= 4 * step)).all()


def test_few_crossings_are_asked_of_a_pattern_that_has_many() -> None:
    (pattern,) = patterns.select(["LSTM-joint"])
    names = [*pattern.ids()]
    assert names[0] == "LSTM-joint"
    varied = {*pattern.of_variations}
    for own in ([n for n in names if n not in varied], [n for n in names if n in varied]):
        alone = [name for name in own if name.count("=") < 2]
        assert len(alone) > 50
        assert len(own) - len(alone) == (len(alone) + 1) // 2


def test_what_is_known_of_shapes_alone_is_expected_to_be_folded() -> None:
    shape = "x=f32[2,3]; s=ShapeOf-3(x){output_type=i64}; return s"
    for text, folds in ((shape, True), (shape.replace("[2,3]", "[2?,3]"), False), (TEXT, False)):
        assert patterns.case_of(text).gives_constants is folds


def test_a_pack_has_graphs_alone_and_those_of_unknown_dimensions_apart() -> None:
    unknown = "Clamp/graphs/f32[2,3,4],f32[],f32[]/unknown=all"
    layer = "ReLU-1/plain/f32[2,3,5,4]"
    found = packs.plan([PLAIN, unknown, layer, HIGHER], 10)
    assert sorted(found) == [[0, 3], [1], [2]]
    apart = next(patterns.case_ids("quantized-MaxPool"))
    state = f"Graph/graphs/f32[2],f32[2]/{VARIABLE}"
    assert sorted(packs.plan([PLAIN, apart, state], 10)) == [[0], [1], [2]]


# --- verdicts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "pattern", "outcome"),
    [
        ("", "Clamp", Outcome.PASS),
        (RANK_DROPPED, "Clamp", Outcome.FAIL),
        ("refusal:Transpose-1>MatMul-1", "Transpose-MatMul", Outcome.REFUSED),
    ],
)
def test_a_device_that_fuses_wrongly_departs_where_the_factor_is(
    fault: str, pattern: str, outcome: Outcome
) -> None:
    ids = [each for each in patterns.case_ids(pattern) if each.count("=") < 2][:60]
    found = judged(ids, fault)
    right = {Outcome.PASS, Outcome.QUALITY}
    assert {*found.values()} <= right | {outcome}
    assert (set(found.values()) <= right) is (not fault)
    if fault == RANK_DROPPED:
        assert found[PLAIN] is Outcome.PASS
        assert found[HIGHER] is Outcome.FAIL


def test_a_graph_without_layers_is_judged_in_a_pack() -> None:
    ids = ["Graph/graphs/f32[2]/x=f32[2]; return x", f"Graph/graphs/f32[2,3],f32[3]/{TEXT}"]
    with Runner(DEVICE, parse("accuracy"), Options(case_timeout=120)) as runner:
        found = runner.judge([ir_models.parse(each) for each in ids])
    assert [(verdict.outcome, verdict.pack) for verdict in found] == [(Outcome.PASS, 2)] * 2
    assert found[0].kernel is None


def test_data_that_a_layer_does_not_take_are_those_of_the_first_inference() -> None:
    # The index is random, and beyond the data in one of the inferences.
    for seed in range(40):
        text = f"x=f32[8]; i=i32[]+{seed}; const a=i64[]:0; y=Gather-1(x,i,a); return y"
        try:
            case = GraphCase.as_text(evaluate(read(text)))
        except GraphError:
            continue
        first, second = case.evaluated(), case.evaluated(0, 1)
        assert second.arrays["i"] < 8
        if _index_of(case, 1) >= 8:
            assert np.array_equal(first.arrays["x"], second.arrays["x"])
            return
    raise AssertionError("no seed has an index beyond the data")


def _index_of(case: GraphCase, inference: int) -> int:
    return int(values("i", case.graph.fed["i"], 0, inference))


def test_a_departure_is_a_record_with_its_graph_and_the_factors_that_are_off() -> None:
    with Runner(DEVICE, parse(f"FAULT={RANK_DROPPED}"), Options(case_timeout=120)) as runner:
        runner.open()
        (verdict,) = runner.judge([ir_models.parse(HIGHER)])
    record = observed(verdict, DEVICE, "accuracy")
    assert (record.operation, record.category, record.purpose) == ("Clamp", "graphs", "graphs")
    assert record.graph == ir_models.parse(HIGHER).graph.text  # type: ignore[attr-defined]
    assert factors_of(record, None).what == {"high.shape=more-ones"}
    features = features_of(record)
    assert features["layers"] == ("Maximum-1 Minimum-1 ",)
    assert features["parameter.high.shape"] == ("more-ones",)
    assert record.detail.endswith("should be [1,2,3,4]")


def test_a_graph_is_written_as_a_folder(tmp_path) -> None:
    verdict = write(
        ir_models.parse(HIGHER), tmp_path / "case", DEVICE, parse(f"FAULT={RANK_DROPPED}")
    )
    assert verdict is not None
    assert verdict.outcome is Outcome.FAIL
    names = {path.name for path in (tmp_path / "case").iterdir()}
    assert {
        "model.xml",
        "input_0_0.npy",
        "input_1_0.npy",
        "actual_1_0.npy",
        "reproduce.py",
    } <= names


# --- graphs that are kept, causes ---------------------------------------------------------------------------------


def test_a_graph_is_kept_once_under_a_name_of_its_own(tmp_path) -> None:
    assert keep_command.keep(TEXT, "relu-add", "what it shows", tmp_path) == (
        "relu-add/graphs/f32[2,3],f32[3]"
    )
    assert (tmp_path / "relu-add.txt").read_text().startswith("# what it shows\nx=f32[2,3]\n")
    for text, name, words in (
        (TEXT, "relu-add", "there is a graph called relu-add already"),
        (TEXT, "Relu", "small letters"),
        (FOUND[0].graph.text, "other", f"this graph is in the suite already, as {FOUND[0].name}"),
    ):
        with pytest.raises(ValueError, match=words):
            keep_command.keep(text, name, "", tmp_path)


def test_a_graph_that_is_none_is_refused_in_a_line(capsys) -> None:
    assert main(["keep", "x=f32[2]; return y", "name"]) == 2
    assert "nothing before it is called 'y'" in capsys.readouterr().err


def test_a_cause_names_a_find_by_its_pattern_and_by_its_layers() -> None:
    naming = CauseNaming("CPU", "accuracy", "2026.4.1")
    graph = patterns.graph_of("Clamp/low.shape=more-ones")
    case = GraphCase.as_text(evaluate(graph))
    verdict = Verdict(case, Outcome.FAIL, "shape", Facts(kind="shape", output=0))
    assert naming.cause_of("Clamp/low.shape=more-ones", verdict) == "clamp-of-higher-rank"
    assert naming.cause_of(graph.text, verdict) == "clamp-of-higher-rank"
    facts = Facts(kind="value", output=0)
    other = Verdict(patterns.case_of(TEXT), Outcome.FAIL, "value", facts)
    assert naming.cause_of(TEXT, other) == ""
