"""What a device supports, by small results: cells, crossings, layers, comparisons."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import msgspec
import pytest

from ir_models import models
from reports.gate import baseline_files
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Run, from_records
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from reports.support.comparing import changes, common
from reports.support.layers import answer
from reports.support.measured import (
    SCHEMA_FILE,
    CaseState,
    State,
    SupportDocument,
    as_json,
    by_cells,
    json_schema,
    measured,
    merged,
    state_of,
)
from reports.support.sources import of_baseline, read
from tests.planted.small_model import SmallModel
from tests.unit.reports.small_results import header, record, write

ROOT = Path(__file__).parents[4]
PLAIN = "Gather-8/plain/f32[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
F16 = "Gather-8/type/f16[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
F64 = "Gather-8/type/f64[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
OK, REFUSED, WRONG, UNSAFE = State.CONFORMS, State.REFUSED, State.WRONG, State.UNSAFE


def gather(*cases):
    """The support of Gather by cases with their states."""
    by_operation = by_cells([CaseState(*each) for each in cases], models)
    return measured(by_operation, models)[0]["Gather-8"]


def source(folder, *cases, name="a.jsonl", **other):
    """The support that results have, each case with its outcome."""
    records = [record(case, outcome, cause=cause) for case, outcome, *rest in cases
               for cause in [rest[0] if rest else ""]]  # fmt: skip
    (found,) = read([write(folder / name, header(**other), *records)], models)
    return found


@pytest.mark.parametrize(
    "outcome, facts, state",
    [
        (Outcome.REFUSED, Facts(), REFUSED),
        (Outcome.CRASH, Facts(), UNSAFE),
        (Outcome.TIMEOUT, Facts(), UNSAFE),
        (Outcome.FAIL, Facts(kind="damage"), UNSAFE),
        (Outcome.FAIL, Facts(kind="value"), WRONG),
        (Outcome.FAIL, Facts(kind="value", computed_as="f64 as f32"), State.LOWER),
        (Outcome.ACCEPTED_INVALID, Facts(), WRONG),
        (Outcome.FOLDED, Facts(), State.NOT_ASKED),
        (Outcome.ABSENT, Facts(), State.NOT_ASKED),
    ],
)
def test_an_outcome_has_a_state(outcome, facts, state):
    assert state_of(outcome, facts) is state


def test_a_cell_is_what_the_cases_are_that_differ_by_it_alone():
    found = gather(
        (PLAIN, OK),
        (F16, OK),
        (F64, REFUSED, "no-f64"),
        (f"{F16}/values=special", WRONG),
        (f"{PLAIN}/shape=dims", UNSAFE),
        ("Gather-8/random/u8[3],i64[1]/axis=0,batch_dims=0", WRONG),
    )
    states = {cell: found.state_of(cell) for cell in (
        "type T=f32", "type T=f16", "type T=f64", "dimensions=known", "dimensions=unknown", "type T=u8", "type T=i4",
    )}  # fmt: skip
    assert list(states.values()) == [OK, OK, REFUSED, OK, UNSAFE, State.MIXED, State.NOT_ASKED]
    assert found.cell("type T=u8").besides == ["way=random"]
    cell = found.cell("type T=f64")
    assert (cell.asked, cell.departing, cell.causes) == (1, 1, [0])
    assert "i4" in found.not_asked["type T"]
    assert "bounded" in found.not_asked["dimensions"]
    assert (found.passed, found.asked) == (2, 6)
    # The special values depart with f16 alone, and the random layer for itself.
    assert [each.cells for each in found.crossings] == [
        ["way=random"],
        ["type T=f16", "way=values special"],
    ]


ONE_WAY = "LSTMSequence-5/{}/f32[3,6,5],f32[3,1,4],f32[3,1,4],f32[1,16,5],f32[1,16,4],f32[1,16]/sequence_lengths={};" \
    "hidden_size=4;activations=sigmoid,tanh,tanh;activations_alpha=0.5,0.25,0.75;activations_beta=0.125,1.0,2.0;" \
    "clip=2.5;direction=forward"  # fmt: skip


@pytest.mark.parametrize(
    "cases, cell, state, numbers, besides",
    [
        # A neighbour may be what fails.
        ([(f"{PLAIN}/shape=axis-1,behind=to-half", REFUSED, "x"), (f"{PLAIN}/shape=axis-2,before=abs", OK)],
         "dimensions=some unknown", State.MIXED, (2, 1), ["way=neighbours"]),
        ([(f"{PLAIN}/shape=axis-1,behind=to-half", OK), (f"{PLAIN}/shape=axis-2,before=abs", OK)],
         "dimensions=some unknown", OK, (2, 0), []),
        ([(f"{PLAIN}/shape=axis-1,behind=to-half", REFUSED), (f"{PLAIN}/shape=axis-2", OK)],
         "dimensions=some unknown", OK, (1, 0), []),
        ([(f"{PLAIN}/shape=axis-1,behind=to-half", OK), (f"{PLAIN}/shape=axis-2", REFUSED)],
         "dimensions=some unknown", REFUSED, (1, 1), []),
        # An example differs in its numbers as well.
        ([("Gather-8/example/f32[3],i64[2]/axis=0,batch_dims=0", UNSAFE, "x")],
         "rank=1", State.MIXED, (1, 1), ["way=example"]),
        ([(PLAIN.replace("plain", "dim-0").replace("[3,2,6,5]", "[0]"), WRONG, "x")],
         "rank=1", State.MIXED, (1, 1), ["way=dim-0"]),
        # Another cell may be what fails.
        ([(f"{F64}/shape=axis-1", REFUSED), (f"{F16}/shape=axis-1", OK)],
         "dimensions=some unknown", State.MIXED, (2, 1), ["type T=f64"]),
        # Types of several variables may have to change together.
        ([("Gather-8/type/f64[3,2,6,5],u8[3,4]/axis=2,batch_dims=1", REFUSED)], "type T=f64", REFUSED, (1, 1), []),
        # A variant with other numbers says less than one without.
        ([(ONE_WAY.format("variant.one-direction", "6,2,4"), OK), (ONE_WAY.format("variant.lengths", "3,0,6"), WRONG)],
         "direction=forward", OK, (1, 0), []),
        ([(ONE_WAY.format("variant.lengths", "3,0,6"), WRONG)], "direction=forward", State.MIXED, (1, 1),
         ["way=variant"]),
    ],
)  # fmt: skip
def test_only_a_case_that_has_a_cell_alone_says_that_it_departs(
    cases, cell, state, numbers, besides
):
    by_operation = by_cells([CaseState(*each) for each in [(PLAIN, OK), *cases]], models)
    found = measured(by_operation, models)[0][cases[0][0].partition("/")[0]]
    one = found.cell(cell)
    assert (found.state_of(cell), (one.asked, one.departing), one.besides) == (
        state,
        numbers,
        besides,
    )


BATCH_NORM = "BatchNormInference-1/plain/f32[2,5,4,3],f32[5],f32[5],f32[5],f32[5]/epsilon=0.125"


@pytest.mark.parametrize(
    "plain, first, second, state",
    [
        (REFUSED, REFUSED, REFUSED, REFUSED),
        (REFUSED, REFUSED, OK, State.MIXED),
        (REFUSED, WRONG, REFUSED, State.MIXED),
        (OK, REFUSED, REFUSED, State.MIXED),
    ],
)
def test_a_cell_that_no_case_conforms_in_departs_as_the_plain_layer_does(
    plain, first, second, state
):
    cases = (
        (BATCH_NORM, plain),
        (f"{BATCH_NORM}/shape=axis-0,before=abs", first),
        (f"{BATCH_NORM}/shape=axis-1,behind=relu", second),
    )
    by_operation = by_cells([CaseState(*each) for each in cases], models)
    found = measured(by_operation, models)[0]["BatchNormInference-1"]
    assert found.state_of("dimensions=some unknown") is state
    assert found.cell("dimensions=some unknown").asked == 2


def test_another_body_says_nothing_of_the_plain_layer():
    case = "If-8/{}/boolean[],f32[2,5,3],f32[2,5,3],f32[4,7]/then_body={},else_body=subtract"
    cases = [(case.format("plain", "add"), OK), (case.format("enumeration", "five"), REFUSED)]
    found = measured(by_cells([CaseState(*each) for each in cases], models), models)[0]["If-8"]
    assert found.state_of("type T=f32") is OK
    assert [each.cells for each in found.crossings] == [["way=body"]]
    # An input that no plain body reads may be left out with another one only.
    left_out = (
        "If-8/enumeration/boolean[],-,f32[2,5,3],f32[4,7]/then_body=five,else_body=five",
        WRONG,
    )
    found = measured(by_cells([CaseState(*cases[0]), CaseState(*left_out)], models), models)[0][
        "If-8"
    ]
    assert found.state_of("x=left out") is WRONG


def test_a_crossing_is_folded_under_a_part_that_departs_as_badly():
    dims, both = f"{PLAIN}/shape=dims", f"{F16}/shape=dims"
    assert gather((PLAIN, OK), (F16, REFUSED), (dims, OK), (both, REFUSED)).crossings == []
    (crossing,) = gather((PLAIN, OK), (F16, REFUSED), (dims, OK), (both, WRONG)).crossings
    assert crossing.cells == ["dimensions=unknown", "type T=f16"]
    assert crossing.state is WRONG
    (crossing,) = gather((PLAIN, OK), (F16, OK), (dims, OK), (both, REFUSED)).crossings
    assert crossing.state is REFUSED


def test_crossings_that_differ_in_one_value_are_shown_as_one():
    found = gather(
        (PLAIN, OK), (f"{PLAIN}/shape=dims", OK), (F16, OK), (F64, OK),
        (f"{F16}/shape=dims", WRONG, "a"), (f"{F64}/shape=dims", WRONG, "b"), (f"{F64}/shape=rank", UNSAFE),
    )  # fmt: skip
    other, one = merged(found.crossings)
    assert one.cells == ["dimensions=unknown", "type T=f16|f64"]
    assert (one.cases, one.causes) == (2, [0, 1])
    assert [*one.each()] == [
        ("dimensions=unknown", "type T=f16"),
        ("dimensions=unknown", "type T=f64"),
    ]
    assert other.cells == ["dimensions=rank unknown", "type T=f64"]


def test_an_invalid_layer_has_no_cells_and_graphs_are_counted_apart(tmp_path):
    invalid = "Gather-8/invalid/f32[3,2,6,5],i64[3,4]/axis=9,batch_dims=1"
    graph = "Graph/graphs/f32[2]/x = Abs-1(data); return x"
    found = source(tmp_path, (PLAIN, "PASS"), (invalid, "ACCEPTED_INVALID"), (graph, "PASS"))
    operation = found.support.operations["Gather-8"]
    assert operation.state_of("rank=4") is OK
    assert [each.cells for each in operation.crossings] == [["way=invalid"]]
    assert (found.support.asked, found.support.left_out) == (2, 1)


def test_a_document_fits_its_schema_and_says_what_the_results_say(tmp_path):
    found = source(
        tmp_path, (PLAIN, "PASS"), (F16, "PASS"), (F64, "FAIL", "some"), (f"{F16}/shape=dims", "CRASH"),
        (f"{F16}/values=special", "FAIL", "other"),
    )  # fmt: skip
    text = as_json([found.support])
    jsonschema.validate(json.loads(text), json.loads(SCHEMA_FILE.read_text()))
    path = tmp_path / "support.json"
    path.write_text(text)
    (again,) = read([path], models)
    own, other = (each.support.operations["Gather-8"] for each in (found, again))
    assert (own.cells, own.not_asked, own.passed) == (other.cells, other.not_asked, other.passed)
    assert [(one.cells, one.state) for one in other.crossings] == [
        (["dimensions=unknown", "type T=f16"], UNSAFE),
        (["way=values special"], WRONG),
    ]
    assert again.support.title == found.support.title
    assert as_json([again.support]) == text, "what was read is written as it was"
    assert SCHEMA_FILE.read_text() == json_schema(), "run `python -m reports schema --write`"


def test_the_schema_refuses_what_is_no_support(tmp_path):
    schema = json.loads(SCHEMA_FILE.read_text())
    document = json.loads(as_json([source(tmp_path, (PLAIN, "PASS")).support]))
    for changed in ({**document, "support": 1}, {"devices": []}, {**document, "devices": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed, schema)
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(changed, SupportDocument)


def test_a_baseline_tells_what_its_run_did(tmp_path):
    cases = models.cases_asked("Split-1", "single", 0, 0)
    refused = [case for case in cases if "/type/u" in case]
    assert refused
    records = [
        record(case, "REFUSED" if case in refused else "PASS", cause="some")
        for case in cases[::2] + tuple(refused)
    ]
    run = Run(device="CPU", profile="accuracy", openvino="2026.4.1")
    baseline = from_records({one.case: one for one in records}.values(), run)
    whole = Baseline(
        run,
        baseline.lines,
        AskedCases.of(baseline.asked),
        "CPU 2026.4",
        categories=baseline.categories,
    )
    folder = tmp_path / "2026.4"
    baseline_files.write_folder(folder, baseline_files.texts_of(whole))
    told = of_baseline(folder, models).support
    (same,) = read([write(tmp_path / "a.jsonl", header(), *records)], models)
    assert told.operations == same.support.operations
    assert (told.asked, told.left_out) == (len(baseline.asked), 0)
    own = record("Split-1/plain/f32[9]/axis=0,num_splits=3")
    more = Baseline(
        run,
        whole.lines,
        AskedCases.of({*baseline.asked, own.case}),
        "",
        categories=whole.categories,
    )
    baseline_files.write_folder(folder, baseline_files.texts_of(more))
    assert of_baseline(folder, models).support.left_out == 1, "an id that is not in the corpus"


def test_a_baseline_of_what_was_compiled_has_no_values(tmp_path):
    run = Run(device="NPU", profile="npu=X", openvino="2026.4.1", compile_only=True)
    asked = AskedCases.of([PLAIN])
    folder = tmp_path / "2026.4"
    baseline_files.write_folder(folder, baseline_files.texts_of(Baseline(run, {}, asked, "NPU")))
    found = of_baseline(folder, models).support
    assert found.compile_only
    assert found.operations["Gather-8"].state_of("type T=f32") is State.COMPILES
    assert state_of(Outcome.FLAKE, Facts(), compile_only=True) is State.COMPILES, "to another blob"
    assert state_of(Outcome.FLAKE, Facts()) is WRONG


def test_the_shipped_compiler_baseline_says_that_it_saw_no_values():
    runs = {
        device: baseline_files.read_run(baseline_files.folders_of(device)[0]).compile_only
        for device in ("CPU", "GPU", "CORE", "NPU")
    }
    assert runs == {"CPU": False, "GPU": False, "CORE": False, "NPU": True}


# --- layers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """A layer of a model, by the cells in which it differs from the plain one."""

    apart: dict[str, str]
    operation: str = "Gather-8"
    is_known: bool = True
    bodies: bool = False
    title: str = "layer"
    inputs: tuple[str, ...] = ()

    @property
    def has_shapes(self):
        return any(cell.startswith("dimensions=") for cell in self.cells)

    @property
    def plain(self):
        return models.plain_cells("Gather-8")

    @property
    def cells(self):
        rows = dict(cell.split("=") for cell in self.plain) | self.apart
        return frozenset(f"{row}={value}" for row, value in rows.items() if value)


@pytest.mark.parametrize(
    "layer, state, why",
    [
        (Layer({}), OK, "2 of 3 cases with just these cells; others depart with way=values special"),
        (Layer({"type T": "f16"}), OK, "1 of 1 cases"),
        (Layer({"type T": "f64"}), REFUSED, "0 of 1 cases"),
        (Layer({"type T": "f64", "constants": "all"}), REFUSED, "type T=f64 in an otherwise plain layer"),
        (Layer({"type T": "f16", "constants": "all"}), "each cell conforms", "never tested together"),
        (Layer({"type T": "f16", "constants": "all", "rank": "7"}), "not known", "never tested: rank=7"),
        (Layer({"type T": "f16", "dimensions": "unknown"}), UNSAFE, "0 of 1 cases"),
        (Layer({"type T": "f16", "dimensions": "unknown", "constants": "all"}), UNSAFE,
         "dimensions=unknown with type T=f16"),
        (Layer({"type T": "f16", "dimensions": "some unknown"}), State.MIXED,
         "dimensions=some unknown: conforms in 0 of 1; refused with way=neighbours"),
        (Layer({"dimensions": "", "rank": ""}), "not known", "the model file states no shape"),
        (Layer({}, bodies=True), "not known", "its body was not looked at"),
        (Layer({}, operation="Mine (x)", is_known=False), "not known", "the specification has no page for "
        "the operation"),
        (Layer({}, operation="Abs-1"), "not known", "no case of the operation"),
    ],
)  # fmt: skip
def test_a_layer_is_told_by_cases_with_its_cells_else_by_its_cells_alone(
    tmp_path, layer, state, why
):
    found = source(
        tmp_path, (PLAIN, "PASS"), (f"{PLAIN}/memory=strided", "PASS"), (f"{PLAIN}/values=special", "FAIL", "special"),
        (F16, "PASS"), (F64, "REFUSED", "no-f64"), (f"{PLAIN}/data=constant", "PASS"), (f"{PLAIN}/shape=dims", "PASS"),
        (f"{F16}/shape=dims", "CRASH", "dies"), (f"{PLAIN}/shape=axis-1,behind=to-half", "REFUSED", "near"),
    )  # fmt: skip
    told = answer(layer, found)
    assert told.state == state
    assert why in told.why
    assert told.state is not State.MIXED or "otherwise plain" not in told.why
    causes = {REFUSED: ("no-f64",), UNSAFE: ("dies",), State.MIXED: ("near",)}
    assert told.causes == causes.get(told.state, ("special",) if "special" in told.why else ())


def test_a_plain_layer_that_departs_is_called_that(tmp_path):
    found = source(
        tmp_path, (PLAIN, "REFUSED", "some"), (F16, "PASS"), (f"{PLAIN}/data=constant", "PASS")
    )
    told = answer(Layer({"type T": "f16", "constants": "all"}), found)
    assert (told.state, told.why) == (REFUSED, "the plain layer")


# --- compared -----------------------------------------------------------------------------------------------------


def test_what_was_lost_and_gained_is_told_cell_by_cell(tmp_path):
    dims = f"{PLAIN}/shape=dims"
    there = source(
        tmp_path,
        (PLAIN, "PASS"),
        (F16, "PASS"),
        (F64, "REFUSED", "no-f64"),
        (dims, "PASS"),
        name="a.jsonl",
    )
    here = source(
        tmp_path, (PLAIN, "PASS"), (F16, "CRASH", "dies"), (F64, "PASS"), (f"{F64}/shape=rank", "FAIL", "new"),
        name="b.jsonl",
    )  # fmt: skip
    found, alone, _ = changes(there.support, here.support)
    assert [(one.kind, one.cell, one.there, one.here, one.causes) for one in found] == [
        ("lost", "type T=f16", OK, UNSAFE, ("dies",)),
        ("lost", "dimensions=rank unknown with type T=f64", OK, WRONG, ("new",)),
        ("gained", "type T=f64", REFUSED, OK, ("no-f64",)),
    ]
    assert alone == 2, "unknown dimensions there, and an unknown rank here"
    assert changes(here.support, here.support) == ([], 0, 0)


def test_a_mixed_cell_is_compared_with_one_that_conforms_alone(tmp_path):
    near = f"{PLAIN}/shape=axis-1,behind=abs"
    good, mixed, bad = (
        source(tmp_path, (PLAIN, "PASS"), *cases, name=f"{number}.jsonl").support
        for number, cases in enumerate(
            ([(near, "PASS")], [(near, "REFUSED")], [(f"{PLAIN}/shape=axis-1", "FAIL")])
        )
    )
    found = [(one.cell, one.kind) for one in changes(good, mixed)[0]]
    assert ("dimensions=some unknown", "lost") in found
    assert not [one for one in changes(mixed, bad)[0] if one.cell == "dimensions=some unknown"]
    more = [(f"{PLAIN}/shape=axis-{n},before=abs,behind=relu", "REFUSED") for n in (0, 1, 2)]
    deeper = source(tmp_path, (PLAIN, "PASS"), (near, "REFUSED"), *more, name="deeper.jsonl")
    assert changes(good, deeper.support)[::2] == ([], 1), "one asked twice as many cases"


def test_devices_have_in_common_what_all_were_asked_and_none_departs_in(tmp_path):
    one = source(tmp_path, (PLAIN, "PASS"), (F16, "PASS"), (F64, "PASS"), name="a.jsonl").support
    other = source(
        tmp_path, (PLAIN, "PASS"), (F16, "REFUSED", "no-f16"), (f"{PLAIN}/shape=dims", "PASS"),
        (f"{PLAIN}/memory=strided", "FAIL"), (f"{PLAIN}/data=constant", "CRASH"), name="b.jsonl",
    ).support  # fmt: skip
    found = common([one, other])
    gather_8 = found.operations["Gather-8"]
    assert gather_8.state_of("type T=f32") is OK
    assert gather_8.state_of("type T=f16") is REFUSED
    assert found.causes_of(gather_8.cell("type T=f16")) == ["no-f16"]
    for cell in ("type T=f64", "dimensions=unknown"):
        assert gather_8.state_of(cell) is State.NOT_ASKED
    # What one is known to do badly comes before what another one was not asked.
    assert gather_8.state_of("constants=all") is UNSAFE
    assert "all" not in gather_8.not_asked["constants"]
    assert all(gather_8.not_asked.values())
    assert [each.cells for each in gather_8.crossings] == [["way=memory strided"]]
    jsonschema.validate(json.loads(as_json([found])), json.loads(SCHEMA_FILE.read_text()))


@pytest.fixture(scope="module")
def program():
    """The names of the program on the page, which has at most 20 lines."""
    text = (ROOT / "docs" / "support.md").read_text().split("```python\n")[1].split("```")[0]
    assert len([line for line in text.splitlines() if line]) <= 20
    found: dict[str, object] = {}
    exec(text, found)
    return found


def test_the_program_of_the_page_partitions_a_model(tmp_path, program):
    net = SmallModel()
    x = net.parameter("x", "1,3,5,4")
    for name, kind in zip("abcd", ("Abs", "ReLU", "Tanh", "Exp"), strict=True):
        x = net.layer(kind, x, name=name)
        net.state_shape(x, 1, 3, 5, 4)
    net.result(x)
    model = net.write(tmp_path)
    plain = [f"{name}/plain/f32[2,3,5,4]/-" for name in ("Abs-1", "ReLU-1", "Tanh-1", "Exp-1")]
    outcomes = ("PASS", "PASS", "REFUSED", "PASS")
    cpu = source(tmp_path, *zip(plain, outcomes, strict=True)).support
    npu = msgspec.convert(
        json.loads(as_json([cpu]).replace("conforms", "compiles")), SupportDocument
    )
    for device in (cpu, *npu.devices):
        path = tmp_path / "support.json"
        path.write_text(as_json([device]))
        parts = program["partition"](str(model), str(path))
        assert parts == [(True, ["a", "b"]), (False, ["c"]), (True, ["d"])]


def test_the_program_of_the_page_takes_what_conforms_and_is_in_no_crossing(tmp_path, program):
    found = source(
        tmp_path, (PLAIN, "PASS"), (F16, "PASS"), (F64, "REFUSED"), (f"{PLAIN}/shape=dims", "PASS"),
        (f"{F16}/shape=dims", "FAIL"), (f"{PLAIN}/values=special", "FAIL"),
        (f"{PLAIN}/shape=axis-1,behind=abs", "REFUSED"),
    )  # fmt: skip
    operation = json.loads(as_json([found.support]))["devices"][0]["operations"]["Gather-8"]
    taken = [
        ({}, True), ({"type T": "f16"}, True), ({"type T": "f64"}, False), ({"rank": "7"}, False),
        ({"dimensions": "unknown"}, True), ({"dimensions": "unknown", "type T": "f16"}, False),
        ({"dimensions": "some unknown"}, False), ({"dimensions": "", "rank": ""}, False),
    ]  # fmt: skip
    for apart, is_taken in taken:
        assert program["runs"](Layer(apart), operation) is is_taken, apart
    assert not program["runs"](Layer({}, bodies=True), operation)
