"""Faults are distinct: each happens for real, in a child process, in the middle of a pack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import ir_models
from devices import Options, Runner, Verdict, parse_profile
from devices.engine.verdicts.known import Known, NothingKnown
from devices.process.resources import limits
from ir_models import LayerCase
from ir_models.writing import ir
from reports.results.outcomes import Outcome
from tests.unit.devices import faulty

DEVICE = "PYTHON:tests.unit.devices.faulty"
CULPRIT = "SpaceToDepth-1/variant.depth-first/f32[2,3,9,6]/block_size=3,mode=depth_first"
PACK = [
    "SpaceToDepth-1/variant.depth-first/f32[2,5,6]/block_size=2,mode=depth_first",
    CULPRIT,
    "SpaceToDepth-1/variant.block-size/f32[2,3,4,5]/block_size=1,mode=blocks_first",
    "DepthToSpace-1/plain/f32[3,16,2,5]/block_size=2,mode=blocks_first",
]
MATCH = "2x3x9x6"
SPECIAL = [
    "SpaceToDepth-1/type/f16[3,5,4,6]/block_size=2,mode=blocks_first/values=special",
    "SpaceToDepth-1/type/f32[3,5,4,6]/block_size=2,mode=blocks_first/values=special",
    "SpaceToDepth-1/type/bf16[3,5,4,6]/block_size=2,mode=blocks_first/values=special",
]
# Types with which devices are known to damage memory: packs of them are released as soon as they have answered.
FRAGILE = [
    "SpaceToDepth-1/type/i4[3,5,4,6]/block_size=2,mode=blocks_first",
    "SpaceToDepth-1/variant.depth-first/i4[2,3,9,6]/block_size=3,mode=depth_first",
]
INVALID = [
    "SpaceToDepth-1/invalid/f32[3,5,4,7]/block_size=2,mode=blocks_first",
    "SpaceToDepth-1/invalid/f32[3,5,3,6]/block_size=2,mode=blocks_first",
]


def faulty_runner(
    fault: str,
    match: str = MATCH,
    audit: float = 0.0,
    known: Known | None = None,
    **settings: object,
) -> Runner:
    given = {"FAULT": fault, "MATCH": match, **settings}
    profile = parse_profile(",".join(f"{key}={value}" for key, value in given.items() if value))
    return Runner(DEVICE, profile, Options(case_timeout=2.0, audit=audit), known)


def judge(
    fault: str,
    ids: Sequence[str] = PACK,
    match: str = MATCH,
    audit: float = 0.0,
    known: Known | None = None,
    **settings: object,
) -> dict[str, Verdict]:
    """The verdicts of a pack by case id, from a device with this fault in the layers that match."""
    with faulty_runner(fault, match, audit, known, **settings) as runner:
        verdicts = runner.judge([ir_models.parse(text) for text in ids])
    assert [verdict.case.id for verdict in verdicts] == list(ids)
    return {verdict.case.id: verdict for verdict in verdicts}


def description(case_id: str) -> str:
    """What the device writes in its log when it is asked about this case."""
    (layer,) = faulty.layers(ir.write([ir_models.parse(case_id)]).xml)
    return layer.description


def assert_others_pass(verdicts: dict[str, Verdict], culprit: str) -> None:
    others = {case: v.outcome for case, v in verdicts.items() if case != culprit}
    assert others == dict.fromkeys(others, Outcome.PASS)
    assert others


def test_without_a_fault_all_pass_in_one_pack(tmp_path: Path) -> None:
    verdicts = judge("", LOG=tmp_path / "log")
    assert {v.outcome for v in verdicts.values()} == {Outcome.PASS}
    assert {v.pack for v in verdicts.values()} == {len(PACK)}
    assert (tmp_path / "log").read_text().splitlines() == [description(case) for case in PACK]


@pytest.mark.parametrize(
    "fault, stage, status",
    [
        ("segfault", "read", "SIGSEGV in read"),
        ("segfault", "infer", "SIGSEGV in infer"),
        ("abort", "infer", "SIGABRT in infer"),
        ("abort_with_words", "infer", "SIGABRT in infer: free(): invalid pointer"),
        ("exit", "compile", "exit status 3 in compile"),
    ],
)
def test_death_is_a_crash_of_the_culprit_alone(fault: str, stage: str, status: str) -> None:
    verdicts = judge(fault, STAGE=stage)
    assert verdicts[CULPRIT].outcome is Outcome.CRASH
    assert verdicts[CULPRIT].detail == status
    assert verdicts[CULPRIT].evidence is not None
    assert_others_pass(verdicts, CULPRIT)


def test_a_hang_is_a_timeout_of_the_culprit_alone() -> None:
    verdicts = judge("hang", STAGE="compile")
    assert verdicts[CULPRIT].outcome is Outcome.TIMEOUT
    assert verdicts[CULPRIT].detail == "no answer in compile within 6.3 s"
    assert_others_pass(verdicts, CULPRIT)


@pytest.mark.parametrize(
    "fault, outcome, detail",
    [
        ("wrong_element", Outcome.FAIL, "output: [1,26,2,1] is *, should be *; 1 of 324 wrong"),
        ("wrong_shape", Outcome.FAIL, "output: shape is [2,27,3,2,1], should be [2,27,3,2]"),
        ("wrong_type", Outcome.FAIL, "output: type is i32, should be f32"),
        ("bytes_missing", Outcome.FAIL, "output: has 1295 bytes, f32[2,27,3,2] should have 1296"),
        (
            "random_bytes_more",
            Outcome.FAIL,
            "output: has 10368 bytes, f32[2,27,3,2] should have 1296",
        ),
        (
            "infers_shape",
            Outcome.FAIL,
            "output: shape inferred at reading is [2,27,3,2,9], should be [2,27,3,2]",
        ),
        (
            "infers_type",
            Outcome.FAIL,
            "output: type inferred at reading is u8, should be f32",
        ),
        (
            "refuse",
            Outcome.REFUSED,
            "at infer: Check 'kernel' SpaceToDepth has no kernel on this device",
        ),
        ("refuse_vaguely", Outcome.REFUSED, "at infer: this model is not supported"),
        ("refuse_silently", Outcome.REFUSED, "at infer: empty message"),
        ("unreadable", Outcome.ERROR, "the outputs cannot be read: no host pointer"),
        (
            "folded",
            Outcome.FOLDED,
            "folded to a constant; the device did not execute the layer",
        ),
        (
            "wrong_when_odd",
            Outcome.FLAKE,
            "inference 1 gave two answers for the same data; output: [1,26,2,1] is *, should be *; "
            "1 of 324 wrong",
        ),
        (
            "wrong_in_pack",
            Outcome.FLAKE,
            "PASS alone; in a pack of 4: output: [1,26,2,1] is *, should be *; 1 of 324 wrong",
        ),
    ],
)
def test_a_wrong_answer_is_told_for_what_it_is(fault: str, outcome: Outcome, detail: str) -> None:
    verdicts = judge(fault)
    assert verdicts[CULPRIT].outcome is outcome
    assert _like(verdicts[CULPRIT].detail, detail), verdicts[CULPRIT].detail
    assert_others_pass(verdicts, CULPRIT)


def _like(text: str, pattern: str) -> bool:
    """Whether the text is the pattern, ``*`` standing for numbers."""
    parts = pattern.split("*")
    return text.startswith(parts[0]) and text.endswith(parts[-1]) and all(p in text for p in parts)


def test_two_answers_are_right_where_the_page_fixes_only_the_distribution() -> None:
    layer = "RandomUniform-8/plain/-/shape=4,5,7;minval=f32:-1.5;maxval=f32:2.5;output_type=f32;{}"
    unseeded = layer.format("global_seed=0;op_seed=0")
    assert judge("rolled_when_odd", [unseeded], "", audit=1.0)[unseeded].outcome is Outcome.PASS
    seeded = layer.format("global_seed=150;op_seed=10")
    assert judge("rolled_when_odd", [seeded], "", audit=1.0)[seeded].outcome is Outcome.FLAKE


@pytest.mark.parametrize("how", ["", "/requests=again"])
def test_of_an_operation_that_keeps_state_the_first_inference_counts_in_packs_and_alone(
    how: str,
) -> None:
    layer = "RandomUniform-8/plain/-/shape=4,5,7;minval=f32:-1.5;maxval=f32:2.5;output_type=f32;{}"
    seeded = [layer.format(f"global_seed={seed};op_seed=10") + how for seed in (150, 151)]
    for pack in (seeded, seeded[:1]):
        # In a model that is compiled anew the sequence begins again.
        verdicts = judge("goes_on", pack, "", audit=1.0)
        assert [v.outcome for v in verdicts.values()] == [Outcome.PASS] * len(pack)
    # A wrong first inference is seen.
    verdicts = judge("wrong_element", seeded, "")
    assert [v.outcome for v in verdicts.values()] == [Outcome.FAIL] * 2
    # Others keep no state: what they give at the second inference counts.
    assert judge("goes_on", [CULPRIT], "", audit=1.0)[CULPRIT].outcome is Outcome.FLAKE


def test_the_detail_tells_the_value_that_came_and_the_right_one() -> None:
    verdict = judge("wrong_element")[CULPRIT]
    assert verdict.comparison is not None
    came, right = float(verdict.comparison.actual), float(verdict.comparison.expected)
    assert came == pytest.approx(right + 1)
    assert f"is {verdict.comparison.actual}, should be {verdict.comparison.expected};" in (
        verdict.detail
    )
    assert verdict.evidence is not None
    assert verdict.evidence.reply is not None
    assert verdict.evidence.reply.outputs[0][0].values()[1, 26, 2, 1] == np_f32(came)
    assert verdict.evidence.expected[0][0].value[1, 26, 2, 1] == np_f32(right)


def np_f32(number: float) -> object:
    return ir_models.ELEMENT_TYPES["f32"].dtype.type(number)


@pytest.mark.parametrize(
    "fault, told",
    [
        ("minus_zero", "is -0.0, should be 0.0;"),
        ("nan_for_number", "is nan, should be "),
        ("number_for_nan", "is 1.0, should be nan;"),
    ],
)
def test_special_values_are_told_apart(fault: str, told: str) -> None:
    culprit = SPECIAL[1]
    verdicts = judge(fault, SPECIAL, match="f32[")
    assert verdicts[culprit].outcome is Outcome.FAIL
    assert told in verdicts[culprit].detail
    assert_others_pass(verdicts, culprit)


def test_a_stranger_that_executes_makes_the_device_absent() -> None:
    verdicts = judge("stranger", [CULPRIT])
    assert verdicts[CULPRIT].outcome is Outcome.ABSENT
    assert verdicts[CULPRIT].detail == f"CPU executed instead of {DEVICE}"


@pytest.mark.parametrize(
    "fault, outcome, detail",
    [
        ("die_on_release", Outcome.CRASH, "SIGSEGV in release"),
        ("exit_on_release", Outcome.CRASH, "exit status 3 in release"),
        ("hang_on_release", Outcome.TIMEOUT, "no answer in release within 6 s"),
    ],
)
def test_damage_that_shows_at_release_counts(fault: str, outcome: Outcome, detail: str) -> None:
    culprit = FRAGILE[1]
    verdicts = judge(fault, FRAGILE)
    assert (verdicts[culprit].outcome, verdicts[culprit].detail) == (outcome, detail)
    assert_others_pass(verdicts, culprit)


@pytest.mark.parametrize("fault", ["die_later", "refuse_later", "read_nothing_later"])
def test_nobody_is_blamed_for_the_damage_of_a_case_before(fault: str) -> None:
    with faulty_runner(fault) as runner:
        for pack in ([PACK[1]], [PACK[0]], [PACK[1]], [PACK[2], PACK[3]]):
            for verdict in runner.judge([ir_models.parse(text) for text in pack]):
                assert verdict.outcome is Outcome.PASS, verdict.case.id


def test_what_a_damaged_process_says_of_an_invalid_layer_is_not_believed_of_a_valid_one() -> None:
    # The culprit damages its process, which refuses the invalid layer; and again, when it refuses a valid one alike.
    packs = ([CULPRIT], [INVALID[0]], [CULPRIT], [PACK[0]])
    with faulty_runner("read_nothing_later") as runner:
        for pack in packs:
            for verdict in runner.judge([ir_models.parse(text) for text in pack]):
                assert verdict.outcome is Outcome.PASS, verdict.case.id


def test_an_exception_of_the_library_that_is_the_layers_own_is_its_refusal() -> None:
    verdicts = judge("refuse_by_library")
    assert (verdicts[CULPRIT].outcome, verdicts[CULPRIT].detail) == (
        Outcome.REFUSED,
        "at infer: map::at",
    )
    assert_others_pass(verdicts, CULPRIT)


def test_what_a_library_prints_is_no_answer() -> None:
    assert {v.outcome for v in judge("chatter").values()} == {Outcome.PASS}


def test_a_case_that_the_reference_cannot_answer_is_an_error_of_its_own() -> None:
    culprit = "SpaceToDepth-1/plain/f32[3,5,4,7]/block_size=2,mode=blocks_first"
    verdicts = judge("", [PACK[0], culprit, PACK[2]])
    assert verdicts[culprit].outcome is Outcome.ERROR
    assert verdicts[culprit].detail == (
        "the reference fails: ValueError: SpaceToDepth-1: block_size 2 must divide 7"
    )
    assert_others_pass(verdicts, culprit)


def test_a_refusal_that_names_its_layer_leaves_the_others_together(tmp_path: Path) -> None:
    pack = [
        "SpaceToDepth-1/variant.depth-first/f32[2,5,6]/block_size=2,mode=depth_first",
        CULPRIT,
        "SpaceToDepth-1/variant.depth-first/f32[2,3,4,6,8]/block_size=2,mode=depth_first",
        "DepthToSpace-1/plain/f32[3,16,2,5]/block_size=2,mode=blocks_first",
    ]
    verdicts = judge("refuse", pack, LOG=tmp_path / "log")
    assert_others_pass(verdicts, CULPRIT)
    asked = (tmp_path / "log").read_text().splitlines()
    others = [case for case in pack if case != CULPRIT]
    # The refusal is confirmed in a fresh process.
    assert asked == [description(case) for case in [*pack, CULPRIT, CULPRIT, *others]]


def test_refusals_of_one_kind_are_confirmed_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with faulty_runner("refuse", match="", LOG=log) as runner:
        for case in PACK:
            (verdict,) = runner.judge([ir_models.parse(case)])
            assert verdict.outcome is Outcome.REFUSED
    # The first one was in a fresh process, and the last one is another operation's.
    assert log.read_text().splitlines() == [description(case) for case in [*PACK, PACK[-1]]]


def test_unknown_shapes_the_detail_tells_the_inference_and_its_shape() -> None:
    culprit = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first/shape=dims"
    case = ir_models.parse(culprit)
    verdict = judge("wrong_element", [culprit], match="")[culprit]
    assert verdict.outcome is Outcome.FAIL
    assert verdict.detail.startswith("inference 1, output for f32[3,5,4,6]: [2,19,1,2] is ")
    assert len({layer.data.shape for layer in case.layers}) == 2


# --- audit ------------------------------------------------------------------------------------------------------------


def test_audit_asks_the_passed_cases_again_alone(tmp_path: Path) -> None:
    verdicts = judge("", audit=1.0, LOG=tmp_path / "log")
    assert {v.outcome for v in verdicts.values()} == {Outcome.PASS}
    asked = (tmp_path / "log").read_text().splitlines()
    assert asked == [description(case) for case in [*PACK, *PACK]]


def test_audit_finds_a_case_that_is_wrong_alone_only() -> None:
    assert judge("wrong_alone")[CULPRIT].outcome is Outcome.PASS
    verdicts = judge("wrong_alone", audit=1.0)
    assert verdicts[CULPRIT].outcome is Outcome.FAIL
    assert verdicts[CULPRIT].detail.startswith("PASS in a pack of 4; alone: output: [1,26,2,1] is ")
    assert_others_pass(verdicts, CULPRIT)


TILES = [f"Tile-1/plain/f32[1,4,{size},2]/repeats=1,2,3,1" for size in (2, 3)]
SPLITS = [f"VariadicSplit-1/plain/f32[2,{size}]/axis=1;split_lengths=1,-1" for size in (3, 4)]
FAKE = "FakeQuantize-1/variant.ranges/f32[2],f32[],f32[],f32[],f32[]/X=[1,3];input_low=2.0;{}"
LEVELS = "input_high=20.0;output_low=0.0;output_high=20.0;levels={};auto_broadcast=numpy"
FAKES = [FAKE.format(LEVELS.format(count)) + "/data=runtime" for count in (5, 256)]


@pytest.mark.parametrize(
    "culprit, others",
    [
        # The kernel has no repeats to read, and writes nothing: in a pack the memory is what another layer left.
        ("Tile-1/variant.empty-repeats/f32[1,4,3,2]/repeats=", TILES),
        # The first output has no elements, and the kernel does not write the other one either.
        ("VariadicSplit-1/plain/f32[2,5]/axis=1;split_lengths=0,-1", SPLITS),
        # Another layer in the model keeps it from being folded.
        (FAKE.format(LEVELS.format(16)), FAKES),
    ],
    ids=["empty input", "empty output", "constant that is quantized"],
)
def test_a_case_that_others_in_a_pack_decide_about_is_asked_alone(
    culprit: str, others: list[str], tmp_path: Path
) -> None:
    verdicts = judge("wrong_alone", [culprit, *others], "", LOG=tmp_path / "log")
    assert verdicts[culprit].outcome is Outcome.FAIL
    assert verdicts[culprit].pack == 1
    assert_others_pass(verdicts, culprit)
    # Never in the pack; once more in a process with other memory.
    assert (tmp_path / "log").read_text().splitlines().count(description(culprit)) == 2


def test_an_empty_case_of_which_no_output_has_elements_stays_in_its_pack() -> None:
    empty = "Tile-1/dim-0/f32[1,0,3,2]/repeats=1,2,3,1"
    verdicts = judge("", [empty, *TILES], "nothing")
    assert {verdict.pack for verdict in verdicts.values()} == {3}


def test_what_changes_in_the_second_run_is_seen_in_a_pack() -> None:
    """Once is enough alone, and would be nothing in a pack that ran once."""
    verdicts = judge("goes_on")
    assert verdicts[CULPRIT].outcome is Outcome.FLAKE
    assert verdicts[CULPRIT].facts.kind == "two answers"
    assert_others_pass(verdicts, CULPRIT)


def test_a_constant_layer_is_rightly_folded() -> None:
    constant = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first/data=constant"
    verdict = judge("folded", [constant], match="")[constant]
    assert verdict.outcome is verdict.expected_outcome is Outcome.FOLDED


@pytest.mark.parametrize(
    "case, expected",
    [
        ("Concat-1/plain/f32[2,3,5,4],f32[2,1,5,4],f32[2,6,5,4]/axis=1", Outcome.PASS),
        ("Concat-1/dim-0/f32[0,3,5,4],f32[0,1,5,4],f32[0,6,5,4]/axis=1", Outcome.FOLDED),
        ("ShapeOf-3/plain/f32[3,5,2,4]/output_type=i32", Outcome.FOLDED),
        ("ShapeOf-3/plain/f32[3,5,2,4]/output_type=i32/shape=dims", Outcome.PASS),
        ("ShapeOf-3/plain/f32[3,5,2,4]/output_type=i32/shape=bounds", Outcome.PASS),
    ],
)
def test_only_what_must_be_constant_is_rightly_folded(case: str, expected: Outcome) -> None:
    verdict = judge("folded", [case], match="")[case]
    assert verdict.outcome is Outcome.FOLDED
    assert verdict.expected_outcome is expected
    # Executed, it is as right.
    assert judge("", [case])[case].outcome is Outcome.PASS


# --- invalid layers ---------------------------------------------------------------------------------------------------


def test_invalid_layers_that_are_refused_pass() -> None:
    verdicts = judge("", INVALID)
    assert [v.outcome for v in verdicts.values()] == [Outcome.PASS, Outcome.PASS]
    assert verdicts[INVALID[0]].detail == (
        "refused at read: SpaceToDepth-1: block_size 2 must divide 7"
    )


@pytest.mark.parametrize(
    "fault, outcome, detail",
    [
        (
            "accept_invalid",
            Outcome.ACCEPTED_INVALID,
            "broken rule: block_size divides every spatial dimension; the device computed [1, 2]",
        ),
        (
            "refuse_silently",
            Outcome.FAIL,
            "broken rule: block_size divides every spatial dimension; "
            "refused at compile with an empty message",
        ),
        ("segfault", Outcome.CRASH, "SIGSEGV in compile"),
        ("hang", Outcome.TIMEOUT, "no answer in compile within 6.3 s"),
        (
            "poison",
            Outcome.FAIL,
            "refused at read: SpaceToDepth-1: block_size 2 must divide 7; "
            "after it, the plain layer no longer passes in the same process",
        ),
        (
            "poison_deadly",
            Outcome.FAIL,
            "refused at read: SpaceToDepth-1: block_size 2 must divide 7; "
            "after it, the plain layer no longer passes in the same process",
        ),
    ],
)
def test_invalid_layers_that_are_not_refused_cleanly(
    fault: str, outcome: Outcome, detail: str
) -> None:
    culprit = INVALID[0]
    verdicts = judge(fault, INVALID, match="3x5x4x7", STAGE="compile")
    assert verdicts[culprit].outcome is outcome
    assert verdicts[culprit].detail == detail
    assert_others_pass(verdicts, culprit)


def test_an_answer_of_two_gigabytes_is_an_error_of_its_case_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "most", lambda: 10**9)
    verdicts = judge("two_gigabytes")
    assert verdicts[CULPRIT].outcome is Outcome.ERROR
    detail = "the outputs cannot be read: Unable to allocate 2.00 GiB"
    assert verdicts[CULPRIT].detail.startswith(detail), verdicts[CULPRIT].detail
    assert_others_pass(verdicts, CULPRIT)


def test_every_fault_is_tried() -> None:
    """A fault that no test uses proves nothing."""
    here = Path(__file__).parents[1]
    places = (*here.rglob("test_*.py"), here.parent / "conformance" / "test_one_story.py")
    source = "".join(place.read_text() for place in places).replace("FAULT=coarse", '"coarse"')
    tables = (
        faulty.DEATHS,
        faulty.REFUSALS,
        faulty.LIES,
        faulty.MALFORMED,
        faulty.ON_PIPE,
        faulty.OTHERS,
    )
    assert [name for table in tables for name in table if f'"{name}"' not in source] == []


class Spoils(NothingKnown):
    """The culprit is known to make other layers of its model wrong."""

    def spoils(self, case: LayerCase) -> bool:
        return case.id == CULPRIT


def test_what_is_known_to_spoil_a_pack_is_left_out_for_the_others() -> None:
    """One that is wrong in a pack alone stays so (``wrong_in_pack``), and so do others beside a new spoiler."""
    verdicts = judge("spoils", known=Spoils())
    assert verdicts[CULPRIT].outcome is Outcome.FAIL
    assert_others_pass(verdicts, CULPRIT)
    of_others = judge("spoils")
    assert of_others.pop(CULPRIT).outcome is Outcome.FAIL
    assert {each.facts.kind for each in of_others.values()} == {"only in a pack"}


def test_a_case_that_is_wrong_in_a_pack_only_has_the_pack_as_evidence() -> None:
    evidence = judge("wrong_in_pack")[CULPRIT].evidence
    assert evidence is not None
    assert evidence.reply is not None
    assert [case.id for case in evidence.pack] == PACK
    assert len(evidence.question.layers) == len(PACK)
    (expected,), (actual,) = evidence.expected, evidence.reply.outputs
    wrong = [
        case
        for case, one, two in zip(PACK, expected, actual, strict=True)
        if not (one.value == two.values()).all()
    ]
    assert wrong == [CULPRIT]
